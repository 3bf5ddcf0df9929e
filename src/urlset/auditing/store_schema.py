"""A file name → an open SQLite connection with the tables of an audit, held by this process alone."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

SCHEMA = 1
APPLICATION_ID = 0x75726C61
"""marks the file as ours: "urla" in ASCII"""
_PATIENCE = 1.0
_CACHE_KIB = 8_192
_CHECKPOINT_PAGES = 4_000

_TABLES = (
    "CREATE TABLE meta (name TEXT PRIMARY KEY, value TEXT NOT NULL) WITHOUT ROWID",
    "CREATE TABLE sources (id INTEGER PRIMARY KEY, name TEXT NOT NULL UNIQUE, facts BLOB, data BLOB)",
    """
CREATE TABLE pages (
    id INTEGER PRIMARY KEY,
    key INTEGER NOT NULL UNIQUE,
    url TEXT NOT NULL,
    kind INTEGER NOT NULL,
    run INTEGER NOT NULL,
    position INTEGER NOT NULL,
    source INTEGER NOT NULL,
    row INTEGER,
    lastmod TEXT,
    alternates BLOB,
    chosen INTEGER NOT NULL DEFAULT 1
)""",
    "CREATE UNIQUE INDEX page_order ON pages (run, position)",
    """
CREATE TABLE visits (
    page INTEGER PRIMARY KEY,
    run INTEGER NOT NULL,
    state TEXT NOT NULL,
    again INTEGER NOT NULL DEFAULT 0,
    visit BLOB NOT NULL,
    text BLOB
)""",
    "CREATE INDEX visit_again ON visits (again) WHERE again = 1",
    "CREATE TABLE asking (page INTEGER PRIMARY KEY, attempts INTEGER NOT NULL)",
    "CREATE TABLE verdicts (page INTEGER PRIMARY KEY, verdict BLOB NOT NULL)",
    "CREATE TABLE robots (origin TEXT PRIMARY KEY, run INTEGER NOT NULL, answer BLOB) WITHOUT ROWID",
    "CREATE TABLE probes (name TEXT PRIMARY KEY, run INTEGER NOT NULL, data BLOB NOT NULL) WITHOUT ROWID",
)


class StoreError(Exception):
    """The state of an audit cannot be used; the message says why and what to do."""


class StoreBusy(StoreError):  # noqa: N818 - a state, which passes
    """Another audit of the same target is running."""


class ForeignStore(StoreError):  # noqa: N818
    """Damaged, of another version, or not ours: `--fresh` replaces only what is ours."""


def connect(path: Path) -> sqlite3.Connection:
    """Open the state of an audit, making it if there is none."""
    with speaking(path):
        try:
            path.parent.mkdir(parents=True, exist_ok=True)
        except OSError as error:
            raise StoreError(f"{path}: cannot be made: {error.strerror}") from error
        connection = sqlite3.connect(path, timeout=_PATIENCE, isolation_level=None)
        try:
            _prepare(connection, path)
        except BaseException:
            connection.close()
            raise
        return connection


def _prepare(connection: sqlite3.Connection, path: Path) -> None:
    # One process alone: nobody asks the same pages twice, and SQLite needs no shared memory. A kill lets go of it.
    connection.execute("PRAGMA locking_mode = EXCLUSIVE")
    is_new = not connection.execute("SELECT count(*) FROM sqlite_master").fetchone()[0]
    if not is_new and connection.execute("PRAGMA application_id").fetchone()[0] != APPLICATION_ID:
        raise ForeignStore(f"{path}: a database of something else; name another folder with --state")
    # NORMAL: a kill loses nothing that was committed; only a power cut may cost the last moments, and asking again.
    connection.execute("PRAGMA journal_mode = WAL")
    connection.execute("PRAGMA synchronous = NORMAL")
    connection.execute(f"PRAGMA cache_size = -{_CACHE_KIB}")
    connection.execute(f"PRAGMA wal_autocheckpoint = {_CHECKPOINT_PAGES}")
    connection.execute("BEGIN IMMEDIATE")
    if is_new:
        for statement in _TABLES:
            connection.execute(statement)
        connection.execute(f"PRAGMA application_id = {APPLICATION_ID}")
        connection.execute(f"PRAGMA user_version = {SCHEMA}")
    connection.execute("COMMIT")
    version = connection.execute("PRAGMA user_version").fetchone()[0]
    if version != SCHEMA:
        raise ForeignStore(f"{path}: written by another version of urlset; --fresh starts over")


def remove(path: Path) -> None:
    """The file and what SQLite keeps beside it; only if it is ours, and nobody holds it."""
    if path.is_file():
        try:
            connect(path).close()
        except StoreBusy:
            raise
        except ForeignStore as error:
            if "something else" in str(error):
                raise
    for suffix in ("", "-wal", "-shm", "-journal"):
        path.with_name(path.name + suffix).unlink(missing_ok=True)


@contextmanager
def speaking(path: Path) -> Iterator[None]:
    """SQLite's errors in our words."""
    try:
        yield
    except sqlite3.Error as error:
        code = getattr(error, "sqlite_errorcode", 0) & 0xFF
        if code in (sqlite3.SQLITE_BUSY, sqlite3.SQLITE_LOCKED):
            raise StoreBusy(f"{path}: another audit of this target is running") from error
        if code in (sqlite3.SQLITE_NOTADB, sqlite3.SQLITE_CORRUPT):
            raise ForeignStore(f"{path}: damaged ({error}); --fresh starts over") from error
        raise StoreError(f"{path}: cannot be used: {error}") from error
