"""A host that is met for the first time → its robots.txt and error page, and what may be asked of it."""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING, NamedTuple

import msgspec

from urlset.auditing.error_probe import ErrorProbe, probe_of, probe_urls
from urlset.auditing.facts import seen_of
from urlset.auditing.generator_signs import GeneratorSigns
from urlset.auditing.session_queues import NO_HOST, HostQueue
from urlset.auditing.store import AuditStore
from urlset.model.answer import Answer, FailureKind
from urlset.model.visit import State, Visit
from urlset.reading.host_robots import Access, HostRobots

if TYPE_CHECKING:
    from urlset.web.client import Client

_NOBODY = frozenset({FailureKind.DNS, FailureKind.REFUSED, *(each for each in FailureKind if each.is_tls)})
"""failures of robots.txt by which no page of that host can do better"""
_KNOWN_BY_REQUEST = _NOBODY | {
    FailureKind.UNREACHABLE,
    FailureKind.CONNECT_TIMEOUT,
    FailureKind.FORBIDDEN_ADDRESS,
    FailureKind.BAD_ADDRESS,
    FailureKind.NOT_RECORDED,
}


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

    def __init__(self, store: AuditStore, client: Client, *, obey_robots: bool) -> None:
        self._store, self._client, self._obey_robots = store, client, obey_robots
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
        if _is_unreachable(robots):
            return None
        allowed = [each for each in probe_urls(url) if self.refusal(robots, each) is None]
        answers = [await self._client.get(each, refusal=self.on_the_way) for each in allowed]
        try:
            probe = probe_of(answers)
        except Exception:  # noqa: BLE001 - an error page that breaks the reader must not end the audit
            probe = None
        self._store.keep_probe(origin, msgspec.msgpack.encode(probe))
        return probe

    def look_for_generator(self, answer: Answer) -> None:
        """In the first pages: what they leave in them shows which program made the site."""
        if self._searched < _PAGES_SEARCHED and answer.ok and answer.body:
            self._searched += 1
            self._signs.page(answer.body, answer.headers)
            self._store.remember(generators=",".join(each.name for each in self._signs.found()))

    def unasked(self, robots: HostRobots | None, url: str) -> Visit | None:
        """The result for a page that is not requested: robots.txt disallows it, or the host is unreachable."""
        unreachable = _is_unreachable(robots)
        if unreachable is not None:
            return seen_of(msgspec.structs.replace(unreachable, url=url, final_url=url)).visit
        refusal = self.refusal(robots, url)
        return None if refusal is None else Visit(url=url, state=State.UNKNOWN, reason=refusal)

    async def on_the_way(self, url: str) -> str | None:
        """Why a redirect to that address is not followed; if the host is unreachable, following it shows the error."""
        if not self._obey_robots:
            return None
        robots = await self._client.robots(url)
        failure = robots.answer.failure if robots.answer is not None else None
        return None if failure is not None and failure.kind in _KNOWN_BY_REQUEST else self.refusal(robots, url)

    def refusal(self, robots: HostRobots | None, url: str) -> str | None:
        """Why the address may not be asked for."""
        if robots is None or not self._obey_robots:
            return None
        if robots.access is Access.NOTHING:
            answer = robots.answer
            said = str(answer.failure) if answer and answer.failure else f"status {answer.status if answer else '?'}"
            return f"robots.txt could not be fetched ({said}), so no page was requested"
        if not robots.match(self._client.options.token, url).allowed:
            return f"robots.txt disallows {self._client.options.token}"
        return None


def _is_unreachable(robots: HostRobots | None) -> Answer | None:
    """How the host failed before it could say anything about itself."""
    answer = robots.answer if robots is not None else None
    if answer is None or answer.hops or answer.failure is None or answer.failure.kind not in _NOBODY:
        return None
    return answer
