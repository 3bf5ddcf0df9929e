"""A result with new findings or lost URLs → the fixes that caused them, each with its effect."""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections.abc import Callable, Iterable, Iterator, Sequence
from functools import cached_property
from typing import Generic, TypeVar

import msgspec

from urlset.checking.declare import AnyRule
from urlset.checking.fixability import TAGS, row_behind
from urlset.findings.finding import Problem
from urlset.fixing.choose import Fixes
from urlset.fixing.collected_fixes import Key
from urlset.fixing.edit_buffer import EditBuffer
from urlset.fixing.prove import is_about_addresses
from urlset.model.address import Address
from urlset.model.document import Document

_MOST_FILES = 32
"""attempts to separate guilty fixes from the others; whatever is left after them is skipped together"""
CountAlone = Callable[[AnyRule, Sequence[int]], int]
"""how many entries a rule reports in a file with only these rows of the result"""


class Made(msgspec.Struct, frozen=True):
    """A fix that was applied; `spans` are the bytes of the original that it touched, first and last."""

    key: Key
    spans: tuple[tuple[int, int], ...]

    @property
    def is_about_addresses(self) -> bool:
        return is_about_addresses(self.key[0])


class New(msgspec.Struct, frozen=True):
    """A finding in the result that the original did not have."""

    rule: AnyRule
    problem: Problem
    origin: int
    """its position in the original"""


def made(fixes: Fixes, buffer: EditBuffer) -> Iterator[Made]:
    """The applied fixes, in bytes of the original; `buffer` as it was before them."""
    origin, edits = buffer.origin, fixes.edits
    for number, offset in enumerate(fixes.offsets):
        spans = tuple(
            (origin(edits.offsets[at]), origin(edits.offsets[at] + edits.lengths[at])) for at in fixes.span(number)
        )
        yield Made((fixes.title(number).rule.code, origin(offset)), spans)


