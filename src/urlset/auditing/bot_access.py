"""Listed pages and robots.txt → for each crawler of search engines and AI services, how many it may fetch."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable

import msgspec

from urlset.reading.host_robots import Access, HostRobots
from urlset.reading.robots_match import groups_for
from urlset.spec.crawlers import CRAWLERS, Purpose


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
        self._alike: dict[str, tuple[tuple[str, ...], ...]] = {}
        """origin → crawlers that obey the same lines of its robots.txt; one of them decides for all"""
        self._closed: Counter[str] = Counter()
        self._known = 0

    def add(self, url: str) -> None:
        robots = self._robots(url)
        if robots is None or robots.access is Access.NOTHING:
            return
        self._known += 1
        for bots in self._groups(robots):
            if not robots.match(bots[0], url).allowed:
                self._closed.update(bots)

    def _groups(self, robots: HostRobots) -> tuple[tuple[str, ...], ...]:
        found = self._alike.get(robots.origin)
        if found is None:
            found = self._alike[robots.origin] = _alike(robots)
        return found

    def rows(self) -> tuple[BotAccess, ...]:
        if not self._known:
            return ()
        return tuple(
            BotAccess(
                each.token,
                each.operator,
                each.purpose,
                self._known - self._closed[each.token],
                self._known,
                each.source,
            )
            for each in CRAWLERS
        )


def _alike(robots: HostRobots) -> tuple[tuple[str, ...], ...]:
    if robots.robots is None:
        return ()
    groups: dict[tuple[object, ...], list[str]] = {}
    for each in CRAWLERS:
        lines = tuple(id(group) for group in groups_for(robots.robots, each.token))
        if lines:  # Google compares escapes in its own way
            groups.setdefault((each.operator == "Google", *lines), []).append(each.token)
    return tuple(map(tuple, groups.values()))
