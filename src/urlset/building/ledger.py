"""Builds → the memory of a site: every page with its file, its date and the evidence, and why others were left out.

    with Ledger.open(path) as ledger, ledger.record(base_url=…, host=…, started=…) as recording:
        known = recording.known(urls)
        recording.keep(ids of rows that say the same) or recording.put(rows)
        recording.finish(finished=…)

One build is one transaction: recorded as a whole by `finish`, or not at all. That also makes a dry run: leave
the block without it. Others may read meanwhile, and see the build before; a second build gets `StateBusy`.
"""

from __future__ import annotations

import sqlite3
from array import array
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from contextlib import suppress
from datetime import UTC, datetime
from heapq import merge
from itertools import chain, starmap
from pathlib import Path
from types import TracebackType
from typing import Self

import msgspec

from urlset.building.candidate import Decision, PolicyReason
from urlset.building.file_backed import BackedFile, CopyLostError, backed_pages, find_page
from urlset.building.journal import KEPT
from urlset.building.ledger_rows import (
    BACKED,
    DECISION_INDEX,
    IN_ORDER,
    INSERT_GONE,
    INSERT_WHOLE,
    KEPT_FIELDS,
    LEDGER_FILE,
    PAGE,
    URL_INDEX,
    BuildRow,
    Explanation,
    LedgerRow,
    ShardRow,
    insert,
    upsert,
)
from urlset.reading.fingerprint import KNOWN_SHARE, MINIMUM_PAGES, SHARE, BlockCounter, is_boilerplate
from urlset.writing.sqlite_store import StateError, StateStore, columns, marks, struct_of

__all__ = [
    "BuildRow",
    "Explanation",
    "Ledger",
    "LedgerRow",
    "Recording",
    "ShardRow",
]


REMEMBERED_BUILDS = 30
"""how long a page that is gone and a block that was boilerplate are remembered"""
LOST = "lost the history of pages, so they count as new: {}"
_PATIENCE_MS = 250
_AT_ONCE = 500

_errors = LEDGER_FILE.translated_errors


