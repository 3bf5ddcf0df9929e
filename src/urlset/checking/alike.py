"""One entry → a key: entries with the same key have as many problems of a rule, as severe and as fixable.

A rule declares its key with `alike=`. Beyond its cap it then checks one entry per key. Each function returns None for
an entry that has to be checked itself: one that the reader repaired, or with markup that hides what the key is made of.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable
from functools import cache, lru_cache

from urlset.checking.subjects import Sitemap
from urlset.model.columns import Mark
from urlset.model.trouble import TroubleKind
from urlset.reading.salvage import apply_edits
from urlset.spec.lazy_pattern import lazy_pattern

Key = Callable[[Sitemap, int], Hashable]
_LONGEST_SHARED = 1024
_LONGEST_ENTRY = 1 << 14
"""bytes; longer entries are seldom alike, and keys are kept"""
_REPAIRED = Mark.SALVAGED | Mark.COMMENTED
_BLANK = bytes(code for code in range(128) if chr(code).isspace())
_TAG = lazy_pattern(rb"<[^<>]*+>")
_VALUE = lazy_pattern(rb"=\s*+(?:\"[^\"<>]*+\"|'[^'<>]*+')")
_TEXT = lazy_pattern(rb">\s*+[!-%'-;=?-~][^<>]*+<")
_WORD = lazy_pattern(
    rb"(<[^<>]*+>|[A-Za-z][A-Za-z0-9+.-]*+:(?://[^/?#\s<>&]*+)?|&[^;<>\s]*+;|%[^<>\s]{0,2})|[0-9A-Za-z._~-]++"
)
_LETTER = rb"[\xc3-\xdf\xe4-\xec][\x80-\xbf]{1,2}+"
_LETTERS = lazy_pattern(_LETTER + rb"(?:" + _LETTER + rb")*+")
_HREF = lazy_pattern(rb"\shref\s*+=\s*+(?:\"([^\"<>]*+)\"|'([^'<>]*+)')")
_START_OF_ADDRESS = lazy_pattern(rb"\s*+(?:[A-Za-z][A-Za-z0-9+.-]*+:(?://[^/?#\s]*+)?|[!-~]|)")
_FIELD = lazy_pattern(rb"(?<=[\s\S])(<([^<>\s/]++)(?:\s[^<>]*+)?+(?<!/)>)[^<>]*+(?=</\2\s*+>)")


@cache
def fields(*columns: str) -> Key:
    """The texts of these columns."""

    def key(sitemap: Sitemap, row: int) -> Hashable:
        texts = sitemap.columns
        if texts.marks[row] & (Mark.IRREGULAR | _REPAIRED) or _is_hidden(sitemap, row):
            return None
        return tuple([getattr(texts, column)[row] for column in columns])

    return key


def tags(sitemap: Sitemap, row: int) -> bytes | None:
    """All tags in order, without the values of attributes; of a malformed entry, as it reads after repairs."""
    known = sitemap.tags_of_rows
    if row not in known:
        written = _written(sitemap, row) or _repaired(sitemap, row)
        shape = None if written is None else b"".join(_TAG.findall(written))
        known[row] = shape if shape is None or len(shape) > _LONGEST_SHARED else _shared(shape)
    return known[row]


def tags_and_texts(sitemap: Sitemap, row: int) -> bytes | None:
    """The same, and which tags are followed by text."""
    written = _written(sitemap, row)
    return None if written is None else _TEXT.sub(b">.<", written)


def tags_and_gaps(sitemap: Sitemap, row: int) -> bytes | None:
    """All tags, and the text between elements."""
    written = _written(sitemap, row, with_values=True)
    return None if written is None else _FIELD.sub(rb"\1", written)


def tags_and_addresses(sitemap: Sitemap, row: int) -> Hashable:
    """All tags and texts; of a URL, its scheme and host and everything that is not a legal character."""
    written = _written(sitemap, row)
    if written is None:
        return None
    if not written.isascii():
        written = _LETTERS.sub("é".encode(), written)
    return tuple(_WORD.split(written))


def links(sitemap: Sitemap, row: int) -> Hashable:
    """All tags with their attributes, without href."""
    found = _links(sitemap, row)
    return found and found[0]


def links_and_hrefs(sitemap: Sitemap, row: int) -> Hashable:
    """The same, with scheme and host of each href."""
    found = _links(sitemap, row)
    if found is None or any(b"&" in href or not href.isascii() for href in found[1]):
        return None
    return found[0], *[start[0] if (start := _START_OF_ADDRESS.match(href)) else b"" for href in found[1]]


def hrefs(sitemap: Sitemap, row: int) -> list[bytes] | None:
    """The value of each href as written."""
    found = _links(sitemap, row)
    return None if found is None else found[1]


def _links(sitemap: Sitemap, row: int) -> tuple[bytes, list[bytes]] | None:
    written = _written(sitemap, row, with_values=True)
    if written is None:
        return None
    found = b"".join(_TAG.findall(written))
    return _HREF.sub(b" href", found), [one or other for one, other in _HREF.findall(found)]


@cache
def texts_of(*locals_: str) -> Key:
    """All tags, and the texts of the elements with these names, in any namespace."""
    names = "|".join(locals_)
    text = lazy_pattern(rf"<(?:[^<>\s:]*+:)?(?:{names})(?:\s[^<>]*+)?>([^<>]*+)<".encode())

    def key(sitemap: Sitemap, row: int) -> Hashable:
        found = tags(sitemap, row)
        columns = sitemap.columns
        return found and (found, *text.findall(sitemap.data, columns.starts[row], columns.ends[row]))

    return key


@cache
def repeats_of(local: str) -> Key:
    """All tags, and which texts of the elements with that name are the same."""
    texts = texts_of(local)

    def key(sitemap: Sitemap, row: int) -> Hashable:
        found = texts(sitemap, row)
        if not isinstance(found, tuple):
            return None
        trimmed = [text.strip(_BLANK) for text in found[1:]]
        if any(b"&" in text or not (text[:1] + text[-1:]).isascii() for text in trimmed):
            return None
        first: dict[bytes, int] = {b"": -1}
        return found[0], *[first.setdefault(text, number) for number, text in enumerate(trimmed)]

    return key


def _written(sitemap: Sitemap, row: int, *, with_values: bool = False) -> bytes | None:
    """The bytes of an entry, kept for its next key; None if it is uncertain where its tags end."""
    known = sitemap.latest_written
    if known[:2] != (row, with_values):
        known = sitemap.latest_written = (row, with_values, _read(sitemap, row, with_values=with_values))
    return known[2]


def _repaired(sitemap: Sitemap, row: int) -> bytes | None:
    columns = sitemap.columns
    if columns.marks[row] & _REPAIRED != Mark.SALVAGED or sitemap.document.troubles.has(TroubleKind.TWO_ROOTS):
        return None
    written = apply_edits(sitemap.data, columns.starts[row], columns.ends[row], columns.edits.get(row, ()))
    is_certain = b"<!" not in written and b"xmlns" not in written and written.count(b"<") == written.count(b">")
    return b"<!>" + _VALUE.sub(b"=", written) if is_certain else None


def _read(sitemap: Sitemap, row: int, *, with_values: bool) -> bytes | None:
    columns = sitemap.columns
    if (
        columns.marks[row] & _REPAIRED
        or _is_hidden(sitemap, row)
        or sitemap.document.troubles.has(TroubleKind.TWO_ROOTS)
    ):
        return None
    if columns.ends[row] - columns.starts[row] > _LONGEST_ENTRY:
        return None
    written = sitemap.data[columns.starts[row] : columns.ends[row]]
    if not with_values and b"=" in written and b"xmlns" not in written:
        written = _VALUE.sub(b"=", written)
    return written if written.count(b"<") == written.count(b">") else None


@lru_cache(1024)
def _shared(shape: bytes) -> bytes:
    """Most entries have the same tags."""
    return shape


def _is_hidden(sitemap: Sitemap, row: int) -> bool:
    columns = sitemap.columns
    return row in columns.edits or sitemap.data.find(b"<!", columns.starts[row], columns.ends[row]) >= 0
