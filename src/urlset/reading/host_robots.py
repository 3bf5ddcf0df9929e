"""The answer to a request for robots.txt → what it lets whom fetch, as RFC 9309 and Google read it."""

from __future__ import annotations

from enum import StrEnum
from functools import cached_property, lru_cache

from urlset.model.address import as_written
from urlset.model.answer import Answer
from urlset.model.document import LineKind, Robots
from urlset.model.whatwg import parse_url
from urlset.reading.decode import decode
from urlset.reading.robots import Match, RobotsMatcher, delay_groups, groups_for, matcher_for, read_robots
from urlset.spec.protocol import ROBOTS_MIN_PARSED_BYTES


class Access(StrEnum):
    """What the file, or its absence, means for everyone."""

    RULES = "rules"
    EVERYTHING = "everything"
    """there is no file (4xx): nothing is forbidden"""
    NOTHING = "nothing"
    """the server failed (5xx, 429, no answer): everything is forbidden for now"""


class HostRobots:
    """The robots.txt of one scheme, host and port."""

    def __init__(self, origin: str, access: Access, robots: Robots | None = None, answer: Answer | None = None) -> None:
        self.origin, self.access, self.robots, self.answer = origin, access, robots, answer
        self._matchers: dict[str, RobotsMatcher] = {}

    @classmethod
    def of(cls, origin: str, answer: Answer) -> HostRobots:
        """4xx but 429 means no restriction; a server error, 429 or no answer means keep out for now."""
        if answer.ok:
            data = decode(answer.body[:ROBOTS_MIN_PARSED_BYTES]).data
            return cls(origin, Access.RULES, read_robots(data)[0], answer)
        if answer.failure is None and answer.status is not None and 400 <= answer.status < 500 and answer.status != 429:
            return cls(origin, Access.EVERYTHING, None, answer)
        return cls(origin, Access.NOTHING, None, answer)

    @classmethod
    def unrestricted(cls, origin: str) -> HostRobots:
        return cls(origin, Access.EVERYTHING)

    def match(self, agent: str, url: str) -> Match:
        """Whether the bot of that product token may fetch the address, and by which line."""
        if self.access is Access.EVERYTHING or self.robots is None:
            return Match(self.access is not Access.NOTHING)
        found = self._matchers.get(agent)
        if found is None:
            found = self._matchers[agent] = matcher_for(self.robots, agent)
        return found.match(path_of(url))

    def crawl_delay(self, agent: str) -> float | None:
        """Seconds, where a group for that bot (or for all, where none is) asks for some; the most of several."""
        if self.robots is None:
            return None
        asked = [
            seconds
            for group in groups_for(delay_groups(self.robots), agent)
            for line in group.lines
            if line.kind is LineKind.CRAWL_DELAY and (seconds := _seconds(line.value)) is not None
        ]
        return max(asked, default=None)

    @cached_property
    def sitemaps(self) -> tuple[str, ...]:
        """The addresses of the Sitemap lines, as written."""
        lines = self.robots.sitemaps if self.robots is not None else ()
        return tuple(line.value.strip() for line in lines if line.value.strip())


def _seconds(value: str) -> float | None:
    try:
        return max(0.0, float(value.strip()))
    except ValueError:
        return None


def path_of(url: str) -> str:
    """What robots.txt rules are matched against: path and query as a browser would send them."""
    return _divided(url)[1]


def origin_of(url: str) -> str | None:
    """`https://example.com:8443` of an http(s) address; None for anything else."""
    return _divided(url)[0]


def _divided(url: str) -> tuple[str | None, str]:
    return _remembered(url) if len(url) < _SHORT else _divide(url)


def _divide(url: str) -> tuple[str | None, str]:
    found = as_written(url)
    if found is not None:
        return found
    try:
        parts = parse_url(url)
    except (ValueError, UnicodeEncodeError):
        return None, "/"
    scheme, host = parts.protocol, parts.host
    return f"{scheme}//{host}" if host and scheme in ("http:", "https:") else None, parts.pathname + parts.search


_SHORT = 2048
_remembered = lru_cache(512)(_divide)
"""each URL is looked up several times in a row"""