class Ledger(StateStore):
    """The file `.urlset/ledger.db`, or wherever the caller keeps it."""

    @classmethod
    def open(cls, path: Path, *, dry_run: bool = False) -> Self:
        """For building; made where there is none. In a dry run one of an older version stays what it is."""
        return cls(LEDGER_FILE, path, migrate=not dry_run)

    @classmethod
    def open_to_read(cls, path: Path) -> Self:
        if not path.is_file():
            raise StateError(f"no ledger at '{path}': nothing has been built here")
        return cls(LEDGER_FILE, path, read_only=True)

    def record(self, *, base_url: str, host: str, started: datetime) -> Recording:
        """Begin to record a build; use it as a context."""
        return Recording(self.path, self._db, base_url=base_url, host=host, started=started)

    def repeat(self, *, started: datetime, finished: datetime) -> None:
        """Record a build that found everything as the last one left it."""
        with _errors(self.path):
            self._db.execute(f"PRAGMA busy_timeout = {_PATIENCE_MS}")
            self._db.execute("BEGIN IMMEDIATE")
            self._db.execute(
                "INSERT INTO builds SELECT id + 1, ?, ?, base_url, host, counts FROM builds ORDER BY id DESC LIMIT 1",
                (_spell(started), _spell(finished)),
            )
            self._db.execute("COMMIT")

    def pages(self, shard: str | None = None) -> Iterator[LedgerRow]:
        """The pages listed, of one file or of all, by section, file and address; as they were at the first one."""
        where = "gone IS NULL" if shard is None else "gone IS NULL AND shard = ?"
        rows = starmap(LedgerRow, self._rows(f"{PAGE} WHERE {where} {IN_ORDER}", () if shard is None else (shard,)))
        kept = self.path.parent / KEPT

        def expanded(file: BackedFile) -> Iterator[LedgerRow]:
            with suppress(CopyLostError):  # then it has no pages that are known
                yield from backed_pages(kept, file)

        backed = (each for each in self.backed() if shard in (None, each.name))
        return merge(
            rows,
            chain.from_iterable(map(expanded, backed)),
            key=lambda row: (row.section, row.shard or "", row.url),
        )

    def backed(self) -> list[BackedFile]:
        """The files that are the memory of pages without rows."""
        return list(starmap(BackedFile, self._rows(BACKED)))

    def page(self, url: str) -> LedgerRow | None:
        """Also one that is gone, as long as it is remembered."""
        with _errors(self.path):
            row = next(look_up(self._db, [url]), None)
        for file in self.backed() if row is None else ():
            with suppress(CopyLostError):
                row = row or find_page(self.path.parent / KEPT, file, url)
        return row

    def shards(self) -> list[ShardRow]:
        """By section and name."""
        return list(self._structs(ShardRow, f"SELECT {columns(ShardRow)} FROM shards ORDER BY section, name"))

    def decisions(self) -> Iterator[Decision]:
        """What the last build left out, in the order it came."""
        sql = "SELECT url, verdict, detail, origin FROM decisions ORDER BY rowid"
        return map(_decision, self._rows(sql))

    def last_build(self) -> BuildRow | None:
        return next(self.builds(), None)

    def builds(self) -> Iterator[BuildRow]:
        """Latest first."""
        for *values, counts in self._rows(f"SELECT {columns(BuildRow)} FROM builds ORDER BY id DESC"):
            yield struct_of(BuildRow, (*values, msgspec.json.decode(counts, type=dict[str, int])))

    def boilerplate(self, share: float = SHARE, minimum_pages: int = MINIMUM_PAGES) -> frozenset[int]:
        """The blocks that were boilerplate in the last builds."""
        return frozenset(
            block
            for block, count, pages in self._rows("SELECT hash, pages, of_pages FROM blocks")
            if is_boilerplate(count, pages, share, minimum_pages)
        )

    def explain(self, url: str) -> Explanation | None:
        """Why the address is in or out in the last build; None when it is unknown."""
        with _errors(self.path):
            self._db.execute("SAVEPOINT explaining")
            try:
                return self._explain(url)
            finally:
                self._db.execute("RELEASE explaining")

    def _explain(self, url: str) -> Explanation | None:
        build = self.last_build()
        if build is None:
            return None
        page = self.page(url)
        found = self._rows("SELECT url, verdict, detail, origin FROM decisions WHERE url = ? ORDER BY rowid", (url,))
        decisions = tuple(map(_decision, found))
        shard = None
        if page is not None and page.gone is None:
            decisions = (Decision(url, PolicyReason.LISTED, "", page.origin), *decisions)
            shard = next((each for each in self.shards() if each.name == page.shard), None)
        if page is None and not decisions:
            return None
        return Explanation(url, build, decisions, page, shard)


def _decision(row: tuple[str, str, str, str]) -> Decision:
    url, verdict, detail, origin = row
    return Decision(url, PolicyReason(verdict), detail, origin)


# Recording one build, page by page: as a whole or not at all.


