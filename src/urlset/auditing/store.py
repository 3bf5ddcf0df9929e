"""An audit under way ↔ one SQLite file: what is listed, what is being requested, what every page answered.

Whatever is committed survives a kill. A page is written down before it is requested, so after a kill those that
were under way are known, and requested first.
"""

from __future__ import annotations

import sqlite3
import zlib
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from enum import IntEnum
from pathlib import Path
from typing import Any, Literal, NamedTuple

import msgspec

from urlset.model.answer import Answer
from urlset.model.entry import Alternate
from urlset.model.visit import State, Visit
from urlset.reading.fingerprint import hash_of
from urlset.writing.sqlite_store import META, Migration, StateFile, StateStore

# What the store of an audit gives and takes: listed addresses, pages to be asked, results, sitemaps.


class What(IntEnum):
    """The kind of a requested address."""

    PAGE = 0
    IMAGE = 1
    THUMBNAIL = 2
    VIDEO = 3
    PLAYER = 4
    EXTRA_TARGET = 5
    """listed nowhere: what a listed page names as canonical or language version, or refreshes to"""


MEDIA = (What.IMAGE, What.THUMBNAIL, What.VIDEO, What.PLAYER)


class ListedUrl(NamedTuple):
    """One address with its first listing; flat, because there are millions."""

    url: str
    source: str
    row: int | None = None
    lastmod: str | None = None
    alternates: tuple[Alternate, ...] = ()
    kind: What = What.PAGE


class PendingUrl(NamedTuple):
    """A page that is to be asked."""

    id: int
    url: str
    kind: What
    position: int
    attempts: int = 0
    """times it was under way when a run was killed"""
    again: bool = False
    """it has an answer of this run and is having its second try"""


class Result(NamedTuple):
    """What is kept of one answer."""

    page: int
    visit: Visit
    text: bytes | None = None
    """its text blocks, packed, for what can be said only when all pages were seen; of media the answer"""
    again: bool = False
    """to be asked once more, slowly, at the end"""
    extra_targets: tuple[str, ...] = ()
    """addresses that are to be asked too, if no sitemap lists them"""


class AuditedUrl(NamedTuple):
    """One listed address and what became of it, as the report wants it."""

    id: int
    listed: ListedUrl
    visit: Visit | None
    text: bytes | None
    chosen: bool
    verdict: bytes | None
    """what was said of it, as `keep_verdicts` was given it"""


class KnownProblem(NamedTuple):
    """One problem of a rule and a URL; every one is kept, findings in memory are capped."""

    url: str
    code: str
    severity: str
    message: str
    source: str = ""
    """the sitemap that lists the URL"""
    group: int | None = None
    """pages with the same symptom in the same part of the site"""


class SitemapRecord(NamedTuple):
    """One sitemap."""

    name: str
    facts: bytes
    """anything the caller needs from it later"""
    pages: int


class Begun(NamedTuple):
    """How a run starts."""

    run: int
    needs_listing: bool
    resumed: bool
    """resumes an interrupted run"""
    follows: bool
    """an earlier process requested this target, perhaps a moment ago"""


def key_of(url: str, kind: What = What.PAGE) -> int:
    return hash_of(url if kind is What.PAGE else f"{kind.value} {url}")


_visit_out = msgspec.msgpack.Encoder().encode
_visit_in = msgspec.msgpack.Decoder(Visit).decode
_alternates_in = msgspec.msgpack.Decoder(tuple[Alternate, ...]).decode
_answer_in = msgspec.msgpack.Decoder(Answer).decode


_AUDITED = """
SELECT p.id, p.url, s.name, p.row, p.lastmod, p.alternates, p.kind, v.visit, v.text, p.chosen, d.verdict
FROM pages p JOIN sources s ON s.id = p.source
LEFT JOIN visits v ON v.page = p.id AND v.run = p.run
LEFT JOIN verdicts d ON d.page = p.id
WHERE p.run = ?"""
_NUMBERS = (
    "DROP TABLE IF EXISTS temp.numbers",
    "DROP TABLE IF EXISTS temp.rule_numbers",
    "CREATE TEMP TABLE numbers (what INTEGER PRIMARY KEY, number INTEGER NOT NULL)",
    "CREATE TEMP TABLE rule_numbers (what TEXT PRIMARY KEY, number INTEGER NOT NULL)",
)
_PROBLEMS = (
    "SELECT q.url, q.code, q.severity, q.message, q.source, q.cause, COALESCE(n.number, r.number) AS place, v.visit"
    " FROM problems q LEFT JOIN temp.numbers n ON n.what = q.cause LEFT JOIN temp.rule_numbers r ON r.what = q.code"
    " LEFT JOIN pages p ON p.key = q.key LEFT JOIN visits v ON v.page = p.id AND v.run = ?"
    " ORDER BY place IS NULL, place, q.id"
)


