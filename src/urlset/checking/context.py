"""What a rule may know besides its subject: the day, the engines, the thresholds."""

from __future__ import annotations

from datetime import datetime

import msgspec

from urlset.checking import clock
from urlset.checking.policy import Policy
from urlset.model.robots import Robots
from urlset.spec.engines import DEFAULT_ENGINES, Engine


class Thresholds(msgspec.Struct, frozen=True, forbid_unknown_fields=True, rename="kebab"):
    """Numbers that are judgements, not norms; each can be set under [thresholds]."""

    identical_lastmod_entries: int = 20
    """D016 looks only at files with at least this many dated entries"""
    identical_lastmod_share: float = 0.95
    """D016: share of dated entries with one and the same lastmod"""
    build_stamp_entries: int = 20
    """D017 looks only at files with at least this many dated entries"""
    build_stamp_share: float = 0.95
    """D017: share of entries dated within the window of each other, to the second"""
    build_stamp_window_seconds: int = 600
    """D017: how long writing a sitemap may take"""
    future_hours: int = 24
    """D014: clock skew that is forgiven"""
    stale_days: int = 365
    """Q014: newest lastmod older than this"""
    nearly_full_share: float = 0.9
    """Q002: share of a limit"""
    gzip_advice_bytes: int = 10_485_760
    """Q003: uncompressed files above this"""
    tiny_children: int = 20
    """Q016 looks only at indexes with at least this many children"""
    tiny_child_entries: int = 100
    """Q016: mean entries per child"""
    slow_sitemap_seconds: float = 10.0
    """R022: an answer that takes longer than this"""


class Context(msgspec.Struct, frozen=True):
    """The surroundings of one check."""

    now: datetime = msgspec.field(default_factory=clock.now)
    engines: tuple[Engine, ...] = DEFAULT_ENGINES
    thresholds: Thresholds = Thresholds()
    robots: Robots | None = None
    """the robots.txt of the site, when it was given"""
    base_url: str | None = None
    timezone: str | None = None
    """the offset that times without one are meant in, such as +02:00"""
    vouched: frozenset[str] = frozenset()
    """hosts whose own robots.txt names this sitemap, or an index that leads to it, as far as they were asked"""
    lineage: tuple[str, ...] = ()
    """addresses that led to this sitemap: the one it was asked for by, and the indexes above it"""
    robots_origin: str | None = None
    """where it was fetched from; None for a file"""
    policies: tuple[Policy, ...] = ()
    """what the site's own settings forbid and require"""
