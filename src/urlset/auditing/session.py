"""A store of listed pages and a client → every page requested at the rate of its host, each answer stored."""

from __future__ import annotations

import asyncio
import time
from collections import Counter, deque
from collections.abc import Callable
from dataclasses import dataclass, field
from enum import StrEnum
from functools import partial
from typing import TYPE_CHECKING, NamedTuple, Protocol

import msgspec

from urlset.auditing.facts import PendingVisit
from urlset.auditing.indexable import is_extra_target
from urlset.auditing.page_look import (
    FAILED,
    AnswerWriter,
    GeneratorSigns,
    deserves_another_try,
    failure_of,
    rendered,
    understood,
    validators_of,
)
from urlset.auditing.page_text import TextSample, pack_text
from urlset.auditing.robots_gate import LeavesShareError, RobotsGate, is_unreachable
from urlset.auditing.sections import path_shape
from urlset.auditing.soft404 import ErrorProbe, probe_of, probe_urls
from urlset.auditing.store import MEDIA, AuditStore, PendingUrl, Result, What
from urlset.model.page import join
from urlset.model.visit import RenderMode, State, Visit
from urlset.reading.host_robots import HostRobots, origin_of

if TYPE_CHECKING:
    from urlset.auditing.second_look import SecondLook
    from urlset.model.answer import Answer
    from urlset.web.client import Client
    from urlset.web.pace import Pause


BLOCKED_IN_A_ROW = 12
"""requests in a row that a host blocks before it is left alone; what the client tried again counts"""
BLOCKED_AGAIN = 3
"""the same for the slow second try"""
FAILED_AGAIN = 5
"""pages that failed alike and fail on their second try too, after which the others of that host are not asked again"""
MOST_ATTEMPTS = 2
"""a page that was under way so often when urlset was killed is not requested again in the same run"""
COMPARED = 20_000
"""pages of which all texts are read, so long ones are compared with each other too"""
MEDIA_CAP = 1 << 16
"""bytes of an image or a video that are read: only that it answers is wanted"""
_READ_AHEAD = 256
_GRACE = 3.0
"""seconds that answers under way are waited for when the user has had enough"""
_TICK = 0.25


class SessionEnd(StrEnum):
    FINISHED = "finished"
    STOPPED = "stopped"
    OUT_OF_TIME = "out of time"
    OUT_OF_PAGES = "out of pages"
    OUT_OF_BUDGET = "out of pages per host"


RecentVisit = Callable[[str], PendingVisit | None]


class RequestSettings(Protocol):
    """What `AuditSettings` say of requests."""

    @property
    def ignore_robots(self) -> bool: ...
    @property
    def max_pages(self) -> int | None: ...
    @property
    def max_pages_per_host(self) -> int | None: ...
    @property
    def max_seconds(self) -> float | None: ...
    @property
    def render(self) -> RenderMode: ...


class WorkerShare(NamedTuple):
    """What one of several workers requests."""

    is_ours: Callable[[str], bool]
    """whether this worker requests the host of an address"""
    pages: int
    """listed in all, because the store has only those of the share"""


