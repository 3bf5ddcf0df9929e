"""A frontier and a client → every page of the site requested at the rate of its host, each stored as it comes."""

from __future__ import annotations

import asyncio
from collections import deque
from collections.abc import Awaitable, Callable, Iterable, Sequence
from enum import StrEnum
from functools import partial
from typing import TYPE_CHECKING, Protocol

import msgspec

from urlset.crawling.find import Finder
from urlset.crawling.found import NO_ROW, NOT_REQUESTED, Fate, FetchedPage, TrapKind, Via
from urlset.crawling.frontier import CrawlFrontier, Find, LinkSource, Placed, QueuedUrl
from urlset.crawling.scope import (
    DOCUMENT_ENDINGS,
    Scope,
    address_of,
    ending_of,
    origin_of_url,
    robots_fate,
)
from urlset.crawling.traps import TrapWatch, chains
from urlset.model.page import join
from urlset.model.shown import amount
from urlset.model.visit import State, Visit
from urlset.reading.host_robots import Access
from urlset.web.guard import advice

if TYPE_CHECKING:
    from urlset.model.answer import Answer
    from urlset.reading.host_robots import HostRobots
    from urlset.web.client import Client


Fetch = Callable[[str, int | None, bool], Awaitable[FetchedPage]]
"""with the bytes that are read, and whether it is the slow second try after a block"""
Seeds = Callable[[], Awaitable[Iterable[str]]]
"""addresses that are listed somewhere"""
BLOCKED_IN_A_ROW = 30
"""pages in a row that block the crawler, or give no answer at all, before the crawl is given up"""
PATIENT_TRIES = 5
"""slow second tries after a block in one crawl"""
DOCUMENT_CAP = 1 << 16
_READ_AHEAD = 500


class CrawlEnd(StrEnum):
    DONE = "done"
    LIMIT = "limit"
    STOPPED = "stopped"
    KEPT_OUT = "kept out"


class CrawlBounds(Protocol):
    """What the settings of a crawl say of how far it goes."""

    @property
    def max_pages(self) -> int | None: ...
    @property
    def max_depth(self) -> int | None: ...
    @property
    def ignore_robots(self) -> bool: ...
    @property
    def follow_nofollow(self) -> bool: ...


