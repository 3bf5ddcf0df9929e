"""State in SQLite: connections, versions and migrations, transactions, rows and structs.

A `StateFile` describes one kind of file, and a `StateStore` is one open file. Audits, crawls, builds, watches and
submissions keep their state in stores of this kind.
"""

from __future__ import annotations

import sqlite3
from collections.abc import Iterable, Iterator, Sequence
from contextlib import closing, contextmanager
from pathlib import Path
from types import TracebackType
from typing import Any, Self, TypeVar
from urllib.parse import quote

import msgspec

from urlset.model.errors import UrlsetError
from urlset.writing.files import make_state_folder, private_file

META = "CREATE TABLE meta (name TEXT PRIMARY KEY, value TEXT NOT NULL) WITHOUT ROWID"
"""the table behind `remember` and `meta`"""
T = TypeVar("T", bound=msgspec.Struct)


class StateError(UrlsetError):
    """The state cannot be used; the message says why and what to do."""


class StateBusy(StateError):  # noqa: N818 - it passes
    """Another run holds it."""


class ForeignState(StateError):  # noqa: N818 - it names what is there
    """Damaged, of another version, or not ours."""


class OtherDatabase(ForeignState):
    """Not ours at all: never removed."""


class Migration(msgspec.Struct, frozen=True):
    """One step from the tables of an older version to those of a newer; never edited once released."""

    number: int
    statements: tuple[str, ...]


class StateFile(msgspec.Struct, frozen=True, kw_only=True):
    """One kind of state."""

    holder: str
    """who else may hold it, for the message: `another audit of this target`"""
    application_id: int
    """marks the file as ours"""
    migrations: tuple[Migration, ...]
    """a new file takes all steps, an older one those it lacks; a file from before the first step cannot be used"""
    version_sql: str = "PRAGMA user_version"
    """the number of the last step that a file has taken"""
    start_over: str = "use --fresh to start over"
    shared: bool = False
    """other processes may read while this one writes, and a commit survives a power cut; else one process holds it"""
    patience: float = 1.0
    """seconds to wait for a lock"""
    cache_kib: int = 2_048
    """more makes nothing faster where rows are not looked up at random, and lets memory grow with the site"""
    page_size: int = 4_096
    checkpoint_pages: int = 2_000

    @property
    def version(self) -> int:
        return self.migrations[-1].number

    def connect(self, path: Path, *, migrate: bool = True) -> sqlite3.Connection:
        """Open the file, making it if there is none; raises StateError.

        Without `migrate`, an older file stays as it is: call `bring_up` in the transaction that writes to it.
        """
        with self.translated_errors(path):
            try:
                make_state_folder(path.parent)
                private_file(path)
            except OSError as error:
                raise StateError(f"{path}: cannot be created: {error.strerror}") from error
            # One thread at a time, not always the same one: inside an event loop, another thread sends the requests.
            connection = sqlite3.connect(path, timeout=self.patience, isolation_level=None, check_same_thread=False)
            try:
                self._prepare(connection, path, migrate=migrate)
            except BaseException:
                connection.close()
                raise
            return connection

    def connect_reader(self, path: Path) -> sqlite3.Connection:
        """Open the file to read only, also while another process writes; an older one is brought up first."""
        with self.translated_errors(path):
            with closing(self._read_only(path)) as found:
                is_current = self._version_of(found, path) == self.version
            if not is_current:
                self.connect(path).close()
            return self._read_only(path)

    def _read_only(self, path: Path) -> sqlite3.Connection:
        address = f"file:{quote(str(path.absolute()))}?mode=ro"
        return sqlite3.connect(address, uri=True, timeout=self.patience, isolation_level=None)

    def _prepare(self, connection: sqlite3.Connection, path: Path, *, migrate: bool) -> None:
        # One process alone: no page is requested twice, and SQLite needs no shared memory. A kill lets go of it.
        if not self.shared:
            connection.execute("PRAGMA locking_mode = EXCLUSIVE")
        version = self._version_of(connection, path)
        if not version:
            connection.execute(f"PRAGMA page_size = {self.page_size}")
        connection.execute("PRAGMA journal_mode = WAL")
        # NORMAL: a kill loses nothing that was committed; only a power cut may cost the last moments, and asking again.
        connection.execute(f"PRAGMA synchronous = {'FULL' if self.shared else 'NORMAL'}")
        connection.execute(f"PRAGMA cache_size = -{self.cache_kib}")
        connection.execute(f"PRAGMA wal_autocheckpoint = {self.checkpoint_pages}")
        if not self.shared or (migrate and version < self.version):
            with transaction(connection):
                self.bring_up(connection, path)

    def bring_up(self, connection: sqlite3.Connection, path: Path) -> None:
        """Take the missing steps in the transaction that is open; they go with it if it is rolled back."""
        version = self._version_of(connection, path)
        if not version:
            connection.execute(f"PRAGMA application_id = {self.application_id}")
        for migration in self.migrations:
            if migration.number > version:
                for statement in migration.statements:
                    connection.execute(statement)
        if version < self.version:
            connection.execute(f"PRAGMA user_version = {self.version}")

    def _version_of(self, connection: sqlite3.Connection, path: Path) -> int:
        """0 for a new file. Raises ForeignState for one that cannot be used, which is left untouched."""
        if not connection.execute("SELECT count(*) FROM sqlite_master").fetchone()[0]:
            return 0
        if connection.execute("PRAGMA application_id").fetchone()[0] != self.application_id:
            raise OtherDatabase(f"{path}: not a urlset database; choose another folder with --state")
        version: int = connection.execute(self.version_sql).fetchone()[0]
        if version > self.version:
            raise ForeignState(f"{path}: written by a newer version of urlset; upgrade urlset, or {self.start_over}")
        if version < self.migrations[0].number:
            raise ForeignState(f"{path}: written by an older version of urlset; {self.start_over}")
        return version

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

    def busy(self, path: Path) -> StateBusy:
        return StateBusy(f"{path}: {self.holder} is running; wait for it, or set another --state")

    @contextmanager
    def translated_errors(self, path: Path) -> Iterator[None]:
        """SQLite's errors as StateError."""
        try:
            yield
        except sqlite3.Error as error:
            code = getattr(error, "sqlite_errorcode", 0) & 0xFF
            if code in (sqlite3.SQLITE_BUSY, sqlite3.SQLITE_LOCKED):
                raise self.busy(path) from error
            if code in (sqlite3.SQLITE_NOTADB, sqlite3.SQLITE_CORRUPT):
                raise ForeignState(f"{path}: damaged ({error}); {self.start_over}") from error
            raise StateError(f"{path}: cannot be used: {error}; what was recorded before is unchanged") from error