_SITES = """
SELECT site_of(p.url) AS site, count(*) FROM pages p LEFT JOIN visits v ON v.page = p.id AND v.run = ?
WHERE p.run = ? AND p.chosen AND v.page IS NULL GROUP BY site"""
_SPLIT = (
    "INSERT INTO part.meta SELECT * FROM main.meta",
    "INSERT INTO part.sources SELECT id, name, NULL, NULL FROM main.sources",
    """INSERT INTO part.pages SELECT p.* FROM main.pages p LEFT JOIN main.visits v ON v.page = p.id AND v.run = :run
    WHERE p.run = :run AND p.chosen AND v.page IS NULL AND site_of(p.url) IN (SELECT value FROM json_each(:sites))""",
    "INSERT INTO part.visits SELECT * FROM main.visits WHERE page IN (SELECT id FROM part.pages)",
    "INSERT INTO part.asking SELECT * FROM main.asking WHERE page IN (SELECT id FROM part.pages)",
    "INSERT INTO part.probes SELECT * FROM main.probes WHERE run = :run",
)
"""pages of a share that wait, and what is known of them"""
_MERGE = (
    "INSERT OR REPLACE INTO main.visits SELECT * FROM part.visits WHERE run = :run",
    "DELETE FROM main.asking WHERE page IN (SELECT id FROM part.pages WHERE run = :run)",
    """INSERT OR REPLACE INTO main.asking SELECT * FROM part.asking
    WHERE page IN (SELECT id FROM part.pages WHERE run = :run AND kind <> 5)""",
    "INSERT OR REPLACE INTO main.robots SELECT * FROM part.robots WHERE run = :run",
    "INSERT OR REPLACE INTO main.probes SELECT * FROM part.probes WHERE run = :run",
)
_EXTRA = "SELECT key, url, source FROM part.pages WHERE kind = 5 AND run = :run ORDER BY position"
_ADD_EXTRA = """
INSERT OR IGNORE INTO main.pages (key, url, kind, run, position, source)
SELECT :key, :url, 5, :run, max(position) + 1, :source FROM main.pages WHERE run = :run"""


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
            known = self.all_meta()
            self.run = int(known.get("run", "0"))
            written = msgspec.json.encode(plan, order="deterministic").decode()
            listed = known.get("stage") in ("asking", "done")
            if self.run and known.get("plan") == written and known.get("stage") != "done":
                return Begun(self.run, not listed, resumed=listed, follows=True)
            self.run += 1
            self._remember(run=str(self.run), plan=written, stage="listing", started=started)
            self._db.execute("DELETE FROM asking")
            self._db.execute("UPDATE visits SET again = 0 WHERE again = 1")
        return Begun(self.run, needs_listing=True, resumed=False, follows=self.run > 1)

    def finish(self, finished: str) -> None:
        """Every page has its answer: the next run starts anew."""
        self.remember(stage="done", finished=finished)

    # listing

    @contextmanager
    def listing(self) -> Iterator[ListingWriter]:
        """The list as a whole, or after a kill no list: one that is cut short would pass for complete.

        `ready` ends it, so a sample can be chosen before.
        """
        with self._transaction():
            self._db.execute("UPDATE pages SET run = 0, position = id WHERE run = ?", (self.run,))
            self._db.execute("DELETE FROM sources")
            listing = ListingWriter(self._db, self.run)
            yield listing
            self._db.execute("DELETE FROM visits WHERE page IN (SELECT id FROM pages WHERE run <> ?)", (self.run,))
            self._db.execute("DELETE FROM pages WHERE run <> ?", (self.run,))
            self._remember(**{why: msgspec.json.encode(lines).decode() for why, lines in listing.unlisted.items()})

    def add_alternates(self, most: int) -> int:
        """Language versions that sitemaps name but do not list are requested too, up to `most`. How many are left."""
        sql = "SELECT id, alternates FROM pages WHERE run = ? AND kind = 0 AND alternates IS NOT NULL ORDER BY position"
        named: dict[str, int] = {}
        left = 0
        for page, links in self._rows(sql, (self.run,)):
            for each in _alternates_in(links):
                url = (each.href or "").strip()
                if url in named or not url.startswith(("http://", "https://")) or self.is_listed(url):
                    continue
                if len(named) < most:
                    named[url] = page
                else:
                    left += 1
        with self._transaction():
            self._db.executemany(
                _ADD_EXTRA_TARGET, ((key_of(url, What.EXTRA_TARGET), url, page) for url, page in named.items())
            )
        return left

    def ready(self) -> None:
        """The list is whole, and it is settled which pages are to be asked."""
        self.remember(stage="asking")

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
            self._db.execute("UPDATE pages SET chosen = 0")
            self._db.executemany(
                "UPDATE pages SET chosen = 1 WHERE run = ? AND position = ?",
                ((self.run, position) for position in chosen),
            )
            self._db.execute(
                "UPDATE pages SET chosen = 1 WHERE kind <> 0"
                " AND (source, row) IN (SELECT source, row FROM pages WHERE kind = 0 AND chosen)"
            )

    # asking

    def under_way(self) -> list[PendingUrl]:
        """The pages that were being asked when the last run was killed.

        A page that was having its second try keeps the first answer: it is not requested a third time.
        """
        with self._transaction():
            self._db.execute(
                "UPDATE visits SET again = 0 WHERE run = ? AND page IN (SELECT page FROM asking)", (self.run,)
            )
            self._db.execute("DELETE FROM asking WHERE page IN (SELECT page FROM visits WHERE run = ?)", (self.run,))
        return self._pending("a.attempts, 0 FROM asking a JOIN pages p ON p.id = a.page ORDER BY p.position")

    def waiting(self, after: int, limit: int) -> list[PendingUrl]:
        """Pages without an answer in this run and not under way, by their position."""
        sql = (
            "0, 0 FROM pages p LEFT JOIN visits v ON v.page = p.id AND v.run = ?"
            " WHERE p.run = ? AND p.position > ? AND p.chosen AND v.page IS NULL"
            " AND p.id NOT IN (SELECT page FROM asking) ORDER BY p.position LIMIT ?"
        )
        return self._pending(sql, self.run, self.run, after, limit)

    def to_retry(self, after: int, limit: int, *, blocked: bool) -> list[PendingUrl]:
        """Pages that failed, or that were blocked, and have had no second try."""
        sql = (
            "0, 1 FROM visits v JOIN pages p ON p.id = v.page WHERE v.again = 1 AND v.run = ? AND (v.state = ?) = ?"
            " AND p.position > ? ORDER BY p.position LIMIT ?"
        )
        return self._pending(sql, self.run, State.BLOCKED.value, blocked, after, limit)

    def _pending(self, rest: str, *values: object) -> list[PendingUrl]:
        """`rest` of the statement: the attempts, whether it is a second try, and where from."""
        rows = self._rows(f"SELECT p.id, p.url, p.kind, p.position, {rest}", values)
        return [PendingUrl(page, url, What(kind), at, tries, bool(again)) for page, url, kind, at, tries, again in rows]

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
                connection.executemany(
                    _ADD_EXTRA_TARGET, ((key_of(url, What.EXTRA_TARGET), url, each.page) for url in each.extra_targets)
                )
            for page in asking:
                connection.execute(
                    "INSERT INTO asking VALUES (?, 1) ON CONFLICT (page) DO UPDATE SET attempts = attempts + 1", (page,)
                )
            connection.executemany("DELETE FROM asking WHERE page = ?", ((page,) for page in put_back))

    def earlier(self, page: int) -> tuple[Visit, bytes | None] | None:
        """What is known of a page from this run or the one before."""
        found = self._row("SELECT visit, text FROM visits WHERE page = ?", (page,))
        return None if found is None else (_visit_in(found[0]), found[1])

    # what is known

    def find(self, url: str) -> Visit | None:
        """The visit in this run of a listed page, or of an extra target."""
        found = self.listed_page(url)
        return None if found is None else found.visit

    def is_chosen(self, url: str) -> bool:
        """Whether it is requested anyway."""
        sql = "SELECT 1 FROM pages WHERE key IN (?, ?) AND run = ? AND chosen"
        return self._row(sql, (key_of(url), key_of(url, What.EXTRA_TARGET), self.run)) is not None

    def is_listed(self, url: str) -> bool:
        return self._row("SELECT 1 FROM pages WHERE key = ? AND run = ?", (key_of(url), self.run)) is not None

    def listed_page(self, url: str) -> AuditedUrl | None:
        """A page, or an extra target; None for an address that the last run does not know."""
        return next(self._audited("p.key IN (?, ?) ORDER BY p.kind", key_of(url), key_of(url, What.EXTRA_TARGET)), None)

    # pages that keep what an earlier run saw

    def listed_visits(self) -> Iterator[tuple[int, int, str | None, Visit | None]]:
        """Position, number, lastmod and last visit of every listed page."""
        sql = (
            "SELECT p.position, p.id, p.lastmod, v.visit FROM pages p LEFT JOIN visits v ON v.page = p.id"
            " WHERE p.run = ? AND p.kind = 0"
        )
        for position, page, lastmod, visit in self._rows(sql, (self.run,)):
            yield position, page, lastmod, None if visit is None else _visit_in(visit)

    def keep_visits(self, pages: Iterable[int]) -> None:
        """Take what an earlier run saw of these pages as seen in this one."""
        with self._transaction() as db:
            db.executemany("UPDATE visits SET run = ?, again = 0 WHERE page = ?", ((self.run, page) for page in pages))

    def rows(self, kind: What = What.PAGE) -> Iterator[AuditedUrl]:
        """Every listed address in the order of the listing; no visit may be written meanwhile."""
        return self._audited("p.kind = ? ORDER BY p.position", kind.value)

    def _audited(self, where: str, *values: object) -> Iterator[AuditedUrl]:
        found = self._rows(f"{_AUDITED} AND {where}", (self.run, *values))
        for page, url, source, row, lastmod, links, kind, visit, text, chosen, verdict in found:
            listed = ListedUrl(url, source, row, lastmod, _alternates_in(links) if links else (), What(kind))
            yield AuditedUrl(page, listed, _visit_in(visit) if visit is not None else None, text, bool(chosen), verdict)

    def forget_verdicts(self) -> None:
        with self._transaction():
            self._db.execute("DELETE FROM verdicts")
            self._db.execute("DELETE FROM problems")

    def keep_verdicts(self, verdicts: Iterable[tuple[int, bytes]]) -> None:
        with self._transaction():
            self._db.executemany("INSERT OR REPLACE INTO verdicts VALUES (?, ?)", verdicts)

    def keep_problems(self, problems: Iterable[KnownProblem]) -> None:
        with self._transaction():
            self._db.executemany(
                "INSERT INTO problems (key, url, code, severity, message, source, cause) VALUES (?, ?, ?, ?, ?, ?, ?)",
                ((key_of(each.url), *each) for each in problems),
            )

    def number_problems(self, groups: Iterable[tuple[int, int]], rules: Iterable[tuple[str, int]]) -> None:
        """The number of the cause of each group, and of each rule for problems without a group."""
        with self._transaction():
            for statement in _NUMBERS:
                self._db.execute(statement)
            self._db.executemany("INSERT INTO temp.numbers VALUES (?, ?)", groups)
            self._db.executemany("INSERT INTO temp.rule_numbers VALUES (?, ?)", rules)

    def problems(self) -> Iterator[tuple[KnownProblem, int | None, Visit | None]]:
        """By the number of the cause, with what is known of the page; call `number_problems` first."""
        for *found, number, visit in self._rows(_PROBLEMS, (self.run,)):
            yield KnownProblem(*found), number, None if visit is None else _visit_in(visit)

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
        return int(self._value(sql, (self.run, int(chosen), what, what)))

    def sources(self) -> list[SitemapRecord]:
        """The sitemaps in the order met, with the pages they list first."""
        sql = (
            "SELECT s.name, s.facts, count(p.id) FROM sources s LEFT JOIN pages p ON p.source = s.id AND p.kind = 0"
            " GROUP BY s.id ORDER BY s.id"
        )
        return [SitemapRecord(name, facts or b"", count) for name, facts, count in self._rows(sql)]

    def document(self, source: str) -> bytes | None:
        """The sitemap itself, where it was kept."""
        found = self._value("SELECT data FROM sources WHERE name = ?", (source,))
        return None if found is None else zlib.decompress(found)

    def unlisted(self, why: Unlisted) -> list[str]:
        """Targets that were not listed, one line each."""
        return msgspec.json.decode(self.meta(why) or "[]", type=list[str])

    # shares

    def sites(self, site_of: Callable[[str], str]) -> dict[str, int]:
        """The sites with pages that wait, and how many."""
        self._db.create_function("site_of", 1, site_of, deterministic=True)
        return dict(self._rows(_SITES, (self.run, self.run)))

    def split(self, site_of: Callable[[str], str], shares: Iterable[list[str]], folder: Path) -> Iterator[Path]:
        """A store for each share of the sites, with its pages that wait and what is known of them."""
        self._db.create_function("site_of", 1, site_of, deterministic=True)
        for number, sites in enumerate(shares):
            path = folder / f"{number}.db"
            STORE.remove(path)
            STORE.connect(path).close()
            values = {"run": self.run, "sites": msgspec.json.encode(sites).decode()}
            with self._attached(path):
                for statement in _SPLIT:
                    self._db.execute(statement, values)
            yield path

    def merge(self, path: Path) -> None:
        """Take over what a share has come to."""
        with self._attached(path):
            for statement in _MERGE:
                self._db.execute(statement, {"run": self.run})
            for key, url, source in self._db.execute(_EXTRA, {"run": self.run}).fetchall():
                if not self.is_chosen(url):
                    self._db.execute(_ADD_EXTRA, {"key": key, "url": url, "source": source, "run": self.run})
            found = self._db.execute("SELECT value FROM part.meta WHERE name = 'generators'").fetchone()
            known = (self.meta("generators") or "").split(",")
            names = dict.fromkeys(filter(None, (*known, *(found[0].split(",") if found else ()))))
            if names:
                self._remember(generators=",".join(names))

    @contextmanager
    def _attached(self, path: Path) -> Iterator[None]:
        with self._kind.translated_errors(path):
            self._db.execute("ATTACH ? AS part", (str(path),))
        try:
            with self._transaction():
                yield
        finally:
            self._db.execute("DETACH part")

    @property
    def connection(self) -> sqlite3.Connection:
        return self._db

    # robots and probes

    def keep_robots(self, origin: str, answer: Answer | None) -> None:
        data = None if answer is None else msgspec.msgpack.encode(answer)
        with self._transaction():
            self._db.execute("INSERT OR REPLACE INTO robots VALUES (?, ?, ?)", (origin, self.run, data))

    def robots(self, origin: str) -> Answer | None:
        found = self._value("SELECT answer FROM robots WHERE origin = ? AND run = ?", (origin, self.run))
        return None if found is None else _answer_in(found)

    def keep_probe(self, name: str, data: bytes) -> None:
        with self._transaction():
            self._db.execute("INSERT OR REPLACE INTO probes VALUES (?, ?, ?)", (name, self.run, data))

    def probes(self) -> dict[str, bytes]:
        return dict(self._rows("SELECT name, data FROM probes WHERE run = ?", (self.run,)))


