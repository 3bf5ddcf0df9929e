"""A reference by name that XML does not define → the characters that HTML means by it."""

from __future__ import annotations

from functools import lru_cache


@lru_cache(maxsize=1024)
def meaning(reference: bytes) -> bytes:
    """The characters as UTF-8; the reference itself where HTML does not know the name either."""
    from html.entities import html5

    character = html5.get(reference[1:].decode("ascii"))
    return reference if character is None else character.encode("utf-8")


@lru_cache(maxsize=1024)
def escaped(reference: bytes) -> bytes:
    """The same as it must be written in XML."""
    from html import escape

    return escape(meaning(reference).decode("utf-8")).encode("utf-8")


def is_space(reference: bytes) -> bool:
    """Whether it means whitespace, as `&nbsp;` does."""
    return meaning(reference).decode("utf-8").isspace()


_PREDEFINED = ((b"&lt;", b"<"), (b"&gt;", b">"), (b"&quot;", b'"'), (b"&apos;", b"'"), (b"&amp;", b"&"))
"""the ampersand last, so what it uncovers is not unescaped twice"""


def unescaped(value: bytes) -> str:
    """The text of a value that has no references but those of XML itself."""
    if b"&" in value:
        for reference, character in _PREDEFINED:
            value = value.replace(reference, character)
    return value.decode()
