"""Fixes in columns, and those of one pass that can be applied together without overlapping."""

from __future__ import annotations

from array import array
from bisect import bisect_left, bisect_right
from collections.abc import Iterable, Iterator, Sequence
from itertools import accumulate, chain, count, groupby
from operator import eq, itemgetter, sub
from typing import NamedTuple

import msgspec

from urlset.checking.declare import AnyRule
from urlset.checking.fixability import TAGS, TwistedRows, malformed_root, malformed_rows
from urlset.findings.finding import ON_REQUEST, Fix, Safety
from urlset.model.columns import EditParts, Edits, Mark
from urlset.model.document import Document

# A fix → the edits that remove bytes which another one of its edits writes.

_FEW = 8
"""edits of one fix that are compared with each other"""


Move = tuple[int, int, int, int]
"""where the bytes begin and end, the number of the edit that writes them, and how far its text is from there"""


def moves_of(data: bytes, edits: Sequence[EditParts], first: int = 0) -> dict[int, Move]:
    """By the number of the edit that removes the bytes; none of what is written twice, or if there are many edits.

    `first` is the number of the first edit.
    """
    found = dict[int, Move]()
    for number, (offset, length, text) in enumerate(edits, first) if 1 < len(edits) <= _FEW else ():
        piece = data[offset : offset + length].strip() if length and not text.strip() else b""
        writers = [(other, text) for other, (_, _, text) in enumerate(edits, first) if piece in text] if piece else ()
        if len(writers) == 1 and (at := writers[0][1].find(piece)) == writers[0][1].rfind(piece):
            start = data.find(piece, offset)
            found[number] = start, start + len(piece), writers[0][0], at - start
    return found


# Fixes → columns: a rule, a place, and a range of edits each; a million fixes take tens of megabytes.


class Title(NamedTuple):
    """The common part of many fixes."""

    rule: AnyRule
    text: str
    safety: Safety


class Fixes:
    """Fixes in insertion order. One with a single edit takes about 60 bytes."""

    __slots__ = ("_numbers", "edits", "offsets", "rows", "stops", "subjects", "title_numbers", "titles")

    def __init__(self) -> None:
        self.titles: list[Title] = []
        self._numbers: dict[tuple[str, str, Safety], int] = {}
        self.title_numbers: array[int] = array("I")
        self.offsets: array[int] = array("Q")
        """the start of the fixed problem"""
        self.rows: array[int] = array("q")
        """the entry with the problem; -1 if it is in none"""
        self.subjects: dict[int, str] = {}
        """the affected URL, if it is not the URL of the entry"""
        self.edits = Edits()
        self.stops: array[int] = array("Q", [0])
        """where the edits of each begin, and those of the last one end"""

    def __len__(self) -> int:
        return len(self.offsets)

    def add(
        self, rule: AnyRule, fix: Fix, offset: int, row: int, edits: Iterable[EditParts], subject: str | None = None
    ) -> None:
        if subject is not None:
            self.subjects[len(self.offsets)] = subject
        key = (rule.card.code, fix.title, fix.safety)
        number = self._numbers.setdefault(key, len(self.titles))
        if number == len(self.titles):
            self.titles.append(Title(rule, fix.title, fix.safety))
        self.title_numbers.append(number)
        self.offsets.append(offset)
        self.rows.append(row)
        self.edits.extend(edits)
        self.stops.append(len(self.edits))

    def title(self, number: int) -> Title:
        return self.titles[self.title_numbers[number]]

    def span(self, number: int) -> range:
        """The edits of a fix, ordered by place."""
        return range(self.stops[number], self.stops[number + 1])

    def numbered_edits(self) -> Iterator[tuple[int, int, int, bytes]]:
        """Fix number, offset, length, and text of all edits."""
        number, stops = 0, self.stops
        for at, (offset, length, text) in enumerate(self.edits.triples()):
            while at >= stops[number + 1]:
                number += 1
            yield number, offset, length, text

    def picked(self, numbers: Sequence[int]) -> Fixes:
        """Some of them, in another order; itself for all of them in the same order."""
        if len(numbers) == len(self) and (isinstance(numbers, range) or all(map(eq, numbers, count()))):
            return self
        found = Fixes()
        found.titles, found._numbers = self.titles, self._numbers
        found.title_numbers = array("I", map(self.title_numbers.__getitem__, numbers))
        found.offsets = array("Q", map(self.offsets.__getitem__, numbers))
        found.rows = array("q", map(self.rows.__getitem__, numbers))
        if self.subjects:
            kept = ((at, self.subjects.get(number)) for at, number in enumerate(numbers))
            found.subjects = {at: subject for at, subject in kept if subject is not None}
        found.stops.extend(accumulate(map(len, map(self.span, numbers))))
        found.edits = self.edits.picked(chain.from_iterable(map(self.span, numbers)))
        return found


