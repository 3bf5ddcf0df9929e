"""What was submitted, to whom, and what was accepted → SQLite rows, each written when its answer came."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterable, Iterator, Sequence
from contextlib import closing
from datetime import UTC, datetime, timedelta, timezone
from pathlib import Path
from zoneinfo import ZoneInfo, ZoneInfoNotFoundError

import msgspec

from urlset.spec.protocol import GSC_INSPECTIONS_PER_DAY
from urlset.spec.submission import QUOTA_ZONE
from urlset.submitting.google import Inspection
from urlset.writing.files import private_file
from urlset.writing.sqlite_store import Migration, StateFile, StateStore, columns

# The tables of the engines' state.

_KNOWN = """
CREATE TABLE known (
    engine TEXT NOT NULL, host TEXT NOT NULL, url TEXT NOT NULL, stamp TEXT NOT NULL, PRIMARY KEY (engine, url)
) WITHOUT ROWID"""
_STARTS = """
CREATE TABLE starts (
    engine TEXT NOT NULL, host TEXT NOT NULL, at TEXT NOT NULL, PRIMARY KEY (engine, host)
) WITHOUT ROWID"""
_QUEUE = """
CREATE TABLE queue (
    engine TEXT NOT NULL, host TEXT NOT NULL, url TEXT NOT NULL, stamp TEXT, PRIMARY KEY (engine, url)
) WITHOUT ROWID"""
_RECEIPTS = """
CREATE TABLE receipts (
    id INTEGER PRIMARY KEY, at TEXT NOT NULL, engine TEXT NOT NULL, target TEXT NOT NULL, status TEXT NOT NULL,
    sent INTEGER NOT NULL, accepted INTEGER NOT NULL, message TEXT NOT NULL
)"""
_SITEMAPS = """
CREATE TABLE sitemaps (
    engine TEXT NOT NULL, url TEXT NOT NULL, digest TEXT NOT NULL, at TEXT NOT NULL, PRIMARY KEY (engine, url)
) WITHOUT ROWID"""
_KEYS = "CREATE TABLE keys (host TEXT PRIMARY KEY, key TEXT NOT NULL, location TEXT NOT NULL, verified TEXT)"
_QUOTA = """
CREATE TABLE quota (
    property TEXT NOT NULL, day TEXT NOT NULL, used INTEGER NOT NULL, exhausted INTEGER NOT NULL DEFAULT 0,
    PRIMARY KEY (property, day)
) WITHOUT ROWID"""
_INSPECTIONS = """
CREATE TABLE inspections (
    url TEXT PRIMARY KEY, property TEXT NOT NULL, first TEXT NOT NULL, at TEXT NOT NULL, result BLOB NOT NULL
) WITHOUT ROWID"""

TABLES = (_KNOWN, _STARTS, _QUEUE, _RECEIPTS, _SITEMAPS, _KEYS, _QUOTA, _INSPECTIONS)


FILE_NAME = "engines.sqlite"

_STATE = StateFile(
    holder="another submission with this state", application_id=0x75737562, migrations=(Migration(1, TABLES),)
)


_inspection_in = msgspec.msgpack.Decoder(Inspection).decode


class Key(msgspec.Struct, frozen=True):
    """The IndexNow key of one host and where its file is."""

    host: str
    key: str
    location: str
    verified: str | None = None


class InspectionRecord(msgspec.Struct, frozen=True):
    """What Google said, when it was first asked and when last."""

    inspection: Inspection
    first: str
    at: str


class ReceiptRecord(msgspec.Struct, frozen=True):
    """One submission and its answer."""

    at: str
    engine: str
    target: str
    status: str
    sent: int
    accepted: int
    message: str


def copy_store(source: Path, target: Path) -> None:
    """A copy of the state as it is now; nothing where there is none. Raises StateError while another run holds it."""
    if not (source / FILE_NAME).is_file():
        return
    with (
        closing(_STATE.connect(source / FILE_NAME)) as old,
        closing(sqlite3.connect(private_file(target / FILE_NAME))) as new,
    ):
        old.backup(new)


class EngineStore(StateStore):
    """The state of all engines for one site; held by one process at a time."""

    def __init__(self, folder: Path) -> None:
        super().__init__(_STATE, folder / FILE_NAME)

    # sitemaps

    def submitted_digest(self, engine: str, url: str) -> str | None:
        """The content of the sitemap when it was last accepted."""
        found: str | None = self._value("SELECT digest FROM sitemaps WHERE engine = ? AND url = ?", (engine, url))
        return found

    def accept_sitemap(self, engine: str, url: str, digest: str, at: str) -> None:
        with self._transaction() as db:
            db.execute("INSERT OR REPLACE INTO sitemaps VALUES (?, ?, ?, ?)", (engine, url, digest, at))
            self._note(db, at, engine, url, "accepted", 1, 1, "")

    def note(self, at: str, engine: str, target: str, status: str, sent: int, accepted: int, message: str) -> None:
        with self._transaction() as db:
            self._note(db, at, engine, target, status, sent, accepted, message)

    def _note(self, db: sqlite3.Connection, *values: object) -> None:
        db.execute(f"INSERT INTO receipts ({columns(ReceiptRecord)}) VALUES (?, ?, ?, ?, ?, ?, ?)", values)

    def receipts(self, most: int) -> list[ReceiptRecord]:
        """The newest first."""
        sql = f"SELECT {columns(ReceiptRecord)} FROM receipts ORDER BY id DESC LIMIT ?"
        return list(self._structs(ReceiptRecord, sql, (most,)))

    # changed URLs

    def has_start(self, engine: str, host: str) -> bool:
        return self._row("SELECT 1 FROM starts WHERE engine = ? AND host = ?", (engine, host)) is not None

    def load(self, rows: Iterable[tuple[str, str, str]]) -> None:
        """The present set as (host, url, stamp), in a table that lives as long as this connection."""
        self._db.execute("PRAGMA temp_store = FILE")
        with self._transaction() as db:
            db.execute("DROP TABLE IF EXISTS temp.listed")
            db.execute("CREATE TEMP TABLE listed (host TEXT, url TEXT PRIMARY KEY, stamp TEXT) WITHOUT ROWID")
            db.executemany("INSERT OR REPLACE INTO temp.listed VALUES (?, ?, ?)", rows)

    def hosts(self) -> list[str]:
        return [host for (host,) in self._rows("SELECT DISTINCT host FROM temp.listed ORDER BY host")]

    def start(self, engine: str, host: str, at: str, *, send_all: bool = False) -> int:
        """The present set as the starting point: nothing of it counts as changed, unless all is to be sent."""
        with self._transaction() as db:
            db.execute("INSERT OR REPLACE INTO starts VALUES (?, ?, ?)", (engine, host, at))
            if not send_all:
                db.execute(
                    "INSERT OR REPLACE INTO known SELECT ?, host, url, stamp FROM temp.listed WHERE host = ?",
                    (engine, host),
                )
            return int(db.execute("SELECT count(*) FROM temp.listed WHERE host = ?", (host,)).fetchone()[0])

    def queue_changes(self, engine: str, host: str) -> tuple[int, int, int]:
        """Queue what differs from what the engine knows: how many were added, changed and removed."""
        with self._transaction() as db:
            db.execute("DELETE FROM queue WHERE engine = ? AND host = ?", (engine, host))
            joined = (
                "FROM temp.listed l LEFT JOIN known k ON k.engine = ? AND k.url = l.url"
                " WHERE l.host = ? AND (k.url IS NULL OR k.stamp <> l.stamp)"
            )
            added, changed = db.execute(
                f"SELECT coalesce(sum(k.url IS NULL), 0), coalesce(sum(k.url IS NOT NULL), 0) {joined}", (engine, host)
            ).fetchone()
            db.execute(f"INSERT INTO queue SELECT ?, l.host, l.url, l.stamp {joined}", (engine, engine, host))
            removed = db.execute(
                "INSERT INTO queue SELECT engine, host, url, NULL FROM known"
                " WHERE engine = ? AND host = ? AND url NOT IN (SELECT url FROM temp.listed)",
                (engine, host),
            ).rowcount
        return int(added), int(changed), int(removed)

    def next_batch(self, engine: str, host: str, most: int) -> list[str]:
        sql = "SELECT url FROM queue WHERE engine = ? AND host = ? ORDER BY url LIMIT ?"
        return [url for (url,) in self._rows(sql, (engine, host, most))]

    def queued(self, engine: str, host: str) -> int:
        return int(self._value("SELECT count(*) FROM queue WHERE engine = ? AND host = ?", (engine, host)))

    def accept_urls(
        self,
        engine: str,
        host: str,
        urls: Sequence[str],
        at: str,
        message: str = "",
        rejected: frozenset[str] = frozenset(),
    ) -> None:
        """One receipt: the batch leaves the queue, and the engine knows these URLs from now on."""
        with self._transaction() as db:
            for url in urls:
                row = db.execute("SELECT stamp FROM queue WHERE engine = ? AND url = ?", (engine, url)).fetchone()
                db.execute("DELETE FROM queue WHERE engine = ? AND url = ?", (engine, url))
                if url in rejected or row is None:
                    continue
                if row[0] is None:
                    db.execute("DELETE FROM known WHERE engine = ? AND url = ?", (engine, url))
                else:
                    db.execute("INSERT OR REPLACE INTO known VALUES (?, ?, ?, ?)", (engine, host, url, row[0]))
            self._note(db, at, engine, host, "accepted", len(urls), len(urls) - len(rejected & set(urls)), message)

    # IndexNow keys

    def key(self, host: str) -> Key | None:
        return next(self._structs(Key, f"SELECT {columns(Key)} FROM keys WHERE host = ?", (host,)), None)

    def keep_key(self, key: Key) -> None:
        with self._transaction() as db:
            db.execute("INSERT OR REPLACE INTO keys VALUES (?, ?, ?, ?)", msgspec.structs.astuple(key))

    # inspections

    def quota(self, name: str, day: str) -> tuple[int, bool]:
        """How many inspections a property has used on a day, and whether Google said that it was enough."""
        row = self._row("SELECT used, exhausted FROM quota WHERE property = ? AND day = ?", (name, day))
        return (0, False) if row is None else (int(row[0]), bool(row[1]))

    def exhaust(self, name: str, day: str) -> None:
        with self._transaction() as db:
            db.execute(
                "INSERT INTO quota VALUES (?, ?, 0, 1) ON CONFLICT (property, day) DO UPDATE SET exhausted = 1",
                (name, day),
            )

    def keep_inspection(self, name: str, day: str, at: str, inspection: Inspection) -> None:
        """One answer and its unit of quota, together."""
        with self._transaction() as db:
            db.execute(
                "INSERT INTO quota VALUES (?, ?, 1, 0) ON CONFLICT (property, day) DO UPDATE SET used = used + 1",
                (name, day),
            )
            first = db.execute("SELECT first FROM inspections WHERE url = ?", (inspection.url,)).fetchone()
            db.execute(
                "INSERT OR REPLACE INTO inspections VALUES (?, ?, ?, ?, ?)",
                (inspection.url, name, first[0] if first else at, at, msgspec.msgpack.encode(inspection)),
            )

    def inspection(self, url: str) -> InspectionRecord | None:
        return next(self._inspections("url = ?", url), None)

    def inspections(self, origin: str) -> Iterator[InspectionRecord]:
        """Of the URLs of one origin, such as https://www.example.com."""
        return self._inspections("url >= ? AND url < ?", f"{origin}/", f"{origin}0")

    def _inspections(self, where: str, *values: str) -> Iterator[InspectionRecord]:
        for result, first, at in self._rows(f"SELECT result, first, at FROM inspections WHERE {where}", values):
            yield InspectionRecord(_inspection_in(result), first, at)

    def index_states(self) -> dict[str, bool]:
        """Every inspected URL, and whether Google has it in its index."""
        rows = self._rows("SELECT url, result FROM inspections")
        return {url: _inspection_in(result).indexed for url, result in rows}


# Moments → Google's quota day; properties and a day → inspections left.


def quota_day(now: datetime) -> str:
    """Google's quotas start anew at midnight Pacific time."""
    try:
        zone: ZoneInfo | timezone = ZoneInfo(QUOTA_ZONE)
    except ZoneInfoNotFoundError:  # no time zone data on this machine: standard time is at most an hour off
        zone = timezone(timedelta(hours=-8))
    return now.astimezone(UTC).astimezone(zone).date().isoformat()


def left_today(store: EngineStore, name: str, now: datetime, most: int = GSC_INSPECTIONS_PER_DAY) -> int:
    used, exhausted = store.quota(name, quota_day(now))
    return 0 if exhausted else max(0, most - used)
