"""All problems of one pass → the fixes that can be applied together without overlapping."""

from __future__ import annotations

from bisect import bisect_left, bisect_right, insort
from collections.abc import Callable, Sequence

import msgspec

from urlset.checking.declare import AnyRule
from urlset.checking.engine import LateFinding
from urlset.findings.finding import Problem
from urlset.findings.fix import ON_REQUEST, Safety
from urlset.model.columns import Edit, Mark
from urlset.model.document import Document
from urlset.model.place import Place
from urlset.model.trouble import TroubleKind

TAGS = frozenset({"X001", "X011"})
"""codes about malformed tags: their fixes in one entry belong together"""
_FIELDS = frozenset({"loc", "lastmod", "changefreq", "priority"})


class FixOptions(msgspec.Struct, frozen=True):
    """What may be changed."""

    unsafe: bool = False
    only: tuple[str, ...] = ()
    """codes; empty means all"""
    timezone: str | None = None
    """the UTC offset for times without one, such as +02:00"""
    barred: dict[str, str] = {}
    """codes whose fixes would introduce new findings → the findings"""

    def allows(self, code: str, safety: Safety) -> bool:
        if code in self.barred or not self.names(code):
            return False
        return safety is Safety.SAFE or self.unsafe

    def names(self, code: str) -> bool:
        return code in self.only if self.only else code not in ON_REQUEST


class Chosen(msgspec.Struct, frozen=True):
    """One fix to apply; `edits` ordered by place."""

    rule: AnyRule
    problem: Problem
    finding: LateFinding
    edits: tuple[Edit, ...]

    @property
    def code(self) -> str:
        return self.rule.code


Found = tuple[AnyRule, Problem, LateFinding]


def choose(document: Document, found: Sequence[Found], options: FixOptions) -> list[Chosen]:
    """Fixes for malformed XML come first: a value inside a malformed entry waits for the next pass.

    Whole entries are removed by one rule at a time, so one of two duplicate entries stays.
    """
    candidates = [item for item in found if item[1].fix and options.allows(item[0].code, item[1].fix.safety)]
    waits = {item[0].code: item[0].card.family != "X" for item in candidates}
    keyed = [(waits[rule.code], finding.offset, rule.code) for rule, _, finding in candidates]
    candidates = [candidates[at] for at in sorted(range(len(keyed)), key=keyed.__getitem__)]
    rows, taken = _rows(document, found, options), _Taken()
    chosen: list[Chosen] = []
    dropping: str | None = None
    for rule, problem, finding in candidates:
        edits = _ordered(problem)
        if not edits or rows.puts_off(rule, edits):
            continue
        drops = any(rows.dropped(edit) for edit in edits)
        if (drops and dropping not in (None, rule.code)) or not taken.take(edits):
            continue
        dropping = rule.code if drops else dropping
        chosen.append(Chosen(rule, problem, finding, edits))
    return chosen


def postponed(document: Document, found: Sequence[Found], options: FixOptions) -> Callable[[AnyRule, Problem], bool]:
    """Whether a fix is deferred because of other problems in the entry."""
    rows = _rows(document, found, options)

    def is_put_off(rule: AnyRule, problem: Problem) -> bool:
        edits = _ordered(problem)
        return rows.puts_off(rule, edits) or not _Taken().take(edits)

    return is_put_off


def _rows(document: Document, found: Sequence[Found], options: FixOptions) -> _Rows:
    rows = _Rows(document)
    rows.hold([problem for rule, problem, _ in found if rule.code in TAGS and not _allowed(rule, problem, options)])
    return rows


def _allowed(rule: AnyRule, problem: Problem, options: FixOptions) -> bool:
    return problem.fix is not None and options.allows(rule.code, problem.fix.safety)


def _ordered(problem: Problem) -> tuple[Edit, ...]:
    found = problem.fix.edits if problem.fix is not None else ()
    if len(found) < 2:
        return found
    edits = set(found)
    return tuple(sorted(edits, key=lambda edit: (edit.place.offset, edit.place.length)))


