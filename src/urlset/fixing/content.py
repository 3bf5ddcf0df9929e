"""A fix → the content it would remove although its finding is not about it, or None.

A URL is not all that a file holds: an edit may take texts, attributes and elements along. A safe fix may remove no more
of them than the finding shows, an unsafe one only the elements that the finding is in. An entry may go with all that is
in it if its page is no longer listed. If another entry of that page stays, that entry must have what is removed.
"""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from typing import TYPE_CHECKING

from urlset.findings.fix import Safety
from urlset.fixing.prove import without_scheme
from urlset.model.columns import Mark
from urlset.model.document import Kind
from urlset.model.kept import kept
from urlset.spec.lazy_pattern import lazy_pattern

if TYPE_CHECKING:
    from urlset.checking.declare import AnyRule
    from urlset.findings.finding import Problem
    from urlset.model.columns import Edit
    from urlset.model.document import Document
    from urlset.model.place import Place

_HINT = lazy_pattern(rb"<((?:[\w.-]+:)?(?:lastmod|changefreq|priority))\b[^<>]*+>[^<]*+</\1\s*+>")
"""dates and hints are what the rules about them, and about duplicates, decide about"""
_NAME = lazy_pattern(rb"\s*+<([^\s<>/]++)")
_PIECE = lazy_pattern(
    rb"<[!?/][^>]*+>?|<[^\s<>\"']*+(?P<inside>(?:[^<>\"']|\"[^\"]*+\"|'[^']*+')*+)>|(?P<text>[^<>]++)"
)
_ATTRIBUTE = lazy_pattern(rb"(?P<name>[\w:.-]++)\s*+=\s*+(?:\"(?P<double>[^\"]*+)\"|'(?P<single>[^']*+)')")
_EXTENSION_OF = {"H": b"xhtml:", "M": b"image:", "V": b"video:", "N": b"news:"}
"""the elements that the rules of a family are about"""
_WORD = lazy_pattern(rb"\w|[\x80-\xff]")
_HAS_MORE = Mark.EXTENDED | Mark.ODD | Mark.SALVAGED
_FEEDS = (Kind.RSS, Kind.ATOM)


class ContentCheck:
    """What fixes take out of one document."""

    def __init__(self, document: Document) -> None:
        self._document = document
        self._pieces: dict[str, Counter[bytes]] = {}
        """for each page that duplicates were removed of, how many of its entries have each text"""

    def taken_along(self, rule: AnyRule, problem: Problem, edits: Sequence[Edit], safety: Safety) -> str | None:
        """The first text or value that would be lost with what the finding is about."""
        data = self._document.data
        removals = [
            edit.place
            for edit in edits
            if edit.place.length and not edit.text.strip() and data.find(b"<", edit.place.offset, edit.place.end) >= 0
        ]
        if not removals:
            return None
        ranges = _joined(removals)
        own = {_name(data, place) for place in _about(problem, ranges)} | {_EXTENSION_OF.get(rule.card.family, b":")}
        rows = [row for place in ranges for row in self._rows_in(place)]
        lost = self._of_rows(rows)
        for place in ranges:
            if not self._rows_in(place) and (safety is Safety.SAFE or not _name(data, place).startswith(tuple(own))):
                lost |= _content(place.cut(data)) - _content(problem.place.cut(data))
        for edit in edits if lost else ():
            lost -= _content(edit.text)
        return min(lost)[:80].decode("utf-8", "replace") if lost else None

    def _rows_in(self, place: Place) -> range:
        """The entries that are completely inside."""
        columns = self._document.columns
        first = bisect_left(columns.starts, place.offset)
        last = first
        while last < len(columns) and columns.ends[last] <= place.end:
            last += 1
        return range(first, last)

    def _of_rows(self, rows: Iterable[int]) -> set[bytes]:
        """What entries have that the remaining entries of the same pages do not have."""
        document = self._document
        marks, locs = document.columns.marks, document.columns.locs
        taken: dict[str, list[int]] = {}
        for row in rows:
            taken.setdefault(without_scheme((locs[row] or "").strip()), []).append(row)
        lost = set[bytes]()
        for page, gone in taken.items():
            has_more = document.kind in _FEEDS or any(marks[row] & _HAS_MORE for row in gone)
            if has_more and len(gone) < len(self._by_page.get(page, ())):
                lost |= self._not_in_others(page, gone)
        return lost

    def _not_in_others(self, page: str, gone: Sequence[int]) -> set[bytes]:
        pieces = self._pieces.get(page)
        if pieces is None:
            pieces = self._pieces[page] = Counter(
                piece for row in self._by_page[page] for piece in self._content_of(row)
            )
        own = Counter(piece for row in gone for piece in self._content_of(row))
        return {piece for piece, number in own.items() if pieces[piece] <= number}

    def _content_of(self, row: int) -> set[bytes]:
        """Without its URL."""
        document = self._document
        return _content(document.place(row).cut(document.data)) - {(document.columns.locs[row] or "").strip().encode()}

    @kept
    def _by_page(self) -> dict[str, list[int]]:
        found: dict[str, list[int]] = {}
        for row, loc in enumerate(self._document.columns.locs):
            if loc:
                found.setdefault(without_scheme(loc), []).append(row)
        return found


def _name(data: bytes, place: Place) -> bytes:
    """The name of the element that is removed; empty if the bytes do not begin with one."""
    found = _NAME.match(data, place.offset, place.end)
    return b"" if found is None else found[1]


def _joined(places: Iterable[Place]) -> list[Place]:
    """In order, those inside others left out."""
    found: list[Place] = []
    for place in sorted(places, key=lambda each: (each.offset, -each.end)):
        if not found or place.end > found[-1].end:
            found.append(place)
    return found


def _about(problem: Problem, ranges: Sequence[Place]) -> Iterator[Place]:
    """The ranges that hold a place of the problem."""
    starts = [place.offset for place in ranges]
    for each in (problem.place, *(problem.places or ())):
        at = bisect_right(starts, each.offset) - 1
        if at >= 0 and each.end <= ranges[at].end:
            yield ranges[at]


def _content(data: bytes) -> set[bytes]:
    return {text for text in map(bytes.strip, _texts(_HINT.sub(b"", data))) if _WORD.search(text)}


def _texts(data: bytes) -> Iterator[bytes]:
    """Texts and values of attributes, without declarations of namespaces; data may begin inside a tag."""
    for piece in _PIECE.finditer(data):
        if piece["text"] is not None:
            yield piece["text"]
        elif piece["inside"]:
            for attribute in _ATTRIBUTE.finditer(piece["inside"]):
                if not attribute["name"].startswith(b"xmlns"):
                    yield attribute["double"] or attribute["single"] or b""
