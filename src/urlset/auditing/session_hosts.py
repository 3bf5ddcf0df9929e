"""A host that is met for the first time → its robots.txt and error page, and what may be asked of it."""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING, NamedTuple

import msgspec

from urlset.auditing.generator_signs import GeneratorSigns
from urlset.auditing.robots_gate import RobotsGate, is_unreachable
from urlset.auditing.session_queues import NO_HOST, HostQueue
from urlset.auditing.soft404 import ErrorProbe, probe_of, probe_urls
from urlset.auditing.store import AuditStore
from urlset.reading.host_robots import HostRobots

if TYPE_CHECKING:
    from urlset.web.client import Client

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

    def knows(self, host_queue: HostQueue) -> bool:
        """Whether nothing needs to be requested before its pages."""
        task = self._met.get(host_queue.origin)
        return host_queue.origin == NO_HOST or (task is not None and task.done())

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

    @property
    def searches(self) -> bool:
        """Whether the next page is searched for signs of the program that made the site."""
        return self._searched < _PAGES_SEARCHED

    def found_generators(self, names: tuple[str, ...]) -> None:
        """What one of the first pages showed."""
        if self.searches:
            self._searched += 1
            self._signs.add(names)
            self._store.remember(generators=",".join(each.name for each in self._signs.found()))
