"""An address → its site, followed link by link, with a report of what is there and whether that is all."""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager
from datetime import date
from hashlib import blake2b
from pathlib import Path
from typing import Literal
from urllib.parse import urlsplit

import msgspec

from urlset.auditing.second_look import second_look
from urlset.building.patterns import Patterns
from urlset.checking import clock
from urlset.crawling.found import NOT_REQUESTED, Via
from urlset.crawling.frontier import FRONTIER, CrawlFrontier
from urlset.crawling.loop import Completeness, Crawl, CrawlEnd, Seeds, completeness_of, is_unanswered, redirect_target
from urlset.crawling.scope import Scope, address_of, ending_of, is_file, origin_of_url
from urlset.crawling.traps import TrapWatch, exclude_pattern
from urlset.model.document import Document
from urlset.model.errors import UrlsetError
from urlset.model.page import join
from urlset.model.shown import Shown
from urlset.model.visit import State
from urlset.reading.read import read
from urlset.settings.crawl import CrawlSettings
from urlset.web.client import Client
from urlset.web.loop import run as run_loop
from urlset.workflows.crawl_pages import Probing, fetcher, looker
from urlset.workflows.live.discover import USUAL_PLACES
from urlset.workflows.live.interrupt import stopping_calmly
from urlset.writing.files import sweep_once, work_folder

FOLDER = "crawl"
Progress = Callable[[Crawl], None]
_LISTS = frozenset({"xml", "gz", "txt", "rss", "atom"})
"""endings of files that list pages: one that answers with an HTML page is broken, not a site to crawl"""


class CrawlUse(msgspec.Struct, frozen=True, kw_only=True):
    """What the pages are for. Crawls for different uses are kept apart."""

    name: Literal["", "file", "audit", "build"] = ""
    """with a name, the text of every page is kept too: which shows changes and error pages"""
    images: bool = False
    videos: bool = False
    listed: Callable[[], Iterable[str]] | None = None
    """addresses to request when following links was not enough to see everything"""
    live: set[str] | None = None
    """filled with the pages that the site's sitemaps list, where these are seeds"""


@contextmanager
def crawling(
    settings: CrawlSettings, use: CrawlUse | None = None, *, progress: Progress | None = None
) -> Iterator[tuple[CrawlFrontier, CrawlReport]]:
    """Crawl, or resume an interrupted crawl for the same use; the pages are there inside the block.

    Raises CrawlError, StateError, PatternError, RecordingError or OSError.
    """
    use, url = use or CrawlUse(), settings.url or ""
    start = address_of(url if "://" in url else f"https://{url}")
    if start is None:
        raise CrawlError(f"{url!r} is not an http or https URL")
    if "@" in urlsplit(start).netloc:
        raise CrawlError("the URL contains a user name or password; remove it and use --auth")
    path_of_start = urlsplit(start).path
    if is_file(path_of_start) or ending_of(path_of_start) in _LISTS:
        raise CrawlError(
            f"{start} has the name of a file, not of a page; start from a page of the site, such as its home"
        )
    path = state_file(settings, use, start)
    sweep_once()
    if settings.fresh:
        FRONTIER.remove(path)
    if settings.parts is not None:
        from urlset.workflows.live.result_parts import need_place

        need_place(settings.parts)
    with _open(path, settings) as frontier:
        report = run_loop(_crawl(settings, use, start, frontier, progress))
        if settings.parts is not None and report.ended != CrawlEnd.STOPPED:
            from urlset.reports.crawl import as_parquet
            from urlset.workflows.crawl_pages import crawl_rows
            from urlset.workflows.live.result_parts import keep_rows

            about = (report.url, report.started, report.ended, report.states, report.left)
            rows = crawl_rows(frontier, report.robots_txt)
            keep_rows(settings.parts, report.started, about, rows, lambda some: as_parquet(iter(some)))
        frontier.remember(ended=report.ended)
        yield frontier, report


def state_file(settings: CrawlSettings, use: CrawlUse, start: str) -> Path:
    """One for each start and each way to crawl it; limits only bound a crawl, so a higher one resumes it."""
    host = "".join(letter if letter.isalnum() or letter in ".-" else "_" for letter in urlsplit(start).netloc)[:60]
    web = settings.fetching
    way = (
        (use.name, use.images, use.videos),
        (settings.prefix, settings.include, settings.exclude, settings.seed_sitemaps, settings.render),
        (settings.follow_nofollow, settings.ignore_robots, settings.ignore_traps),
        (web.user_agent, *web.access.views, *web.access.sends),
    )
    digest = blake2b(msgspec.json.encode((way, start)), digest_size=5).hexdigest()
    return Path(settings.state) / FOLDER / f"{host}-{digest}.db"