class FixOptions(msgspec.Struct, frozen=True):
    """What may be changed."""

    unsafe: bool = False
    unsafe_codes: tuple[str, ...] = ()
    """the rules whose unsafe fixes are meant; empty means all"""
    only: tuple[str, ...] = ()
    """codes; empty means all"""
    allow_shrink: bool = False
    """more than half of the entries may be removed"""
    timezone: str | None = None
    """the UTC offset for times without one, such as +02:00"""
    barred: dict[str, str] = {}
    """codes whose fixes would introduce new findings → the findings"""

    def allows(self, code: str, safety: Safety) -> bool:
        if code in self.barred or not self.names(code):
            return False
        return safety is Safety.SAFE or (self.unsafe and (not self.unsafe_codes or code in self.unsafe_codes))

    def without(self, barred: dict[str, str]) -> FixOptions:
        """The same options without the fixes of some rules, each with the reason."""
        return msgspec.structs.replace(self, barred=self.barred | barred)

    def names(self, code: str) -> bool:
        return code in self.only if self.only else code not in ON_REQUEST or code in self.unsafe_codes


def choose(fixes: Fixes, rows: Rows) -> tuple[Fixes, Edits]:
    """The fixes that can be applied together, by place, and their edits; some may be inside of what another one moves.

    Fixes for malformed XML come first: a value inside a malformed entry waits for the next pass. Whole entries are
    removed by one rule at a time, so one of two duplicate entries stays.
    """
    edits, titles, stops = fixes.edits, fixes.title_numbers, fixes.stops
    all_fit, may_drop = rows.are_all_fit, rows.can_hold_one(max(edits.lengths, default=0))
    order = _by_place(fixes)
    if all_fit and not may_drop and (in_order := edits.in_order()).are_apart():
        return fixes.picked(order), in_order
    are_late = [title.rule.card.family != "X" for title in fixes.titles]
    are_tags = [title.rule.code in TAGS for title in fixes.titles]
    chosen, taken = array("Q"), _Taken(edits)
    inside = _ChangesInMoves(fixes, taken, rows.data)
    dropping: str | None = None
    for number in sorted(order, key=[are_late[title] for title in titles].__getitem__):
        title, span = titles[number], range(stops[number], stops[number + 1])
        if not all_fit and rows.puts_off(fixes.titles[title].rule, [edits.offsets[at] for at in span]):
            continue
        drops = may_drop and any(
            takes_out(edits.lengths[at], edits.texts[at]) and rows.holds_any(edits, at) for at in span
        )
        if drops and dropping not in (None, fixes.titles[title].rule.code):
            continue
        if not taken.take(span, is_tag=are_tags[title]) and not inside.take(span):
            continue
        dropping = fixes.titles[title].rule.code if drops else dropping
        chosen.append(number)
    chosen = array("Q", sorted(chosen, key=fixes.offsets.__getitem__))
    return fixes.picked(chosen), inside.combined(chosen)


