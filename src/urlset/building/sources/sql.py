"""A query on a database → rows, some thousand at a time; SQLite is built in, others come through SQLAlchemy."""

from __future__ import annotations

import sqlite3
from collections.abc import Callable, Iterator, Sequence
from contextlib import ExitStack
from functools import partial
from pathlib import Path
from typing import Any, NamedTuple
from urllib.parse import quote, urlsplit

from urlset.building.sources.columns import name_columns
from urlset.building.sources.rows import Table, TableRows
from urlset.building.sources.source import Block, SourceBroken, SourceError, SourceOptions

_SQLITE = "sqlite:///"
MOST_ANSWERS = 1000


class _Query(NamedTuple):
    """One that runs."""

    header: list[str]
    fetch: Callable[[int, int], list[tuple[Any, ...]]]
    """the rows from a number on, at most so many"""
    close: Callable[[], None]
    broken: type[Exception]


def from_sql(database: str, options: SourceOptions) -> Iterator[Block]:
    """The query runs at once; raises SourceError when it cannot. Nothing is ever written."""
    if not options.sql:
        raise SourceError(f"{shown(database)} is a database: add --sql 'SELECT …' to choose the rows")
    is_file = database.startswith(_SQLITE)
    name = Path(database).name if is_file else shown(database)
    query = _run(database, options.sql, database.removeprefix(_SQLITE) if is_file else name)
    try:
        table = Table(query.header, f"the query on {name}", options)
    except SourceError:
        query.close()
        raise
    name_columns(query.header, name, options)
    return _rows(query, table, name)


def _rows(query: _Query, table: Table, name: str) -> Iterator[Block]:
    number = 0
    try:
        while rows := query.fetch(number, table.at_once):
            yield TableRows(table, _texts(rows), range(number + 1, number + 1 + len(rows)), name)
            number += len(rows)
    except query.broken as error:
        raise SourceBroken(f"{name} failed after row {number}: {_first_line(error)}") from error
    finally:
        query.close()


def answer(database: str, query: str) -> list[tuple[Any, ...]]:
    """The rows of the query of --sql-changed, which are few and say something; raises SourceError."""
    name = f"{shown(database)}: --sql-changed"
    running = _run(database, query, name)
    try:
        rows = running.fetch(0, MOST_ANSWERS + 1)
    except running.broken as error:
        raise SourceError(f"{name}: {_first_line(error)}") from error
    finally:
        running.close()
    if len(rows) > MOST_ANSWERS:
        raise SourceError(f"{name}: more than {MOST_ANSWERS} rows; ask for a count and the newest date instead")
    if all(cell is None for row in rows for cell in row):
        raise SourceError(f"{name}: the query returns nothing to compare; ask for a count and the newest date")
    return rows


def _run(database: str, query: str, name: str) -> _Query:
    """`name` is how an error calls it."""
    return (_run_in_file if database.startswith(_SQLITE) else _run_on_server)(database, query, name)


def _run_in_file(database: str, query: str, name: str) -> _Query:
    path = database.removeprefix(_SQLITE)
    if not Path(path).is_file():
        raise SourceError(f"{path}: no such database")
    connection = sqlite3.connect(f"file:{quote(path)}?mode=ro", uri=True)
    try:
        cursor = connection.execute(query)
    except (sqlite3.Error, sqlite3.Warning) as error:
        connection.close()
        raise SourceError(f"{name}: {error}") from error
    header = [column[0] for column in cursor.description or ()]
    return _Query(header, partial(_fetched, connection, cursor, query), connection.close, sqlite3.Error)


def _fetched(
    connection: sqlite3.Connection, cursor: sqlite3.Cursor, query: str, number: int, at_once: int
) -> list[tuple[Any, ...]]:
    """The rows from that number on; bytes that are not UTF-8 become lone surrogates, as in a CSV file."""
    try:
        return cursor.fetchmany(at_once)
    except sqlite3.OperationalError as error:
        if "decode" not in str(error).lower() or connection.text_factory is not str:
            raise
    # a text factory of Python takes a third of the time of a build, so it is used only from here on
    connection.text_factory = partial(str, encoding="utf-8", errors="surrogateescape")
    cursor.execute(query)
    for _ in range(number):
        cursor.fetchone()
    return cursor.fetchmany(at_once)


def _run_on_server(database: str, query: str, name: str) -> _Query:
    try:
        from sqlalchemy import create_engine, text
        from sqlalchemy.exc import SQLAlchemyError
    except ImportError as error:
        raise SourceError(f"{shown(database)} needs SQLAlchemy and a driver: pip install 'urlset[scale]'") from error
    with ExitStack() as opened:
        try:
            engine = create_engine(database)
            opened.callback(engine.dispose)
            connection = opened.enter_context(engine.connect())
            read_only = {"postgresql_readonly": True} if connection.dialect.name == "postgresql" else {}
            result = connection.execution_options(stream_results=True, **read_only).execute(text(query))
            opened.callback(result.close)
        except (SQLAlchemyError, ImportError) as error:
            raise SourceError(f"{name}: {_first_line(error)}") from error
        header = list(result.keys()) if result.returns_rows else []
        close = opened.pop_all().close

    def fetch(_number: int, most: int) -> list[tuple[Any, ...]]:
        # what is neither a list nor a tuple of Python is compared with abstract types, row by row
        return list(map(tuple, result.yield_per(most).fetchmany(most)))

    return _Query(header, fetch, close, SQLAlchemyError)


def _texts(rows: Sequence[Sequence[Any]]) -> Sequence[Sequence[Any]]:
    if not any(bytes in set(map(type, column)) for column in zip(*rows, strict=True)):
        return rows
    return [
        [cell.decode("utf-8", "surrogateescape") if isinstance(cell, bytes) else cell for cell in row] for row in rows
    ]


def _first_line(error: Exception) -> str:
    return str(error).partition("\n")[0]


def shown(database: str) -> str:
    """The address of a database without its password."""
    try:
        parts = urlsplit(database)
        host = parts.hostname or ""
    except ValueError:
        return "the database"
    return f"{parts.scheme}://{host}{parts.path}"
