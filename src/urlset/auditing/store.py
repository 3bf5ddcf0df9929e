"""An audit under way ↔ one SQLite file: what is listed, who is being asked, what every page answered.

    with Store(path) as store:
        begun = store.begin(target="…", plan={…}, started="…")
        if begun.needs_listing:
            with store.listing() as listing:
                listing.add(Listed(…)) …
            store.ready()
        for page in store.waiting(…): …

Whatever is committed survives a kill. A page is written down before it is requested, so after a kill those that
were under way are known, and asked first.
"""

from __future__ import annotations

import sqlite3
import zlib
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import msgspec

from urlset.auditing.listing_writer import ListingWriter, Unlisted
from urlset.auditing.store_rows import AuditedUrl, Begun, ListedUrl, PendingUrl, Result, SitemapRecord, What, key_of
from urlset.auditing.store_schema import ADD_BESIDES, STORE
from urlset.model.answer import Answer
from urlset.model.media import Alternate
from urlset.model.visit import State, Visit
from urlset.writing.state_store import StateStore

__all__ = [
    "AuditStore",
    "AuditedUrl",
    "Begun",
    "ListedUrl",
    "PendingUrl",
    "Result",
    "SitemapRecord",
    "What",
]

_visit_out = msgspec.msgpack.Encoder().encode
_visit_in = msgspec.msgpack.Decoder(Visit).decode
_alternates_in = msgspec.msgpack.Decoder(tuple[Alternate, ...]).decode
_answer_in = msgspec.msgpack.Decoder(Answer).decode


_ROWS = """
SELECT p.id, p.url, s.name, p.row, p.lastmod, p.alternates, v.visit, v.text, p.chosen, d.verdict
FROM pages p JOIN sources s ON s.id = p.source
LEFT JOIN visits v ON v.page = p.id AND v.run = ?
LEFT JOIN verdicts d ON d.page = p.id
WHERE p.run = ? AND p.kind = ? ORDER BY p.position"""


