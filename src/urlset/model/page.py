"""What one HTML page says about itself: canonical, robots, dates, languages, images, text and links, as written."""

from __future__ import annotations

import re
from collections.abc import Sequence
from datetime import UTC, date, datetime
from enum import StrEnum
from functools import lru_cache
from urllib.parse import quote

import msgspec

from urlset.model.entry import Alternate, Video
from urlset.model.whatwg import parse_url
from urlset.spec.lazy_pattern import lazy_pattern
from urlset.spec.page_facets import Facet
from urlset.spec.page_kinds import EXPIRED_PRODUCT, PAST_EVENT

NOINDEX = frozenset({"noindex", "none"})
"""The two directives that keep a page out of search results."""


class Canonical(msgspec.Struct, frozen=True):
    href: str
    in_head: bool = True
    """search engines take no canonical from the body"""


class BotDirectives(msgspec.Struct, frozen=True):
    """Robots directives in lowercase, with their value where they have one: `noindex`, `max-snippet:20`."""

    bot: str
    """lowercase; `robots` is everyone"""
    directives: tuple[str, ...]


class DateOrigin(StrEnum):
    """Where in a page a date is, the most trustworthy first; the value is how it is shown."""

    FRONT_MATTER_MODIFIED = "front matter, modified"
    JSON_LD_MODIFIED = "JSON-LD dateModified"
    ARTICLE_MODIFIED = "article:modified_time"
    OG_UPDATED = "og:updated_time"
    ITEMPROP_MODIFIED = "itemprop dateModified"
    TIME_UPDATED = "<time> marked as updated"
    FRONT_MATTER_PUBLISHED = "front matter, published"
    JSON_LD_PUBLISHED = "JSON-LD datePublished"
    ARTICLE_PUBLISHED = "article:published_time"
    ITEMPROP_PUBLISHED = "itemprop datePublished"
    TIME = "<time>"


class PageDate(msgspec.Struct, frozen=True):
    origin: DateOrigin
    raw: str


_TRUST = {origin: rank for rank, origin in enumerate(DateOrigin)}


def by_trust(dates: Sequence[PageDate]) -> tuple[PageDate, ...]:
    """The most trustworthy first."""
    return tuple(sorted(dates, key=lambda date: _TRUST[date.origin]) if len(dates) > 1 else dates)


class Refresh(msgspec.Struct, frozen=True):
    """`<meta http-equiv="refresh">` that leads to another address."""

    seconds: int
    target: str


class PageImage(msgspec.Struct, frozen=True):
    src: str
    alt: str = ""


class PageLink(msgspec.Struct, frozen=True):
    href: str
    rel: tuple[str, ...] = ()
    """lowercase"""


class PageFacts(msgspec.Struct, frozen=True, omit_defaults=True):
    """Addresses are kept as written; `resolve` makes them absolute."""

    charset: str = "utf-8"
    complete: bool = True
    """False when the page was cut because the rest would have cost too much to read"""
    title: str | None = None
    heading: str | None = None
    """the first h1"""
    language: str | None = None
    base_href: str | None = None
    canonicals: tuple[Canonical, ...] = ()
    qualified_canonicals: tuple[str, ...] = ()
    """canonicals in the head that search engines ignore for their hreflang, lang, media or type attribute"""
    robots: tuple[BotDirectives, ...] = ()
    alternates: tuple[Alternate, ...] = ()
    refresh: Refresh | None = None
    dates: tuple[PageDate, ...] = ()
    """in the order of `DateOrigin`, and of the page within one origin"""
    images: tuple[PageImage, ...] = ()
    videos: tuple[Video, ...] = ()
    blocks: tuple[str, ...] = ()
    """the texts of the block elements in order, whitespace collapsed"""
    frame: tuple[str, ...] = ()
    """those of them in what the page marks as navigation, aside, site header or footer"""
    main: tuple[str, ...] = ()
    """those of its main element (`main`, role=main, `article`) without navigation; none where it has no such element"""
    lifetime: Lifetime | None = None
    """what it says about the life of its product or event"""
    stated: tuple[tuple[Facet, str], ...] | None = None
    """key images and the facts of structured data, each in one spelling; None where they were not requested"""
    words: int | None = None
    """at least so many outside the frame, where there was enough of them to do without the blocks"""
    links: tuple[PageLink, ...] = ()
    neighbors: tuple[str, ...] = ()
    """of `link` elements with rel next or prev"""

    def directives(self, *bots: str) -> tuple[str, ...]:
        """The directives for all bots, and the additional ones for each named bot."""
        if not self.robots:
            return ()
        wanted = {"robots", *(bot.lower() for bot in bots)}
        found = [word for each in self.robots if each.bot in wanted for word in each.directives]
        return tuple(dict.fromkeys(found))

    @property
    def noindex(self) -> bool:
        """All bots must keep the page out of the index."""
        return not NOINDEX.isdisjoint(self.directives())

    @property
    def canonical(self) -> str | None:
        """The first canonical in the head, as written; None when the page names none."""
        return next((each.href for each in self.canonicals if each.in_head), None)

    def resolve(self, href: str, url: str) -> str | None:
        """The absolute address that `href` means on a page living at `url`; None when it means none."""
        return join(self.base(url), href)

    def base(self, url: str) -> str:
        """What addresses on a page living at `url` are relative to."""
        return (join(url, self.base_href) or url) if self.base_href else url


