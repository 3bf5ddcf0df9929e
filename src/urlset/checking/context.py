"""Input of a rule in addition to its subject: the time, the engines, the thresholds, the policies of the site."""

from __future__ import annotations

from datetime import datetime
from functools import cached_property, lru_cache
from typing import TYPE_CHECKING

import msgspec

from urlset.checking import clock
from urlset.findings.card import Severity
from urlset.model.document import Robots
from urlset.spec.engines import DEFAULT_ENGINES, Engine

if TYPE_CHECKING:
    from collections.abc import Iterable

    from urlset.building.patterns import Pattern, Patterns


class Thresholds(msgspec.Struct, frozen=True, forbid_unknown_fields=True, rename="kebab"):
    """Numbers based on judgment, not on a standard; each can be set under [thresholds]."""

    identical_lastmod_entries: int = 20
    """D016 only checks files with at least this many dated entries"""
    identical_lastmod_share: float = 0.95
    """D016: share of dated entries with the same lastmod"""
    build_stamp_entries: int = 20
    """D017 only checks files with at least this many dated entries"""
    build_stamp_share: float = 0.95
    """D017: share of entries dated within the window, to the second"""
    build_stamp_window_seconds: int = 600
    """D017: how long writing a sitemap may take"""
    future_hours: int = 24
    """D014: tolerated clock skew"""
    stale_days: int = 365
    """Q014: newest lastmod older than this"""
    nearly_full_share: float = 0.9
    """Q002: share of a limit"""
    gzip_advice_bytes: int = 10_485_760
    """Q003: uncompressed files above this"""
    tiny_children: int = 20
    """Q016 only checks indexes with at least this many children"""
    tiny_child_entries: int = 100
    """Q016: mean number of entries per child"""
    slow_sitemap_seconds: float = 10.0
    """R022: a response that takes longer than this"""
    slow_page_seconds: float = 3.0
    """A046: a page that takes longer than this, to its last byte"""
    near_duplicate_share: float = 0.9
    """A044: share of equal word sequences from which two pages are near duplicates"""
    deep_page_clicks: int = 5
    """A048: a page that is more clicks away from the start page"""


class Context(msgspec.Struct, frozen=True):
    """The environment of one check."""

    now: datetime = msgspec.field(default_factory=clock.now)
    engines: tuple[Engine, ...] = DEFAULT_ENGINES
    thresholds: Thresholds = Thresholds()
    robots: Robots | None = None
    """the robots.txt of the site, if given"""
    base_url: str | None = None
    timezone: str | None = None
    """the UTC offset for times without one, such as +02:00"""
    vouched: frozenset[str] = frozenset()
    """sites (`Address.site`) whose robots.txt lists this sitemap, or an index that leads to it, among those fetched"""
    lineage: tuple[str, ...] = ()
    """URLs that led to this sitemap: its requested URL, and the indexes above it"""
    robots_origin: str | None = None
    """where it was fetched from; None for a file"""
    policies: tuple[Policy, ...] = ()
    """what the site's own settings forbid and require"""


# Patterns that listed URLs must, must not, or may only match: `[tool.urlset.policy]`.


class Policy(msgspec.Struct, frozen=True, forbid_unknown_fields=True, rename="kebab"):
    """One policy of a site. Patterns are written as for `urlset build --exclude`."""

    forbid: tuple[str, ...] = ()
    """no listed URL may match"""
    require: tuple[str, ...] = ()
    """each pattern must match at least one listed URL of the whole set"""
    only: tuple[str, ...] = ()
    """every listed URL must match at least one"""
    message: str = ""
    """what a finding adds: the reason, or what to do"""
    severity: Severity = Severity.ERROR

    @property
    def patterns(self) -> tuple[str, ...]:
        return (*self.forbid, *self.require, *self.only)

    def said(self, fact: str) -> str:
        """The fact, and the reason that the site gives for it."""
        return f"{fact}: {self.message}" if self.message else fact


class CompiledPolicy:
    """A policy whose patterns are ready to be searched for."""

    def __init__(self, policy: Policy) -> None:
        self.policy = policy

    @cached_property
    def forbid(self) -> Patterns:
        return _patterns(self.policy.forbid)

    @cached_property
    def require(self) -> tuple[Pattern, ...]:
        return _patterns(self.policy.require).patterns

    @cached_property
    def only(self) -> Patterns:
        return _patterns(self.policy.only)


def _patterns(written: tuple[str, ...]) -> Patterns:
    from urlset.building.patterns import Patterns

    return Patterns(written)


@lru_cache(64)
def compiled(policies: tuple[Policy, ...]) -> tuple[CompiledPolicy, ...]:
    """Raises PatternError at the first use of a pattern that cannot be used; settings are checked for that earlier."""
    return tuple(CompiledPolicy(policy) for policy in policies)


def requirements(policies: tuple[Policy, ...]) -> list[tuple[Policy, Pattern]]:
    """Every required pattern with its policy, in the order of the settings."""
    return [(each.policy, pattern) for each in compiled(policies) for pattern in each.require]


def unmet(policies: tuple[Policy, ...], locs: Iterable[str | None]) -> tuple[int, ...]:
    """The numbers of the requirements that none of these URLs meets."""
    waiting = dict(enumerate(pattern for _, pattern in requirements(policies)))
    for loc in locs:
        if not waiting:
            break
        text = (loc or "").strip()
        for number in [number for number, pattern in waiting.items() if pattern.matches(text)]:
            del waiting[number]
    return tuple(waiting)
