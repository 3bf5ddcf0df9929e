"""A sitemap and the dates its entries are to have → the same bytes with these dates, and nothing else changed."""

from __future__ import annotations

from collections.abc import Mapping
from typing import NamedTuple

from urlset.fixing.edit_buffer import EditBuffer
from urlset.fixing.markup import with_its_line
from urlset.model.columns import Edit, Mark
from urlset.model.document import Document
from urlset.model.entry import Element
from urlset.model.place import between
from urlset.reading.read import read
from urlset.reading.row_reader import as_bytes

_BLANKS = b" \t\r\n"


class RedateError(Exception):
    """Why the file is left as it is."""


class Redated(NamedTuple):
    data: bytes
    skipped: tuple[int, ...] = ()
    """rows that are malformed: nothing in them is touched"""


def redated(document: Document, dates: Mapping[int, str | None]) -> Redated:
    """`dates` by row; None removes the date. The result is read again. Raises RedateError."""
    lastmods, marks = document.columns.lastmods, document.columns.marks
    wanted = {row: date for row, date in dates.items() if (lastmods[row] or "").strip() != (date or "")}
    skipped = tuple(row for row in sorted(wanted) if marks[row] & Mark.SALVAGED)
    for row in skipped:
        del wanted[row]
    if not wanted:
        return Redated(document.data, skipped)
    edits = [edit for row in sorted(wanted) for edit in _edits(document, row, wanted[row])]
    buffer = EditBuffer(document.data)
    buffer.apply(edits)
    after = read(buffer.data, name=document.name, url=document.url)
    expected = [wanted.get(row, (text or "").strip() or None) for row, text in enumerate(lastmods)]
    found = [(text or "").strip() or None for text in after.columns.lastmods]
    if after.kind is not document.kind or after.columns.locs != document.columns.locs or found != expected:
        raise RedateError("its entries could not be dated without other changes; run `urlset fix` first")
    return Redated(buffer.data, skipped)


def _edits(document: Document, row: int, date: str | None) -> list[Edit]:
    columns = document.columns
    raw = columns.lastmods[row]
    if raw is not None and date is not None:
        start = document.bare_field(row, "lastmod")
        if start is not None:
            return [Edit(between(start, start + len(as_bytes(raw))), date.encode())]
    entry = document.element(row)
    own = [child for child in entry.children if child.namespace == entry.namespace and child.local == "lastmod"]
    if len(own) > 1:
        raise RedateError(f"entry {row + 1:,} has {len(own)} dates; run `urlset fix` first")
    if date is None:
        return [Edit(with_its_line(document.data, each.place), b"") for each in own]
    if own:
        if own[0].open_tag.cut(document.data).endswith(b"/>"):
            return [Edit(own[0].place, f"<{own[0].written}>{date}</{own[0].written}>".encode())]
        return [Edit(own[0].inner, date.encode())]
    return [_inserted(document.data, entry, date)]


def _inserted(data: bytes, entry: Element, date: str) -> Edit:
    """After the address, on a line of its own where the address has one."""
    loc = next((child for child in entry.children if child.local == "loc"), None)
    if loc is None:
        raise RedateError("an entry has no <loc>; run `urlset fix` first")
    start = loc.place.offset
    while start > entry.open_tag.end and data[start - 1] in _BLANKS:
        start -= 1
    gap = data[start : loc.place.offset] if b"\n" in data[start : loc.place.offset] else b""
    name = loc.written[: -len("loc")] + "lastmod"
    return Edit(between(loc.place.end, loc.place.end), gap + f"<{name}>{date}</{name}>".encode())
