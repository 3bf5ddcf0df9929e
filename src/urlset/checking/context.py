"""Input of a rule in addition to its subject: the time, the engines, the thresholds."""

from __future__ import annotations

from datetime import datetime

import msgspec

from urlset.checking import clock
from urlset.checking.policy import Policy
from urlset.model.robots import Robots
from urlset.spec.engines import DEFAULT_ENGINES, Engine


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
