"""Comments in the file that suppress rules: `<!-- urlset: ignore L013 -->`, `<!-- urlset: ignore-file D -->`."""

from __future__ import annotations

from bisect import bisect_left

from urlset.checking.declare import AnyRule
from urlset.checking.select import matches
from urlset.model.document import Document
from urlset.model.place import Place
from urlset.spec.lazy_pattern import lazy_pattern

_DIRECTIVE = lazy_pattern(rb"<!--\s*urlset:\s*(ignore-file|ignore)\b([^>]*?)-->")
_SELECTOR = lazy_pattern(rb"[^\s,]+")


class Suppressions:
    """What the comments in one document suppress, and where."""

    def __init__(self, document: Document) -> None:
        self._file: list[str] = []
        self._rows: dict[int, list[str]] = {}
        self._document = document
        self.named: list[tuple[str, Place]] = []
        """all selectors with their places"""
        comments = document.columns.comments
        for place in comments if comments and b"urlset:" in document.data else ():
            directive = _DIRECTIVE.match(place.cut(document.data))
            if directive is None:
                continue
            begin = place.offset + directive.start(2)
            named = [
                (found.group().decode("utf-8", "replace"), Place(begin + found.start(), len(found.group())))
                for found in _SELECTOR.finditer(directive[2])
            ]
            self.named += named
            wanted = [selector for selector, _ in named] or [""]
            if directive[1] == b"ignore-file":
                self._file += wanted
            else:
                self._rows.setdefault(self._row_of(place), []).extend(wanted)

    @property
    def in_file(self) -> tuple[str, ...]:
        return tuple(self._file)

    @property
    def in_rows(self) -> dict[int, tuple[str, ...]]:
        return {row: tuple(selectors) for row, selectors in self._rows.items()}

    def __bool__(self) -> bool:
        return bool(self._file or self._rows)

    def silences(self, rule: AnyRule, place: Place) -> bool:
        if any(matches(rule, selector) for selector in self._file):
            return True
        if not self._rows:
            return False
        row = self._row_at(place.offset)
        return row is not None and any(matches(rule, selector) for selector in self._rows.get(row, ()))

    def _row_of(self, comment: Place) -> int:
        """A comment inside an entry applies to that entry; one before it applies to the next."""
        row = self._row_at(comment.offset)
        return row if row is not None else bisect_left(self._document.columns.starts, comment.offset)

    def _row_at(self, offset: int) -> int | None:
        columns = self._document.columns
        row = bisect_left(columns.starts, offset + 1) - 1
        return row if row >= 0 and offset < columns.ends[row] else None