class _ChangesInMoves:
    """The chosen edits inside of what chosen fixes move."""

    def __init__(self, fixes: Fixes, taken: _Taken, data: bytes) -> None:
        self._fixes, self._data, self._taken, self._changed = fixes, data, taken, _Taken(fixes.edits)
        self._moves: tuple[range, dict[int, Move]] = range(0), {}
        """of the fix with these edits, which was looked at last"""
        self._changes = list[tuple[int, int, int]]()
        """the edit that writes the text, where in its text, and the edit that changes it"""

    def take(self, span: range) -> bool:
        edits, found = self._fixes.edits, list[tuple[int, int, int]]()
        for at in span:
            offset = edits.offsets[at]
            start, end, writer, shift = self._move_around(offset)
            if not start < offset <= offset + edits.lengths[at] < end:
                return False
            found.append((writer, offset + shift, at))
        if not self._changed.take(span, is_tag=False):
            return False
        self._changes += found
        return True

    def _move_around(self, offset: int) -> Move:
        """An empty one if there is none."""
        edits, around = self._fixes.edits, self._taken.around(offset)
        if around >= 0 and around not in self._moves[0]:
            span = self._fixes.span(bisect_right(self._fixes.stops, around) - 1)
            few = [(edits.offsets[at], edits.lengths[at], edits.texts[at]) for at in span[: _FEW + 1]]
            self._moves = span, moves_of(self._data, few, span.start)
        return self._moves[1].get(around, (0, 0, 0, 0))

    def combined(self, numbers: Sequence[int]) -> Edits:
        """The edits of these fixes by place; those inside change the text that is written."""
        edits, inside, written = self._fixes.edits, {at for _, _, at in self._changes}, dict[int, bytes]()
        for writer, changes in groupby(sorted(self._changes), itemgetter(0)):
            text, parts, done = edits.texts[writer], list[bytes](), 0
            for _, index, at in changes:
                parts += text[done:index], edits.texts[at]
                done = index + edits.lengths[at]
            written[writer] = b"".join((*parts, text[done:]))
        self._changes.clear()
        order = array("Q", [at for number in numbers for at in self._fixes.span(number) if at not in inside])
        found = edits.picked(order)
        if written:
            found.texts = [written.get(at, text) for at, text in zip(order, found.texts, strict=True)]
        return found.in_order()


def _by_place(fixes: Fixes) -> Sequence[int]:
    """By place; those at one place by rule, with malformed XML first."""
    codes = sorted({(title.rule.card.family != "X", title.rule.code) for title in fixes.titles})
    ranks = [codes.index((title.rule.card.family != "X", title.rule.code)) for title in fixes.titles]
    order = sorted(range(len(fixes)), key=[ranks[title] for title in fixes.title_numbers].__getitem__)
    return sorted(order, key=fixes.offsets.__getitem__)


class Rows:
    """The entries of a document by their bytes, and which of them must not be edited."""

    def __init__(self, document: Document) -> None:
        self.data = document.data
        self._columns = document.columns
        self._broken = malformed_rows(document)
        self._held: set[int | None] = set()
        self._root = malformed_root(document)
        self._twisted = TwistedRows(document)

    @property
    def are_all_fit(self) -> bool:
        """Whether no problem can defer a fix."""
        odd = any(mark & Mark.IRREGULAR for mark in set(self._columns.marks))
        return not (self._broken or self._held or self._root.length or odd)

    def is_broken(self, row: int) -> bool:
        return row in self._broken

    def hold(self, offset: int) -> None:
        """An entry with malformed tags that cannot all be fixed: fixing only some could make it worse."""
        row = self._at(offset)
        if row is not None:
            self._held.add(row)

    def puts_off(self, rule: AnyRule, offsets: Sequence[int]) -> bool:
        """Whether a fix with these edits waits because of other problems in the entry."""
        if rule.code in TAGS:
            return bool(self._held) and any(self._at(offset) in self._held for offset in offsets)
        return rule.card.family != "X" and any(self._is_unfit(rule, offset) for offset in offsets)

    def _is_unfit(self, rule: AnyRule, offset: int) -> bool:
        if self._root.offset <= offset < self._root.end:
            return True
        row = self._at(offset)
        if row is None:
            return False
        return row in self._broken or (rule.card.family != "S" and row in self._twisted)

    def _at(self, offset: int) -> int | None:
        columns = self._columns
        row = bisect_right(columns.starts, offset) - 1
        return row if row >= 0 and offset < columns.ends[row] else None

    def can_hold_one(self, length: int) -> bool:
        """Whether that many bytes may contain a whole entry."""
        return length >= min(map(sub, self._columns.ends, self._columns.starts), default=length + 1)

    def holds_any(self, edits: Edits, at: int) -> bool:
        """Whether the place of an edit contains a whole entry."""
        columns, offset = self._columns, edits.offsets[at]
        first = bisect_left(columns.starts, offset)
        return first < len(columns) and columns.ends[first] <= offset + edits.lengths[at]


