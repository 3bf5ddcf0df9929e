"""Texts, attributes and names → XML that any parser reads back to the same characters."""

from __future__ import annotations

from collections.abc import Iterable

from urlset.spec.lazy_pattern import lazy_pattern
from urlset.spec.protocol import ENCODING, XML_VERSION

DECLARATION = f'<?xml version="{XML_VERSION}" encoding="{ENCODING}"?>\n'

FORBIDDEN = lazy_pattern("[\x00-\x08\x0b\x0c\x0e-\x1f\ud800-\udfff\ufffe\uffff]")
# Whatever of ASCII cannot be copied just as it is.
_DELICATE = b"&<>\"'" + bytes(range(0x20)) + b"\x7f"
_NAME_START = (
    "A-Z_a-z\xc0-\xd6\xd8-\xf6\xf8-\u02ff\u0370-\u037d\u037f-\u1fff\u200c\u200d\u2070-\u218f"
    "\u2c00-\u2fef\u3001-\ud7ff\uf900-\ufdcf\ufdf0-\ufffd\U00010000-\U000effff"
)
_NAME = lazy_pattern(f"[{_NAME_START}][{_NAME_START}0-9.\xb7\u0300-\u036f\u203f\u2040-]*")
_QUOTED_LENGTH = 60


class Unwritable(ValueError):  # noqa: N818 - it names the value, as the message does
    """A value that no file of the wanted form can hold; `position` counts characters from 0."""

    def __init__(self, value: str, position: int, reason: str = "not allowed in XML, even escaped") -> None:
        super().__init__(value, position, reason)
        self.value = value
        self.position = position
        self.reason = reason

    def __str__(self) -> str:
        shown = quoted_part(self.value, self.position)
        if self.position >= len(self.value):
            return f"cannot write {shown}: {self.reason}"
        code = ord(self.value[self.position])
        return f"cannot write U+{code:04X}, character {self.position + 1} of {shown}: {self.reason}"


def quoted_part(value: str, position: int) -> str:
    """The characters around one, for a message."""
    start = max(0, position - _QUOTED_LENGTH // 2)
    end = start + _QUOTED_LENGTH
    return f"{'…' if start else ''}{value[start:end]!r}{'…' if end < len(value) else ''}"


def is_plain(value: str) -> bool:
    """Whether the value can be copied as it is, which is nearly always so and worth finding out quickly."""
    # Deleting what is delicate and comparing lengths takes half the time of a search by pattern.
    return value.isascii() and len(value.encode().translate(None, _DELICATE)) == len(value)


def escaped(value: str) -> str:
    """Text for between two tags: the five characters the protocol names, and CR, which parsers turn to LF."""
    if is_plain(value):
        return value
    if not (value.isascii() and value.isprintable()):
        found = FORBIDDEN.search(value)
        if found is not None:
            raise Unwritable(value, found.start())
    value = value.replace("&", "&amp;").replace("<", "&lt;").replace(">", "&gt;")
    return value.replace('"', "&quot;").replace("'", "&apos;").replace("\r", "&#13;")


def escaped_attribute(value: str) -> str:
    """Text for between quotes, where parsers turn TAB and LF to spaces as well."""
    if is_plain(value):
        return value
    return escaped(value).replace("\t", "&#9;").replace("\n", "&#10;")


def attribute_list(attributes: Iterable[tuple[str, str | None]]) -> str:
    """` name="value"` for each one that has a value; names that come from outside need `checked_name`."""
    return "".join([f' {name}="{escaped_attribute(value)}"' for name, value in attributes if value is not None])


def checked_name(name: str) -> str:
    """The name of an element or attribute without prefix, refused where it would be no name."""
    found = _NAME.match(name)
    end = found.end() if found is not None else 0
    if not end or end != len(name):
        raise Unwritable(name, end, "not a valid XML name")
    if name == "xmlns":
        raise Unwritable(name, len(name), "it would declare a namespace")
    return name


def leaf(indent: str, name: str, text: str | None, attributes: str = "") -> str:
    """One line with one element and its text, or nothing where there is no text."""
    return "" if text is None else f"{indent}<{name}{attributes}>{escaped(text)}</{name}>\n"


def group(indent: str, name: str, children: str, attributes: str = "") -> str:
    """An element around lines that are indented already."""
    if not children:
        return f"{indent}<{name}{attributes}/>\n"
    return f"{indent}<{name}{attributes}>\n{children}{indent}</{name}>\n"
