"""The fixes of one pass, and the document before and after → removed entries and entries with a new URL."""

from __future__ import annotations

import re
from array import array
from bisect import bisect_left
from collections.abc import Iterator
from itertools import compress
from operator import ne, sub

from urlset.findings.fix_result import Removed, Renamed
from urlset.fixing.choose import takes_out
from urlset.fixing.fixes import Fixes
from urlset.fixing.pages import are_same_pages, is_same_page
from urlset.model.document import Document
from urlset.model.edits import Edits
from urlset.model.trouble import TroubleKind

_LOC = re.compile(rb"<(?:[\w.\x80-\xff-]+:)?loc\b[^<>]*>?\s*+([^<\s]++)", re.IGNORECASE)
_ABOUT_ADDRESSES = frozenset("XSLIHA")
"""families whose fixes may change a loc"""


def removals(fixes: Fixes, document: Document) -> Iterator[Removed]:
    """Entries that an edit removes completely, and remains of unreadable entries."""
    columns = document.columns
    lost = [trouble.place for trouble in document.troubles.of([TroubleKind.ENTRY_LOST])]
    lost_starts = [place.offset for place in lost]
    least = 1 if lost else min(map(sub, columns.ends, columns.starts), default=len(document.data))
    if max(fixes.edits.lengths, default=0) < least:
        return
    for start, end, code in _deletions(fixes, least):
        row = bisect_left(columns.starts, start)
        while row < len(columns) and columns.ends[row] <= end:
            loc = (columns.locs[row] or "").strip()
            if loc:
                yield Removed(loc, code)
            row += 1
        for place in lost[bisect_left(lost_starts, start) : bisect_left(lost_starts, end)]:
            if place.end <= end:
                remains = _LOC.search(document.data, place.offset, place.end)
                yield Removed(remains[1].decode("utf-8", "replace") if remains else "", code)


def _deletions(fixes: Fixes, least: int) -> list[tuple[int, int, str]]:
    """Deletions of at least this many bytes: a shorter one removes no entry."""
    return sorted(
        (offset, offset + length, fixes.title(number).rule.code)
        for number, offset, length, text in fixes.numbered_edits()
        if length >= least and takes_out(length, text)
    )


def is_about_addresses(code: str) -> bool:
    """Whether a fix of this rule may change a URL; rules of packages are assumed to."""
    return code[0] in _ABOUT_ADDRESSES or code[:2].isalpha()


def respellings(before: Document, after: Document) -> list[tuple[str, str]] | None:
    """The URLs with a new spelling, if each row has the same page as before; None if that is not certain."""
    old, new = before.columns.locs, after.columns.locs
    if len(old) != len(new):
        return None
    changed = list(map(ne, old, new))
    was, now = (list(map(str.strip, filter(None, compress(locs, changed)))) for locs in (old, new))
    if not len(was) == len(now) == sum(changed):  # an entry has no URL
        return None
    pairs = list(compress(zip(was, now, strict=True), map(ne, was, now)))
    if not all(map(all, pairs)) or not are_same_pages(pairs):
        return None
    return pairs


def renamings(
    fixes: Fixes, edits: Edits, before: Document, after: Document, respelled: dict[str, str]
) -> Iterator[Renamed]:
    """Entries whose URL is another page now; `respelled` collects equivalent spellings.

    `edits` are the edits of the fixes, by place.
    """
    rows = _touched(fixes, before)
    if not rows:
        return
    shifts = _Shifts(edits)
    locs, starts, ends = before.columns.locs, before.columns.starts, before.columns.ends
    for row, code in rows.items():
        loc = (locs[row] or "").strip()
        if shifts.removes(starts[row], ends[row]):
            continue  # the entry that begins there now is another one
        now = _found(after, shifts, starts[row])
        if not loc or not now or now == loc:
            continue
        if is_same_page(loc, now):
            respelled[loc] = now
        else:
            yield Renamed(loc, now, code)


def _touched(fixes: Fixes, document: Document) -> dict[int, str]:
    """Rows with an edit, and the code of the first fix that may affect their URL."""
    starts, ends = document.columns.starts, document.columns.ends
    codes = [title.rule.code if is_about_addresses(title.rule.code) else None for title in fixes.titles]
    rows: dict[int, str] = {}
    for number, offset, _, _ in fixes.numbered_edits():
        code = codes[fixes.title_numbers[number]]
        if code is None:
            continue
        row = bisect_left(starts, offset + 1) - 1
        if row >= 0 and offset < ends[row]:
            rows.setdefault(row, code)
    return rows


def _found(after: Document, shifts: _Shifts, start: int) -> str | None:
    """The URL of the row that started at `start`."""
    columns = after.columns
    for moved in shifts.at(start):
        row = bisect_left(columns.starts, moved)
        if row < len(columns) and columns.starts[row] == moved:
            return (columns.locs[row] or "").strip()
    return None


class _Shifts:
    """How far edits shift bytes."""

    def __init__(self, edits: Edits) -> None:
        self._edits = edits
        self._ends: array[int] = array("Q")
        self._sums: array[int] = array("q", [0])
        total = 0
        for offset, length, text in edits.triples():
            total += len(text) - length
            self._ends.append(offset + length)
            self._sums.append(total)

    def removes(self, start: int, end: int) -> bool:
        """Whether one edit leaves nothing of these bytes."""
        edits = self._edits
        last = bisect_left(edits.offsets, start + 1) - 1
        return last >= 0 and self._ends[last] >= end and takes_out(edits.lengths[last], edits.texts[last])

    def at(self, offset: int) -> tuple[int, int]:
        """After the text inserted at that position, and before it."""
        return (
            offset + self._sums[bisect_left(self._ends, offset + 1)],
            offset + self._sums[bisect_left(self._ends, offset)],
        )
