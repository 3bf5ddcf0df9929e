"""A store of listed pages and a client → every page asked politely, each answer written down as it comes."""

from __future__ import annotations

import asyncio
import time
from collections import Counter
from collections.abc import Callable
from enum import StrEnum
from typing import TYPE_CHECKING, NamedTuple

import msgspec

from urlset.auditing.error_probe import ErrorProbe, probe_of, probe_urls
from urlset.auditing.facts import renewed, seen_of
from urlset.auditing.session_lanes import NO_HOST, Lane, Lanes
from urlset.auditing.session_writer import Writer, pack_text
from urlset.auditing.store import Result, Store, Waiting, What
from urlset.model.visit import State, Visit
from urlset.reading.host_robots import Access, HostRobots
from urlset.web.validators import Validators

if TYPE_CHECKING:
    from urlset.model.answer import Answer
    from urlset.web.client import Client

BLOCKED_IN_A_ROW = 12
"""answers by which a host keeps us out before it is left alone"""
BLOCKED_AGAIN = 3
"""the same for the slow second try"""
MOST_ATTEMPTS = 2
"""a page that was under way so often when urlset was killed is not asked again in the same run"""
MEDIA_CAP = 1 << 16
"""bytes of an image or a video that are read: only that it answers is wanted"""
_READ_AHEAD = 256
_GRACE = 3.0
"""seconds that answers under way are waited for when the user has had enough"""
_TICK = 0.25


class Ended(StrEnum):
    FINISHED = "finished"
    STOPPED = "stopped"
    OUT_OF_TIME = "out of time"
    OUT_OF_PAGES = "out of pages"


class SessionOptions(msgspec.Struct, frozen=True, kw_only=True):
    """How pages are asked; what the client does by itself is in WebOptions."""

    obey_robots: bool = True
    conditional: bool = False
    """earlier answers are known: ask whether they still hold"""
    max_pages: int | None = None
    max_seconds: float | None = None


class _Host(NamedTuple):
    """What is known of a host before its first page is asked for."""

    robots: HostRobots | None = None
    probe: ErrorProbe | None = None
    """how it answers addresses that cannot exist"""