@contextmanager
def transaction(connection: sqlite3.Connection) -> Iterator[None]:
    """All of it or nothing, also after a kill or on a full disk."""
    connection.execute("BEGIN IMMEDIATE")
    try:
        yield
        connection.execute("COMMIT")
    except BaseException:
        if connection.in_transaction:
            connection.execute("ROLLBACK")
        raise


class StateStore:
    """One open file; every method raises StateError where it cannot be used."""

    def __init__(self, kind: StateFile, path: Path, *, read_only: bool = False, migrate: bool = True) -> None:
        self.path = path
        self._kind = kind
        self._db = kind.connect_reader(path) if read_only else kind.connect(path, migrate=migrate)

    def __enter__(self) -> Self:
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, at: TracebackType | None) -> None:
        self.close()

    def close(self) -> None:
        self._db.close()

    @contextmanager
    def _transaction(self) -> Iterator[sqlite3.Connection]:
        with self._kind.translated_errors(self.path), transaction(self._db):
            yield self._db

    # rows

    def _rows(self, sql: str, values: Sequence[object] = ()) -> Iterator[tuple[Any, ...]]:
        with self._kind.translated_errors(self.path):
            yield from self._db.execute(sql, values)

    def _row(self, sql: str, values: Sequence[object] = ()) -> tuple[Any, ...] | None:
        """The first row, if there is one."""
        with self._kind.translated_errors(self.path):
            found: tuple[Any, ...] | None = self._db.execute(sql, values).fetchone()
            return found

    def _value(self, sql: str, values: Sequence[object] = ()) -> Any:
        """The first column of the first row; None where there is no row."""
        found = self._row(sql, values)
        return None if found is None else found[0]

    def _structs(self, kind: type[T], sql: str, values: Sequence[object] = ()) -> Iterator[T]:
        """Rows whose columns are the fields of a struct, in their order."""
        return (struct_of(kind, row) for row in self._rows(sql, values))

    # facts about the whole, for kinds with the table META

    def meta(self, name: str) -> str | None:
        found: str | None = self._value("SELECT value FROM meta WHERE name = ?", (name,))
        return found

    def all_meta(self) -> dict[str, str]:
        return dict(self._rows("SELECT name, value FROM meta"))

    def remember(self, **values: str) -> None:
        with self._transaction():
            self._remember(**values)

    def _remember(self, **values: str) -> None:
        self._db.executemany("INSERT OR REPLACE INTO meta VALUES (?, ?)", values.items())


def struct_of(kind: type[T], row: Iterable[Any]) -> T:
    return kind(**dict(zip(kind.__struct_fields__, row, strict=True)))


def columns(kind: type[msgspec.Struct], *, of: str = "") -> str:
    """The fields of a struct as the columns of a statement; `of` is the name of the table before each."""
    return ", ".join(f"{of}{each}" for each in kind.__struct_fields__)


def marks(count: int) -> str:
    """`?, ?, ?`"""
    return ", ".join("?" * count)