class Recording:
    """A build that is being recorded. It holds the ledger's only writing place from enter to exit."""

    def __init__(
        self, path: Path, connection: sqlite3.Connection, *, base_url: str, host: str, started: datetime
    ) -> None:
        self.path = path
        self.build = 0
        """the number of this build"""
        self._connection = connection
        self._about = (base_url, host, started)
        self._counts: Counter[str] = Counter()
        self._kept = bytearray()
        self._first = False
        self.backed: list[BackedFile] = []
        """files that are the memory of pages without rows"""

    def __enter__(self) -> Self:
        with _errors(self.path):
            self._connection.execute(f"PRAGMA busy_timeout = {_PATIENCE_MS}")
            self._connection.execute("BEGIN IMMEDIATE")
            try:
                LEDGER_FILE.bring_up(self._connection, self.path)  # in a dry run the ledger may be an older one
                self.build = self._one("SELECT coalesce(max(id), 0) + 1 FROM builds")
                highest = self._one("SELECT coalesce(max(id), 0) FROM pages")
                self._kept = bytearray(highest // 8 + 1)
                self.backed = list(starmap(BackedFile, self._connection.execute(BACKED)))
                self._first = highest == 0 and not self.backed
                if self._first:
                    # an index is cheaper to make at the end, from sorted addresses, than to grow in the order they come
                    self._connection.execute("DROP INDEX page_by_url")
                self._connection.execute("DROP INDEX decision_by_url")
                self._connection.execute("DELETE FROM decisions")
            except BaseException:
                self._roll_back()
                raise
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, at: TracebackType | None) -> None:
        self._roll_back()

    def _roll_back(self) -> None:
        if self._connection.in_transaction:
            with _errors(self.path):
                self._connection.execute("ROLLBACK")

    def _one(self, sql: str) -> int:
        number: int = self._connection.execute(sql).fetchone()[0]
        return number

    def _write(self, sql: str, rows: Iterable[tuple[object, ...]]) -> int:
        """The statement for every row; gives how many rows it changed."""
        self._check_open()
        with _errors(self.path):
            return max(self._connection.executemany(sql, rows).rowcount, 0)

    # pages

    def known(self, urls: Sequence[str]) -> dict[str, LedgerRow]:
        """What the ledger has on these pages, those gone included; some hundred at a time are quickest."""
        if self._first:
            return {}
        with _errors(self.path):
            return {row.url: row for row in look_up(self._connection, urls)}

    def give_row(self, row: LedgerRow) -> LedgerRow:
        """A page that was file-backed has a row from now on."""
        with _errors(self.path):
            number = self._connection.execute(INSERT_WHOLE, _whole(row)).lastrowid or 0
        self._kept.extend(bytes(max(0, number // 8 + 1 - len(self._kept))))
        return msgspec.structs.replace(row, id=number)

    def drop_row(self, number: int) -> None:
        """A page that is file-backed from now on."""
        self._write("DELETE FROM pages WHERE id = ?", ((number,),))

    # file-backed pages

    @property
    def kept(self) -> Path:
        """Where the copies of published files lie."""
        return self.path.parent / KEPT

    def set_backed(self, files: Iterable[BackedFile]) -> None:
        """The files that are the memory of pages, all of them; these pages must have no rows."""
        self.backed = list(files)
        self._write("DELETE FROM backed", [()])
        self._write(f"INSERT INTO backed VALUES ({marks(8)})", map(msgspec.structs.astuple, self.backed))

    def mark_removed(self, rows: Iterable[LedgerRow]) -> int:
        """Pages that were file-backed and are no longer listed; gives their number."""
        return self._write(INSERT_GONE, ((self.build, *_whole(row)) for row in rows))

    def row_count(self) -> int:
        """Of all pages that have rows, those gone included."""
        with _errors(self.path):
            return self._one("SELECT count(*) FROM pages")

    def urls(self) -> Iterator[str]:
        """The addresses of the same."""
        with _errors(self.path):
            for (url,) in self._connection.execute("SELECT url FROM pages"):
                yield url

    def put(self, rows: Iterable[LedgerRow]) -> None:
        """Add pages, or write them anew; of two with one address the last counts."""
        values = (msgspec.structs.astuple(row)[:KEPT_FIELDS] for row in rows)
        self._write(insert(self.build) if self._first else upsert(self.build), values)

    def keep(self, ids: Iterable[int]) -> None:
        """Pages that are still there and say the same: nothing is written. None is gone or was put in this build."""
        kept = self._kept
        for number in ids:
            kept[number >> 3] |= 1 << (number & 7)

    def missing(self) -> Iterator[LedgerRow]:
        """The pages of the last build that this one neither put nor kept, in the order they were first met."""
        for number in self._missing_ids():
            with _errors(self.path):
                found = self._connection.execute(f"{PAGE} WHERE id = ?", (number,)).fetchone()
            yield LedgerRow(*found)

    def _missing_ids(self) -> array[int]:
        kept = self._kept
        with _errors(self.path):
            ids = self._connection.execute("SELECT id FROM pages WHERE gone IS NULL AND changed < ?", (self.build,))
            return array("q", (number for (number,) in ids if not kept[number >> 3] & 1 << (number & 7)))

    # what belongs to the build

    def decide(self, decisions: Iterable[Decision]) -> None:
        """Keep why pages were left out, and what a listed page is listed without."""
        self._write("INSERT INTO decisions VALUES (?, ?, ?, ?)", self._left_out(decisions))

    def _left_out(self, decisions: Iterable[Decision]) -> Iterator[tuple[str, str, str, str]]:
        for each in decisions:
            if each.verdict is not PolicyReason.LISTED:
                self._counts[each.verdict.value] += 1
            if each.verdict is not PolicyReason.LISTED or each.detail:
                yield each.loc, each.verdict.value, each.detail, each.origin

    def set_shards(self, shards: Iterable[ShardRow]) -> None:
        """The files of the set, all of them."""
        self._write("DELETE FROM shards", [()])
        self._write("INSERT INTO shards VALUES (?, ?, ?, ?, ?, ?)", map(msgspec.structs.astuple, shards))

    def count_blocks(self, counter: BlockCounter) -> None:
        """Remember the blocks that occur on a fair share of the pages."""
        common = counter.common(max(2, KNOWN_SHARE * counter.pages))
        self._write(
            "INSERT INTO blocks VALUES (?, ?, ?, ?) ON CONFLICT (hash) DO UPDATE SET"
            " pages = excluded.pages, of_pages = excluded.of_pages, build = excluded.build",
            ((block, count, counter.pages, self.build) for block, count in common),
        )

    def finish(self, *, finished: datetime) -> None:
        """Record the build; after this it survives a kill and a power cut."""
        self._check_open()
        with _errors(self.path):
            if self._first:
                try:
                    self._connection.execute(URL_INDEX)
                except sqlite3.IntegrityError:
                    last = "SELECT max(id) FROM pages GROUP BY url"
                    self._connection.execute(f"DELETE FROM pages WHERE id NOT IN ({last})")
                    self._connection.execute(URL_INDEX)
            else:
                missing = ((self.build, number) for number in self._missing_ids())
                self._connection.executemany("UPDATE pages SET gone = ? WHERE id = ?", missing)
            self._connection.execute(DECISION_INDEX)
            oldest = self.build - REMEMBERED_BUILDS
            self._connection.execute("DELETE FROM pages WHERE gone IS NOT NULL AND gone <= ?", (oldest,))
            self._connection.execute("DELETE FROM blocks WHERE build <= ?", (oldest,))
            listed = self._one("SELECT count(*) - (SELECT count(*) FROM pages WHERE gone IS NOT NULL) FROM pages")
            listed += sum(each.count for each in self.backed)
            counts = {PolicyReason.LISTED.value: listed, **dict(sorted(self._counts.items()))}
            base_url, host, started = self._about
            self._connection.execute(
                "INSERT INTO builds VALUES (?, ?, ?, ?, ?, ?)",
                (self.build, _spell(started), _spell(finished), base_url, host, msgspec.json.encode(counts).decode()),
            )
            self._connection.execute("COMMIT")

    def _check_open(self) -> None:
        if not self._connection.in_transaction:
            raise StateError(f"no build is being recorded in the ledger '{self.path}'")


def look_up(connection: sqlite3.Connection, urls: Sequence[str]) -> Iterator[LedgerRow]:
    for start in range(0, len(urls), _AT_ONCE):
        some = urls[start : start + _AT_ONCE]
        yield from starmap(LedgerRow, connection.execute(f"{PAGE} WHERE url IN ({marks(len(some))})", some))


def _whole(row: LedgerRow) -> tuple[object, ...]:
    return (*msgspec.structs.astuple(row)[:KEPT_FIELDS], row.first_seen, row.changed)


def _spell(moment: datetime) -> str:
    aware = moment.replace(tzinfo=UTC) if moment.tzinfo is None else moment.astimezone(UTC)
    return aware.strftime("%Y-%m-%dT%H:%M:%SZ")
