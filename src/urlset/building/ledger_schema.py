"""A file name → an open SQLite connection whose tables are those of this version, or a plain refusal."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator, Sequence
from contextlib import closing, contextmanager
from pathlib import Path
from urllib.parse import quote

import msgspec

from urlset.writing.files import make_state_folder, private_file

APPLICATION_ID = 0x75726C73
"""marks the file as ours: "urls" in ASCII"""
_PATIENCE = 5.0
_CACHE_KIB = 16_384


class LedgerError(Exception):
    """The ledger cannot be used; the message says why and what to do."""


class LedgerBusy(LedgerError):  # noqa: N818 - a state, which passes
    """Another build is being recorded."""


class LedgerTooNew(LedgerError):  # noqa: N818
    """A later version of urlset wrote it."""


class Migration(msgspec.Struct, frozen=True):
    """One step from the tables of an older version to those of a newer; never edited once released."""

    number: int
    name: str
    statements: tuple[str, ...]


URL_INDEX = "CREATE UNIQUE INDEX page_by_url ON pages (url)"
DECISION_INDEX = "CREATE INDEX decision_by_url ON decisions (url)"

_PAGES = """
CREATE TABLE pages (
    id INTEGER PRIMARY KEY,
    url TEXT NOT NULL,
    section TEXT NOT NULL,
    shard TEXT,
    origin TEXT NOT NULL,
    lastmod TEXT,
    evidence_kind TEXT,
    evidence_detail TEXT,
    fingerprint INTEGER,
    digest INTEGER,
    blocks BLOB,
    first_seen INTEGER NOT NULL,
    changed INTEGER NOT NULL,
    gone INTEGER
)"""
_DECISIONS = """
CREATE TABLE decisions (url TEXT NOT NULL, verdict TEXT NOT NULL, detail TEXT NOT NULL, origin TEXT NOT NULL)"""
_SHARDS = """
CREATE TABLE shards (
    name TEXT PRIMARY KEY,
    section TEXT NOT NULL,
    count INTEGER NOT NULL,
    bytes INTEGER NOT NULL,
    sha256 TEXT NOT NULL,
    newest TEXT
) WITHOUT ROWID"""
_BUILDS = """
CREATE TABLE builds (
    id INTEGER PRIMARY KEY,
    started TEXT NOT NULL,
    finished TEXT NOT NULL,
    base_url TEXT NOT NULL,
    host TEXT NOT NULL,
    counts TEXT NOT NULL
)"""
_BLOCKS = """
CREATE TABLE blocks (
    hash INTEGER PRIMARY KEY,
    pages INTEGER NOT NULL,
    of_pages INTEGER NOT NULL,
    build INTEGER NOT NULL
)"""
# The table of file-backed files; its name is older than that term.
_BACKED = """
CREATE TABLE sealed (
    name TEXT PRIMARY KEY,
    section TEXT NOT NULL,
    sha256 TEXT NOT NULL,
    unpacked TEXT NOT NULL,
    origin TEXT NOT NULL,
    count INTEGER NOT NULL,
    builds BLOB NOT NULL
) WITHOUT ROWID"""
_GONE_INDEX = "CREATE INDEX page_gone ON pages (gone) WHERE gone IS NOT NULL"

MIGRATIONS: tuple[Migration, ...] = (
    Migration(
        1,
        "pages, decisions, shards, builds, blocks",
        (_PAGES, URL_INDEX, _GONE_INDEX, _DECISIONS, DECISION_INDEX, _SHARDS, _BUILDS, _BLOCKS),
    ),
    Migration(2, "sealed files", (_BACKED,)),
    # older versions would take what now follows the text blocks for text
    Migration(3, "key images and stated facts behind the text blocks", ()),
)


def connect(path: Path, *, migrations: Sequence[Migration] = MIGRATIONS, dry_run: bool = False) -> sqlite3.Connection:
    """Open the ledger for building, making it if there is none.

    For a dry run a ledger of an older version is left as it is: call `bring_up` before recording.
    """
    with speaking(path):
        try:
            make_state_folder(path.parent)
            private_file(path)
        except OSError as error:
            raise LedgerError(f"cannot create the ledger '{path}': {error.strerror}") from error
        connection = sqlite3.connect(path, timeout=_PATIENCE, isolation_level=None)
        try:
            _prepare(connection, path, migrations, dry_run=dry_run)
        except BaseException:
            connection.close()
            raise
        return connection


def connect_reader(path: Path, *, migrations: Sequence[Migration] = MIGRATIONS) -> sqlite3.Connection:
    """Open the ledger for reading, also while a build is being recorded; one of an older version is brought up."""
    if not path.is_file():
        raise LedgerError(f"no ledger at '{path}': nothing has been built here")
    with speaking(path):
        connection = _read_only(path)
        try:
            if _version(connection, path) == migrations[-1].number:
                return connection
        except BaseException:
            connection.close()
            raise
        connection.close()
        with closing(connect(path, migrations=migrations)):
            pass
        return _read_only(path)


@contextmanager
def speaking(path: Path) -> Iterator[None]:
    """SQLite's errors in our words."""
    try:
        yield
    except sqlite3.Error as error:
        code = getattr(error, "sqlite_errorcode", 0) & 0xFF
        if code in (sqlite3.SQLITE_BUSY, sqlite3.SQLITE_LOCKED):
            raise LedgerBusy(
                f"the ledger '{path}' is locked by another build: wait for it, or set another --state"
            ) from error
        if code in (sqlite3.SQLITE_NOTADB, sqlite3.SQLITE_CORRUPT):
            raise LedgerError(
                f"the ledger '{path}' is damaged or not a ledger ({error}): move it to start over;"
                " observed dates are lost with it"
            ) from error
        raise LedgerError(
            f"the ledger '{path}' cannot be used: {error}; the last recorded build is unchanged"
        ) from error