# The tables of an audit.

_TABLES = (
    META,
    "CREATE TABLE sources (id INTEGER PRIMARY KEY, name TEXT NOT NULL UNIQUE, facts BLOB, data BLOB)",
    """
CREATE TABLE pages (
    id INTEGER PRIMARY KEY, key INTEGER NOT NULL UNIQUE, url TEXT NOT NULL, kind INTEGER NOT NULL,
    run INTEGER NOT NULL, position INTEGER NOT NULL, source INTEGER NOT NULL, row INTEGER, lastmod TEXT,
    alternates BLOB, chosen INTEGER NOT NULL DEFAULT 1
)""",
    "CREATE UNIQUE INDEX page_order ON pages (run, position)",
    """
CREATE TABLE visits (
    page INTEGER PRIMARY KEY, run INTEGER NOT NULL, state TEXT NOT NULL, again INTEGER NOT NULL DEFAULT 0,
    visit BLOB NOT NULL, text BLOB
)""",
    "CREATE INDEX visit_again ON visits (again) WHERE again = 1",
    "CREATE TABLE asking (page INTEGER PRIMARY KEY, attempts INTEGER NOT NULL)",
    "CREATE TABLE verdicts (page INTEGER PRIMARY KEY, verdict BLOB NOT NULL)",
    "CREATE TABLE robots (origin TEXT PRIMARY KEY, run INTEGER NOT NULL, answer BLOB) WITHOUT ROWID",
    "CREATE TABLE probes (name TEXT PRIMARY KEY, run INTEGER NOT NULL, data BLOB NOT NULL) WITHOUT ROWID",
)
_DATE_TABLES = (
    """
CREATE TABLE observed (
    page INTEGER PRIMARY KEY, lastmod TEXT, content INTEGER, events INTEGER NOT NULL DEFAULT 0, facets BLOB,
    content_lastmod TEXT, seen TEXT
)""",
    """
CREATE TABLE transitions (
    run INTEGER NOT NULL, source TEXT NOT NULL, before TEXT NOT NULL, at TEXT NOT NULL, dated INTEGER NOT NULL,
    moved INTEGER NOT NULL, stamped INTEGER NOT NULL, known INTEGER NOT NULL, backed INTEGER NOT NULL,
    unbacked INTEGER NOT NULL, silent INTEGER NOT NULL, PRIMARY KEY (run, source)
) WITHOUT ROWID""",
    """
CREATE TABLE date_examples (
    run INTEGER NOT NULL, source TEXT NOT NULL, url TEXT NOT NULL, old TEXT NOT NULL, new TEXT NOT NULL,
    what TEXT NOT NULL, at TEXT NOT NULL, changed TEXT NOT NULL DEFAULT ''
)""",
    """
CREATE TABLE date_evidence (
    run INTEGER NOT NULL, source TEXT NOT NULL, facet TEXT NOT NULL, pages INTEGER NOT NULL,
    PRIMARY KEY (run, source, facet)
) WITHOUT ROWID""",
    "CREATE TABLE looks (run INTEGER PRIMARY KEY, at TEXT NOT NULL)",
)
_PROBLEM_TABLES = (
    """
CREATE TABLE problems (
    id INTEGER PRIMARY KEY, key INTEGER NOT NULL, url TEXT NOT NULL, code TEXT NOT NULL, severity TEXT NOT NULL,
    message TEXT NOT NULL, source TEXT NOT NULL, cause INTEGER
)""",
)

