"""robots.txt as read: groups, rules and Sitemap lines with the place of each."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta, timezone
from enum import StrEnum

import msgspec

from urlset.model.moment import Moment
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


# The value of unavailable_after → whether that moment has passed, wherever on earth it was meant.

_WEST = timezone(timedelta(hours=-12))


def expired(text: str, now: datetime) -> bool:
    """RFC 822, RFC 850 and ISO 8601, in any letter case; False where the text cannot be understood."""
    end = _end(text)
    return end is not None and end <= now


def _end(text: str) -> datetime | None:
    interval = Moment.parse(text.upper()).certain_interval()
    if interval is not None:
        return interval[1]
    from email.utils import mktime_tz, parsedate_tz  # brings sockets along, for a rare date format

    parsed = parsedate_tz(text)
    if parsed is None:
        return None
    try:
        anywhere = datetime(*parsed[:6], tzinfo=_WEST)  # refuses the 31st of February, which mktime_tz does not
        return anywhere if parsed[9] is None else datetime.fromtimestamp(mktime_tz(parsed), UTC)
    except (ValueError, OverflowError, OSError):
        return None
