"""robots.txt as read: groups, rules and Sitemap lines with the place of each."""

from __future__ import annotations

from enum import StrEnum

import msgspec

from urlset.model.place import Place


class LineKind(StrEnum):
    USER_AGENT = "user-agent"
    ALLOW = "allow"
    DISALLOW = "disallow"
    SITEMAP = "sitemap"
    CRAWL_DELAY = "crawl-delay"
    HOST = "host"
    CLEAN_PARAM = "clean-param"
    NOINDEX = "noindex"
    OTHER = "other"


class RobotsLine(msgspec.Struct, frozen=True):
    """One `field: value` line, with the field as written."""

    kind: LineKind
    written: str
    value: str
    place: Place
    value_place: Place
    number: int


class RobotsGroup(msgspec.Struct, frozen=True):
    """The rules for one set of user agents; Sitemap lines never end a group."""

    agents: tuple[str, ...]
    lines: tuple[RobotsLine, ...]


class Robots(msgspec.Struct, frozen=True):
    groups: tuple[RobotsGroup, ...]
    sitemaps: tuple[RobotsLine, ...]
    lines: tuple[RobotsLine, ...]