STORE = StateFile(
    holder="another audit of this target",
    application_id=0x75726C61,  # "urla" in ASCII
    migrations=(Migration(2, (*_TABLES, *_DATE_TABLES)), Migration(3, _PROBLEM_TABLES)),
    checkpoint_pages=4_000,
)

_ADD_EXTRA_TARGET = """
INSERT OR IGNORE INTO pages (key, url, kind, run, position, source)
SELECT ?, ?, 5, p.run, (SELECT max(position) + 1 FROM pages WHERE run = p.run), p.source FROM pages p WHERE p.id = ?"""
"""requested because of the page of that number, after all listed pages"""


# Listed URLs → rows of an audit's store, each URL once, where it is listed first.

Unlisted = Literal["troubled", "not_sitemaps"]
"""could not be read; was read, and is something else"""


class ListingWriter:
    """Open inside `AuditStore.listing()`."""

    def __init__(self, connection: sqlite3.Connection, run: int) -> None:
        self._connection = connection
        self._run = run
        self._sources: dict[str, int] = {}
        self.count = 0
        self.unlisted: dict[Unlisted, list[str]] = {"troubled": [], "not_sitemaps": []}

    def add(self, listed: ListedUrl) -> bool:
        """Whether it is new."""
        source = self._sources.get(listed.source)
        if source is None:
            self._connection.execute("INSERT OR IGNORE INTO sources (name) VALUES (?)", (listed.source,))
            found = self._connection.execute("SELECT id FROM sources WHERE name = ?", (listed.source,)).fetchone()
            source = self._sources[listed.source] = int(found[0])
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
                source,
                listed.row,
                listed.lastmod,
                alternates,
            ),
        )
        self.count += done.rowcount
        return done.rowcount > 0

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