class Blame:
    """Finds the fix behind a problem: at its place, at its URL, in its entry.

    A problem that no single fix explains, such as a file that lost its last entry, is not attributed.
    """

    def __init__(self, before: Document, after: Document, buffer: EditBuffer, fixes: Sequence[Made]) -> None:
        self._before = before
        self._after = after
        self._buffer = buffer
        self._by_row: dict[int | None, list[tuple[int, int, Made]]] = {}
        """in the order of application; None for bytes between entries"""
        self._cover: dict[int | None, Cover[Made]] = {}
        for fix in fixes:
            for start, end in fix.spans:
                for row in self._rows(start, end):
                    self._by_row.setdefault(row, []).append((start, end, fix))

    def for_lost(self, addresses: Iterable[str]) -> dict[Key, str]:
        lost = set(addresses)
        found: dict[Key, str] = {}
        for row, raw in enumerate(self._before.columns.locs if lost else ()):
            loc = (raw or "").strip()
            if loc in lost and row in self._by_row:
                for fix in self._together(self._by_row[row][-1][-1]):
                    found.setdefault(fix.key, f"its fix would remove the URL {loc!r}")
        return found

    def for_new(self, findings: Iterable[New], count_alone: CountAlone) -> dict[Key, str]:
        found: dict[Key, str] = {}
        by_rule: dict[str, list[New]] = {}
        for new in findings:
            by_rule.setdefault(new.rule.code, []).append(new)
            fix = self._behind(new)
            if fix is None or fix.key in found:  # fixes applied together with it are found as well
                continue
            words = f"its fix would introduce {self.describe(new)}"
            for each in self._together(fix):
                found.setdefault(each.key, words)
        for first, *others in by_rule.values():
            if any(new.problem.count > 1 for new in (first, *others)):
                message = f"{first.rule.code} {first.rule.name}" if others else self.describe(first)
                for kin in self._kin(first.rule, count_alone):
                    found.setdefault(kin.key, f"its fix would introduce {message}")
        return found

    def _together(self, fix: Made) -> list[Made]:
        """Fixes for malformed tags in one entry are applied together or not at all."""
        if fix.key[0] not in TAGS:
            return [fix]
        rows = {row for start, end in fix.spans for row in self._rows(start, end)} - {None}
        return [fix, *(each for row in rows for _, _, each in self._by_row[row] if each.key[0] in TAGS)]

    def describe(self, new: New) -> str:
        line = self._before.lines.at(new.origin).line
        return f"{new.rule.code} {new.rule.name} at line {line}: {new.problem.message}"

    def _rows(self, start: int, end: int) -> Sequence[int | None]:
        columns = self._before.columns
        return range(bisect_left(columns.ends, start), bisect_right(columns.starts, end)) or (None,)

    def _row(self, origin: int) -> int | None:
        columns = self._before.columns
        row = bisect_right(columns.starts, origin) - 1
        return row if row >= 0 and origin < columns.ends[row] else None

    def _behind(self, new: New) -> Made | None:
        """The latest fix, if there are several candidates."""
        row = self._row(new.origin)
        if row is None:
            row = row_behind(self._before, self._buffer.origin(new.problem.place.end))
        here = self._by_row.get(row, [])
        if row not in self._cover:
            self._cover[row] = Cover(here)
        covering = self._cover[row].at(new.origin)
        if covering is not None:
            return covering
        namesake = self._namesakes.get(self._address(new))
        if namesake is not None:
            return namesake
        return here[-1][-1] if here and row is not None else None

    def _address(self, new: New) -> str:
        columns, offset = self._after.columns, new.problem.place.offset
        row = bisect_right(columns.starts, offset) - 1
        inside = row >= 0 and offset < columns.ends[row]
        return Address.parse((columns.locs[row] or "").strip()).key if inside else ""

    @cached_property
    def _namesakes(self) -> dict[str, Made]:
        """Normalized URL → the fix that inserted it."""
        locs = self._after.columns.locs
        return {Address.parse((locs[row] or "").strip()).key: fix for row, fix in self._readdressed.items()}

    @cached_property
    def _readdressed(self) -> dict[int, Made]:
        """Rows of the result with another URL than before → the fix that changed it."""
        found: dict[int, Made] = {}
        before, after = self._before.columns, self._after.columns
        origins = map(self._buffer.origin, after.starts)
        last = {row: fix for row, fixes in self._by_row.items() for _, _, fix in fixes if fix.is_about_addresses}
        for row, origin in enumerate(origins):
            was = self._row(origin)
            fix = last.get(was)
            if was is not None and fix and (before.locs[was] or "").strip() != (after.locs[row] or "").strip():
                found[row] = fix
        return found

    def _kin(self, rule: AnyRule, count_alone: CountAlone) -> Iterator[Made]:
        """All fixes behind a finding that covers many entries and shows only the first.

        Found by bisection over the sorted URLs, which quickly separates different hosts or folders. Each group is
        tested in a separate file, together with an entry whose URL no fix changed.
        """
        columns = self._after.columns
        beside = [row for row in range(len(columns)) if row not in self._readdressed][:1]
        before = count_alone(rule, beside) if beside else 0
        groups = [sorted(self._readdressed, key=lambda row: columns.locs[row] or "")]
        files = 0
        while groups:
            rows = groups.pop()
            files += 1
            if files > _MOST_FILES:
                yield from (self._readdressed[row] for row in rows)
                continue
            minded = count_alone(rule, [*beside, *rows]) - before if rows else 0
            if 0 < minded < len(rows):
                middle = len(rows) // 2
                groups += [rows[:middle], rows[middle:]]
            elif minded > 0:
                yield from (self._readdressed[row] for row in rows)


def alone(document: Document, rows: Sequence[int]) -> bytes:
    """A file with only these entries."""
    columns, data = document.columns, document.data
    entries = b"\n".join(data[columns.starts[row] : columns.ends[row]] for row in rows)
    return data[: columns.starts[0]] + entries + data[columns.ends[-1] :]


# Ranges in order of creation → the latest one that covers a point.

Owner = TypeVar("Owner")


class Cover(Generic[Owner]):
    """Ranges include both ends. Built once in n log n, queried in log n, for any number of overlaps."""

    def __init__(self, ranges: Sequence[tuple[int, int, Owner]]) -> None:
        self._points = sorted({point for start, end, _ in ranges for point in (start, end)})
        self._owners: list[Owner | None] = [None] * (2 * len(self._points))
        """owners of the points at even indexes, and of the gaps after them at odd indexes"""
        skip = list(range(len(self._owners) + 1))  # to the next free index
        for start, end, owner in reversed(ranges):
            place = _free(skip, 2 * bisect_left(self._points, start))
            last = 2 * bisect_left(self._points, end)
            while place <= last:
                self._owners[place] = owner
                skip[place] = place + 1
                place = _free(skip, place)

    def at(self, point: int) -> Owner | None:
        number = bisect_left(self._points, point)
        if number < len(self._points) and self._points[number] == point:
            return self._owners[2 * number]
        return self._owners[2 * number - 1] if number else None


def _free(skip: list[int], place: int) -> int:
    while skip[place] != place:
        skip[place] = skip[skip[place]]
        place = skip[place]
    return place
