"""Batches of listed pages → the same rows ordered by one field; with a limit, only as many are held in memory."""

from __future__ import annotations

import heapq
from collections.abc import Callable, Iterator, Sequence
from typing import Any, NamedTuple

from urlset.model.frames import instant_of, number_of
from urlset.workflows.ls.batch import Batch
from urlset.workflows.ls.fields import Field, choose

Row = tuple[Any, ...]
_MEANT: dict[str, Callable[[str | None], Any]] = {"lastmod": instant_of, "priority": number_of}
"""fields that are not ordered by their text"""


class Order(NamedTuple):
    field: Field
    descending: bool = False

    @classmethod
    def parse(cls, text: str) -> Order:
        """`lastmod`, or `-lastmod` for the largest first. Raises UnknownFieldError."""
        name = text.strip()
        (field,) = choose(name.removeprefix("-").split(",")[0]) or choose("?")
        return cls(field, name.startswith("-"))

    def keys(self, batch: Batch) -> list[Any]:
        """Values that can be compared; None where there is none."""
        meant = _MEANT.get(self.field.name)
        return [_comparable(value if meant is None else meant(value)) for value in self.field.values(batch)]


class SortedRows:
    """Rows with the values of the chosen fields, as a Batch has them."""

    def __init__(self, rows: Sequence[Row]) -> None:
        self._rows = rows

    def __len__(self) -> int:
        return len(self._rows)

    def slices(self, size: int) -> Iterator[SortedRows]:
        for start in range(0, len(self._rows), size):
            yield SortedRows(self._rows[start : start + size])

    @property
    def locs(self) -> list[str]:
        return [row[0] for row in self._rows]

    def values(self, fields: Sequence[Field]) -> list[list[Any]]:
        """Of the fields that the rows were made for."""
        return [[row[at] for row in self._rows] for at in range(1, len(fields) + 1)]


def in_order(pages: Iterator[Batch], order: Order, fields: Sequence[Field], limit: int | None) -> SortedRows:
    """Rows without the field come last, whatever the direction."""
    absent: list[Row] = []

    def present() -> Iterator[tuple[Any, Row]]:
        for batch in pages:
            rows = zip(batch.locs, *batch.values(fields), strict=True)
            for key, row in zip(order.keys(batch), rows, strict=True):
                if key is not None:
                    yield key, row
                elif limit is None or len(absent) < limit:
                    absent.append(row)
            del batch

    if limit is None:
        ordered = sorted(present(), key=_first, reverse=order.descending)
    else:
        ordered = (heapq.nlargest if order.descending else heapq.nsmallest)(limit, present(), key=_first)
    rows = [row for _, row in ordered] + absent
    return SortedRows(rows if limit is None else rows[:limit])


def _first(keyed: tuple[Any, Row]) -> Any:
    return keyed[0]


def _comparable(value: Any) -> Any:
    return len(value) if isinstance(value, (list, tuple)) else value
