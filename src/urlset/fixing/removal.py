"""An element or an entry to remove → the bytes to delete, without leaving a blank line."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from urlset.findings.fix import Fix, Safety
from urlset.model.columns import Edit, Mark
from urlset.model.document import Document, Kind
from urlset.model.element import Element
from urlset.model.place import Place, between

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
    return sum(each.local.lower() == "loc" and each.namespace == entry.namespace for each in _inside(entry)) > 1


def _inside(element: Element) -> Iterator[Element]:
    waiting = list(element.children)
    while waiting:
        element = waiting.pop()
        yield element
        waiting += element.children
