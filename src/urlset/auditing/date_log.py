"""Audit after audit → how the dates and contents of each sitemap's pages moved."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterable
from typing import Any, NamedTuple

import msgspec

from urlset.auditing.store import AuditStore
from urlset.reading.fingerprint import Content
from urlset.writing.sqlite_store import transaction

_BATCH = 1_000
_RUNS_KEPT = 60


class Observation(NamedTuple):
    """A page as it was last looked at."""

    page: int
    lastmod: str | None
    content: Content | None
    """None where the page was not fetched for this look"""
    is_event: bool = False
    """date or content moved since the look before, and both were known"""
    seen: str = ""
    """when it was fetched"""


class LastLook(NamedTuple):
    """What is known of a page from earlier looks."""

    lastmod: str | None
    content: Content | None
    content_lastmod: str | None
    """the date that the content was fetched with, which may be older than `lastmod`"""
    seen: str | None


class DateLog:
    def __init__(self, store: AuditStore) -> None:
        self._db: sqlite3.Connection = store.connection
        self._run = store.run
        self._waiting: list[Observation] = []
        self._db.execute("PRAGMA temp_store = FILE")
        self._db.execute("DROP TABLE IF EXISTS temp.fresh")
        columns = "page INTEGER PRIMARY KEY, lastmod, content, events, facets, content_lastmod, seen"
        self._db.execute(f"CREATE TEMP TABLE fresh ({columns})")

    @property
    def is_kept(self) -> bool:
        """This run was written down before, perhaps by a process that was killed afterwards."""
        return self._db.execute("SELECT 1 FROM looks WHERE run = ?", (self._run,)).fetchone() is not None

    @property
    def before(self) -> str | None:
        """When the last look before this one was."""
        row = self._db.execute("SELECT at FROM looks WHERE run < ? ORDER BY run DESC LIMIT 1", (self._run,)).fetchone()
        return None if row is None else str(row[0])

    def last(self, page: int) -> LastLook | None:
        """The date and content of a page at the last look."""
        found = self._db.execute(
            "SELECT lastmod, content, facets, content_lastmod, seen FROM observed WHERE page = ?", (page,)
        ).fetchone()
        if found is None:
            return None
        lastmod, text, facets, content_lastmod, seen = found
        stated = None if facets is None else msgspec.msgpack.decode(facets, type=tuple[int, ...])
        return LastLook(lastmod, None if text is None else Content(text, stated), content_lastmod, seen)

    def note(self, observation: Observation) -> None:
        """A page of this run; on disk, because there may be millions."""
        self._waiting.append(observation)
        if len(self._waiting) >= _BATCH:
            self._flush()

    def _flush(self) -> None:
        rows = []
        for seen in self._waiting:
            text, stated = seen.content or (None, None)
            packed = None if stated is None else msgspec.msgpack.encode(stated)
            fetched_with = None if text is None else seen.lastmod
            rows.append((seen.page, seen.lastmod, text, seen.is_event, packed, fetched_with, seen.seen))
        with transaction(self._db):
            self._db.executemany("INSERT OR REPLACE INTO temp.fresh VALUES (?, ?, ?, ?, ?, ?, ?)", rows)
        self._waiting.clear()

    def keep(
        self,
        at: str,
        transitions: Iterable[tuple[str, tuple[object, ...]]],
        examples: Iterable[tuple[object, ...]],
        evidence: Iterable[tuple[str, str, int]] = (),
    ) -> None:
        """All of one run, or nothing of it."""
        self._flush()
        db = self._db
        with transaction(db):
            db.execute(
                "INSERT INTO observed (page, lastmod, content, events, facets, content_lastmod, seen)"
                " SELECT * FROM temp.fresh WHERE true"
                " ON CONFLICT (page) DO UPDATE SET lastmod = excluded.lastmod, events = events + excluded.events,"
                " facets = CASE WHEN excluded.content IS NULL THEN facets ELSE excluded.facets END,"
                " content_lastmod = CASE WHEN excluded.content IS NULL THEN content_lastmod"
                " ELSE excluded.content_lastmod END, seen = excluded.seen,"
                " content = coalesce(excluded.content, content)"
            )
            db.executemany(
                "INSERT INTO transitions VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)",
                ((self._run, source, *values) for source, values in transitions),
            )
            db.executemany(
                "INSERT INTO date_examples VALUES (?, ?, ?, ?, ?, ?, ?, ?)", ((self._run, *each) for each in examples)
            )
            db.executemany("INSERT INTO date_evidence VALUES (?, ?, ?, ?)", ((self._run, *each) for each in evidence))
            db.execute("INSERT INTO looks VALUES (?, ?)", (self._run, at))
            for table in ("transitions", "date_examples", "date_evidence", "looks"):
                db.execute(f"DELETE FROM {table} WHERE run <= ?", (self._run - _RUNS_KEPT,))  # noqa: S608 - constants
            db.execute("DELETE FROM observed WHERE page NOT IN (SELECT id FROM pages)")

    def transitions(self) -> list[tuple[str, tuple[Any, ...]]]:
        """Source and values of each, the oldest first."""
        rows = self._db.execute(
            "SELECT source, before, at, dated, moved, stamped, known, backed, unbacked, silent FROM transitions"
            " WHERE run <= ? ORDER BY source, run",
            (self._run,),
        )
        return [(row[0], row[1:]) for row in rows]

    def examples(self) -> list[tuple[str, ...]]:
        """Source, URL, dates, what was seen and when, the parts of the page that changed; the newest first."""
        return list(
            self._db.execute(
                "SELECT source, url, old, new, what, at, changed FROM date_examples ORDER BY run DESC, rowid"
            )
        )

    def evidence(self) -> dict[tuple[str, str], dict[str, int]]:
        """By sitemap and time: the parts of pages whose change backs a new date, with the number of pages."""
        found: dict[tuple[str, str], dict[str, int]] = {}
        for source, at, facet, pages in self._db.execute(
            "SELECT e.source, l.at, e.facet, e.pages FROM date_evidence e JOIN looks l USING (run) ORDER BY run, facet"
        ):
            found.setdefault((source, at), {})[facet] = pages
        return found

    def events(self) -> dict[str, tuple[int, int]]:
        """By sitemap: events of its pages, and the sum of their squares."""
        rows = self._db.execute(
            "SELECT s.name, sum(o.events), sum(o.events * o.events) FROM observed o"
            " JOIN pages p ON p.id = o.page JOIN sources s ON s.id = p.source GROUP BY s.name"
        )
        return {name: (events or 0, squares or 0) for name, events, squares in rows}