class Session:
    """One sitting: made, run once, then asked what came of it."""

    def __init__(
        self,
        store: AuditStore,
        client: Client,
        settings: RequestSettings,
        *,
        conditional: bool = False,
        recent_visit: RecentVisit | None = None,
        share: WorkerShare | None = None,
        watch: Callable[[Session], None] | None = None,
        second_look: SecondLook | None = None,
    ) -> None:
        """`conditional`: earlier answers are known, so ask whether they still hold.

        `recent_visit`: recent visits, which are not requested again.
        """
        self._store, self._client, self._settings = store, client, settings
        self._conditional, self._recent_visit, self._share = conditional, recent_visit, share
        is_ours = None if share is None else share.is_ours
        self._gate = RobotsGate(client, ignore_robots=settings.ignore_robots, is_ours=is_ours)
        self._second_look, self._rendering = second_look, 0
        self._watch = watch
        web = client.options
        self._queues = HostQueues(1 if web.delay > 0 else web.concurrency, settings.max_pages_per_host)
        self._writer = AnswerWriter(store)
        self._hosts = Hosts(store, client, self._gate)
        pages = store.count(chosen=True, kind=What.PAGE) if share is None else share.pages
        self._reads_all = pages <= COMPARED
        self._sample = TextSample(pages)
        self._cursor = -1
        self._sources: list[Callable[[int, int], list[PendingUrl]]] = [store.waiting]
        self._exhausted = False
        self._second_round = False
        self._left: set[int] = set()
        """pages that redirect to hosts of other workers"""
        self._extra_targets = ExtraTargets(store)
        self._stopping = False
        self._running: set[asyncio.Task[None]] = set()
        """one for each page that is being requested"""
        self._most = 1
        self._error: BaseException | None = None
        self._deadline = None if settings.max_seconds is None else time.monotonic() + settings.max_seconds
        self.total = store.count(chosen=True)
        self.states = Counter({state.value: count for what in What for state, count in store.states(what).items()})
        self.asked = 0
        """requests for pages in this sitting"""
        self.shut: set[str] = set()
        """origins that block urlset and were given up, or a part of them"""
        self.left_out: Counter[str] = Counter()
        """pages that such an origin was not requested"""
        self.ended = SessionEnd.FINISHED

    @property
    def done(self) -> int:
        return sum(self.states.values())

    @property
    def standing(self) -> tuple[int | None, Pause | None]:
        """The next pages to retry, None before that round; and what delays every request now."""
        return self._queues.queued + self._queues.running if self._second_round else None, self._client.pause

    def stop(self) -> None:
        """Ask no more; answers under way are still waited for, briefly."""
        self._end(SessionEnd.STOPPED)

    async def run(self) -> SessionEnd:
        ticker = asyncio.create_task(_ticking(partial(self._watch, self))) if self._watch else None
        try:
            self._requeue_interrupted()
            await self._round()
            if not self._stopping and self._extra_targets and self._share is None:
                self._cursor, self._exhausted = -1, False
                await self._round()
            if not self._stopping:
                # slowly, once more: what blocking hosts were not requested, pages that failed, pages that were blocked
                self._queues.reopen()
                self.shut.clear()
                self._second_round = self._extra_targets.closed = True
                retries = (partial(self._store.to_retry, blocked=blocked) for blocked in (False, True))
                self._sources = [self._store.waiting, *retries]
                self._cursor, self._exhausted = -1, False
                await self._round()
            if not self._stopping:
                self._give_up_shut_hosts()
                self.ended = SessionEnd.OUT_OF_BUDGET if self._queues.over_budget else SessionEnd.FINISHED
        finally:
            if ticker is not None:
                ticker.cancel()
            self._hosts.close()
            self._writer.flush()
        return self.ended

    # rounds

    def _requeue_interrupted(self) -> None:
        """Pages that were under way when the last sitting was killed come first."""
        given_up: list[Result] = []
        for page in self._store.under_way():
            if page.attempts < MOST_ATTEMPTS:
                self._queues.add(page)
                continue
            reason = f"urlset was killed {page.attempts} times during this request"
            moment = self._store.meta("started") or ""
            visit = Visit(url=page.url, state=State.UNKNOWN, reason=reason, moment=moment)
            given_up.append(Result(page.id, visit))
        self._store.save(given_up)
        self.states.update(each.visit.state.value for each in given_up)

    def _give_up_shut_hosts(self) -> None:
        """Pages not requested because their host blocks urlset are unknown, not blocked."""
        after = -1
        while self.shut and (left := self._store.waiting(after, _READ_AHEAD)):
            after = left[-1].position
            left = [each for each in left if (origin_of(each.url) or NO_HOST) in self.shut]
            reason = "not requested: the host blocks urlset"
            self._store.save(
                [Result(each.id, Visit(url=each.url, state=State.UNKNOWN, reason=reason)) for each in left]
            )
            self.states[State.UNKNOWN.value] += len(left)
            self.left_out.update(origin_of(each.url) or NO_HOST for each in left)

    async def _round(self) -> None:
        """Request pages until there are none left: the end of each starts the next."""
        self._most = min(self._client.options.total_concurrency, max(1, self.total))
        grace: float | None = None
        try:
            self._start_pages()
            while self._running and self._error is None:
                await asyncio.wait(self._running, timeout=_TICK)
                if grace is not None and (time.monotonic() >= grace or not self._client.under_way + self._rendering):
                    break
                if self._stopping and grace is None:
                    grace = time.monotonic() + _GRACE  # from now on no page is started
        finally:
            running = list(self._running)
            for task in running:
                task.cancel()
            await asyncio.gather(*running, return_exceptions=True)
        if self._error is not None:
            raise self._error
        self._writer.flush()

    def _start_pages(self) -> None:
        while len(self._running) < self._most and (taken := self._take()) is not None:
            task = asyncio.create_task(self._request(*taken))
            self._running.add(task)
            task.add_done_callback(self._requested)
        asyncio.get_running_loop().call_soon(self._called_back, self._writer.flush)  # with what is marked in this turn

    def _requested(self, task: asyncio.Task[None]) -> None:
        self._running.discard(task)
        if task.cancelled():
            return
        self._error = self._error or task.exception()
        if self._error is None:
            self._called_back(self._start_pages)

    def _called_back(self, work: Callable[[], None]) -> None:
        """The loop would only print an exception of a callback, and the audit go on without what failed."""
        try:
            work()
        except Exception as error:  # noqa: BLE001 - raised by `_round`
            self._error = error

    async def _request(self, host_queue: HostQueue, page: PendingUrl) -> None:
        try:
            host = await self._hosts.of(host_queue, page.url)
            self._writer.add(await self._ask(host_queue, host, page))
        except LeavesShareError:
            self._left.add(page.id)
            self._writer.put_back(page.id)
        except asyncio.CancelledError:
            self._writer.put_back(page.id)
            raise
        finally:
            self._queues.done(host_queue)

    def _take(self) -> tuple[HostQueue, PendingUrl] | None:
        if self._stopping:
            return None
        if self._deadline is not None and time.monotonic() >= self._deadline:
            self._end(SessionEnd.OUT_OF_TIME)
            return None
        if self._settings.max_pages is not None and self.asked >= self._settings.max_pages:
            self._refill()
            if self._queues.queued:
                self._end(SessionEnd.OUT_OF_PAGES)
            return None
        if not self._exhausted and self._queues.queued < _READ_AHEAD // 4:
            self._refill()
        taken = self._queues.take()
        self.asked += taken is not None
        return taken

    def _end(self, how: SessionEnd) -> None:
        self._stopping, self.ended = True, how

    def _refill(self) -> None:
        while not self._exhausted and self._queues.queued < _READ_AHEAD:
            found = self._sources[0](self._cursor, _READ_AHEAD)
            for page in found:
                if page.id not in self._left and (self._share is None or page.kind is not What.EXTRA_TARGET):
                    self._queues.add(page)
            if found:
                self._cursor = found[-1].position
            elif len(self._sources) > 1:
                del self._sources[0]
                self._cursor = -1
            else:
                self._exhausted = True

    async def _ask(self, host_queue: HostQueue, host: Host, page: PendingUrl) -> Result:
        unasked = self._gate.unasked(host.robots, page.url)
        if unasked is not None:
            return self._count(Result(page.id, unasked))
        recent = self._recent_visit(page.url) if self._recent_visit and not page.again else None
        if recent is not None:
            extra, text = self._extra_targets.of(page, recent.visit), pack_text(recent.blocks, recent.words)
            return self._count(Result(page.id, recent.visit, text, extra_targets=extra))
        known = self._store.earlier(page.id) if self._conditional or page.again else None
        failed = failure_of(known[0]) if page.again and known is not None else None
        if failed and known is not None and host_queue.failed_again[failed] >= FAILED_AGAIN:
            return Result(page.id, *known)
        # HTML that is the same as before says nothing about what its scripts fetch
        mode, validators = self._settings.render, None
        if known and (mode is RenderMode.NEVER or (mode is not RenderMode.ALWAYS and known[0].rendered is None)):
            validators = validators_of(known[0])
        host_queue.tried += 1
        answer = await self._client.get(
            page.url,
            cap=MEDIA_CAP if page.kind in MEDIA else None,
            validators=validators,
            patient=self._second_round and (host_queue.blocked > 0 or host_queue.tried == 1),
            refusal=self._gate.on_the_way,
            # not before: a kill while the page waits for its turn must not count as a request for it
            before_sent=partial(self._writer.mark, page.id),
        )
        self._hosts.search(answer)
        if failed is not None and known is not None:  # what fails twice is judged otherwise than what failed once
            before = known[0].retried or failure_of(known[0]) or ""
            answer = msgspec.structs.replace(answer, tries=answer.tries + known[0].tries, retried=before)
        result = understood(page, answer, known, host.probe, in_full=self._reads_all or page.id in self._sample)
        if self._second_look is not None and page.kind is What.PAGE and not answer.not_modified:
            self._rendering += 1
            try:
                result = await rendered(self._second_look, result, answer, host.probe)
            finally:
                self._rendering -= 1
        if page.again and known is not None:
            self.states[known[0].state.value] -= 1
        if failed:
            host_queue.failed_again[failed] = host_queue.failed_again[failed] + 1 if result.visit.state in FAILED else 0
        self._judge_host(host_queue, result.visit)
        again = not self._second_round and deserves_another_try(result.visit)
        return self._count(result._replace(again=again, extra_targets=self._extra_targets.of(page, result.visit)))

    def _count(self, result: Result) -> Result:
        self.states[result.visit.state.value] += 1
        self.total += len(result.extra_targets)
        return result

    def _judge_host(self, host_queue: HostQueue, visit: Visit) -> None:
        """A host that blocks urlset gets no more requests: first for that part of the site, then for all of it."""
        if visit.state is not State.BLOCKED:
            host_queue.blocked = 0
            host_queue.blocked_shapes.clear()
            return
        host_queue.was_blocked = True
        host_queue.blocked += max(1, visit.tries)
        shape = path_shape(visit.url)
        host_queue.blocked_shapes.add(shape)
        enough = BLOCKED_AGAIN if self._second_round else BLOCKED_IN_A_ROW
        if host_queue.blocked < enough:
            return
        self.shut.add(host_queue.origin)
        if len(host_queue.blocked_shapes) == 1:
            self._queues.close(host_queue, shape)
        elif host_queue.blocked >= enough + BLOCKED_AGAIN and not host_queue.shut:
            self._queues.shut(host_queue)