_PATH = r"A-Za-z0-9\-._~!$&()*+,;=@/% \x80-\ud7ff\ue000-\U0010ffff"
# Scheme and host, or nothing; then a path from the root, or a name beside the page; then a query.
_REFERENCE = lazy_pattern(
    r"(?:((?i:https?)://[^/?#\\@\x00-\x20\x7f]++)(?=/)|(?!//))"
    rf"((?:/[{_PATH}':]*+|[A-Za-z0-9][{_PATH}']*+)(?:\?[{_PATH}?:]++)?)(?<! )"
)
_ESCAPED = lazy_pattern(r"[ \x80-\U0010ffff]+")


def join(base: str, href: str) -> str | None:
    """`href` as a browser reads it on a page at `base`; None when no browser can."""
    place, found = _place_of(base), _divided(href)
    if place is not None and found is not None:
        head, rest = found
        return (head or place[0]) + (rest if rest[0] == "/" else place[1] + rest)
    return _remembered(base, href) if len(base) + len(href) < _SHORT else _joined(base, href)


def _divided(href: str) -> tuple[str | None, str] | None:
    """Scheme and host, if it has them, and path with query as parsers spell them; None where that is not sure."""
    found = _REFERENCE.fullmatch(href)
    if found is None:
        return None
    # Parsers change nothing in such a path and query but what they escape, and hosts repeat.
    head, rest = found.groups()
    if "/." in rest or ("%" in rest and "%2E" in rest.upper()) or (head and (head := _head_of(head)) is None):
        return None
    return head, rest if rest.isascii() and " " not in rest else _ESCAPED.sub(_escape, rest)


@lru_cache(64)
def _place_of(base: str) -> tuple[str, str] | None:
    """Scheme and host of a page, and the path of the folder it is in; None for what has none."""
    plain = _divided(base) or _divided(_joined(base, "") or "")
    if plain is None or not plain[0]:
        return None
    return plain[0], plain[1].partition("?")[0].rpartition("/")[0] + "/"


@lru_cache(64)
def _head_of(written: str) -> str | None:
    """Scheme and host as parsers spell them; None where they accept none."""
    href = _joined(f"{written}/", "")
    return None if href is None else href[:-1]


_quoted = lru_cache(256)(quote)


def _escape(found: re.Match[str]) -> str:
    return _quoted(found[0])


def _joined(base: str, href: str) -> str | None:
    try:
        return parse_url(href, base).href
    except (ValueError, UnicodeEncodeError):
        return None


_SHORT = 2048
_remembered = lru_cache(512)(_joined)
"""what a page says about itself is needed repeatedly"""


SURELY_OVER = 0.8
"""certainty from which a build that excludes the kind leaves a page out"""
_SOON = 7
_DAY = re.compile(r"\s*(\d{4})-?(\d\d)-?(\d\d)")
_OVER, _OUT = frozenset({"discontinued"}), frozenset({"discontinued", "outofstock", "soldout"})


class Lifetime(msgspec.Struct, frozen=True, omit_defaults=True, array_like=True):
    """Of the one product or the events that a page is about."""

    availability: tuple[str, ...] = ()
    """of the offers, lowercase: `instock`, `discontinued`"""
    notice: str = ""
    """the sentence that says it is gone for good"""
    in_heading: bool = False
    """whether that is the title or heading"""
    event_days: tuple[tuple[str, str], ...] = ()
    """start and end of each event, as written"""
    is_reported: bool = False
    """it is also an article, perhaps about what happened"""


class Ended(msgspec.Struct, frozen=True):
    kind: str
    certainty: float
    evidence: str


def ended(lifetime: Lifetime | None, now: datetime) -> Ended | None:
    """None for a page whose product or event is not said to be over."""
    if lifetime is None:
        return None
    return _expired(lifetime) or _past(lifetime, now)


def _expired(page: Lifetime) -> Ended | None:
    stated = frozenset(page.availability)
    if stated and not stated <= _OUT:
        return None  # one offer that can be bought is enough
    said = f"the page says “{page.notice}”" if page.notice else ""
    if stated and stated <= _OVER:
        return Ended(EXPIRED_PRODUCT, 0.95, "every offer is marked Discontinued")
    if stated and said:
        return Ended(EXPIRED_PRODUCT, 0.95, f"no offer is in stock, and {said}")
    if said:
        return Ended(EXPIRED_PRODUCT, 0.85 if page.in_heading else 0.7, said)
    if "soldout" in stated:
        return Ended(EXPIRED_PRODUCT, 0.4, "every offer is marked SoldOut, which may be temporary")
    return Ended(EXPIRED_PRODUCT, 0.3, "every offer is marked OutOfStock, which may be temporary") if stated else None


def _past(page: Lifetime, now: datetime) -> Ended | None:
    if not page.event_days:
        return None
    days = [(_day(end) or _day(start), bool(_day(end))) for start, end in page.event_days]
    latest = max((day for day, _ in days if day is not None), default=None)
    today = (now.replace(tzinfo=UTC) if now.tzinfo is None else now.astimezone(UTC)).date()
    # the day after, an event of another time zone may still go on
    if latest is None or any(day is None for day, _ in days) or (today - latest).days <= 1:
        return None
    has_end = all(ends for _, ends in days)
    certainty = 0.95 if has_end else 0.9 if (today - latest).days > _SOON else 0.6
    if page.is_reported or len(days) > 1:
        certainty = min(certainty, 0.6)
    return Ended(PAST_EVENT, certainty, f"the event {'ended' if has_end else 'began'} on {latest.isoformat()}")


def _day(text: str) -> date | None:
    found = _DAY.match(text)
    try:
        return date(*map(int, found.groups())) if found else None
    except ValueError:
        return None
