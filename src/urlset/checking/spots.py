"""The entries that one problem stands for → the line, offset and address of each, up to a limit."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import islice

from urlset.checking.subjects import Listed, Sitemap
from urlset.findings.finding import Problem, Spot
from urlset.model.columns import Mark
from urlset.model.document import Document, Kind
from urlset.model.place import Place
from urlset.spec.lazy_pattern import lazy_pattern

MOST_NOTES = 100
"""places of a note: a note on a large file concerns nearly all of it, and is rarely read"""
_LOC_COMES_FIRST = (Kind.URLSET, Kind.SITEMAPINDEX)
_PLAIN = Mark.EXTENDED | Mark.CANONICAL
_REFERENCED = lazy_pattern("[&<>]|^$")


def spots(sitemap: Sitemap, problem: Problem, most: int) -> tuple[Spot, ...]:
    """In the order of the document."""
    rows = problem.rows() if callable(problem.rows) else problem.rows
    found = [(loc_place(sitemap, row), (sitemap.columns.loc(row) or "").strip()) for row in islice(rows, most)]
    found = found or [(place, "") for place in islice(problem.places, most)]
    found.sort(key=lambda each: each[0].offset)
    document = sitemap.document
    lines = _line_numbers(document, [place.offset for place, _ in found])
    return tuple(
        Spot(line, document.source_offset(place.offset), place.length, subject or None)
        for line, (place, subject) in zip(lines, found, strict=True)
    )


def loc_place(sitemap: Sitemap, row: int) -> Place:
    """The bytes of an address; quickly, where they are written as they are read."""
    columns, loc = sitemap.columns, (sitemap.columns.loc(row) or "").strip()
    if sitemap.kind in _LOC_COMES_FIRST and not columns.marks[row] & ~_PLAIN and not _REFERENCED.search(loc):
        written = loc.encode("utf-8", "surrogatepass")
        at = sitemap.data.find(written, columns.starts[row], columns.ends[row])
        if at >= 0 and sitemap.data[at - 1 : at] != b'"':
            return Place(at, len(written))
    return Listed(sitemap, row).whole()


def _line_numbers(document: Document, offsets: list[int]) -> Iterator[int]:
    """By counting line ends on the way: an index of all lines of a large file is not worth its while for a few."""
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
