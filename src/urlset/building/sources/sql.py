"""A query on a database → rows, some thousand at a time; SQLite is built in, others come through SQLAlchemy."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator, Sequence
from contextlib import closing
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any
from urllib.parse import quote, urlsplit

from urlset.building.sources.columns import name_columns
from urlset.building.sources.rows import Table, TableRows
from urlset.building.sources.source import Block, SourceBroken, SourceError, SourceOptions

if TYPE_CHECKING:
    from sqlalchemy import Connection, CursorResult

_SQLITE = "sqlite:///"
MOST_ANSWERS = 1000


def from_sql(database: str, options: SourceOptions) -> Iterator[Block]:
    """The query runs at once; raises SourceError when it cannot. Nothing is ever written."""
    if not options.sql:
        raise SourceError(f"{shown(database)} is a database: add --sql 'SELECT …' to choose the rows")
    if database.startswith(_SQLITE):
        return _from_sqlite(database.removeprefix(_SQLITE), options.sql, options)
    return _from_server(database, options.sql, options)


def _from_sqlite(path: str, query: str, options: SourceOptions) -> Iterator[Block]:
    name = Path(path).name
    connection = _opened(path)
    try:
        cursor = connection.execute(query)
        header = [column[0] for column in cursor.description or ()]
        table = Table(header, f"the query on {name}", options)
        name_columns(header, name, options)
    except (sqlite3.Error, sqlite3.Warning, SourceError) as error:
        connection.close()
        raise SourceError(str(error) if isinstance(error, SourceError) else f"{path}: {error}") from error
    return _sqlite_rows(connection, cursor, query, table, name)


def _sqlite_rows(
    connection: sqlite3.Connection, cursor: sqlite3.Cursor, query: str, table: Table, name: str
) -> Iterator[Block]:
    number = 0
    try:
        while rows := _fetched(connection, cursor, query, number, table.at_once):
            yield TableRows(table, _texts(rows), range(number + 1, number + 1 + len(rows)), name)
            number += len(rows)
    except sqlite3.Error as error:
        raise SourceBroken(f"{name} failed after row {number}: {error}") from error
    finally:
        connection.close()


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


def answer(database: str, query: str) -> list[tuple[Any, ...]]:
    """The rows of the query of --sql-changed, which are few and say something; raises SourceError."""
    name, few = f"{shown(database)}: --sql-changed", MOST_ANSWERS + 1
    if database.startswith(_SQLITE):
        try:
            with closing(_opened(database.removeprefix(_SQLITE))) as connection:
                rows = connection.execute(query).fetchmany(few)
        except (sqlite3.Error, sqlite3.Warning) as error:
            raise SourceError(f"{name}: {error}") from error
    else:
        server = _connected(database, shown(database))
        from sqlalchemy import text
        from sqlalchemy.exc import SQLAlchemyError

        try:
            rows = [tuple(row) for row in server.execute(text(query)).fetchmany(few)]
        except SQLAlchemyError as error:
            raise SourceError(f"{name}: {_first_line(error)}") from error
        finally:
            server.close()
            server.engine.dispose()
    if len(rows) == few:
        raise SourceError(f"{name}: more than {MOST_ANSWERS} rows; ask for a count and the newest date instead")
    if all(cell is None for row in rows for cell in row):
        raise SourceError(f"{name}: the query returns nothing to compare; ask for a count and the newest date")
    return rows


def _opened(path: str) -> sqlite3.Connection:
    if not Path(path).is_file():
        raise SourceError(f"{path}: no such database")
    return sqlite3.connect(f"file:{quote(path)}?mode=ro", uri=True)


def _connected(database: str, name: str) -> Connection:
    try:
        from sqlalchemy import create_engine
        from sqlalchemy.exc import SQLAlchemyError
    except ImportError as error:
        raise SourceError(f"{name} needs SQLAlchemy and a driver: pip install 'urlset[scale]'") from error
    try:
        connection = create_engine(database).connect()
    except (SQLAlchemyError, ImportError) as error:
        raise SourceError(f"{name}: {_first_line(error)}") from error
    read_only = {"postgresql_readonly": True} if connection.dialect.name == "postgresql" else {}
    return connection.execution_options(stream_results=True, **read_only)


def _from_server(database: str, query: str, options: SourceOptions) -> Iterator[Block]:
    name = shown(database)
    connection = _connected(database, name)
    from sqlalchemy import text
    from sqlalchemy.exc import SQLAlchemyError

    result = None
    try:
        result = connection.execute(text(query))
        header = list(result.keys()) if result.returns_rows else []
        table = Table(header, f"the query on {name}", options)
        result = result.yield_per(table.at_once)
        name_columns(header, name, options)
    except (SQLAlchemyError, SourceError) as error:
        if result is not None:
            result.close()
        connection.close()
        connection.engine.dispose()
        raise SourceError(str(error) if isinstance(error, SourceError) else f"{name}: {_first_line(error)}") from error
    return _server_rows(connection, result, table, name, SQLAlchemyError)


def _server_rows(
    connection: Connection, result: CursorResult[Any], table: Table, name: str, broken: type[Exception]
) -> Iterator[Block]:
    number = 0
    try:
        while rows := result.fetchmany(table.at_once):
            # what is neither a list nor a tuple of Python is compared with abstract types, row by row
            yield TableRows(table, _texts(list(map(tuple, rows))), range(number + 1, number + 1 + len(rows)), name)
            number += len(rows)
    except broken as error:
        raise SourceBroken(f"{name} failed after row {number}: {_first_line(error)}") from error
    finally:
        connection.close()
        connection.engine.dispose()


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