def takes_out(length: int, text: bytes) -> bool:
    """Whether nothing remains, or only a comment."""
    if not length:
        return False
    text = text.strip()
    return not text or (text.startswith(b"<!--") and text.find(b"-->") == len(text) - 3)


class _Taken:
    """The places of accepted edits.

    They arrive in order, first for malformed XML and then for all others, so each run is a column that only grows.
    Edits out of order go to the first one.
    """

    def __init__(self, edits: Edits) -> None:
        self._edits = edits
        self._runs = [_Run(), _Run()]
        self._last_tag: tuple[int, int] | None = None
        """the place of the last edit if it was about a tag"""

    def take(self, span: range, *, is_tag: bool) -> bool:
        """Reserve the places; False if one of them is taken. Several tags may be inserted at one place."""
        offsets, lengths, runs = self._edits.offsets, self._edits.lengths, self._runs
        places = [(offsets[at], offsets[at] + lengths[at]) for at in span]
        if is_tag and len(places) == 1 and places[0] == self._last_tag and places[0][0] == places[0][1]:
            return True
        last_start, last_end = -1, 0
        for start, end in places:
            if start == last_start or start < last_end:
                return False
            last_start, last_end = start, end
            for run in runs:
                if not run.is_free(start, end):
                    return False
        if len(runs) == 2 and places and places[0][0] < runs[-1].last_start:
            runs.append(_Run())
        for at, (start, end) in zip(span, places, strict=True):
            runs[-1 if start > runs[-1].last_start else 0].insert(start, end, at)
        self._last_tag = places[-1] if is_tag and places else None
        return True

    def around(self, offset: int) -> int:
        """The accepted edit around a byte; -1 for none."""
        return max(run.around(offset) for run in self._runs)


class _Run:
    """Places in order, without overlaps, and the numbers of their edits."""

    def __init__(self) -> None:
        self._starts: array[int] = array("Q")
        self._ends: array[int] = array("Q")
        self._edits: array[int] = array("Q")
        self.last_start = -1

    def is_free(self, start: int, end: int) -> bool:
        """No place starts at the same position or inside, and no earlier place overlaps."""
        if start > self.last_start:
            return not self._ends or self._ends[-1] <= start
        at = bisect_left(self._starts, start)
        return self._starts[at] >= max(end, start + 1) and (at == 0 or self._ends[at - 1] <= start)

    def insert(self, start: int, end: int, edit: int) -> None:
        at = len(self._starts) if start > self.last_start else bisect_left(self._starts, start)
        self._starts.insert(at, start)
        self._ends.insert(at, end)
        self._edits.insert(at, edit)
        self.last_start = max(self.last_start, start)

    def around(self, offset: int) -> int:
        at = bisect_right(self._starts, offset) - 1
        return self._edits[at] if at >= 0 and offset < self._ends[at] else -1
