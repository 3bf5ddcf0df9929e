"""The entries covered by one problem → the line, offset, and URL of each, up to a limit."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import islice

from urlset.checking.subjects import ListedPage, Sitemap
from urlset.findings.finding import Problem, Spot
from urlset.model.columns import Mark
from urlset.model.document import Document, Kind
from urlset.model.place import Place

MOST_NOTES = 100
"""places of a note: a note on a large file affects nearly all of it, and is rarely read"""
_LOC_COMES_FIRST = (Kind.URLSET, Kind.SITEMAPINDEX)


def spots(sitemap: Sitemap, problem: Problem, most: int) -> tuple[Spot, ...]:
    """In document order."""
    rows = problem.rows() if callable(problem.rows) else problem.rows
    places = [loc_place(sitemap, row) for row in islice(rows, most)]
    named = bool(places)
    places = sorted(places or islice(problem.places, most), key=lambda place: place.offset)
    document = sitemap.document
    lines = _line_numbers(document, [place.offset for place in places])
    return tuple(
        Spot(line, document.source_offset(place.offset), place.length, _text(sitemap, place) if named else None)
        for line, place in zip(lines, places, strict=True)
    )


def _text(sitemap: Sitemap, place: Place) -> str:
    """A URL as it is read."""
    text = place.cut(sitemap.data).decode("utf-8", "replace")
    if "&" in text and sitemap.kind is not Kind.TEXT:
        text = text.replace("&lt;", "<").replace("&gt;", ">").replace("&amp;", "&")
    return text


def loc_place(sitemap: Sitemap, row: int) -> Place:
    """The bytes of a URL; fast if it comes first in its entry and is written without references."""
    columns, data = sitemap.columns, sitemap.data
    if sitemap.kind in _LOC_COMES_FIRST and not columns.marks[row] & ~Mark.EXTENDED:
        start = data.find(b"loc>", columns.starts[row], columns.ends[row]) + 4
        text = data[start : data.find(b"<", start)]
        bare = text.strip()
        if start > 3 and bare and b"&" not in bare:
            return Place(start + len(text) - len(text.lstrip()), len(bare))
    return ListedPage(sitemap, row).locate_whole()


def _line_numbers(document: Document, offsets: list[int]) -> Iterator[int]:
    """Counts line ends on the way: a line index of a large file does not pay off for a few places."""
    data = document.data
    if not offsets:
        return
    if data.find(b"\r", 0, offsets[-1]) != -1:
        yield from map(document.lines.number, offsets)
        return
    line, behind = 1, 0
    for offset in offsets:
        line += data.count(b"\n", behind, offset)
        behind = offset
        yield line