class Crawl:
    """One sitting. Made, run once, then asked what came of it."""

    def __init__(
        self,
        frontier: CrawlFrontier,
        client: Client,
        fetch: Fetch,
        scope: Scope,
        watch: TrapWatch,
        settings: CrawlBounds,
    ) -> None:
        """The client must not follow redirects (`max_redirects=0`), so every address is requested once."""
        self._frontier, self._client, self._fetch, self.scope, self._watch = frontier, client, fetch, scope, watch
        self._settings, self._obey = settings, not settings.ignore_robots
        self._token = client.options.token
        self._finder = Finder(scope, self._token, watch.today, follow_nofollow=settings.follow_nofollow)
        self._robots: dict[str, HostRobots] = {}
        self._queue: deque[QueuedUrl] = deque()
        self._cursor = 0
        self._stopping = self._kept_out = False
        self._in_a_row = self._patient = 0
        self.visited = frontier.visited()
        self._starting = not self.visited
        self._claimed = self.visited
        self.asked = 0
        """in this sitting"""
        self.waiting = 0
        """addresses that are known and still to be asked"""
        self.depth = 0
        """clicks from the start to the page that was kept last"""
        self.on_page: Callable[[Crawl], None] | None = None
        self.on_home: Callable[[str], Awaitable[None]] | None = None
        """awaited once with the origin of the site, when the redirects of the start have been followed"""

    def stop(self) -> None:
        """Ask no more; what is under way is still written down."""
        self._stopping = True

    async def run(self, start: str, seeds: Sequence[tuple[Via, Seeds]] = ()) -> CrawlEnd:
        """Level by level until nothing is left or something stops it; `seeds` are requested after all links."""
        left = deque(seeds)
        await self._rules()
        self._frontier.begin(start, self.rule_of(start))
        self.waiting = self._frontier.left()
        for _, url in self._frontier.accepted():
            self._watch.accept(url)
        while True:
            await self._level()
            if self._stopping:
                return CrawlEnd.KEPT_OUT if self._kept_out else CrawlEnd.STOPPED
            if self._queue or self._frontier.waiting(self._cursor, 1):
                return CrawlEnd.LIMIT
            if await self._promote():
                continue
            if not left:
                return CrawlEnd.LIMIT if self._frontier.left_found() else CrawlEnd.DONE
            via, listed = left.popleft()
            urls = [found for url in await listed() if (found := address_of(url)) and self.scope.may_belong(found)]
            for origin in sorted({origin_of_url(url) for url in urls}):
                await self._settle_kin(origin)
            self._frontier.seed((url for url in urls if self.scope.may_belong(url)), via, self._place)

    # asking

    async def _level(self) -> None:
        async def work() -> None:
            while (page := self._next_page()) is not None:
                is_document = ending_of(page.url.partition("?")[0]) in DOCUMENT_ENDINGS
                cap = DOCUMENT_CAP if is_document else None
                fetched = await self._fetch(page.url, cap, False)
                if fetched.visit.state is State.BLOCKED and self._patient < PATIENT_TRIES and not self._stopping:
                    self._patient += 1
                    fetched = await self._fetch(page.url, cap, True)
                self._in_a_row = self._in_a_row + 1 if is_unanswered(fetched.visit) else 0
                if self._in_a_row >= BLOCKED_IN_A_ROW and not self._stopping:
                    self._stopping = self._kept_out = True
                brought = self._finder.find(page, fetched)
                if self._starting:
                    self._follow_start(brought.finds)
                self._frontier.save(page.id, fetched, brought)
                self.visited += 1
                self.asked += 1
                self.waiting -= 1
                self.depth = page.depth
                if self.on_page is not None:
                    self.on_page(self)

        async with asyncio.TaskGroup() as group:
            for _ in range(max(1, min(self._client.options.concurrency, 64))):
                group.create_task(work())

    def _next_page(self) -> QueuedUrl | None:
        most = self._settings.max_pages
        if self._stopping or (most is not None and self._claimed >= most):
            return None
        if not self._queue:
            self._queue.extend(self._frontier.waiting(self._cursor, _READ_AHEAD))
            if not self._queue:
                return None
            self._cursor = self._queue[-1].id
        self._claimed += 1
        return self._queue.popleft()

    def _follow_start(self, finds: list[Find]) -> None:
        """The start may lead to the same host by another scheme or with www; that is the site then."""
        if not finds or not finds[0].hop:
            self._starting = False
            return
        origin = origin_of_url(finds[0].url)
        if origin != self.scope.home and origin in self.scope.kin:
            self.scope.move_home(origin)
            self._frontier.remember(home=origin)

    # from level to level

    async def _promote(self) -> int:
        for origin in sorted(self.scope.kin):
            if self.scope.unsettled(origin) and self._frontier.begins_with(f"{origin}/"):
                await self._settle_kin(origin)
        await self._rules()
        if self.on_home is not None and not self._starting:
            await self.on_home(self.scope.home)
            self.on_home = None
        return self._frontier.promote(self._place, self._settings.max_depth)

    async def _rules(self) -> None:
        for origin in sorted(self.scope.belongs) if self._obey else ():
            if not self.scope.belongs[origin]:
                continue
            robots = self._robots[origin] = await self._client.robots(f"{origin}/")
            if robots.access is Access.NOTHING:
                answer = robots.answer
                failed = f"{answer.failure}{advice(answer)}" if answer is not None and answer.failure else None
                status = f"the server answered {answer.status}" if answer is not None else "it was not requested"
                self._frontier.remember(no_rules=failed or status)

    def rule_of(self, url: str) -> Fate:
        """What robots.txt of the site says about it."""
        robots = self._robots.get(origin_of_url(url))
        return Fate.ASK if robots is None else robots_fate(robots, self._token, url)

    async def _settle_kin(self, origin: str) -> None:
        """The same host by another scheme or with www: part of this one when its front page leads there."""
        if not self.scope.unsettled(origin):
            return
        front = f"{origin}/"
        belongs = False
        if not self._obey or robots_fate(await self._client.robots(front), self._token, front) is Fate.ASK:
            target = redirect_target(await self._client.get(front, cap=1))
            belongs = target is not None and origin_of_url(target) in (self.scope.home, *self.scope.kin)
        self.scope.belongs[origin] = belongs
        known = self._frontier.meta("kin") or ""
        self._frontier.remember(kin=f"{known} {origin}={int(belongs)}".strip())
        if not belongs:
            self._frontier.drop_found(f"{origin}/")

    def _place(self, source: LinkSource, urls: list[str]) -> list[Placed]:
        if source.hops:
            rows = [source.length._replace(row=source.hops)] * len(urls)
        elif source.url:
            rows = chains(source.url, source.length, urls, alike=source.alike)
        else:
            rows = [NO_ROW] * len(urls)
        placed = []
        for url, length in zip(urls, rows, strict=True):
            fate = self.scope.fate_of(url)
            if fate is Fate.ASK:
                fate = self.rule_of(url)
            if fate is not Fate.ASK:
                placed.append(Placed(fate))
            elif trap := self._watch.judge(url, source.url, length, source.hops):
                placed.append(Placed(Fate.TRAPPED, length, trap))
            else:
                self._watch.accept(url)
                self.waiting += 1
                placed.append(Placed(Fate.ASK, length))
        return placed