def _read_only(path: Path) -> sqlite3.Connection:
    address = f"file:{quote(str(path.absolute()))}?mode=ro"
    return sqlite3.connect(address, uri=True, timeout=_PATIENCE, isolation_level=None)


def _prepare(connection: sqlite3.Connection, path: Path, migrations: Sequence[Migration], *, dry_run: bool) -> None:
    version = _version(connection, path)
    if version > migrations[-1].number:
        raise LedgerTooNew(
            f"the ledger '{path}' has schema {version}; this urlset reads up to {migrations[-1].number}:"
            " upgrade urlset, or move the ledger"
        )
    if version == 0:
        connection.execute("PRAGMA page_size = 8192")
    # Readers go on while a build is written. FULL: what is recorded survives a power cut, not only a kill;
    # there is one commit per build, so it costs one sync.
    connection.execute("PRAGMA journal_mode = WAL")
    connection.execute("PRAGMA synchronous = FULL")
    connection.execute(f"PRAGMA cache_size = -{_CACHE_KIB}")
    if version < migrations[-1].number and not dry_run:
        _migrate(connection, path, migrations)


def _version(connection: sqlite3.Connection, path: Path) -> int:
    """The number of the last migration; 0 for a new file. A foreign database is refused untouched."""
    tables = {name for (name,) in connection.execute("SELECT name FROM sqlite_master WHERE type = 'table'")}
    if not tables:
        return 0
    if connection.execute("PRAGMA application_id").fetchone()[0] != APPLICATION_ID or "migrations" not in tables:
        raise LedgerError(f"'{path}' is not a urlset database: choose another state folder")
    number: int = connection.execute("SELECT coalesce(max(number), 0) FROM migrations").fetchone()[0]
    return number


def _migrate(connection: sqlite3.Connection, path: Path, migrations: Sequence[Migration]) -> None:
    """All missing steps in one transaction; who comes second finds them done."""
    connection.execute("BEGIN IMMEDIATE")
    try:
        bring_up(connection, path, migrations)
        connection.execute("COMMIT")
    finally:
        if connection.in_transaction:
            connection.execute("ROLLBACK")


def bring_up(connection: sqlite3.Connection, path: Path, migrations: Sequence[Migration] = MIGRATIONS) -> None:
    """Take the missing steps in the transaction that is open; they go with it if it is rolled back."""
    version = _version(connection, path)
    if version == 0:
        connection.execute(f"PRAGMA application_id = {APPLICATION_ID}")
        connection.execute("CREATE TABLE migrations (number INTEGER PRIMARY KEY, name TEXT NOT NULL)")
    for migration in migrations:
        if migration.number > version:
            for statement in migration.statements:
                connection.execute(statement)
            connection.execute("INSERT INTO migrations VALUES (?, ?)", (migration.number, migration.name))
