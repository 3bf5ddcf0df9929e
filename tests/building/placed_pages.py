"""Pages as (section, size, former file) → the plan of their groups, and the file of each page."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Iterable
from itertools import accumulate
from typing import Any

from urlset.building.shards import NOWHERE, ShardPlan, assign


class SizedGroup:
    """A group that knows sizes only."""

    def __init__(self, section: str, former: str | None, kept: int = 0, kept_bytes: int = 0) -> None:
        self.section, self.former, self.kept, self.kept_bytes = section, former, kept, kept_bytes
        self.numbers: list[int] = []
        self.sizes: list[int] = []
        self._ends: list[int] = []

    def __len__(self) -> int:
        return len(self.sizes)

    def _all_ends(self) -> list[int]:
        if len(self._ends) != len(self.sizes):
            self._ends = list(accumulate(self.sizes))
        return self._ends

    def fitting(self, low: int, entries: int, size: int) -> int:
        start = self._all_ends()[low - 1] if low else 0
        most = bisect_right(self._all_ends(), start + max(size, 0), low)
        return max(low, min(low + max(entries, 0), most))

    def size_of(self, low: int, high: int) -> int:
        return sum(self.sizes[low:high])

    def expand(self) -> None:
        self.sizes += [self.kept_bytes // self.kept] * self.kept
        self.kept = self.kept_bytes = 0


def grouped(pages: Iterable[tuple[str, int, str | None]]) -> list[SizedGroup]:
    groups: dict[tuple[str, str | None], SizedGroup] = {}
    for number, (section, size, former) in enumerate(pages):
        group = groups.setdefault((section, former), SizedGroup(section, former))
        group.numbers.append(number)
        group.sizes.append(size)
    return list(groups.values())


def place(pages: Iterable[tuple[str, int, str | None]], **settings: Any) -> tuple[ShardPlan, list[str | None]]:
    """The plan, and the name of the file of each page in turn."""
    groups = grouped(pages)
    plan = assign(groups, **settings)
    names: dict[int, str | None] = {}
    for run in plan.runs:
        for at in range(run.low, run.high):
            number = groups[run.group].numbers[at]
            assert number not in names, "a page goes to one file"
            names[number] = None if run.place == NOWHERE else plan.shards[run.place].name
    return plan, [names[number] for number in range(sum(map(len, groups)))]
