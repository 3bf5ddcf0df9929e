"""Bytes between the entries of a sitemap → tags, comments, and text; and what to remove with an element."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator

import msgspec

from urlset.findings.finding import Fix, Safety
from urlset.model.columns import Edit, Mark
from urlset.model.document import Document, Kind
from urlset.model.place import Place, between
from urlset.reading.around import Seeker, doctype_at
from urlset.spec.lazy_pattern import lazy_pattern

_NAME = rb"(?:[A-Za-z_\x80-\xff][\w.\x80-\xff-]*+:)?+[A-Za-z_\x80-\xff][\w.\x80-\xff-]*+"
_TOKEN = lazy_pattern(
    rb"(?P<comment><!--)"
    rb"|(?P<declaration><\?xml(?=[\s?]))"
    rb"|(?P<instruction><\?)"
    rb"|(?P<section><!\[CDATA\[)"
    rb"|(?P<doctype><!DOCTYPE)"
    rb"|(?P<close></\s*+(?P<close_name>" + _NAME + rb")\s*+>)"
    rb"|(?P<open><(?P<open_name>" + _NAME + rb")(?:[^<>\"']|\"[^\"<]*+\"|'[^'<]*+')*+>)"
    rb"|(?P<space>\s++)"
    rb"|(?P<text>[^<\s]++(?:\s++[^<\s]++)*+)"
    rb"|(?P<stray><)",
    re.IGNORECASE,
)
_ENDS = {"comment": b"-->", "declaration": b"?>", "instruction": b"?>", "section": b"]]>"}
_ADDRESS = lazy_pattern(rb"[a-z]://|<(?:[\w.\x80-\xff-]+:)?loc\b|\bwww\.", re.IGNORECASE)


class Token(msgspec.Struct, frozen=True):
    """One piece of markup or text; `local` is the tag name without prefix, in lowercase."""

    kind: str
    place: Place
    local: str = ""
    empty: bool = False


def tokens(data: bytes, start: int, end: int) -> Iterator[Token]:
    """Without gaps from `start` to `end`; a `<` that starts nothing valid is `stray`, the rest of it is text."""
    seeker = Seeker(data)
    at = start
    while at < end and (match := _TOKEN.match(data, at, end)) is not None:
        kind, at = match.lastgroup or "stray", match.end()
        if kind == "doctype":
            at = min(doctype_at(data, match.start()).place.end, end)
        elif kind in _ENDS:
            closer = seeker.find(_ENDS[kind], at)
            inside = closer != -1 and closer + len(_ENDS[kind]) <= end
            kind, at = (kind, closer + len(_ENDS[kind])) if inside else ("stray", match.start() + 1)
        name = match["close_name"] or match["open_name"] or b""
        local = name.rpartition(b":")[2].decode("ascii", "replace").lower()
        yield Token(kind, between(match.start(), at), local, kind == "open" and match.group().endswith(b"/>"))


def says_an_address(text: bytes) -> bool:
    """Whether the text contains something like a URL, which must not be deleted without review."""
    return _ADDRESS.search(text) is not None


# An element or an entry to remove → the bytes to delete, without leaving a blank line.

_BLANKS = b" \t"


def with_its_line(data: bytes, place: Place) -> Place:
    """The place itself; if it is alone on its lines, with the line break and indent before it."""
    start = place.offset
    while start and data[start - 1] in _BLANKS:
        start -= 1
    if data[start - 1 : start] != b"\n":
        return place
    start -= 2 if data[start - 2 : start] == b"\r\n" else 1
    after = data[place.end : place.end + 200].lstrip(_BLANKS)
    return between(start, place.end) if after[:1] in (b"", b"\n", b"\r") else place


def remove_entries(document: Document, rows: Iterable[int], title: str, safety: Safety) -> Fix | None:
    """None if one of the entries lists a second URL, which would be lost with it."""
    rows = list(rows)
    if any(_lists_another_url(document, row) for row in rows):
        return None
    return Fix(title, tuple(Edit(_entry(document, row), b"") for row in rows), safety)


def _entry(document: Document, row: int) -> Place:
    """An entry with its line; in a text sitemap that is the whole line, also if it is the first."""
    place = with_its_line(document.data, document.place(row))
    if document.kind is Kind.TEXT and not place.offset and document.data[place.end : place.end + 1] == b"\n":
        return between(0, place.end + 1)
    return place


def _lists_another_url(document: Document, row: int) -> bool:
    if not document.columns.marks[row] & Mark.IRREGULAR:
        return False
    entry = document.element(row)
    return sum(each.local.lower() == "loc" and each.namespace == entry.namespace for each in entry.walk()) > 1
