"""Fixes in columns, and those of one pass that can be applied together without overlapping."""

from __future__ import annotations

from array import array
from bisect import bisect_left, bisect_right, insort
from collections.abc import Iterable, Iterator, Sequence
from itertools import accumulate, count
from operator import eq, le, lt, sub
from typing import NamedTuple

import msgspec

from urlset.checking.declare import AnyRule
from urlset.checking.fixability import TAGS, TwistedRows, malformed_root, malformed_rows
from urlset.findings.finding import ON_REQUEST, Fix, Safety
from urlset.model.columns import Edit, Edits, Mark
from urlset.model.document import Document

# Fixes → columns: a rule, a place, and a range of edits each; a million fixes take tens of megabytes.


class Title(NamedTuple):
    """The common part of many fixes."""

    rule: AnyRule
    text: str
    safety: Safety


class Fixes:
    """Fixes in insertion order. One with a single edit takes about 60 bytes."""

    __slots__ = ("_numbers", "_stops", "edits", "offsets", "rows", "subjects", "title_numbers", "titles")

    def __init__(self) -> None:
        self.titles: list[Title] = []
        self._numbers: dict[tuple[str, str, Safety], int] = {}
        self.title_numbers: array[int] = array("L")
        self.offsets: array[int] = array("Q")
        """the start of the fixed problem"""
        self.rows: array[int] = array("q")
        """the entry with the problem; -1 if it is in none"""
        self.subjects: dict[int, str] = {}
        """the affected URL, if it is not the URL of the entry"""
        self.edits = Edits()
        self._stops: array[int] = array("Q", [0])

    def __len__(self) -> int:
        return len(self.offsets)

    def add(
        self, rule: AnyRule, fix: Fix, offset: int, row: int, edits: Iterable[Edit], subject: str | None = None
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
        if isinstance(edits, Edits):
            self.edits.extend(edits)
        else:
            for edit in edits:
                self.edits.add(edit.place.offset, edit.place.length, edit.text)
        self._stops.append(len(self.edits))

    def title(self, number: int) -> Title:
        return self.titles[self.title_numbers[number]]

    def span(self, number: int) -> range:
        """The edits of a fix, ordered by place."""
        return range(self._stops[number], self._stops[number + 1])

    def numbered_edits(self) -> Iterator[tuple[int, int, int, bytes]]:
        """Fix number, offset, length, and text of all edits."""
        number, stops = 0, self._stops
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
        found.title_numbers = array("L", [self.title_numbers[number] for number in numbers])
        found.offsets = array("Q", [self.offsets[number] for number in numbers])
        found.rows = array("q", [self.rows[number] for number in numbers])
        if self.subjects:
            kept = ((at, self.subjects.get(number)) for at, number in enumerate(numbers))
            found.subjects = {at: subject for at, subject in kept if subject is not None}
        stops = self._stops
        found._stops.extend(accumulate(stops[number + 1] - stops[number] for number in numbers))
        if stops[-1] == len(self):  # one edit each
            found.edits = self.edits.picked(numbers)
        else:
            found.edits = self.edits.picked(at for number in numbers for at in range(stops[number], stops[number + 1]))
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


_FEW = 8
"""edits of one fix that are compared with each other"""


def choose(fixes: Fixes, rows: Rows) -> tuple[Fixes, Edits]:
    """The fixes that can be applied together, by place, and their edits; some may be inside of what another one moves.

    Fixes for malformed XML come first: a value inside a malformed entry waits for the next pass. Whole entries are
    removed by one rule at a time, so one of two duplicate entries stays.
    """
    edits, taken = fixes.edits, _Taken()
    all_fit, may_drop = rows.are_all_fit, rows.can_hold_one(max(edits.lengths, default=0))
    by_place = _by_place(fixes, _ranks(fixes))
    if all_fit and not may_drop and edits.in_order().are_apart():
        return (picked := fixes.picked(by_place)), picked.edits.in_order()
    chosen: list[int] = []
    moved = _Moved(edits, rows.data)
    dropping: str | None = None
    are_late = [title.rule.card.family != "X" for title in fixes.titles]
    for number in sorted(by_place, key=[are_late[title] for title in fixes.title_numbers].__getitem__):
        rule = fixes.title(number).rule
        span = fixes.span(number)
        if not all_fit and rows.puts_off(rule, [edits.offsets[at] for at in span]):
            continue
        drops = may_drop and any(
            takes_out(edits.lengths[at], edits.texts[at]) and rows.holds_any(edits, at) for at in span
        )
        if drops and dropping not in (None, rule.code):
            continue
        if taken.take(edits, span, is_tag=rule.code in TAGS):
            moved.add(span)
        elif not moved.take(span):
            continue
        dropping = rule.code if drops else dropping
        chosen.append(number)
    chosen.sort(key=fixes.offsets.__getitem__)
    return fixes.picked(chosen), moved.combined(at for number in chosen for at in fixes.span(number))


class _Moved:
    """The bytes that chosen fixes move, in which others may still change something."""

    def __init__(self, edits: Edits, data: bytes) -> None:
        self._edits, self._data, self._changed = edits, data, _Taken()
        self._pieces: list[tuple[int, int, int, int]] = []
        """where each begins and ends, the edit that writes it, and how far its text is from there"""
        self._changes: dict[int, list[tuple[int, int]]] = {}
        """of the text that an edit writes: where, and the edit inside of a piece that changes it"""
        self._inside = set[int]()

    def add(self, span: range) -> None:
        edits, data = self._edits, self._data
        texts = edits.texts[span.start : span.stop] if 1 < len(span) <= _FEW else ()
        for at, text in zip(span, texts, strict=False):
            offset, piece = edits.offsets[at], data[edits.offsets[at] : edits.offsets[at] + edits.lengths[at]].strip()
            found = moved_to(piece, texts) if piece and not text.strip() else None
            if found is not None:
                start = data.find(piece, offset)
                insort(self._pieces, (start, start + len(piece), span[found[0]], found[1] - start))

    def take(self, span: range) -> bool:
        edits, found = self._edits, list[tuple[int, int]]()
        for at in span:
            offset = edits.offsets[at]
            piece = bisect_left(self._pieces, (offset,)) - 1
            if piece < 0 or offset + edits.lengths[at] >= self._pieces[piece][1]:
                return False
            found.append((self._pieces[piece][2], offset + self._pieces[piece][3]))
        if not self._changed.take(edits, span, is_tag=False):
            return False
        self._inside.update(span)
        for at, (writer, index) in zip(span, found, strict=True):
            self._changes.setdefault(writer, []).append((index, at))
        return True

    def combined(self, numbers: Iterable[int]) -> Edits:
        """Edits by place; those inside of a piece change the text that is written. The last call: pieces are large."""
        self._pieces.clear()
        edits, texts, order = self._edits, self._edits.texts, [at for at in numbers if at not in self._inside]
        found = edits.picked(order)
        for number, at in enumerate(order) if self._changes else ():
            parts, done = list[bytes](), 0
            for index, changed in sorted(self._changes.get(at, ())):
                parts += texts[at][done:index], texts[changed]
                done = index + edits.lengths[changed]
            found.texts[number] = b"".join((*parts, texts[at][done:])) if parts else texts[at]
        return found.in_order()


def moved_to(piece: bytes, texts: Sequence[bytes]) -> tuple[int, int] | None:
    """The text that has the piece, and where; None for a piece that several have, or if there are many texts."""
    found = [number for number, text in enumerate(texts) if piece in text] if len(texts) <= _FEW else []
    if len(found) != 1 or texts[found[0]].count(piece) != 1:
        return None
    return found[0], texts[found[0]].find(piece)


def _by_place(fixes: Fixes, ranks: Sequence[int]) -> Sequence[int]:
    """By place, then by rank."""
    if len(ranks) == 1 and all(map(le, fixes.offsets, fixes.offsets[1:])):
        return range(len(fixes))
    by_rank = sorted(range(len(fixes)), key=[ranks[title] for title in fixes.title_numbers].__getitem__)
    return sorted(by_rank, key=fixes.offsets.__getitem__)


def _ranks(fixes: Fixes) -> Sequence[int]:
    """The order of the fixes at one place, by title: those for malformed XML first, then by code."""
    codes = sorted({(title.rule.card.family != "X", title.rule.code) for title in fixes.titles})
    return [codes.index((title.rule.card.family != "X", title.rule.code)) for title in fixes.titles]


def ordered(found: Sequence[Edit]) -> Sequence[Edit]:
    """Each edit once, by place."""
    starts = found.offsets if isinstance(found, Edits) else [edit.place.offset for edit in found]
    in_order = all(map(lt, starts, starts[1:]))
    return found if in_order else sorted(set(found), key=lambda edit: (edit.place.offset, edit.place.length))


def is_put_off(rule: AnyRule, edits: Sequence[Edit], rows: Rows) -> bool:
    """Whether a fix cannot be applied because of other problems in the entry."""
    columns = Edits(edits)
    return rows.puts_off(rule, columns.offsets) or not _Taken().take(columns, range(len(columns)), is_tag=False)


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

    def __init__(self) -> None:
        self._runs = [_Run(), _Run()]
        self._last_tag: tuple[int, int] | None = None
        """the place of the last edit if it was about a tag"""

    def take(self, edits: Edits, span: range, *, is_tag: bool) -> bool:
        """Reserve the places; False if one of them is taken. Several tags may be inserted at one place."""
        ends = [(edits.offsets[at], edits.offsets[at] + edits.lengths[at]) for at in span]
        if is_tag and len(ends) == 1 and ends[0] == self._last_tag and ends[0][0] == ends[0][1]:
            return True
        last_start, last_end = -1, 0
        for start, end in ends:
            if start == last_start or start < last_end:
                return False
            last_start, last_end = start, end
            for run in self._runs:
                if not run.is_free(start, end):
                    return False
        if len(self._runs) == 2 and ends and ends[0][0] < self._runs[-1].last_start:
            self._runs.append(_Run())
        for start, end in ends:
            self._runs[-1 if start > self._runs[-1].last_start else 0].insert(start, end)
        self._last_tag = ends[-1] if is_tag and ends else None
        return True


class _Run:
    """Places in order, without overlaps."""

    def __init__(self) -> None:
        self._starts: array[int] = array("Q")
        self._ends: array[int] = array("Q")
        self.last_start = -1

    def is_free(self, start: int, end: int) -> bool:
        """No place starts at the same position or inside, and no earlier place overlaps."""
        if start > self.last_start:
            return not self._ends or self._ends[-1] <= start
        at = bisect_left(self._starts, start)
        if at < len(self._starts) and (self._starts[at] == start or self._starts[at] < end):
            return False
        return at == 0 or self._ends[at - 1] <= start

    def insert(self, start: int, end: int) -> None:
        at = len(self._starts) if start > self.last_start else bisect_left(self._starts, start)
        self._starts.insert(at, start)
        self._ends.insert(at, end)
        self.last_start = max(self.last_start, start)
