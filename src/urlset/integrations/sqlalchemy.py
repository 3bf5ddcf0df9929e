"""A SQLAlchemy select with a key column → a keyed source, for a sync or an async engine.

select_source(engine, select(Page.id, Page.slug, Page.updated), key=Page.id, lastmod=Page.updated,
              entry=lambda row: (f"/pages/{row.slug}", row.updated))
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any, TypeAlias, cast

from sqlalchemy import ColumnElement, Engine, desc, func, literal, select
from sqlalchemy.ext.asyncio import AsyncEngine
from sqlalchemy.sql import coercions, roles

from urlset.building.entry_lines import Page
from urlset.building.sources.cells import DateError, to_lastmod
from urlset.building.sources.columns import meaning_of
from urlset.integrations.calls import BATCH
from urlset.integrations.keyed import Extent, Key, KeyedSource, Tally

ToPage = Callable[[Any], Page]
Statement: TypeAlias = Any
"""a Select; its type parameters are the columns, which are not known here"""


def select_source(
    engine: Engine | AsyncEngine,
    statement: Statement,
    *,
    key: Any,
    lastmod: Any = None,
    entry: ToPage | None = None,
) -> KeyedSource:
    """`key` is a unique column with an index, which the shards are cut by; `lastmod` the column of the page's date.

    `entry` makes a page of a row. Without it the columns are read by their names, as docs/sources.md lists them.
    """
    queries = _Queries(statement, key, lastmod, entry)
    return AsyncSelect(engine, queries) if isinstance(engine, AsyncEngine) else SyncSelect(engine, queries)


class _Queries:
    """The statements, and what their results mean; both engines share them."""

    def __init__(self, statement: Statement, key: Any, lastmod: Any, entry: ToPage | None) -> None:
        self._statement = statement.order_by(None)
        self._key: ColumnElement[Any] = coercions.expect(roles.ColumnArgumentRole, key)
        date = literal(None) if lastmod is None else coercions.expect(roles.ColumnArgumentRole, lastmod)
        self._keys = self._statement.with_only_columns(
            self._key.label("k"), cast("ColumnElement[Any]", date).label("d"), maintain_column_froms=True
        ).where(self._key.is_not(None))
        self._has_date = lastmod is not None
        names = [str(column.key) for column in statement.selected_columns]
        self.page: ToPage = entry or _by_name(names)

    def extent(self) -> Statement:
        """Ends by ORDER BY, as PostgreSQL has no min() and max() of a UUID."""
        ends = (
            self._keys.with_only_columns(self._key).order_by(order).limit(1) for order in (self._key, desc(self._key))
        )
        return select(select(func.count()).select_from(self._keys.subquery()).scalar_subquery(),
                      *(end.scalar_subquery() for end in ends))  # fmt: skip

    def tally(self, after: Key | None, upto: Key | None) -> Statement:
        rows = self._within(self._keys, after, upto).subquery()
        return select(func.count(), func.max(rows.c.d) if self._has_date else literal(None)).select_from(rows)

    def cut(self, after: Key | None, rows: int) -> Statement:
        """By LIMIT inside the index, so nothing before `after` is touched."""
        some = self._within(self._keys, after, None).order_by(self._key).limit(rows).subquery()
        last = select(some.c.k).order_by(desc(some.c.k)).limit(1)
        return select(select(func.count()).select_from(some).scalar_subquery(), last.scalar_subquery())

    def rows(self, after: Key | None, upto: Key | None, limit: int) -> Statement:
        return self._within(self._statement, after, upto).order_by(self._key).limit(limit)

    def _within(self, statement: Statement, after: Key | None, upto: Key | None) -> Statement:
        if after is not None:
            statement = statement.where(self._key > after)
        return statement if upto is None else statement.where(self._key <= upto)


class SyncSelect(KeyedSource):
    def __init__(self, engine: Any, queries: _Queries) -> None:
        self._engine, self._queries = engine, queries

    def extent(self) -> Any:
        return self._ask(self._queries.extent(), Extent)

    def tally(self, after: Key | None, upto: Key | None) -> Any:
        return self._ask(self._queries.tally(after, upto), _tally)

    def cut(self, after: Key | None, rows: int) -> Any:
        return self._ask(self._queries.cut(after, rows), lambda count, key: key if count == rows else None)

    def rows(self, after: Key | None, upto: Key | None, limit: int) -> Any:
        with self._engine.connect() as connection:
            streamed = connection.execution_options(stream_results=True, yield_per=BATCH)
            for some in streamed.execute(self._queries.rows(after, upto, limit)).partitions():
                yield from map(self._queries.page, some)

    def _ask(self, query: Statement, meaning: Callable[..., Any]) -> Any:
        with self._engine.connect() as connection:
            return meaning(*connection.execute(query).one())


class AsyncSelect(SyncSelect):
    is_async = True

    async def rows(self, after: Key | None, upto: Key | None, limit: int) -> Any:
        async with self._engine.connect() as connection:
            query = self._queries.rows(after, upto, limit)
            result = await connection.stream(query, execution_options={"yield_per": BATCH})
            async for some in result.partitions():
                for row in some:
                    yield self._queries.page(row)

    async def _ask(self, query: Statement, meaning: Callable[..., Any]) -> Any:
        async with self._engine.connect() as connection:
            return meaning(*(await connection.execute(query)).one())


def _tally(count: int, latest: object) -> Tally:
    try:
        return Tally(count, to_lastmod(latest))
    except DateError:
        return Tally(count, None)


def _by_name(names: Sequence[str]) -> ToPage:
    meanings = [meaning_of(name) for name in names]
    if "loc" not in meanings:
        raise ValueError(f"no column is called loc or url: name one so with .label('loc'), or give entry=; got {names}")
    wanted = {meaning for meaning in meanings if meaning is not None}
    at, date = meanings.index("loc"), meanings.index("lastmod") if "lastmod" in meanings else None
    if wanted == {"loc"}:
        return lambda row: (row[at], None)
    if wanted == {"loc", "lastmod"} and date is not None:
        return lambda row: (row[at], row[date])
    return lambda row: cast("Mapping[str, object]", row._mapping)  # noqa: SLF001 - SQLAlchemy's public name
