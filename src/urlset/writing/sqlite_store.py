"""A file name → an open SQLite database of one kind of state, held by this process alone, or a plain refusal."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from types import TracebackType
from typing import Any, Self

import msgspec

from urlset.writing.files import make_state_folder, private_file

_PATIENCE = 1.0
_CACHE_KIB = 2_048
"""more makes nothing faster and lets memory grow with the site"""


class StateError(Exception):
    """The state cannot be used; the message says why and what to do."""


class StateBusy(StateError):  # noqa: N818 - it passes
    """Another run holds it."""


class ForeignState(StateError):  # noqa: N818 - it names what is there
    """Damaged, of another version, or not ours."""


class OtherDatabase(ForeignState):
    """Not ours at all: never removed."""


class StateFile(msgspec.Struct, frozen=True):
    """One kind of state."""

    holder: str
    """who else may hold it, for the message: `another audit of this target`"""
    application_id: int
    """marks the file as ours"""
    schema: int
    tables: tuple[str, ...]
    checkpoint_pages: int = 2_000
    shared: bool = False
    """other processes may read while this one writes, and a commit survives a power cut; the caller holds a lock"""

    def connect(self, path: Path) -> sqlite3.Connection:
        """Open the file, making it if there is none; raises StateError."""
        with self.speaking(path):
            try:
                make_state_folder(path.parent)
                private_file(path)
            except OSError as error:
                raise StateError(f"{path}: cannot be created: {error.strerror}") from error
            # One thread at a time, not always the same one: inside an event loop, another thread sends the requests.
            connection = sqlite3.connect(path, timeout=_PATIENCE, isolation_level=None, check_same_thread=False)
            try:
                self._prepare(connection, path)
            except BaseException:
                connection.close()
                raise
            return connection

    def _prepare(self, connection: sqlite3.Connection, path: Path) -> None:
        # One process alone: no page is requested twice, and SQLite needs no shared memory. A kill lets go of it.
        if not self.shared:
            connection.execute("PRAGMA locking_mode = EXCLUSIVE")
        is_new = not connection.execute("SELECT count(*) FROM sqlite_master").fetchone()[0]
        if not is_new and connection.execute("PRAGMA application_id").fetchone()[0] != self.application_id:
            raise OtherDatabase(f"{path}: not a urlset database; choose another folder with --state")
        # NORMAL: a kill loses nothing that was committed; only a power cut may cost the last moments, and asking again.
        connection.execute("PRAGMA journal_mode = WAL")
        connection.execute(f"PRAGMA synchronous = {'FULL' if self.shared else 'NORMAL'}")
        connection.execute(f"PRAGMA cache_size = -{_CACHE_KIB}")
        connection.execute(f"PRAGMA wal_autocheckpoint = {self.checkpoint_pages}")
        connection.execute("BEGIN IMMEDIATE")
        if is_new:
            for statement in self.tables:
                connection.execute(statement)
            connection.execute(f"PRAGMA application_id = {self.application_id}")
            connection.execute(f"PRAGMA user_version = {self.schema}")
        connection.execute("COMMIT")
        version = connection.execute("PRAGMA user_version").fetchone()[0]
        if version != self.schema:
            raise ForeignState(f"{path}: written by another version of urlset; use --fresh to start over")

    def remove(self, path: Path) -> None:
        """The file and what SQLite keeps beside it; only if it is ours or damaged, and not locked."""
        if path.is_file():
            try:
                self.connect(path).close()
            except (StateBusy, OtherDatabase):
                raise
            except ForeignState:
                pass  # damaged, or of another version
        for suffix in ("", "-wal", "-shm", "-journal"):
            path.with_name(path.name + suffix).unlink(missing_ok=True)

    @contextmanager
    def speaking(self, path: Path) -> Iterator[None]:
        """SQLite's errors in our words."""
        try:
            yield
        except sqlite3.Error as error:
            code = getattr(error, "sqlite_errorcode", 0) & 0xFF
            if code in (sqlite3.SQLITE_BUSY, sqlite3.SQLITE_LOCKED):
                raise StateBusy(f"{path}: {self.holder} is running") from error
            if code in (sqlite3.SQLITE_NOTADB, sqlite3.SQLITE_CORRUPT):
                raise ForeignState(f"{path}: damaged ({error}); use --fresh to start over") from error
            raise StateError(f"{path}: cannot be used: {error}") from error


# A kind of state and a path → an open store: the transactions and queries of every kind.


class StateStore:
    """One open file; raises StateError where it cannot be used."""

    def __init__(self, kind: StateFile, path: Path) -> None:
        self.path = path
        self._kind = kind
        self._db = kind.connect(path)

    def __enter__(self) -> Self:
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, at: TracebackType | None) -> None:
        self.close()

    def close(self) -> None:
        self._db.close()

    def remember(self, **values: str) -> None:
        with self._transaction():
            self._remember(**values)

    def _remember(self, **values: str) -> None:
        self._db.executemany("INSERT OR REPLACE INTO meta VALUES (?, ?)", values.items())

    @contextmanager
    def _transaction(self) -> Iterator[sqlite3.Connection]:
        """All of it or nothing, also after a kill or on a full disk."""
        with self._kind.speaking(self.path):
            self._db.execute("BEGIN IMMEDIATE")
            try:
                yield self._db
                self._db.execute("COMMIT")
            except BaseException:
                if self._db.in_transaction:
                    self._db.execute("ROLLBACK")
                raise

    def _rows(self, sql: str, values: tuple[object, ...] = ()) -> Iterator[tuple[Any, ...]]:
        with self._kind.speaking(self.path):
            yield from self._db.execute(sql, values)
