"""A file name → an open SQLite connection with the tables of a crawl, held by this process alone."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

SCHEMA = 2
APPLICATION_ID = 0x75726C63
"""marks the file as ours: "urlc" in ASCII"""
_PATIENCE = 1.0
_CACHE_KIB = 8_192
_CHECKPOINT_PAGES = 2_000

_TABLES = (
    "CREATE TABLE meta (name TEXT PRIMARY KEY, value TEXT NOT NULL) WITHOUT ROWID",
    # in the order of discovery, which does not depend on how fast which page answered
    """
CREATE TABLE pages (
    id INTEGER PRIMARY KEY,
    url TEXT NOT NULL UNIQUE,
    depth INTEGER NOT NULL,
    via INTEGER NOT NULL,
    fate INTEGER NOT NULL,
    source INTEGER,
    chain INTEGER NOT NULL DEFAULT 0,
    row INTEGER NOT NULL DEFAULT 0,
    trap TEXT
)""",
    """
CREATE TABLE visits (
    page INTEGER PRIMARY KEY,
    state TEXT NOT NULL,
    unread INTEGER NOT NULL,
    visit BLOB NOT NULL,
    kept BLOB,
    outlook INTEGER
)""",
    # found on the level under way; becomes the next level when that is done
    """
CREATE TABLE found (
    url TEXT PRIMARY KEY,
    hop INTEGER NOT NULL,
    source INTEGER NOT NULL,
    position INTEGER NOT NULL,
    via INTEGER NOT NULL
) WITHOUT ROWID""",
    "CREATE TABLE unfollowed (url TEXT PRIMARY KEY, source INTEGER NOT NULL) WITHOUT ROWID",
    "CREATE TABLE tracking (name TEXT PRIMARY KEY, source INTEGER NOT NULL, url TEXT NOT NULL) WITHOUT ROWID",
)


class FrontierError(Exception):
    """The state of a crawl cannot be used; the message says why and what to do."""


class FrontierBusy(FrontierError):  # noqa: N818 - a state, which passes
    """Another crawl of the same site is running."""


class ForeignFrontier(FrontierError):  # noqa: N818
    """Damaged, of another version, or not ours."""


def connect(path: Path) -> sqlite3.Connection:
    """Open the state of a crawl, making it if there is none."""
    with speaking(path):
        try:
            path.parent.mkdir(parents=True, exist_ok=True)
        except OSError as error:
            raise FrontierError(f"{path}: cannot be made: {error.strerror}") from error
        connection = sqlite3.connect(path, timeout=_PATIENCE, isolation_level=None)
        try:
            _prepare(connection, path)
        except BaseException:
            connection.close()
            raise
        return connection


def _prepare(connection: sqlite3.Connection, path: Path) -> None:
    # One process alone: nobody asks the same pages twice. A kill lets go of it.
    connection.execute("PRAGMA locking_mode = EXCLUSIVE")
    is_new = not connection.execute("SELECT count(*) FROM sqlite_master").fetchone()[0]
    if not is_new and connection.execute("PRAGMA application_id").fetchone()[0] != APPLICATION_ID:
        raise ForeignFrontier(f"{path}: a database of something else; name another folder with --state")
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
        raise ForeignFrontier(f"{path}: written by another version of urlset; --fresh starts over")


def remove(path: Path) -> None:
    """The file and what SQLite keeps beside it; only if it is ours or damaged, and nobody holds it."""
    if path.is_file():
        try:
            connect(path).close()
        except FrontierBusy:
            raise
        except ForeignFrontier as error:
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
        code = (getattr(error, "sqlite_errorcode", 0) or 0) & 0xFF
        if code in (sqlite3.SQLITE_BUSY, sqlite3.SQLITE_LOCKED):
            raise FrontierBusy(f"{path}: another crawl of this site is running") from error
        if code in (sqlite3.SQLITE_NOTADB, sqlite3.SQLITE_CORRUPT):
            raise ForeignFrontier(f"{path}: damaged ({error}); --fresh starts over") from error
        raise FrontierError(f"{path}: cannot be used: {error}") from error