def is_unanswered(visit: Visit) -> bool:
    """We were kept out, or could not reach the server: worth asking again another day."""
    return visit.state is State.BLOCKED or (visit.status is None and visit.state is not State.OK)


def redirect_target(answer: Answer) -> str | None:
    """Where the first request was sent on to, absolute; None where it was not, or nowhere."""
    if not answer.hops:
        return None
    hop = answer.hops[0]
    return join(hop.url, hop.location)


# A frontier when a crawl has ended → whether every page was seen, and if not, why.

_pages, _addresses = partial(amount, one="page"), partial(amount, one="address", many="addresses")


class Completeness(msgspec.Struct, frozen=True):
    complete: bool
    """nothing that may be followed was left out: every linked page was found"""
    reasons: tuple[str, ...] = ()
    """why it is not complete"""
    apart: tuple[str, ...] = ()
    """what was left out on purpose or by order of the site; complete apart from that"""
    cut_short: str | None = None
    """why it ended with addresses that it knew and did not ask for; None where it went on to its end"""
    unread: int = 0
    """known pages that were not read, so what they link to is unknown; addresses of crawler traps do not count"""
    read: int = 0
    """pages that were read"""


def completeness_of(frontier: CrawlFrontier, ended: CrawlEnd, settings: CrawlBounds) -> Completeness:
    early = []
    left, deeper = frontier.left(), frontier.left_found()
    if ended is CrawlEnd.STOPPED:
        early.append(f"stopped with {_pages(left)} left")
    elif ended is CrawlEnd.KEPT_OUT:
        early.append(f"gave up with {_pages(left)} left: the site repeatedly blocked the crawler or was unreachable")
    elif left:
        early.append(f"reached the limit of {settings.max_pages:,} pages with {_pages(left)} left")
    if deeper and ended is CrawlEnd.LIMIT and not left:
        clicks = amount(settings.max_depth or 0, "click")
        early.append(f"{_pages(deeper)} deeper than {clicks} {'were' if deeper != 1 else 'was'} not requested")
    reasons = [*early, *_of_answers(frontier), *_of_addresses(frontier)]
    states, counts = frontier.states(), frontier.counts()
    failed = sum(states.get(state, 0) for state in (State.BLOCKED, State.ERROR, State.UNKNOWN))
    unread = failed + (left or deeper) + counts.get(Fate.NO_RULES, 0)
    on_purpose = (fate for fate in (Fate.FORBIDDEN, Fate.EXCLUDED, Fate.OUTSIDE) if counts.get(fate))
    found = [f"{_addresses(counts[fate])} {NOT_REQUESTED[fate]}" for fate in on_purpose]
    if closed := states.get(State.LOGIN):
        found.append(f"{_pages(closed)} behind a login")
    if again := frontier.trapped(TrapKind.SESSION):
        found.append(f"{_addresses(again)} of known pages with another session ID")
    if unfollowed := frontier.unfollowed():
        found.append(f"{_addresses(unfollowed)} linked only with nofollow")
    return Completeness(
        not reasons,
        tuple(reasons),
        tuple(found),
        early[0] if early and left else None,
        unread=unread + frontier.incomplete_pages() + frontier.shells(),
        read=states.get(State.OK, 0),
    )