class Session:
    """One sitting. Made, run once, then asked what came of it."""

    def __init__(
        self,
        store: Store,
        client: Client,
        options: SessionOptions | None = None,
        *,
        watch: Callable[[Session], None] | None = None,
    ) -> None:
        self._store, self._client = store, client
        self._options = options or SessionOptions()
        self._watch = watch
        web = client.options
        self._lanes = Lanes(1 if web.delay > 0 else web.concurrency)
        self._writer = Writer(store)
        self._origins: dict[str, asyncio.Task[_Host]] = {}
        self._probes = store.probes()
        self._cursor = -1
        self._source: Callable[[int, int], list[Waiting]] = store.waiting
        self._exhausted = False
        self._second_round = False
        self._stopping = False
        self._changed = asyncio.Event()
        self._deadline = None if self._options.max_seconds is None else time.monotonic() + self._options.max_seconds
        self.total = store.count(chosen=True)
        self.states = Counter({state.value: count for what in What for state, count in store.states(what).items()})
        self.asked = 0
        """requests for pages in this sitting"""
        self.shut: set[str] = set()
        """origins that keep us out and were given up"""
        self.ended = Ended.FINISHED

    @property
    def done(self) -> int:
        return sum(self.states.values())

    def stop(self) -> None:
        """Ask no more; answers under way are still waited for, briefly."""
        self._stopping = True
        self.ended = Ended.STOPPED
        self._changed.set()

    async def run(self) -> Ended:
        ticker = asyncio.create_task(self._tick()) if self._watch else None
        try:
            self._requeue_interrupted()
            await self._round()
            if not self._stopping:
                self._start_second_round()
                await self._round()
            if not self._stopping:
                self._give_up_shut_hosts()
        finally:
            if ticker is not None:
                ticker.cancel()
            for task in self._origins.values():
                task.cancel()
            self._writer.flush()
        return self.ended

    # rounds

    def _requeue_interrupted(self) -> None:
        """Pages that were under way when the last sitting was killed come first."""
        given_up: list[Result] = []
        for page in self._store.under_way():
            if page.attempts >= MOST_ATTEMPTS:
                reason = f"urlset was killed {page.attempts} times while asking for it"
                given_up.append(Result(page.id, Visit(url=page.url, state=State.UNKNOWN, reason=reason)))
            else:
                self._lanes.add(page)
        self._store.save(given_up)
        self.states.update(each.visit.state.value for each in given_up)

    def _start_second_round(self) -> None:
        """Slowly, once more: the pages that were blocked, then what was not asked of hosts that blocked everything."""
        self._lanes.reopen()
        self.shut.clear()
        self._second_round = True
        self._source, self._cursor, self._exhausted = self._store.to_ask_again, -1, False

    def _give_up_shut_hosts(self) -> None:
        """What no host that keeps us out was asked for is unknown, not blocked: nobody looked."""
        after = -1
        while self.shut and (left := self._store.waiting(after, _READ_AHEAD)):
            after = left[-1].position
            reason = "not asked: the host blocks urlset"
            self._store.save(
                [Result(each.id, Visit(url=each.url, state=State.UNKNOWN, reason=reason)) for each in left]
            )
            self.states[State.UNKNOWN.value] += len(left)

    async def _round(self) -> None:
        web = self._client.options
        self._refill()
        count = min(web.total_concurrency, max(1, self.total))
        workers = [asyncio.create_task(self._work()) for _ in range(count)]
        try:
            await self._all(workers)
        finally:
            for worker in workers:
                worker.cancel()
            await asyncio.gather(*workers, return_exceptions=True)

    async def _all(self, workers: list[asyncio.Task[None]]) -> None:
        waiting: set[asyncio.Task[None]] = set(workers)
        grace: float | None = None
        while waiting:
            if self._stopping and grace is None:
                grace = time.monotonic() + _GRACE
            left = None if grace is None else max(0.0, grace - time.monotonic())
            if left == 0.0:
                return
            pause = min(_TICK, left) if left is not None else _TICK
            done, waiting = await asyncio.wait(waiting, timeout=pause, return_when=asyncio.FIRST_EXCEPTION)
            for task in done:
                task.result()

    async def _tick(self) -> None:
        assert self._watch is not None
        while True:
            self._watch(self)
            await asyncio.sleep(_TICK)

    # workers

    async def _work(self) -> None:
        result: Result | None = None
        while True:
            taken = self._take()
            if taken is None:
                if result is not None:
                    await self._writer.turn(result, None)
                    result = None
                    continue
                if self._stopping or (self._exhausted and not self._lanes.running and not self._lanes.queued):
                    self._changed.set()
                    return
                self._changed.clear()
                await self._changed.wait()
                continue
            lane, page = taken
            await self._writer.turn(result, page.id)
            result = None
            try:
                result = await self._ask(lane, page)
            except asyncio.CancelledError:
                self._writer.put_back(page.id)
                raise
            finally:
                self._lanes.done(lane)
                self._changed.set()

    def _take(self) -> tuple[Lane, Waiting] | None:
        if self._stopping:
            return None
        if self._deadline is not None and time.monotonic() >= self._deadline:
            self._end(Ended.OUT_OF_TIME)
            return None
        if self._options.max_pages is not None and self.asked >= self._options.max_pages:
            if self._more_is_waiting():
                self._end(Ended.OUT_OF_PAGES)
            return None
        if not self._exhausted and self._lanes.queued < _READ_AHEAD // 4:
            self._refill()
        taken = self._lanes.take()
        self.asked += taken is not None
        return taken

    def _more_is_waiting(self) -> bool:
        self._refill()
        return self._lanes.queued > 0

    def _end(self, how: Ended) -> None:
        self._stopping, self.ended = True, how

    def _refill(self) -> None:
        while not self._exhausted and self._lanes.queued < _READ_AHEAD:
            found = self._source(self._cursor, _READ_AHEAD)
            for page in found:
                self._lanes.add(page)
            if found:
                self._cursor = found[-1].position
            elif self._second_round and self._source == self._store.to_ask_again:
                self._source, self._cursor = self._store.waiting, -1
            else:
                self._exhausted = True

    async def _ask(self, lane: Lane, page: Waiting) -> Result:
        host = await self._host(lane, page.url)
        refusal = self._refusal(host.robots, page.url)
        if refusal is not None:
            return self._count(Result(page.id, Visit(url=page.url, state=State.UNKNOWN, reason=refusal)))
        known = self._store.earlier(page.id) if self._options.conditional or self._second_round else None
        validators = _validators(known[0]) if known else None
        patient = self._second_round and (lane.blocked > 0 or lane.tried == 0)
        lane.tried += 1
        cap = MEDIA_CAP if page.kind is not What.PAGE else None
        answer = await self._client.get(page.url, cap=cap, validators=validators, patient=patient)
        result = _understood(page, answer, known, host.probe)
        self._judge_host(lane, result.visit)
        again = result.visit.state is State.BLOCKED and not self._second_round
        if self._second_round and known is not None and known[0].state is State.BLOCKED:
            self.states[State.BLOCKED.value] -= 1
        return self._count(result._replace(again=again))

    def _count(self, result: Result) -> Result:
        self.states[result.visit.state.value] += 1
        return result

    def _judge_host(self, lane: Lane, visit: Visit) -> None:
        lane.blocked = lane.blocked + 1 if visit.state is State.BLOCKED else 0
        if not lane.shut and lane.blocked >= (BLOCKED_AGAIN if self._second_round else BLOCKED_IN_A_ROW):
            self._lanes.shut(lane)
            self.shut.add(lane.origin)

    # hosts

    async def _host(self, lane: Lane, url: str) -> _Host:
        """robots.txt and error page of a host, asked once; the first worker asks, the others wait for it."""
        if lane.origin == NO_HOST:
            return _Host()
        task = self._origins.get(lane.origin)
        if task is None:
            task = self._origins[lane.origin] = asyncio.create_task(self._meet(lane, url))
        return task.result() if task.done() else await asyncio.shield(task)

    async def _meet(self, lane: Lane, url: str) -> _Host:
        robots = await self._client.robots(url)
        self._store.keep_robots(lane.origin, robots.answer)
        web = self._client.options
        if web.obey_crawl_delay and robots.crawl_delay(web.token):
            lane.limit = 1
        return _Host(robots, await self._probe(lane.origin, robots, url))

    async def _probe(self, origin: str, robots: HostRobots, url: str) -> ErrorProbe | None:
        """What the host shows for an address that cannot exist; asked once in a run, also when that was killed."""
        kept = self._probes.get(origin)
        if kept is not None:
            return msgspec.msgpack.decode(kept, type=ErrorProbe | None)
        allowed = [each for each in probe_urls(url) if self._refusal(robots, each) is None]
        answers = [await self._client.get(each) for each in allowed]
        probe = probe_of(answers)
        self._store.keep_probe(origin, msgspec.msgpack.encode(probe))
        return probe

    def _refusal(self, robots: HostRobots | None, url: str) -> str | None:
        """Why the address may not be asked for."""
        if robots is None or not self._options.obey_robots:
            return None
        if robots.access is Access.NOTHING:
            answer = robots.answer
            said = str(answer.failure) if answer and answer.failure else f"status {answer.status if answer else '?'}"
            return f"robots.txt could not be fetched ({said}), so nothing may be fetched for now"
        if not robots.match(self._client.options.token, url).allowed:
            return f"robots.txt forbids {self._client.options.token} to fetch it"
        return None


def _understood(
    page: Waiting, answer: Answer, known: tuple[Visit, bytes | None] | None, probe: ErrorProbe | None
) -> Result:
    """What is kept of an answer; of one that says "not modified", what was known."""
    try:
        if answer.not_modified and known is not None:
            return Result(page.id, renewed(known[0], answer), known[1])
        seen = seen_of(answer, baseline=probe)
    except Exception as error:  # noqa: BLE001 - one page that breaks the reader must not end the audit
        reason = f"urlset could not read the answer: {type(error).__name__}: {error}"
        return Result(page.id, Visit(url=page.url, state=State.UNKNOWN, reason=reason, status=answer.status))
    if page.kind is What.PAGE:
        return Result(page.id, seen.visit, pack_text(seen.blocks, seen.words))
    return Result(page.id, seen.visit, msgspec.msgpack.encode(msgspec.structs.replace(answer, body=b"")))


def _validators(visit: Visit) -> Validators | None:
    """Only for a page that answered by itself: after a redirect they belong to another address."""
    if visit.status != 200 or visit.hops or visit.state is not State.OK or visit.failure is not None:
        return None
    asked = Validators(visit.etag, visit.last_modified)
    return asked or None
