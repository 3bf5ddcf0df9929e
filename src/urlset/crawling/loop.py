"""A frontier and a client → every page of the site asked politely, each written down as it comes."""

from __future__ import annotations

import asyncio
from collections import deque
from collections.abc import Awaitable, Callable, Iterable, Sequence
from enum import StrEnum
from typing import TYPE_CHECKING, NamedTuple

from urlset.crawling.find import Finder
from urlset.crawling.found import NO_ROW, Fate, Length, Looked, Via
from urlset.crawling.frontier import CrawlFrontier, Find, LinkSource, Placed, QueuedUrl
from urlset.crawling.normalise import address_of
from urlset.crawling.scope import DOCUMENT_ENDINGS, CrawlLimits, Scope, ending_of, origin_of_url, robots_fate
from urlset.crawling.traps import TrapWatch, chains
from urlset.model.page import join
from urlset.model.visit import State, Visit
from urlset.reading.host_robots import Access
from urlset.web.guard import advice

if TYPE_CHECKING:
    from urlset.model.answer import Answer
    from urlset.reading.host_robots import HostRobots
    from urlset.web.client import Client


class CrawlTask(NamedTuple):
    """One request for a page."""

    url: str
    cap: int | None = None
    patient: bool = False
    """the slow second try after a block"""


Fetch = Callable[[CrawlTask], Awaitable[Looked]]
Seeds = Callable[[], Awaitable[Iterable[str]]]
"""addresses that are listed somewhere"""
BLOCKED_IN_A_ROW = 30
"""pages that keep us out, or give no answer at all, before the crawl is given up"""
PATIENT_TRIES = 5
"""slow second tries after a block in one crawl"""
DOCUMENT_CAP = 1 << 16
_READ_AHEAD = 500


class CrawlEnd(StrEnum):
    DONE = "done"
    LIMIT = "limit"
    STOPPED = "stopped"
    KEPT_OUT = "kept out"


class Crawl:
    """One sitting. Made, run once, then asked what came of it."""

    def __init__(
        self,
        frontier: CrawlFrontier,
        client: Client,
        fetch: Fetch,
        scope: Scope,
        watch: TrapWatch,
        *,
        limits: CrawlLimits | None = None,
        obey_robots: bool = True,
        follow_nofollow: bool = False,
    ) -> None:
        """The client must not follow redirects (`max_redirects=0`), so every address is requested once."""
        self._frontier, self._client, self._fetch, self.scope, self._watch = frontier, client, fetch, scope, watch
        self._limits = limits or CrawlLimits()
        self._obey = obey_robots
        self._token = client.options.token
        self._finder = Finder(scope, self._token, watch.today, follow_nofollow=follow_nofollow)
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
        self._frontier.begin(start, self._rule_of(start))
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
            await self._plant(*left.popleft())

    async def _plant(self, via: Via, seeds: Seeds) -> None:
        urls = [found for url in await seeds() if (found := address_of(url)) and self.scope.may_belong(found)]
        for origin in sorted({origin_of_url(url) for url in urls}):
            await self._settle_kin(origin)
        self._frontier.seed((url for url in urls if self.scope.may_belong(url)), via, self._place)

    # asking

    async def _level(self) -> None:
        workers = max(1, min(self._client.options.concurrency, 64))
        async with asyncio.TaskGroup() as group:
            for _ in range(workers):
                group.create_task(self._work())

    async def _work(self) -> None:
        while (page := self._next()) is not None:
            await self._ask(page)

    def _next(self) -> QueuedUrl | None:
        most = self._limits.max_pages
        if self._stopping or (most is not None and self._claimed >= most):
            return None
        if not self._queue:
            self._queue.extend(self._frontier.waiting(self._cursor, _READ_AHEAD))
            if not self._queue:
                return None
            self._cursor = self._queue[-1].id
        self._claimed += 1
        return self._queue.popleft()

    async def _ask(self, page: QueuedUrl) -> None:
        path = page.url.partition("?")[0]
        cap = DOCUMENT_CAP if ending_of(path) in DOCUMENT_ENDINGS else None
        task = CrawlTask(page.url, cap)
        looked = await self._fetch(task)
        if looked.visit.state is State.BLOCKED and self._patient < PATIENT_TRIES and not self._stopping:
            self._patient += 1
            looked = await self._fetch(task._replace(patient=True))
        self._in_a_row = self._in_a_row + 1 if is_unanswered(looked.visit) else 0
        if self._in_a_row >= BLOCKED_IN_A_ROW and not self._stopping:
            self._stopping = self._kept_out = True
        self._keep(page, looked)

    def _keep(self, page: QueuedUrl, looked: Looked) -> None:
        brought = self._finder.find(page, looked)
        if self._starting:
            self._follow_start(brought.finds)
        self._frontier.save(page.id, looked.visit, looked.kept, *brought, is_shell=looked.is_shell)
        self.visited += 1
        self.asked += 1
        self.waiting -= 1
        self.depth = page.depth
        if self.on_page is not None:
            self.on_page(self)

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
        return self._frontier.promote(self._place, self._limits.max_depth)

    async def _rules(self) -> None:
        for origin in sorted(self.scope.origins) if self._obey else ():
            robots = self._robots[origin] = await self._client.robots(f"{origin}/")
            if robots.access is Access.NOTHING:
                self._frontier.remember(no_rules=why_unread(robots))

    def may_ask(self, url: str) -> bool:
        """robots.txt of the site has nothing against it."""
        return self._rule_of(url) is Fate.ASK

    def _rule_of(self, url: str) -> Fate:
        robots = self._robots.get(origin_of_url(url))
        return Fate.ASK if robots is None else robots_fate(robots, self._token, url)

    async def _settle_kin(self, origin: str) -> None:
        """The same host by another scheme or with www: ours when its front page leads to us."""
        if not self.scope.unsettled(origin):
            return
        front = f"{origin}/"
        belongs = False
        if not self._obey or robots_fate(await self._client.robots(front), self._token, front) is Fate.ASK:
            target = redirect_target(await self._client.get(front, cap=1))
            belongs = target is not None and origin_of_url(target) in (self.scope.home, *self.scope.kin)
        self.scope.settle(origin, belongs=belongs)
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
        return [self._place_one(url, source, length) for url, length in zip(urls, rows, strict=True)]

    def _place_one(self, url: str, source: LinkSource, length: Length) -> Placed:
        fate = self.scope.fate_of(url)
        if fate is Fate.ASK:
            fate = self._rule_of(url)
        if fate is not Fate.ASK:
            return Placed(fate)
        trap = self._watch.judge(url, source.url, length) or self._watch.judge_hops(url, source.hops)
        if trap is not None:
            return Placed(Fate.TRAPPED, length, trap)
        self._watch.accept(url)
        self.waiting += 1
        return Placed(Fate.ASK, length)


def is_unanswered(visit: Visit) -> bool:
    """We were kept out, or could not reach the server: worth asking again another day."""
    return visit.state is State.BLOCKED or (visit.status is None and visit.state is not State.OK)


def why_unread(robots: HostRobots) -> str:
    """What came instead of a robots.txt."""
    answer = robots.answer
    if answer is None or answer.failure is None:
        return f"the server answered {answer.status}" if answer is not None else "it was not requested"
    return f"{answer.failure}{advice(answer)}"


def redirect_target(answer: Answer) -> str | None:
    """Where the first request was sent on to, absolute; None where it was not, or nowhere."""
    if not answer.hops:
        return None
    hop = answer.hops[0]
    return join(hop.url, hop.location)