async def _ticking(show: Callable[[], None]) -> None:
    while True:
        show()
        await asyncio.sleep(_TICK)


# Pages in the order of their listing → one queue for each host, so a slow host does not delay others.

NO_HOST = ""


@dataclass(slots=True, eq=False)
class HostQueue:
    """The pages of one scheme, host and port that come next, and how the host has been behaving."""

    origin: str
    limit: int
    queue: deque[PendingUrl] = field(default_factory=deque)
    running: int = 0
    given: int = 0
    """pages handed out in this run"""
    is_ready: bool = False
    blocked: int = 0
    """requests in a row by which the host blocked the crawler"""
    blocked_shapes: set[str] = field(default_factory=set)
    """the shapes of their paths"""
    closed: set[str] = field(default_factory=set)
    """shapes of paths that are no longer requested: a part of the site that blocks urlset"""
    was_blocked: bool = False
    """it blocked the crawler at least once"""
    failed_again: Counter[str] = field(default_factory=Counter)
    """by how they failed first: pages in a row for which a second try did not help"""
    tried: int = 0
    shut: bool = False
    """it is not asked any more"""

    @property
    def is_free(self) -> bool:
        return bool(self.queue) and self.running < self.limit


class HostQueues:
    """Hands out pages, to no host more at a time than its limit; hosts take turns."""

    def __init__(self, limit: int, budget: int | None = None) -> None:
        self._limit, self._budget = limit, budget
        self.over_budget = False
        """pages are left of a host that had all its budget allows"""
        self._queues: dict[str, HostQueue] = {}
        self._ready: deque[HostQueue] = deque()
        self.queued = 0
        self.running = 0

    def add(self, page: PendingUrl) -> bool:
        """False where the host, or that part of it, gets no more requests."""
        origin = origin_of(page.url) or NO_HOST
        host_queue = self._queues.get(origin)
        if host_queue is None:
            host_queue = self._queues[origin] = HostQueue(origin, self._limit)
        if host_queue.shut or (host_queue.closed and path_shape(page.url) in host_queue.closed):
            return False
        if self._budget is not None and host_queue.given + len(host_queue.queue) >= self._budget:
            self.over_budget = True
            return False
        host_queue.queue.append(page)
        self.queued += 1
        self._offer(host_queue)
        return True

    def take(self) -> tuple[HostQueue, PendingUrl] | None:
        """None when there is nothing, or every host is busy."""
        while self._ready:
            host_queue = self._ready.popleft()
            host_queue.is_ready = False
            if not host_queue.is_free:
                continue
            page = host_queue.queue.popleft()
            host_queue.given += 1
            host_queue.running += 1
            self.queued -= 1
            self.running += 1
            self._offer(host_queue)
            return host_queue, page
        return None

    def done(self, host_queue: HostQueue) -> None:
        host_queue.running -= 1
        self.running -= 1
        self._offer(host_queue)

    def shut(self, host_queue: HostQueue) -> None:
        """What was queued for the host is let go: the store still knows it."""
        host_queue.shut = True
        self.queued -= len(host_queue.queue)
        host_queue.queue.clear()

    def close(self, host_queue: HostQueue, shape: str) -> None:
        """The same for a part of a host."""
        host_queue.closed.add(shape)
        left = [page for page in host_queue.queue if path_shape(page.url) != shape]
        self.queued -= len(host_queue.queue) - len(left)
        host_queue.queue = deque(left)

    def reopen(self) -> None:
        """Every host gets another chance, those that blocked one request at a time."""
        for host_queue in self._queues.values():
            if host_queue.was_blocked:
                host_queue.limit = 1
            host_queue.shut = False
            host_queue.blocked = host_queue.tried = 0
            host_queue.blocked_shapes.clear()
            host_queue.closed.clear()

    def _offer(self, host_queue: HostQueue) -> None:
        if not host_queue.is_ready and host_queue.is_free:
            host_queue.is_ready = True
            self._ready.append(host_queue)


