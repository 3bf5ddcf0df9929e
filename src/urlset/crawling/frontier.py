"""Addresses found and pages visited → on disk, level by level, so a kill loses nothing and changes nothing.

Pages of one level are requested in any order; what they link to waits in `found`, with the first page that names it,
until the level is done. Only then it becomes the next level, in the order of those pages. So which page an address
was found on, its depth and the order of requests never depend on which answer came first.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from itertools import groupby
from pathlib import Path
from typing import NamedTuple

import msgspec

from urlset.crawling.found import NO_ROW, CrawledUrl, Fate, FetchedPage, Length, Trap, TrapKind, Via
from urlset.crawling.scope import address_of
from urlset.model.visit import State, Visit
from urlset.web.options import MAX_REDIRECTS
from urlset.writing.sqlite_store import META, Migration, StateFile, StateStore

_ROWS = (
    "SELECT p.id, p.url, p.depth, p.via, p.fate, s.url, p.trap, v.visit, v.kept FROM pages p"
    " LEFT JOIN pages s ON s.id = p.source LEFT JOIN visits v ON v.page = p.id"
)
_CUT, _SHELL = 1, 2
"""why the links of a page are not all known"""
_STEP = "SELECT id, url, source, chain, fate"
_trap_in = msgspec.json.Decoder(Trap).decode
_visit_out = msgspec.msgpack.Encoder().encode
_visit_in = msgspec.msgpack.Decoder(Visit).decode


class QueuedUrl(NamedTuple):
    id: int
    url: str
    depth: int
    chain: int = 0
    """the length of the row of like pages that led to it"""


class Find(NamedTuple):
    """An address named by a page that was just visited."""

    url: str
    hop: bool
    """a redirect: it lies as deep as the page itself"""
    position: int
    via: Via


class Brought(NamedTuple):
    """What a page names."""

    finds: list[Find]
    unfollowed: list[str]
    tracking: list[tuple[str, str]]
    """parameters that were left out, each with an address that has it"""
    links: bytes = b""
    """32 bits for each address of the site that the page links to, known before or not, see `find.packed`"""
    signature: int | None = None
    """of a page that is in a row of similar ones"""


class Placed(NamedTuple):
    """What is decided on an address when its level begins."""

    fate: Fate
    length: Length = NO_ROW
    trap: Trap | None = None


class Step(NamedTuple):
    """A page or address on the way that links lead."""

    id: int
    url: str
    source: int | None
    """the page that named it first"""
    chain: int
    fate: int
    """a Fate"""


class LinkSource(NamedTuple):
    """The page that addresses were found on."""

    url: str
    depth: int
    length: Length = NO_ROW
    alike: bool = True
    """nothing but its place in the row tells it from the page it was found on"""
    hops: int = 0
    """redirects in a row, where these are targets of a redirect"""


Place = Callable[[LinkSource, list[str]], list[Placed]]
"""all new addresses that one page brought, in order → what becomes of each"""


class CrawlFrontier(StateStore):
    """The state of one crawl."""

    def __init__(self, path: Path) -> None:
        super().__init__(FRONTIER, path)

    # one page

    def begin(self, url: str, fate: Fate = Fate.ASK) -> None:
        with self._transaction():
            self._db.execute(
                "INSERT OR IGNORE INTO pages (url, depth, via, fate) VALUES (?, 0, ?, ?)", (url, Via.START, fate)
            )

    def waiting(self, after: int = 0, limit: int = 500) -> list[QueuedUrl]:
        """To be asked, in order; pages that were under way when the last run was killed come first by themselves."""
        sql = (
            "SELECT id, url, depth, chain FROM pages WHERE id > ? AND fate = 0"
            " AND id NOT IN (SELECT page FROM visits WHERE page > ?) ORDER BY id LIMIT ?"
        )
        return [QueuedUrl(*row) for row in self._rows(sql, (after, after, limit))]

    def save(self, page: int, fetched: FetchedPage, brought: Brought) -> None:
        """One transaction: the visit and everything the page names."""
        connection, visit = self._db, fetched.visit
        cut = visit.charset is not None and (visit.truncated or not visit.complete)
        unread = _CUT if cut else _SHELL if fetched.is_shell else 0
        row = (page, visit.state.value, unread, _visit_out(visit), fetched.kept, brought.links, brought.signature)
        with self._transaction():
            connection.execute("INSERT OR REPLACE INTO visits VALUES (?, ?, ?, ?, ?, ?, ?)", row)
            connection.executemany(
                "INSERT INTO found SELECT ?1, ?2, ?3, ?4, ?5 WHERE NOT EXISTS (SELECT 1 FROM pages WHERE url = ?1)"
                " ON CONFLICT (url) DO UPDATE SET hop = excluded.hop, source = excluded.source,"
                " position = excluded.position, via = excluded.via"
                " WHERE (-excluded.hop, excluded.source, excluded.position) < (-hop, source, position)",
                ((each.url, each.hop, page, each.position, each.via) for each in brought.finds),
            )
            connection.executemany(
                "INSERT INTO unfollowed VALUES (?, ?) ON CONFLICT (url) DO UPDATE SET source = excluded.source"
                " WHERE excluded.source < source",
                ((url, page) for url in brought.unfollowed),
            )
            connection.executemany(
                "INSERT INTO tracking VALUES (?, ?, ?) ON CONFLICT (name) DO UPDATE SET source = excluded.source,"
                " url = excluded.url WHERE excluded.source < source",
                ((name, page, url) for name, url in brought.tracking),
            )

    def ask_again(self, unanswered: Callable[[Visit], bool]) -> None:
        """Forget the inconclusive visits; their pages are requested once more."""
        again = [(row.id,) for row in self.rows("v.page IS NOT NULL") if row.visit and unanswered(row.visit)]
        with self._transaction():
            self._db.executemany("DELETE FROM visits WHERE page = ?", again)

    # levels

    def promote(self, place: Place, max_depth: int | None = None) -> int:
        """Make a level of what was found: redirects first, which lie as deep as their page. How many were taken.

        Addresses deeper than `max_depth` stay where they are.
        """
        hops = bool(self._count("SELECT EXISTS (SELECT 1 FROM found WHERE hop)"))
        sql = (
            "SELECT f.url, f.via, f.source, p.url, p.depth, p.chain, p.row, p.via,"
            " v.outlook IS NULL OR w.outlook IS NULL OR v.outlook = w.outlook"
            " FROM found f JOIN pages p ON p.id = f.source"
            " LEFT JOIN visits v ON v.page = p.id LEFT JOIN visits w ON w.page = p.source"
            " WHERE f.hop = ? AND p.depth + 1 - f.hop <= ? AND NOT EXISTS (SELECT 1 FROM pages k WHERE k.url = f.url)"
            " ORDER BY f.source, f.position"
        )
        deepest = 1 << 40 if max_depth is None else max_depth
        with self._transaction():
            rows = self._db.execute(sql, (hops, deepest))
            for source, group in groupby(rows, key=lambda row: row[2]):
                some = list(group)
                _, _, _, url, depth, chain, length, via, alike = some[0]
                before = length if via == Via.REDIRECT else 0
                found = LinkSource(url, depth, Length(chain, length), bool(alike), before + 1 if hops else 0)
                placed = place(found, [row[0] for row in some])
                below = depth if hops else depth + 1
                self._db.executemany(
                    "INSERT OR IGNORE INTO pages (url, depth, via, fate, source, chain, row, trap)"
                    " VALUES (?, ?, ?, ?, ?, ?, ?, ?)",
                    (
                        (row[0], below, row[1], each.fate, source, *each.length, _trap_out(each.trap))
                        for row, each in zip(some, placed, strict=True)
                    ),
                )
            return self._db.execute("DELETE FROM found WHERE url IN (SELECT url FROM pages)").rowcount

    def seed(self, urls: Iterable[str], via: Via, place: Place) -> None:
        """Addresses that are listed somewhere and that no page has named; as deep as the start."""
        with self._transaction():
            for url in urls:
                if self._db.execute("SELECT 1 FROM pages WHERE url = ?", (url,)).fetchone():
                    continue
                each = place(LinkSource("", 0), [url])[0]
                self._db.execute(
                    "INSERT INTO pages (url, depth, via, fate, trap) VALUES (?, 0, ?, ?, ?)",
                    (url, via, each.fate, _trap_out(each.trap)),
                )

    def begins_with(self, prefix: str) -> bool:
        """Whether anything found on this level begins so."""
        sql = "SELECT EXISTS (SELECT 1 FROM found WHERE url >= ? AND url < ?)"
        return bool(self._count(sql, _range(prefix)))

    def drop_found(self, prefix: str) -> None:
        """Forget what was found there: another site."""
        with self._transaction():
            self._db.execute("DELETE FROM found WHERE url >= ? AND url < ?", _range(prefix))

    # what is known

    def knows(self, url: str) -> bool:
        return self._row("SELECT 1 FROM pages WHERE url = ?", (url,)) is not None

    def accepted(self) -> Iterator[tuple[int, str]]:
        """Every address that is or was to be asked, in order: what the watch for traps has seen."""
        yield from self._rows("SELECT id, url FROM pages WHERE fate = 0 ORDER BY id")

    def step(self, page: int) -> Step:
        [found] = self._rows(f"{_STEP} FROM pages WHERE id = ?", (page,))
        return Step(*found)

    def steps(self) -> Iterator[Step]:
        return (Step(*found) for found in self._rows(f"{_STEP} FROM pages ORDER BY id"))

    def trap_ends(self) -> Iterator[tuple[Step, Trap]]:
        """The addresses that were not requested because of a trap."""
        for *found, trap in self._rows(f"{_STEP}, trap FROM pages WHERE trap IS NOT NULL"):
            yield Step(*found), _trap_in(trap)

    def counts(self) -> dict[Fate, int]:
        return {Fate(fate): count for fate, count in self._rows("SELECT fate, count(*) FROM pages GROUP BY fate")}

    def states(self) -> dict[State, int]:
        found = dict(self._rows("SELECT state, count(*) FROM visits GROUP BY state"))
        return {state: found[state.value] for state in State if state.value in found}

    def depths(self) -> dict[int, int]:
        """Pages visited, by their depth; those that only a sitemap named are left out."""
        sql = (
            "SELECT p.depth, count(*) FROM visits v JOIN pages p ON p.id = v.page WHERE p.via < ?"
            " GROUP BY p.depth ORDER BY p.depth"
        )
        return dict(self._rows(sql, (Via.SITEMAP,)))

    def visited(self) -> int:
        return self._count("SELECT count(*) FROM visits")

    def left(self) -> int:
        """Addresses to be asked that were not."""
        return self._count("SELECT count(*) FROM pages WHERE fate = 0") - self.visited()

    def left_found(self) -> int:
        """Addresses that lie deeper than was allowed."""
        return self._count("SELECT count(*) FROM found")

    def has_within(self, max_depth: int) -> bool:
        """Whether some of them would be asked with that limit."""
        sql = "SELECT EXISTS (SELECT 1 FROM found f JOIN pages p ON p.id = f.source WHERE p.depth + 1 - f.hop <= ?)"
        return bool(self._count(sql, (max_depth,)))

    def unfollowed(self) -> int:
        """Addresses that are named only by links not to be followed."""
        return self._count("SELECT count(*) FROM unfollowed WHERE url NOT IN (SELECT url FROM pages)")

    def only_unfollowed(self) -> Iterator[tuple[str, str]]:
        """(address, page that names it) of those."""
        sql = (
            "SELECT u.url, p.url FROM unfollowed u JOIN pages p ON p.id = u.source"
            " WHERE u.url NOT IN (SELECT url FROM pages) ORDER BY u.source, u.url"
        )
        yield from self._rows(sql)

    def tracking(self) -> list[tuple[str, str]]:
        """Parameters that were left out, with the first address that carried each."""
        return list(self._rows("SELECT name, url FROM tracking ORDER BY source, name"))

    def traps(self) -> list[tuple[Trap, int, str]]:
        """Each with the number of URLs that were skipped because of it, and the first of them; the largest first."""
        sql = (
            "SELECT trap, count(*), url, min(id) FROM pages WHERE trap IS NOT NULL"
            " GROUP BY json_extract(trap, '$.kind'), json_extract(trap, '$.place') ORDER BY count(*) DESC, min(id)"
        )
        return [(_trap_in(trap), count, url) for trap, count, url, _ in self._rows(sql)]

    def trapped(self, kind: TrapKind) -> int:
        sql = "SELECT count(*) FROM pages WHERE trap IS NOT NULL AND json_extract(trap, '$.kind') = ?"
        return self._count(sql, (kind.value,))

    def incomplete_pages(self) -> int:
        """Pages with links so large that they were not read to their end."""
        return self._count("SELECT count(*) FROM visits WHERE unread = ?", (_CUT,))

    def shells(self) -> int:
        """Pages without links that scripts fill in the browser."""
        return self._count("SELECT count(*) FROM visits WHERE unread = ?", (_SHELL,))

    def example(self, state: State) -> CrawledUrl | None:
        return next(self.rows("v.state = ?", (state.value,)), None)

    def rows(self, where: str = "1", values: tuple[object, ...] = ()) -> Iterator[CrawledUrl]:
        """Every address in the order of discovery; nothing may be written meanwhile."""
        for number, url, depth, via, fate, source, trap, visit, kept in self._rows(
            f"{_ROWS} WHERE {where} ORDER BY p.id", values
        ):
            seen = _visit_in(visit) if visit is not None else None
            yield CrawledUrl(number, url, depth, Via(via), Fate(fate), source, trap, seen, kept)

    def kept(self) -> Iterator[bytes]:
        """What the caller kept of each page, in order."""
        return (kept for (kept,) in self._rows("SELECT kept FROM visits WHERE kept IS NOT NULL ORDER BY page"))

    def kept_of(self, page: int) -> bytes | None:
        found: bytes | None = self._value("SELECT kept FROM visits WHERE page = ?", (page,))
        return found

    def find(self, url: str) -> CrawledUrl | None:
        """What became of an address; None where it is unknown."""
        return next(self.rows("p.url = ?", (url,)), None)

    def links(self) -> Iterator[tuple[str, bytes]]:
        """Pages in the order of discovery, with the links of each, as `find.packed` gave them."""
        sql = "SELECT p.url, v.links FROM visits v JOIN pages p ON p.id = v.page WHERE v.links <> x'' ORDER BY p.id"
        yield from self._rows(sql)

    def _count(self, sql: str, values: tuple[object, ...] = ()) -> int:
        return int(self._value(sql, values))


def _range(prefix: str) -> tuple[str, str]:
    """The first text that begins so, and the first after all that do."""
    return prefix, prefix[:-1] + chr(ord(prefix[-1]) + 1)


def _trap_out(trap: Trap | None) -> str | None:
    return None if trap is None else msgspec.json.encode(trap).decode()


# The tables of a crawl.

_TABLES = (
    META,
    # in the order of discovery, which does not depend on how fast which page answered
    """