class _Rows:
    """The entries of a document by their bytes, and which of them must not be edited."""

    def __init__(self, document: Document) -> None:
        self._document = document
        columns = self._columns = document.columns
        self._broken: set[int | None] = {trouble.row for trouble in document.troubles} - {None}
        if any(mark & Mark.SALVAGED for mark in set(columns.marks)):
            self._broken.update(row for row, mark in enumerate(columns.marks) if mark & Mark.SALVAGED)
        self._held: set[int | None] = set()
        root = document.root
        self._root = root.place if root is not None and _root_is_broken(document) else Place(0)

    def hold(self, problems: Sequence[Problem]) -> None:
        """Entries with malformed tags that cannot all be fixed: fixing only some could make it worse."""
        self._held = {self._at(problem.place.offset) for problem in problems} - {None}

    def puts_off(self, rule: AnyRule, edits: Sequence[Edit]) -> bool:
        if rule.code in TAGS:
            return bool(self._held) and any(self._at(edit.place.offset) in self._held for edit in edits)
        return rule.card.family != "X" and any(self._is_broken(rule, edit.place.offset) for edit in edits)

    def _is_broken(self, rule: AnyRule, offset: int) -> bool:
        if self._root.offset <= offset < self._root.end:
            return True
        row = self._at(offset)
        if row is None:
            return False
        return row in self._broken or (rule.card.family != "S" and self._is_twisted(row))

    def _is_twisted(self, row: int) -> bool:
        """An element is inside a value, so positions in the text are not positions in the file."""
        if not self._columns.marks[row] & Mark.ODD:
            return False
        return any(field.children for field in self._document.element(row).children if field.local.lower() in _FIELDS)

    def _at(self, offset: int) -> int | None:
        columns = self._columns
        row = bisect_right(columns.starts, offset) - 1
        return row if row >= 0 and offset < columns.ends[row] else None

    def dropped(self, edit: Edit) -> range:
        """The rows that an edit removes completely."""
        if not takes_out(edit):
            return range(0)
        columns, place = self._columns, edit.place
        first = bisect_left(columns.starts, place.offset)
        last = first
        while last < len(columns) and columns.ends[last] <= place.end:
            last += 1
        return range(first, last)


def takes_out(edit: Edit) -> bool:
    """Whether nothing remains, or only a comment."""
    if not edit.place.length:
        return False
    text = edit.text.strip()
    return not text or (text.startswith(b"<!--") and text.find(b"-->") == len(text) - 3)


def _root_is_broken(document: Document) -> bool:
    root = document.root
    return root is not None and any(
        trouble.row is None and root.place.offset <= trouble.place.offset < root.place.end
        for trouble in document.troubles
        if trouble.kind is not TroubleKind.UNBOUND_PREFIX
    )


class _Taken:
    """The places of accepted edits."""

    def __init__(self) -> None:
        self._places: list[tuple[int, int]] = []

    def take(self, edits: Sequence[Edit]) -> bool:
        """Reserve the places; False if one of them is taken."""
        if len(edits) == 1:
            span = (edits[0].place.offset, edits[0].place.end)
            if not self._places or self._places[-1][1] <= span[0] > self._places[-1][0]:
                self._places.append(span)  # most come in file order
                return True
        spans = [(edit.place.offset, edit.place.end) for edit in edits]
        beside = [(spans[at - 1], span) for at, span in enumerate(spans) if at]
        if any(_clash(*pair) for pair in beside) or not all(self._free(span) for span in spans):
            return False
        for span in spans:
            insort(self._places, span)
        return True

    def _free(self, span: tuple[int, int]) -> bool:
        at = bisect_left(self._places, span)
        return not any(_clash(other, span) for other in self._places[max(0, at - 1) : at + 1])


def _clash(first: tuple[int, int], second: tuple[int, int]) -> bool:
    """Both start at the same position, or one starts inside the other."""
    earlier, later = sorted((first, second))
    return earlier[0] == later[0] or later[0] < earlier[1]