class AuditStore(StateStore):
    """The file of one target."""

    def __init__(self, path: Path) -> None:
        super().__init__(STORE, path)
        self.run = 0

    # runs

    def recall(self) -> bool:
        """Take the last run as it is, finished or not; False where none has come as far as asking."""
        self.run = int(self.meta("run") or "0")
        return self.meta("stage") in ("asking", "done")

    def begin(self, *, plan: dict[str, Any], started: str) -> Begun:
        """Resume the last run unless it was finished or had other options."""
        with self._transaction():
            known = dict(self._rows("SELECT name, value FROM meta"))
            self.run = int(known.get("run", "0"))
            written = msgspec.json.encode(plan, order="deterministic").decode()
            listed = known.get("stage") in ("asking", "done")
            again = known.get("stage") == "done" and known.get("plan") == written
            if self.run and known.get("plan") == written and known.get("stage") != "done":
                return Begun(self.run, not listed, resumed=listed, again=self.run > 1, follows=True)
            self.run += 1
            self._remember(run=str(self.run), plan=written, stage="listing", started=started)
            self._execute("DELETE FROM asking")
            self._execute("UPDATE visits SET again = 0 WHERE again = 1")
        return Begun(self.run, needs_listing=True, resumed=False, again=again, follows=self.run > 1)

    def finish(self, finished: str) -> None:
        """Every page has its answer: the next run starts anew."""
        with self._transaction():
            self._remember(stage="done", finished=finished)

    def meta(self, name: str) -> str | None:
        found = next(self._rows("SELECT value FROM meta WHERE name = ?", (name,)), None)
        return None if found is None else str(found[0])

    # listing

    @contextmanager
    def listing(self) -> Iterator[ListingWriter]:
        """The list as a whole, or after a kill no list: one that is cut short would pass for complete.

        `ready` ends it, so a sample can be chosen before.
        """
        with self._transaction():
            self._execute("UPDATE pages SET run = 0, position = id WHERE run = ?", (self.run,))
            self._execute("DELETE FROM sources")
            listing = ListingWriter(self._db, self.run)
            yield listing
            self._execute("DELETE FROM visits WHERE page IN (SELECT id FROM pages WHERE run <> ?)", (self.run,))
            self._execute("DELETE FROM pages WHERE run <> ?", (self.run,))
            self._remember(**{why: msgspec.json.encode(lines).decode() for why, lines in listing.unlisted.items()})

    def ready(self) -> None:
        """The list is whole, and it is settled which pages are to be asked."""
        with self._transaction():
            self._remember(stage="asking")

    def addresses(self) -> Iterator[tuple[int, str, str]]:
        """Position, sitemap and address of every listed page."""
        sql = (
            "SELECT p.position, s.name, p.url FROM pages p JOIN sources s ON s.id = p.source"
            " WHERE p.run = ? AND p.kind = 0 ORDER BY p.position"
        )
        yield from self._rows(sql, (self.run,))

    def choose(self, positions: Iterable[int]) -> None:
        """Only these positions are to be asked, and the media of these entries: a sample."""
        chosen = list(positions)
        with self._transaction():
            self._execute("UPDATE pages SET chosen = 0")
            self._db.executemany(
                "UPDATE pages SET chosen = 1 WHERE run = ? AND position = ?",
                ((self.run, position) for position in chosen),
            )
            self._execute(
                "UPDATE pages SET chosen = 1 WHERE kind <> 0"
                " AND (source, row) IN (SELECT source, row FROM pages WHERE kind = 0 AND chosen)"
            )

    # asking

    def under_way(self) -> list[PendingUrl]:
        """The pages that were being asked when the last run was killed.

        A page that was having its second try keeps the first answer: it is not requested a third time.
        """
        with self._transaction():
            self._execute(
                "UPDATE visits SET again = 0 WHERE run = ? AND page IN (SELECT page FROM asking)", (self.run,)
            )
            self._execute("DELETE FROM asking WHERE page IN (SELECT page FROM visits WHERE run = ?)", (self.run,))
        sql = (
            "SELECT p.id, p.url, p.kind, p.position, a.attempts FROM asking a JOIN pages p ON p.id = a.page"
            " ORDER BY p.position"
        )
        return [PendingUrl(page, url, What(kind), at, tries) for page, url, kind, at, tries in self._rows(sql)]

    def waiting(self, after: int, limit: int) -> list[PendingUrl]:
        """Pages without an answer in this run and not under way, by their position."""
        sql = (
            "SELECT p.id, p.url, p.kind, p.position FROM pages p LEFT JOIN visits v ON v.page = p.id AND v.run = ?"
            " WHERE p.run = ? AND p.position > ? AND p.chosen AND v.page IS NULL"
            " AND p.id NOT IN (SELECT page FROM asking) ORDER BY p.position LIMIT ?"
        )
        found = self._rows(sql, (self.run, self.run, after, limit))
        return [PendingUrl(page, url, What(kind), at) for page, url, kind, at in found]

    def failed(self, after: int, limit: int) -> list[PendingUrl]:
        """Pages that failed and have had no second try."""
        return self._to_ask_again(after, limit, blocked=False)

    def blocked(self, after: int, limit: int) -> list[PendingUrl]:
        """Pages that were blocked and have had no slow second try."""
        return self._to_ask_again(after, limit, blocked=True)

    def _to_ask_again(self, after: int, limit: int, *, blocked: bool) -> list[PendingUrl]:
        sql = (
            "SELECT p.id, p.url, p.kind, p.position FROM visits v JOIN pages p ON p.id = v.page"
            " WHERE v.again = 1 AND v.run = ? AND (v.state = ?) = ? AND p.position > ?"
            " ORDER BY p.position LIMIT ?"
        )
        found = self._rows(sql, (self.run, State.BLOCKED.value, blocked, after, limit))
        return [PendingUrl(page, url, What(kind), at, again=True) for page, url, kind, at in found]

    def save(self, results: Iterable[Result], asking: Iterable[int] = (), put_back: Iterable[int] = ()) -> None:
        """One transaction: received answers, pages requested next, pages that were not requested after all."""
        connection = self._db
        with self._transaction():
            for each in results:
                visit = each.visit
                connection.execute(
                    "INSERT OR REPLACE INTO visits VALUES (?, ?, ?, ?, ?, ?)",
                    (each.page, self.run, visit.state.value, int(each.again), _visit_out(visit), each.text),
                )
                connection.execute("DELETE FROM asking WHERE page = ?", (each.page,))
                if each.extra_targets is not None:
                    connection.execute(
                        ADD_BESIDES, (key_of(each.extra_targets, What.BESIDES), each.extra_targets, each.page)
                    )
            for page in asking:
                connection.execute(
                    "INSERT INTO asking VALUES (?, 1) ON CONFLICT (page) DO UPDATE SET attempts = attempts + 1", (page,)
                )
            for page in put_back:
                connection.execute("DELETE FROM asking WHERE page = ?", (page,))

    def earlier(self, page: int) -> tuple[Visit, bytes | None] | None:
        """What is known of a page from this run or the one before."""
        found = next(self._rows("SELECT visit, text FROM visits WHERE page = ?", (page,)), None)
        return None if found is None else (_visit_in(found[0]), found[1])

    # what is known

    def find(self, url: str) -> Visit | None:
        """The visit in this run of a listed page, or of an extra target."""
        sql = "SELECT v.visit FROM pages p JOIN visits v ON v.page = p.id WHERE p.key IN (?, ?) AND v.run = ?"
        found = next(self._rows(sql, (key_of(url), key_of(url, What.BESIDES), self.run)), None)
        return None if found is None else _visit_in(found[0])

    def knows(self, beginning: str) -> bool:
        """Whether an address begins like that, listed or not."""
        sql = "SELECT 1 FROM pages WHERE substr(url, 1, ?) = ? LIMIT 1"
        return next(self._rows(sql, (len(beginning), beginning)), None) is not None

    def is_chosen(self, url: str) -> bool:
        """Whether it is requested anyway."""
        sql = "SELECT 1 FROM pages WHERE key IN (?, ?) AND run = ? AND chosen"
        return next(self._rows(sql, (key_of(url), key_of(url, What.BESIDES), self.run)), None) is not None

    def rows(self, kind: What = What.PAGE) -> Iterator[AuditedUrl]:
        """Every listed address in the order of the listing; no visit may be written meanwhile."""
        found = self._rows(_ROWS, (self.run, self.run, kind.value))
        for page, url, source, row, lastmod, links, visit, text, chosen, verdict in found:
            alternates = _alternates_in(links) if links else ()
            listed = ListedUrl(url, source, row, lastmod, alternates, kind)
            yield AuditedUrl(page, listed, _visit_in(visit) if visit is not None else None, text, bool(chosen), verdict)

    def forget_verdicts(self) -> None:
        with self._transaction():
            self._execute("DELETE FROM verdicts")

    def keep_verdicts(self, verdicts: Iterable[tuple[int, bytes]]) -> None:
        with self._transaction():
            self._db.executemany("INSERT OR REPLACE INTO verdicts VALUES (?, ?)", verdicts)

    def texts(self) -> Iterator[tuple[int, str, bytes]]:
        """Number, address and packed text blocks of every page of which they were kept."""
        sql = (
            "SELECT v.page, p.url, v.text FROM visits v JOIN pages p ON p.id = v.page"
            " WHERE v.run = ? AND v.text IS NOT NULL AND p.kind = 0 ORDER BY v.page"
        )
        yield from self._rows(sql, (self.run,))

    def states(self, kind: What = What.PAGE) -> dict[State, int]:
        sql = (
            "SELECT v.state, count(*) FROM visits v JOIN pages p ON p.id = v.page"
            " WHERE v.run = ? AND p.kind = ? GROUP BY v.state"
        )
        found = {State(state): count for state, count in self._rows(sql, (self.run, kind.value))}
        return {state: found[state] for state in State if state in found}

    def count(self, *, chosen: bool = False, kind: What | None = None) -> int:
        """Listed addresses; with `chosen`, those that are to be asked."""
        sql = "SELECT count(*) FROM pages WHERE run = ? AND chosen >= ? AND (? IS NULL OR kind = ?)"
        what = None if kind is None else kind.value
        return int(next(self._rows(sql, (self.run, int(chosen), what, what)))[0])

    def sources(self) -> list[SitemapRecord]:
        """The sitemaps in the order met, with the pages they list first."""
        sql = (
            "SELECT s.name, s.facts, count(p.id) FROM sources s LEFT JOIN pages p ON p.source = s.id AND p.kind = 0"
            " GROUP BY s.id ORDER BY s.id"
        )
        return [SitemapRecord(name, facts or b"", count) for name, facts, count in self._rows(sql)]

    def document(self, source: str) -> bytes | None:
        """The sitemap itself, where it was kept."""
        found = next(self._rows("SELECT data FROM sources WHERE name = ?", (source,)), (None,))[0]
        return None if found is None else zlib.decompress(found)

    def unlisted(self, why: Unlisted) -> list[str]:
        """Targets that were not listed, one line each."""
        return msgspec.json.decode(self.meta(why) or "[]", type=list[str])

    @property
    def connection(self) -> sqlite3.Connection:
        return self._db

    # robots and probes

    def keep_robots(self, origin: str, answer: Answer | None) -> None:
        data = None if answer is None else msgspec.msgpack.encode(answer)
        with self._transaction():
            self._execute("INSERT OR REPLACE INTO robots VALUES (?, ?, ?)", (origin, self.run, data))

    def robots(self, origin: str) -> Answer | None:
        found = next(self._rows("SELECT answer FROM robots WHERE origin = ? AND run = ?", (origin, self.run)), (None,))
        return None if found[0] is None else _answer_in(found[0])

    def keep_probe(self, name: str, data: bytes) -> None:
        with self._transaction():
            self._execute("INSERT OR REPLACE INTO probes VALUES (?, ?, ?)", (name, self.run, data))

    def probes(self) -> dict[str, bytes]:
        return dict(self._rows("SELECT name, data FROM probes WHERE run = ?", (self.run,)))

    # SQL

    def _execute(self, sql: str, values: tuple[object, ...] = ()) -> None:
        self._db.execute(sql, values)
