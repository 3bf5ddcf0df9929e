"""Listed URLs → rows of an audit's store, each URL once, where it is listed first."""

from __future__ import annotations

import sqlite3
import zlib
from typing import Literal

import msgspec

from urlset.auditing.store_rows import ListedUrl, key_of

Unlisted = Literal["troubled", "not_sitemaps"]
"""could not be read; was read, and is something else"""


class ListingWriter:
    """Open inside `AuditStore.listing()`."""

    def __init__(self, connection: sqlite3.Connection, run: int) -> None:
        self._connection = connection
        self._run = run
        self._sources: dict[str, int] = {}
        self.count = 0
        self.repeated = 0
        self.unlisted: dict[Unlisted, list[str]] = {"troubled": [], "not_sitemaps": []}

    def add(self, listed: ListedUrl) -> bool:
        """Whether it is new."""
        alternates = msgspec.msgpack.encode(listed.alternates) if listed.alternates else None
        done = self._connection.execute(
            "INSERT INTO pages (key, url, kind, run, position, source, row, lastmod, alternates)"
            " VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?) ON CONFLICT (key) DO UPDATE SET run = excluded.run,"
            " position = excluded.position, source = excluded.source, row = excluded.row, lastmod = excluded.lastmod,"
            " alternates = excluded.alternates, chosen = 1 WHERE run <> excluded.run",
            (
                key_of(listed.url, listed.kind),
                listed.url,
                listed.kind.value,
                self._run,
                self.count,
                self._source(listed.source),
                listed.row,
                listed.lastmod,
                alternates,
            ),
        )
        if done.rowcount == 0:
            self.repeated += 1
            return False
        self.count += 1
        return True

    def document(self, name: str, facts: bytes, data: bytes | None = None) -> None:
        """A sitemap; `data` where it cannot be read again from its name."""
        packed = None if data is None else zlib.compress(data, 1)
        self._connection.execute(
            "INSERT INTO sources (name, facts, data) VALUES (?, ?, ?)"
            " ON CONFLICT (name) DO UPDATE SET facts = excluded.facts, data = excluded.data",
            (name, facts, packed),
        )

    def leave(self, line: str, why: Unlisted = "troubled") -> None:
        self.unlisted[why].append(line)

    def _source(self, name: str) -> int:
        known = self._sources.get(name)
        if known is None:
            self._connection.execute("INSERT OR IGNORE INTO sources (name) VALUES (?)", (name,))
            found = self._connection.execute("SELECT id FROM sources WHERE name = ?", (name,)).fetchone()
            known = self._sources[name] = int(found[0])
        return known