def _open(path: Path, settings: CrawlSettings) -> CrawlFrontier:
    """With what an interrupted crawl left; one that came to its end is no longer needed."""
    frontier = CrawlFrontier(path)
    if not _is_over(frontier, settings):
        if frontier.meta("ended") == CrawlEnd.KEPT_OUT:
            frontier.ask_again(is_unanswered)
        return frontier
    frontier.close()
    FRONTIER.remove(path)
    return CrawlFrontier(path)


def _is_over(frontier: CrawlFrontier, settings: CrawlSettings) -> bool:
    ended = frontier.meta("ended")
    if ended == CrawlEnd.DONE:
        return True
    if ended != CrawlEnd.LIMIT:
        return False
    if frontier.left():
        return settings.max_pages is not None and frontier.visited() >= settings.max_pages
    return settings.max_depth is not None and not frontier.has_within(settings.max_depth)


async def _crawl(
    settings: CrawlSettings, use: CrawlUse, start: str, frontier: CrawlFrontier, progress: Progress | None
) -> CrawlReport:
    meta = frontier.all_meta()
    taken_over = frontier.visited()
    said = clock.set_back(clock.now(), meta.get("started"), "crawl")
    if "started" not in meta:
        frontier.remember(
            started=clock.now().strftime("%Y-%m-%dT%H:%M:%SZ"), url=start, today=clock.now().date().isoformat()
        )
        meta = frontier.all_meta()
    frontier.remember(ended="")
    web = msgspec.structs.replace(settings.fetching.keeping(Path(settings.state)), max_redirects=0)
    scope = _scope(settings, start, meta)
    watch = TrapWatch(date.fromisoformat(meta["today"]), known=frontier.knows, ignore=settings.ignore_traps)
    probe = Probing(frontier)
    rendering: list[str] = []
    resumed = taken_over > 0
    look = looker(content=bool(use.name), images=use.images, videos=use.videos, baseline=probe.known)
    async with (
        Client(web, named=(start,), resumed=resumed, robots_of_today=resumed) as client,
        second_look(settings, client, rendering) as browser,
    ):
        sitting = Crawl(frontier, client, fetcher(client, look, browser), scope, watch, settings)
        sitting.on_page = progress
        if use.name:
            sitting.on_home = probe.ready(client, sitting)
        seeds = _seeds(settings, use, client, scope, frontier)
        with stopping_calmly(sitting.stop):
            ended = await sitting.run(start, seeds)
        robots = await client.robots(f"{scope.home}/") if ended is not CrawlEnd.STOPPED else None
        traps = await _advised(client if ended is not CrawlEnd.STOPPED else None, scope.home, frontier)
    body = robots.answer.body if robots is not None and robots.answer is not None and robots.answer.ok else None
    return msgspec.structs.replace(
        _report(frontier, ended, settings, start, meta["started"]),
        home=scope.home,
        taken_over=taken_over,
        asked=sitting.asked,
        notices=(*([said] if said else []), *client.notices, *rendering),
        robots_txt=body,
        traps=traps,
    )


async def _advised(client: Client | None, home: str, frontier: CrawlFrontier) -> tuple[TrapReport, ...]:
    """The traps, each with the pattern that keeps out of it, unless that would keep out what the site lists.

    Without a client nothing is known of what it lists, and of a site with too many sitemaps to look into for a piece
    of advice no more, so there is none.
    """
    traps = [
        TrapReport(trap.kind.value, trap.place, trap.reason, count, example, exclude_pattern(trap, example))
        for trap, count, example in frontier.traps()
    ]
    patterns = {trap.exclude: Patterns((trap.exclude,)) for trap in traps if trap.exclude}
    listed = None
    if client is not None and patterns:
        listed = await listed_addresses(client, home, most_files=_FEW_FILES)
    if listed is None:
        return tuple(msgspec.structs.replace(trap, exclude=None) for trap in traps)
    wrong = {pattern for pattern, compiled in patterns.items() if any(map(compiled.find, listed))}
    return tuple(msgspec.structs.replace(trap, exclude=None) if trap.exclude in wrong else trap for trap in traps)


def _scope(settings: CrawlSettings, start: str, meta: dict[str, str]) -> Scope:
    include, exclude = Patterns(settings.include), Patterns(settings.exclude)

    def wanted(url: str) -> bool:
        return not (exclude and exclude.find(url)) and not (include and not include.find(url))

    scope = Scope(
        origin_of_url(start), prefix=settings.prefix, wanted=wanted if settings.include or settings.exclude else None
    )
    if "home" in meta:
        scope.move_home(meta["home"])
    for each in meta.get("kin", "").split():
        origin, _, belongs = each.rpartition("=")
        scope.belongs[origin] = belongs == "1"
    return scope


