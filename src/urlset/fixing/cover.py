"""Ranges in order of creation → the latest one that covers a point."""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Sequence
from typing import Generic, TypeVar

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