CREATE TABLE pages (
    id INTEGER PRIMARY KEY, url TEXT NOT NULL UNIQUE, depth INTEGER NOT NULL, via INTEGER NOT NULL,
    fate INTEGER NOT NULL, source INTEGER, chain INTEGER NOT NULL DEFAULT 0, row INTEGER NOT NULL DEFAULT 0, trap TEXT
)""",
    """
CREATE TABLE visits (
    page INTEGER PRIMARY KEY, state TEXT NOT NULL, unread INTEGER NOT NULL, visit BLOB NOT NULL, kept BLOB,
    links BLOB, outlook INTEGER
)""",
    # found on the level under way; becomes the next level when that is done
    """
CREATE TABLE found (
    url TEXT PRIMARY KEY, hop INTEGER NOT NULL, source INTEGER NOT NULL, position INTEGER NOT NULL,
    via INTEGER NOT NULL
) WITHOUT ROWID""",
    "CREATE TABLE unfollowed (url TEXT PRIMARY KEY, source INTEGER NOT NULL) WITHOUT ROWID",
    "CREATE TABLE tracking (name TEXT PRIMARY KEY, source INTEGER NOT NULL, url TEXT NOT NULL) WITHOUT ROWID",
)

FRONTIER = StateFile(
    holder="another crawl of this site",
    application_id=0x75726C63,  # "urlc" in ASCII
    migrations=(Migration(3, _TABLES),),
)


# A redirect that a crawl met → where the row of redirects ends.


def end_of(frontier: CrawlFrontier, visit: Visit) -> str:
    """As far as it was followed; each redirect is a separate visit."""
    target = visit.final_url
    for _ in range(MAX_REDIRECTS):
        following = frontier.find(address_of(target) or target)
        visited = following.visit if following is not None else None
        if visited is None or visited.state is not State.REDIRECTED or not visited.final_url:
            break
        target = visited.final_url
    return target
