"""The values of a crawl: how an address was found, what became of it, and what a page brought."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from enum import IntEnum, StrEnum
from typing import NamedTuple

import msgspec

from urlset.model.page import PageFacts
from urlset.model.visit import Visit


class Via(IntEnum):
    """How an address was found; the smaller counts where a page names it in several ways."""

    START = 0
    REDIRECT = 1
    LINK = 2
    NEXT = 3
    CANONICAL = 4
    ALTERNATE = 5
    REFRESH = 6
    SITEMAP = 7
    LAST_SET = 8
    """listed by the last build, and not met by following links"""

    @property
    def shown(self) -> str:
        return _VIA[self]


_VIA = {
    Via.START: "start",
    Via.REDIRECT: "redirect",
    Via.LINK: "link",
    Via.NEXT: "rel next or prev",
    Via.CANONICAL: "canonical",
    Via.ALTERNATE: "hreflang alternate",
    Via.REFRESH: "meta refresh",
    Via.SITEMAP: "sitemap",
    Via.LAST_SET: "last build",
}


class Fate(IntEnum):
    """What is to become of an address; all but the first are never requested."""

    ASK = 0
    FORBIDDEN = 1
    """by a line of robots.txt"""
    NO_RULES = 2
    """robots.txt itself could not be read, so nothing was fetched"""
    FILE = 3
    """an image, a style sheet, an archive: its name says that it is not a page"""
    EXCLUDED = 4
    """by --exclude or --include"""
    OUTSIDE = 5
    """on the site, but outside --prefix"""
    TRAPPED = 6


NOT_REQUESTED = {
    Fate.FORBIDDEN: "disallowed by robots.txt",
    Fate.NO_RULES: "robots.txt could not be read",
    Fate.FILE: "not a page, by its file name",
    Fate.EXCLUDED: "excluded by --include and --exclude",
    Fate.OUTSIDE: "outside --prefix",
    Fate.TRAPPED: "looks endless",
}
"""why an address of the site was not requested"""


class TrapKind(StrEnum):
    """Why addresses look endless."""

    LONG = "long-address"
    DEEP = "deep-path"
    REPEATED = "repeated-segments"
    SESSION = "session-id"
    RETURN = "return-address"
    FACETS = "facets"
    ORDER = "parameter-order"
    CALENDAR = "calendar"
    ENDLESS = "endless-chain"


class Trap(msgspec.Struct, frozen=True):
    kind: TrapKind
    place: str
    """the addresses it is about: a path, or a pattern with the varying part as `…`"""
    reason: str


class Length(NamedTuple):
    """Of the row of like pages that leads to an address, each new only on the one before."""

    chain: int = 0
    """those at its end of which nothing but their place in the row differs"""
    row: int = 0
    """all of them"""


NO_ROW = Length()


FoundLink = tuple[str, Via, bool]
"""as written, how it was found, and whether it is not to be followed"""


class FetchedPage(NamedTuple):
    """A page after its answer was read."""

    visit: Visit
    facts: PageFacts | None = None
    """None where there is no HTML to read links from"""
    kept: bytes | None = None
    """anything else the caller needs from `Frontier.rows` later"""
    link_headers: tuple[tuple[str, tuple[str, ...]], ...] = ()
    """targets and relations of Link headers"""
    is_shell: bool = False
    """an empty page that scripts fill in the browser: what it links to is not known"""
    texts: Callable[[], Iterable[str]] = tuple
    """the text blocks of its main content, read when a page of a row is compared with the one before"""


class CrawledUrl(msgspec.Struct, frozen=True):
    """One address of the crawl in its final state."""

    id: int
    url: str
    depth: int
    via: Via
    fate: Fate
    found_on: str | None = None
    trap: str | None = None
    visit: Visit | None = None
    """None where it was not requested"""
    kept: bytes | None = None
