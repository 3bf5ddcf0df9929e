"""A robots.txt → whether a page may be requested, and what is said of one that is not."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable
from typing import TYPE_CHECKING

import msgspec

from urlset.auditing.facts import seen_of
from urlset.model.answer import Answer, FailureKind
from urlset.model.errors import UrlsetError
from urlset.model.visit import State, Visit
from urlset.reading.host_robots import Access, HostRobots
from urlset.spec.engines import CRAWLERS, Purpose
from urlset.web.guard import advice

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


class LeavesShareError(UrlsetError):
    """A redirect leads to a host that another process requests."""


class RobotsGate:
    def __init__(self, client: Client, *, ignore_robots: bool, is_ours: Callable[[str], bool] | None = None) -> None:
        """`is_ours`: whether the host of an address is requested by this process; by default every host is."""
        self._client, self._ignore_robots, self._is_ours = client, ignore_robots, is_ours

    def unasked(self, robots: HostRobots | None, url: str) -> Visit | None:
        """The result for a page that is not requested: robots.txt disallows it, or the host is unreachable."""
        unreachable = is_unreachable(robots)
        if unreachable is not None:
            return seen_of(msgspec.structs.replace(unreachable, url=url, final_url=url)).visit
        refusal = self.refusal(robots, url)
        return None if refusal is None else Visit(url=url, state=State.UNKNOWN, reason=refusal)

    async def on_the_way(self, url: str) -> str | None:
        """Why a redirect to that address is not followed; if the host is unreachable, following it shows the error.

        Raises LeavesShareError.
        """
        if self._is_ours is not None and not self._is_ours(url):
            raise LeavesShareError(url)
        if self._ignore_robots:
            return None
        robots = await self._client.robots(url)
        failure = robots.answer.failure if robots.answer is not None else None
        return None if failure is not None and failure.kind in _KNOWN_BY_REQUEST else self.refusal(robots, url)

    def refusal(self, robots: HostRobots | None, url: str) -> str | None:
        """Why the address may not be requested."""
        if robots is None or self._ignore_robots:
            return None
        if robots.access is Access.NOTHING:
            answer = robots.answer
            failed = f"{answer.failure}{advice(answer)}" if answer and answer.failure else None
            said = failed or f"status {answer.status if answer else '?'}"
            return f"robots.txt could not be fetched ({said}), so no page was requested"
        if not robots.match(self._client.options.token, url).allowed:
            return f"robots.txt disallows {self._client.options.token}"
        return None


def is_unreachable(robots: HostRobots | None) -> Answer | None:
    """How the host failed before it could say anything about itself."""
    answer = robots.answer if robots is not None else None
    if answer is None or answer.hops or answer.failure is None or answer.failure.kind not in _NOBODY:
        return None
    return answer


# Listed pages and robots.txt → for each crawler of search engines and AI services, how many it may fetch.


class BotAccess(msgspec.Struct, frozen=True):
    bot: str
    operator: str
    purpose: Purpose
    allowed: int
    """listed pages that robots.txt lets it fetch"""
    listed: int
    """pages of hosts whose robots.txt is known"""
    source: str
    """where the operator names it"""

    @property
    def closed(self) -> int:
        return self.listed - self.allowed


class BotTally:
    """Counts every listed page."""

    def __init__(self, robots: Callable[[str], HostRobots | None]) -> None:
        self._robots = robots
        self._closed: Counter[str] = Counter()
        self._known = 0

    def add(self, url: str) -> None:
        robots = self._robots(url)
        if robots is None or robots.access is Access.NOTHING:
            return
        self._known += 1
        self._closed.update(each.token for each in CRAWLERS if not robots.match(each.token, url).allowed)

    def rows(self) -> tuple[BotAccess, ...]:
        if not self._known:
            return ()
        known, closed = self._known, self._closed
        return tuple(
            BotAccess(each.token, each.operator, each.purpose, known - closed[each.token], known, each.source)
            for each in CRAWLERS
        )