def _of_answers(frontier: CrawlFrontier) -> list[str]:
    reasons = []
    states = frontier.states()
    for state, said in (
        (State.BLOCKED, "blocked the crawler"),
        (State.ERROR, "failed"),
        (State.UNKNOWN, "gave no usable response"),
    ):
        if count := states.get(state):
            row = frontier.example(state)
            example = f", such as {row.url} ({row.visit.reason})" if row is not None and row.visit else ""
            whose = "its" if count == 1 else "their"
            reasons.append(f"{_pages(count)} {said}; {whose} links are unknown{example}")
    cut = frontier.incomplete_pages()
    if cut:
        reasons.append(f"{_pages(cut)} too large to read in full")
    alone = _has_no_links(frontier)
    if alone:
        reasons.append(f"{alone} has no links into the site; links created by JavaScript are not seen")
    elif shells := frontier.shells():
        verb = "is" if shells == 1 else "are"
        reasons.append(f"{_pages(shells)} without links {verb} rendered by JavaScript; their content is unknown")
    return reasons


def _has_no_links(frontier: CrawlFrontier) -> str | None:
    """The one page that was read, where it names no other; redirects on the way to it do not count."""
    states = frontier.states()
    redirected = states.get(State.REDIRECTED, 0)
    if states.get(State.OK) != 1 or frontier.visited() != 1 + redirected or frontier.unfollowed():
        return None
    if sum(frontier.counts().values()) != frontier.visited():
        return None
    return "the redirect target of the start page" if redirected else "the start page"


def _of_addresses(frontier: CrawlFrontier) -> list[str]:
    counts = frontier.counts()
    reasons = []
    # a page that was requested under one session is not requested under another, and nothing is missed by that
    if trapped := counts.get(Fate.TRAPPED, 0) - frontier.trapped(TrapKind.SESSION):
        reasons.append(f"{_addresses(trapped)} skipped as a crawler trap")
    if no_rules := counts.get(Fate.NO_RULES):
        why = frontier.meta("no_rules") or ""
        said = f"robots.txt could not be read{f' ({why})' if why else ''}, so nothing was fetched"
        alone = frontier.visited() == 0
        reasons.append(said if alone else f"{_addresses(no_rules)} not requested: {said}")
    reasons.extend(_of_start(frontier))
    return reasons


def _of_start(frontier: CrawlFrontier) -> list[str]:
    start = next(frontier.rows("p.via = ?", (Via.START,)), None)
    if start is None:
        return []
    if start.fate is Fate.FORBIDDEN:
        return ["robots.txt disallows the start page"]
    visit = start.visit
    if visit is not None and visit.state is State.GONE:
        return [f"the start page is missing ({visit.reason})"]
    if visit is not None and visit.state is State.REDIRECTED and State.OK not in frontier.states():
        return [f"the start page redirects to {visit.final_url}, where nothing could be read"]
    return []
