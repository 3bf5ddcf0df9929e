"""Builds → the memory of a site: every page with its file, its date and the evidence, and why others were left out.

    with Ledger.open(path) as ledger, ledger.record(base_url=…, host=…, started=…) as recording:
        known = recording.known(urls)
        recording.keep(rows that say the same) or recording.put(rows)
        recording.finish(finished=…)

One build is one transaction: recorded as a whole by `finish`, or not at all. That also makes a dry run: leave
the block without it. Others may read meanwhile, and see the build before; a second build gets `LedgerBusy`.
"""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator, Sequence
from datetime import datetime
from heapq import merge
from itertools import chain, starmap
from pathlib import Path
from types import TracebackType
from typing import Any, Self

import msgspec

from urlset.building.candidate import Decision, PolicyReason
from urlset.building.file_backed import BackedFile, CopyLostError, backed_pages, find_page
from urlset.building.journal import KEPT
from urlset.building.ledger_recording import Recording, look_up
from urlset.building.ledger_rows import BuildRow, Explanation, LedgerRow, ShardRow
from urlset.building.ledger_schema import LedgerBusy, LedgerError, LedgerTooNew, connect, connect_reader, speaking
from urlset.building.ledger_sql import BACKED, IN_ORDER, PAGE
from urlset.reading.fingerprint import MINIMUM_PAGES, SHARE, is_boilerplate

__all__ = [
    "BuildRow",
    "Explanation",
    "Ledger",
    "LedgerBusy",
    "LedgerError",
    "LedgerRow",
    "LedgerTooNew",
    "Recording",
    "ShardRow",
]


class Ledger:
    """The file `.urlset/ledger.db`, or wherever the caller keeps it."""

    def __init__(self, path: Path, connection: sqlite3.Connection) -> None:
        self.path = path
        self._connection = connection

    @classmethod
    def open(cls, path: Path, *, dry_run: bool = False) -> Self:
        """For building; made where there is none. In a dry run one of an older version stays what it is."""
        return cls(path, connect(path, dry_run=dry_run))

    @classmethod
    def open_to_read(cls, path: Path) -> Self:
        return cls(path, connect_reader(path))

    def __enter__(self) -> Self:
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, at: TracebackType | None) -> None:
        self.close()

    def close(self) -> None:
        self._connection.close()

    def record(self, *, base_url: str, host: str, started: datetime) -> Recording:
        """Begin to record a build; use it as a context."""
        return Recording(self.path, self._connection, base_url=base_url, host=host, started=started)

    def pages(self, shard: str | None = None) -> Iterator[LedgerRow]:
        """The pages listed, of one file or of all, by section, file and address; as they were at the first one."""
        where = "gone IS NULL" if shard is None else "gone IS NULL AND shard = ?"
        rows = starmap(LedgerRow, self._rows(f"{PAGE} WHERE {where} {IN_ORDER}", () if shard is None else (shard,)))
        backed = (each for each in self.backed() if shard in (None, each.name))
        return merge(rows, chain.from_iterable(map(self._expanded, backed)), key=_order)

    def backed(self) -> list[BackedFile]:
        """The files that are the memory of pages without rows."""
        return list(starmap(BackedFile, self._rows(BACKED)))

    def _expanded(self, file: BackedFile) -> Iterator[LedgerRow]:
        """Read when its turn comes; a file whose copy is lost has no pages that are known."""
        try:
            yield from backed_pages(self.path.parent / KEPT, file)
        except CopyLostError:
            return

    def page(self, url: str) -> LedgerRow | None:
        """Also one that is gone, as long as it is remembered."""
        with speaking(self.path):
            row = next(look_up(self._connection, [url]), None)
        return row or next((found for each in self.backed() if (found := self._in_file(each, url))), None)

    def _in_file(self, file: BackedFile, url: str) -> LedgerRow | None:
        try:
            return find_page(self.path.parent / KEPT, file, url)
        except CopyLostError:
            return None

    def shards(self) -> list[ShardRow]:
        """By section and name."""
        sql = "SELECT name, section, count, bytes, sha256, newest FROM shards ORDER BY section, name"
        return list(starmap(ShardRow, self._rows(sql)))

    def decisions(self) -> Iterator[Decision]:
        """What the last build left out, in the order it came."""
        sql = "SELECT url, verdict, detail, origin FROM decisions ORDER BY rowid"
        return map(_decision, self._rows(sql))

    def last_build(self) -> BuildRow | None:
        return next(self.builds(), None)

    def builds(self) -> Iterator[BuildRow]:
        """Latest first."""
        sql = "SELECT id, started, finished, base_url, host, counts FROM builds ORDER BY id DESC"
        for number, started, finished, base_url, host, counts in self._rows(sql):
            yield BuildRow(number, started, finished, base_url, host, msgspec.json.decode(counts, type=dict[str, int]))

    def boilerplate(self, share: float = SHARE, minimum_pages: int = MINIMUM_PAGES) -> frozenset[int]:
        """The blocks that were boilerplate in the last builds."""
        return frozenset(
            block
            for block, count, pages in self._rows("SELECT hash, pages, of_pages FROM blocks")
            if is_boilerplate(count, pages, share, minimum_pages)
        )

    def explain(self, url: str) -> Explanation | None:
        """Why the address is in or out in the last build; None when it is unknown."""
        with speaking(self.path):
            self._connection.execute("SAVEPOINT explaining")
            try:
                return self._explain(url)
            finally:
                self._connection.execute("RELEASE explaining")

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

    def _rows(self, sql: str, values: Sequence[object] = ()) -> Iterator[tuple[Any, ...]]:
        with speaking(self.path):
            yield from self._connection.execute(sql, values)


def _order(row: LedgerRow) -> tuple[str, str, str]:
    return row.section, row.shard or "", row.url


def _decision(row: tuple[str, str, str, str]) -> Decision:
    url, verdict, detail, origin = row
    return Decision(url, PolicyReason(verdict), detail, origin)
