"""A query with a key → the four questions that shards need answered, in the words any database understands.

Rows are always found by key range, never by OFFSET, so a shard costs the same wherever it is.
"""

from __future__ import annotations

from collections.abc import AsyncIterator, Awaitable, Iterator
from datetime import date, datetime
from decimal import Decimal
from uuid import UUID

import msgspec

from urlset.building.entry_lines import Page

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

    def extent(self) -> Extent:
        raise NotImplementedError

    def tally(self, after: Key | None, upto: Key | None) -> Tally:
        raise NotImplementedError

    def cut(self, after: Key | None, rows: int) -> Key | None:
        """The key of the row that is `rows` further on; None when there are fewer."""
        raise NotImplementedError

    def rows(self, after: Key | None, upto: Key | None, limit: int) -> Iterator[Page]:
        """In the order of the key, fetched some thousand at a time."""
        raise NotImplementedError


class AsyncKeyedSource:
    """The same for an async driver."""

    is_async = True

    def extent(self) -> Awaitable[Extent]:
        raise NotImplementedError

    def tally(self, after: Key | None, upto: Key | None) -> Awaitable[Tally]:
        raise NotImplementedError

    def cut(self, after: Key | None, rows: int) -> Awaitable[Key | None]:
        raise NotImplementedError

    def rows(self, after: Key | None, upto: Key | None, limit: int) -> AsyncIterator[Page]:
        raise NotImplementedError


AnyKeyed = KeyedSource | AsyncKeyedSource
