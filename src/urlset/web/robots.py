"""Origins → their robots.txt, each requested once, kept for a day, and its Crawl-delay given to the pace."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Awaitable, Callable
from datetime import UTC, datetime, timedelta

from urlset.model.answer import Answer, FailureKind
from urlset.reading.host_robots import Access, HostRobots, origin_of
from urlset.spec.protocol import ROBOTS_CACHE_HOURS, ROBOTS_MIN_PARSED_BYTES, ROBOTS_PLACE
from urlset.web.address import target_of
from urlset.web.cache import Cache
from urlset.web.options import WebOptions
from urlset.web.pace import Pace

CAP = ROBOTS_MIN_PARSED_BYTES
MOST_KEPT = 256 << 20
"""bytes, roughly"""
_BYTES_OF_ONE, _BYTES_OF_A_LINE = 4_000, 500
_KEPT = ROBOTS_CACHE_HOURS * 3600.0
_KEPT_FAILURE = 300.0
"""a server that failed may be back soon, and until then it closes its whole site"""

# A robots.txt that cannot be reached for its redirects is treated as absent, as Google does. One that is not in a
# recording forbids nothing: whatever is in there was allowed when it was made.
_AS_ABSENT = frozenset(
    {
        FailureKind.TOO_MANY_REDIRECTS,
        FailureKind.REDIRECT_LOOP,
        FailureKind.BAD_REDIRECT,
        FailureKind.NOT_RECORDED,
    }
)


class RobotsKeeper:
    def __init__(
        self,
        fetch: Callable[[str], Awaitable[Answer]],
        options: WebOptions,
        pace: Pace,
        notices: list[str],
        earlier: Cache | None = None,
    ) -> None:
        """`earlier`: what the run that is being resumed has kept, so its answer of the day stays valid."""
        self._fetch, self._options, self._pace, self._notices, self._earlier = fetch, options, pace, notices, earlier
        self._known: dict[str, tuple[float, HostRobots]] = {}
        self._asking: dict[str, asyncio.Lock] = {}
        self._weight = 0

    async def of(self, url: str) -> HostRobots:
        origin = origin_of(url)
        if origin is None:
            return HostRobots.unrestricted(url)
        found = self._fresh(origin)
        if found is not None:
            return found
        async with self._asking.setdefault(origin, asyncio.Lock()):
            found = self._fresh(origin)
            if found is None:
                found = await self._ask(origin)
                kept = _KEPT_FAILURE if found.access is Access.NOTHING else _KEPT
                self._keep(origin, time.monotonic() + kept, found)
        return found

    def _keep(self, origin: str, until: float, found: HostRobots) -> None:
        """Of very many hosts the earliest are forgotten, and requested again if they are ever met again."""
        self._forget(origin)
        self._known[origin] = (until, found)
        self._weight += _weight(found)
        while self._weight > MOST_KEPT and len(self._known) > 1:
            self._forget(next(iter(self._known)))

    def _forget(self, origin: str) -> None:
        known = self._known.pop(origin, None)
        if known is not None:
            self._weight -= _weight(known[1])
            lock = self._asking.get(origin)
            if lock is not None and not lock.locked():
                del self._asking[origin]

    def _fresh(self, origin: str) -> HostRobots | None:
        known = self._known.get(origin)
        return known[1] if known is not None and time.monotonic() < known[0] else None

    async def _ask(self, origin: str) -> HostRobots:
        url = origin + ROBOTS_PLACE
        answer = self._of_today(url) or await self._fetch(url)
        found = judged(origin, answer)
        self._set_delay(url, found)
        return found

    def _of_today(self, url: str) -> Answer | None:
        kept = self._earlier.find(url) if self._earlier is not None else None
        if kept is None:
            return None
        try:
            age = datetime.now(UTC) - datetime.fromisoformat(kept.moment)
        except (ValueError, TypeError):  # not what we wrote
            return None
        return kept.as_answer(CAP) if timedelta() <= age <= timedelta(seconds=_KEPT) else None

    def _set_delay(self, url: str, found: HostRobots) -> None:
        wanted = found.crawl_delay(self._options.token) if self._options.obey_crawl_delay else None
        if not wanted:
            return
        host = target_of(url).host
        longest = self._options.max_crawl_delay
        if not wanted <= longest:
            self._notices.append(f"{host} sets Crawl-delay to {wanted:g} seconds; waiting {longest:g}")
            wanted = longest
        self._pace.host(host).set_min_delay(wanted)


def _weight(robots: HostRobots) -> int:
    body = len(robots.answer.body) if robots.answer is not None else 0
    lines = len(robots.robots.lines) if robots.robots is not None else 0
    return _BYTES_OF_ONE + body + _BYTES_OF_A_LINE * lines


def judged(origin: str, answer: Answer) -> HostRobots:
    if answer.failure is not None and answer.failure.kind in _AS_ABSENT:
        return HostRobots(origin, Access.EVERYTHING, None, answer)
    if answer.failure is None and answer.status is not None and 300 <= answer.status < 400:
        return HostRobots(origin, Access.EVERYTHING, None, answer)  # a redirect without a target
    return HostRobots.of(origin, answer)
