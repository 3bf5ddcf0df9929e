"""The text of a URL → the page it identifies, normalized as servers do."""

from __future__ import annotations

from collections.abc import Sequence
from functools import lru_cache
from itertools import compress, starmap
from operator import ne

from urlset.model.address_key import key_of
from urlset.spec.lazy_pattern import lazy_pattern

_ESCAPES = {bytes([byte]): b"%%%02X" % byte for byte in (0x20, *range(0x80, 0x100))}
_ESCAPED = lazy_pattern(rb"[ \x80-\xff]")
_SITE = lazy_pattern(rb"(\0[Hh][Tt][Tt][Pp][Ss]?://[A-Za-z0-9.-]+)(?=([:/?#\0]))")
"""scheme and host of a URL in a column, in any case, and what follows"""
_FEW = 16


@lru_cache(1 << 12)
def page_of(loc: str) -> str:
    """Cached: a URL is needed several times if it is listed twice or renamed again."""
    return key_of(loc)


def is_same_page(one: str, other: str) -> bool:
    """Fast if the other URL only has its spaces and letters escaped, as most equivalent URLs do."""
    if one.isascii() and " " not in one:
        return key_of(one) == key_of(other)
    return _escaped(_encoded(one)) == _encoded(other) or key_of(one) == key_of(other)


def are_same_pages(pairs: Sequence[tuple[str, str]]) -> bool:
    """Whether the two URLs of each pair are the same page.

    All of them are compared as one text for each side, which decides most pairs; the rest is compared one by one.
    """
    was, now = (_encoded("\0".join(["", *[pair[side] for pair in pairs], ""])) for side in (0, 1))
    if not was.count(b"\0") == now.count(b"\0") == len(pairs) + 1:  # a URL contains the separator
        return all(starmap(is_same_page, pairs))
    escaped = _escaped(was)
    if escaped == now:
        return True
    ones, others = (_in_lowercase(text).split(b"\0")[1:-1] for text in (escaped, now))
    return all(starmap(is_same_page, compress(pairs, map(ne, ones, others))))


def _encoded(url: str) -> bytes:
    return url.encode("utf-8", "replace")


def _escaped(url: bytes) -> bytes:
    return _ESCAPED.sub(lambda match: _ESCAPES[match[0]], url)


def _in_lowercase(column: bytes) -> bytes:
    """Scheme and host of each URL."""
    heads = {(head, end) for head, end in set(_SITE.findall(column)) if head != head.lower()}
    if len(heads) > _FEW:
        return _SITE.sub(lambda match: match[1].lower(), column)
    for head, end in heads:
        column = column.replace(head + end, head.lower() + end)
    return column
