"""A dict of rows → a keyed source, as plain as it can be: the model that databases are compared with."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from urlset.integrations.keyed import Extent, KeyedSource, Tally


class Rows(KeyedSource):
    def __init__(self, rows: dict[Any, str | None]) -> None:
        self.dates = rows

    def extent(self) -> Extent:
        return Extent(len(self.dates), min(self.dates, default=None), max(self.dates, default=None))

    def tally(self, after: Any, upto: Any) -> Tally:
        keys = self._keys(after, upto)
        return Tally(len(keys), max(filter(None, map(self.dates.get, keys)), default=None))

    def cut(self, after: Any, rows: int) -> Any:
        keys = self._keys(after, None)
        return keys[rows - 1] if len(keys) >= rows else None

    def rows(self, after: Any, upto: Any, limit: int) -> Iterator[Any]:
        return ((f"/{key}", self.dates[key]) for key in self._keys(after, upto)[:limit])

    def _keys(self, after: Any, upto: Any) -> list[Any]:
        return sorted(key for key in self.dates if (after is None or key > after) and (upto is None or key <= upto))