# A host that is met for the first time → its robots.txt and error page, and what may be asked of it.

_PAGES_SEARCHED = 5


def known_generators(store: AuditStore) -> list[str]:
    """Names of programs that pages of this site showed, in this run or an earlier one."""
    return [name for name in (store.meta("generators") or "").split(",") if name]


class Host(NamedTuple):
    """What is known of a host before its first page is requested."""

    robots: HostRobots | None = None
    probe: ErrorProbe | None = None
    """how it answers addresses that cannot exist"""


class Hosts:
    """All hosts of one sitting; each is met once, the first worker asks and the others wait for it."""

    def __init__(self, store: AuditStore, client: Client, gate: RobotsGate) -> None:
        self._store, self._client, self._gate = store, client, gate
        self._met: dict[str, asyncio.Task[Host]] = {}
        self._probes = store.probes()
        self._signs = GeneratorSigns(known_generators(store))
        self._searched = 0

    async def of(self, host_queue: HostQueue, url: str) -> Host:
        if host_queue.origin == NO_HOST:
            return Host()
        task = self._met.get(host_queue.origin)
        if task is None:
            task = self._met[host_queue.origin] = asyncio.create_task(self._meet(host_queue, url))
        return task.result() if task.done() else await asyncio.shield(task)

    def close(self) -> None:
        for task in self._met.values():
            task.cancel()

    async def _meet(self, host_queue: HostQueue, url: str) -> Host:
        robots = await self._client.robots(url)
        self._store.keep_robots(host_queue.origin, robots.answer)
        web = self._client.options
        if web.obey_crawl_delay and robots.crawl_delay(web.token):
            host_queue.limit = 1
        return Host(robots, await self._probe(host_queue.origin, robots, url))

    async def _probe(self, origin: str, robots: HostRobots, url: str) -> ErrorProbe | None:
        """What the host shows for an address that cannot exist; asked once in a run, also when that was killed."""
        kept = self._probes.get(origin)
        if kept is not None:
            return msgspec.msgpack.decode(kept, type=ErrorProbe | None)
        if is_unreachable(robots):
            return None
        allowed = [each for each in probe_urls(url) if self._gate.refusal(robots, each) is None]
        answers = [await self._client.get(each, refusal=self._gate.on_the_way) for each in allowed]
        try:
            probe = probe_of(answers)
        except Exception:  # noqa: BLE001 - an error page that breaks the reader must not end the audit
            probe = None
        self._store.keep_probe(origin, msgspec.msgpack.encode(probe))
        return probe

    def search(self, answer: Answer) -> None:
        """The first pages are searched for signs of the program that made the site."""
        if self._searched < _PAGES_SEARCHED and answer.ok and answer.body:
            self._searched += 1
            self._signs.page(answer.body, answer.headers)
            self._store.remember(generators=",".join(each.name for each in self._signs.found()))


