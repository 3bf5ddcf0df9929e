"""The text of a URL → the page it identifies, normalized as servers do."""

from __future__ import annotations

from collections.abc import Sequence
from functools import lru_cache
from itertools import compress, starmap
from operator import ne

from urlset.model.address_key import key_of
from urlset.spec.lazy_pattern import lazy_pattern

_LETTERS = lazy_pattern(rb"[\x80-\xff]+")
_ODD_SITE = lazy_pattern(rb"\0(?!https?://[a-z0-9.-]++/)[Hh][Tt][Tt][Pp][Ss]?://[^/?#%\\\s\0]++/")
"""scheme and authority of a URL in a column, if they may have another spelling"""
_FEW = 16
"""texts that are replaced in a whole column, one after another; more are replaced one by one"""


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
    was = _escaped(was)
    if was == now:
        return True
    was = _with_normal_sites(was)
    if was == now:
        return True
    columns = (text.split(b"\0")[1:-1] for text in (was, _with_normal_sites(now)))
    return all(starmap(is_same_page, compress(pairs, map(ne, *columns))))


def _encoded(url: str) -> bytes:
    return url.encode("utf-8", "replace")


def _escaped(url: bytes) -> bytes:
    """Also of a whole column: each byte is escaped by itself."""
    url = url.replace(b" ", b"%20")
    for _ in range(_FEW):
        letters = _LETTERS.search(url)
        if letters is None:
            return url
        url = url.replace(letters[0], _as_escapes(letters[0]))
    return _LETTERS.sub(lambda match: _as_escapes(match[0]), url)


def _as_escapes(letters: bytes) -> bytes:
    return f"%{letters.hex('%').upper()}".encode()


def _with_normal_sites(column: bytes) -> bytes:
    """Two URLs with the same site and the same rest are the same page."""
    odd = set(_ODD_SITE.findall(column))
    if len(odd) > _FEW:
        return _ODD_SITE.sub(lambda match: _normal_site(match[0]), column)
    for site in odd:
        column = column.replace(site, _normal_site(site))
    return column


@lru_cache(256)
def _normal_site(site: bytes) -> bytes:
    return b"\0" + key_of(site[1:].decode()).encode()