def _seeds(
    settings: CrawlSettings, use: CrawlUse, client: Client, scope: Scope, frontier: CrawlFrontier
) -> list[tuple[Via, Seeds]]:
    async def sitemaps() -> Iterable[str]:
        found = await listed_addresses(client, scope.home) or ()
        if use.live is not None:
            use.live.update(url for each in found if (url := address_of(each)) and origin_of_url(url) == scope.home)
        return found

    async def last_set() -> Iterable[str]:
        if use.listed is None or completeness_of(frontier, CrawlEnd.DONE, settings).complete:
            return ()
        if State.OK not in frontier.states():
            return ()  # the site cannot be read at all, and every single page need not be asked to know that
        return use.listed()

    found: list[tuple[Via, Seeds]] = [(Via.SITEMAP, sitemaps)] if settings.seed_sitemaps else []
    return [*found, (Via.LAST_SET, last_set)] if use.listed is not None else found


def _report(frontier: CrawlFrontier, ended: CrawlEnd, settings: CrawlSettings, start: str, started: str) -> CrawlReport:
    counts = frontier.counts()
    not_asked = {said: counts[fate] for fate, said in NOT_REQUESTED.items() if counts.get(fate)}
    if unfollowed := frontier.unfollowed():
        not_asked["only nofollow links"] = unfollowed
    return CrawlReport(
        url=start,
        home="",
        state_file=str(frontier.path),
        ended=ended.value,
        started=started,
        visited=frontier.visited(),
        states={state.value: count for state, count in frontier.states().items()},
        depths=frontier.depths(),
        not_asked=not_asked,
        left=frontier.left() + frontier.left_found(),
        only_in_sitemaps=sum(1 for row in frontier.rows("p.via = ?", (Via.SITEMAP,)) if row.visit is not None),
        tracking=dict(frontier.tracking()),
        completeness=completeness_of(frontier, ended, settings),
    )


# A site → the addresses its own sitemaps list, for a crawl that includes orphan pages.

_MOST_FILES = 2_000
_FEW_FILES = 20
"""read for a piece of advice"""
_CAP = 64 << 20
_HOPS = 5


async def listed_addresses(client: Client, home: str, *, most_files: int | None = None) -> Sequence[str] | None:
    """In the order of the sitemaps, each file read once; what cannot be read is left out.

    None where there are more files than `most_files`; without it the first `_MOST_FILES` are read.
    """
    found: list[str] = []
    named = (await client.robots(f"{home}/")).sitemaps
    waiting = deque(url for line in named if (url := join(f"{home}/robots.txt", line)))
    if not waiting:
        waiting.extend(home + place for place in USUAL_PLACES)
    seen: set[str] = set()
    with work_folder() as folder:
        while waiting and len(seen) < _MOST_FILES:
            url = waiting.popleft()
            if url in seen:
                continue
            if most_files is not None and len(seen) >= most_files:
                return None
            seen.add(url)
            document = await _document(client, url, Path(folder) / "sitemap")
            if document is None:
                continue
            locs = [whole for loc in document.columns.locs if loc and (whole := join(url, loc.strip()))]
            if document.kind.lists_sitemaps:
                waiting.extend(locs)
            else:
                found.extend(locs)
            if not named and found:
                break  # the first of the usual places that holds something
    return found


async def _document(client: Client, url: str, spool: Path) -> Document | None:
    for _ in range(_HOPS):
        answer = await client.get(url, cap=_CAP, spool=spool)
        if answer.ok:
            document = read(spool, name=url, url=url)
            return document if document.kind.is_sitemap else None
        target = redirect_target(answer)
        if target is None:
            return None
        url = target
    return None


class TrapReport(msgspec.Struct, frozen=True):
    kind: str
    place: str
    reason: str
    addresses: int
    example: str
    exclude: str | None = None
    """the pattern for --exclude that keeps a crawl out of it, where there is one"""


class CrawlReport(Shown, msgspec.Struct, frozen=True, kw_only=True):
    """What a crawl found."""

    url: str
    home: str
    """scheme and host of the site, after the redirects of the start"""
    state_file: str
    ended: str
    """done, limit, stopped, kept out"""
    started: str
    taken_over: int = 0
    """pages that an earlier, interrupted run had visited"""
    asked: int = 0
    """pages visited in this run"""
    visited: int = 0
    states: dict[str, int] = {}
    depths: dict[int, int] = {}
    """pages by the clicks that lead to them"""
    not_asked: dict[str, int] = {}
    """addresses of the site that were not requested, by reason"""
    left: int = 0
    """addresses found that are still to be asked"""
    only_in_sitemaps: int = 0
    traps: tuple[TrapReport, ...] = ()
    tracking: dict[str, str] = {}
    """parameters that were left out of addresses, with an example"""
    completeness: Completeness
    notices: tuple[str, ...] = ()
    robots_txt: bytes | None = None
    """of the site, where it has one"""

    def facts(self) -> Iterator[tuple[str, object]]:
        yield "url", self.url
        yield "ended", self.ended
        yield "visited", self.visited
        yield "states", self.states


class CrawlError(UrlsetError):
    """A crawl that could not begin."""


class CrawlStopped(CrawlError):  # noqa: N818 - requested by the user, not an error
    """Ctrl-C during a crawl that something else was waiting for; the same call resumes it."""
