"""A query with a key → the four questions that shards need answered, in the words any database understands.

Rows are always found by key range, never by OFFSET, so a shard costs the same wherever it is.
"""

from __future__ import annotations

from datetime import date, datetime
from decimal import Decimal
from typing import Any
from uuid import UUID

import msgspec

Key = int | str | datetime | UUID | Decimal | date


class Extent(msgspec.Struct, frozen=True):
    """How many rows there are, and the first and last key."""

    count: int
    low: Key | None = None
    high: Key | None = None


class Tally(msgspec.Struct, frozen=True):
    """What is known about the rows of one shard without reading them."""

    count: int
    latest: str | None = None
    """the newest lastmod, as a W3C date"""
    digest: str = ""
    """changes whenever a row does, where the source can tell"""


class KeyedSource:
    """Subclass it for a database that has no integration. Ranges exclude `after` and include `upto`; None is open."""

    is_async = False

    def extent(self) -> Any:
        """An `Extent`."""
        raise NotImplementedError

    def tally(self, after: Key | None, upto: Key | None) -> Any:
        """A `Tally`."""
        raise NotImplementedError

    def cut(self, after: Key | None, rows: int) -> Any:
        """The key of the row that is `rows` further on; None when there are fewer."""
        raise NotImplementedError

    def rows(self, after: Key | None, upto: Key | None, limit: int) -> Any:
        """An iterator of pages in the order of the key, fetched some thousand at a time."""
        raise NotImplementedError


class AsyncKeyedSource(KeyedSource):
    """The same for an async driver: its methods are coroutines, and `rows` an async generator."""

    is_async = True