# Visits → addresses to be asked that no sitemap lists: what may have to be listed instead of a page, its versions.
#
# So an entry whose page answers is not replaced by an address that does not, as far as `MOST` goes.

MOST = 1_000
"""in one sitting: where there are more, it is the site as a whole that lists the wrong addresses"""


MOST_VERSIONS = 500
"""language versions in one sitting that no sitemap lists"""
_VERSIONS_OF_PAGE = 50


class ExtraTargets:
    def __init__(self, store: AuditStore) -> None:
        self._store = store
        self._named: set[str] = set()
        self._versions = 0
        self.closed = False
        """nothing more is added: requests now are second tries"""

    def __bool__(self) -> bool:
        return bool(self._named)

    def of(self, page: PendingUrl, visit: Visit) -> tuple[str, ...]:
        """Each address once, and none that is requested anyway."""
        if page.kind is not What.PAGE or self.closed:
            return ()
        target = is_extra_target(visit)
        wanted = [target] if target is not None and len(self._named) < MOST else []
        if visit.state is State.OK and self._versions < MOST_VERSIONS:
            here = visit.final_url or visit.url
            base = (join(here, visit.base_href) if visit.base_href else None) or here
            versions = {join(base, each.href.strip()) for each in visit.alternates[:_VERSIONS_OF_PAGE] if each.href}
            wanted += sorted(url for url in versions if url is not None and url.startswith(("http://", "https://")))
        found = []
        for url in dict.fromkeys(wanted):
            if url not in self._named and not self._store.is_chosen(url):
                self._named.add(url)
                self._versions += url != target
                found.append(url)
        return tuple(found)
