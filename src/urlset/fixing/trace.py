"""The fixes of one pass, and the document before and after → removed entries and entries with a new URL."""

from __future__ import annotations

import re
from bisect import bisect_left
from collections.abc import Iterator, Sequence

from urlset.findings.fix_result import Removed, Renamed
from urlset.fixing.choose import Chosen, takes_out
from urlset.fixing.pages import page_of
from urlset.model.columns import Edit
from urlset.model.document import Document
from urlset.model.trouble import TroubleKind

_LOC = re.compile(rb"<(?:[\w.-]+:)?loc\b[^<>]*>?\s*+([^<\s]++)", re.IGNORECASE)
_ABOUT_ADDRESSES = frozenset("XSLIHA")
"""families whose fixes may change a loc"""


def removals(chosen: Sequence[Chosen], document: Document) -> Iterator[Removed]:
    """Entries that an edit removes completely, and remains of unreadable entries."""
    columns = document.columns
    lost = [trouble.place for trouble in document.troubles if trouble.kind is TroubleKind.ENTRY_LOST]
    for start, end, code in _deletions(chosen):
        row = bisect_left(columns.starts, start)
        while row < len(columns) and columns.ends[row] <= end:
            loc = (columns.locs[row] or "").strip()
            if loc:
                yield Removed(loc, code)
            row += 1
        for place in lost:
            if start <= place.offset and place.end <= end:
                remains = _LOC.search(document.data, place.offset, place.end)
                yield Removed(remains[1].decode("utf-8", "replace") if remains else "", code)


def _deletions(chosen: Sequence[Chosen]) -> list[tuple[int, int, str]]:
    return sorted(
        (edit.place.offset, edit.place.end, each.code) for each in chosen for edit in each.edits if takes_out(edit)
    )


def is_about_addresses(code: str) -> bool:
    """Whether a fix of this rule may change an address; of the rules that packages bring nobody knows."""
    return code[0] in _ABOUT_ADDRESSES or code[:2].isalpha()


def renamings(
    chosen: Sequence[Chosen], before: Document, after: Document, respelled: dict[str, str]
) -> Iterator[Renamed]:
    """Entries whose URL is another page now; `respelled` collects equivalent spellings."""
    rows = _touched(chosen, before)
    if not rows:
        return
    shifts = _Shifts([edit for each in chosen for edit in each.edits])
    for row, code in rows.items():
        loc = (before.columns.locs[row] or "").strip()
        now = _found(after, shifts, before.columns.starts[row])
        if not loc or not now or now == loc:
            continue
        if page_of(now) == page_of(loc):
            respelled[loc] = now
        else:
            yield Renamed(loc, now, code)


def _touched(chosen: Sequence[Chosen], document: Document) -> dict[int, str]:
    """Rows with an edit, and the code of the first fix that may affect their URL."""
    columns = document.columns
    rows: dict[int, str] = {}
    for each in chosen:
        if not is_about_addresses(each.code):
            continue
        for edit in each.edits:
            row = bisect_left(columns.starts, edit.place.offset + 1) - 1
            if row >= 0 and edit.place.offset < columns.ends[row]:
                rows.setdefault(row, each.code)
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

    def __init__(self, edits: list[Edit]) -> None:
        edits.sort(key=lambda edit: (edit.place.offset, edit.place.length))
        self._ends: list[int] = []
        self._sums: list[int] = [0]
        for edit in edits:
            self._ends.append(edit.place.end)
            self._sums.append(self._sums[-1] + len(edit.text) - edit.place.length)

    def at(self, offset: int) -> tuple[int, int]:
        """After the text inserted at that position, and before it."""
        return (
            offset + self._sums[bisect_left(self._ends, offset + 1)],
            offset + self._sums[bisect_left(self._ends, offset)],
        )
