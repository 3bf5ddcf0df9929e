"""One address of a crawl as `urlset crawl --out` writes it and `urlset build` reads it."""

from __future__ import annotations

import msgspec

from urlset.model.entry import Alternate
from urlset.model.page import PageDate
from urlset.model.shown import Shown

NOT_ASKED = "not asked"
"""the state of an address that was not fetched; the others are those of a visit"""

NOT_YET = "not requested yet"
NO_RULES = "robots.txt could not be read"
EXCLUDED = "excluded"
OUTSIDE = "outside the prefix"
ENDLESS = "looks endless"
SAME_UNDER_ANOTHER_SESSION = f"{ENDLESS}: session-id"


class CrawlRow(Shown, msgspec.Struct, frozen=True, kw_only=True):
    """None where it does not apply."""

    url: str
    state: str
    """ok, redirected, gone, error, blocked, unknown; `not asked` for an address that was not fetched"""
    reason: str
    status: int | None = None
    depth: int
    via: str
    found_on: str | None = None
    redirects_to: str | None = None
    """where the redirects end, as far as they were followed, or a `refresh` of the page leads"""
    canonical: str | None = None
    indexable: bool | None = None
    """answers with something, and sends no search engine away or to another address"""
    title: str | None = None
    language: str | None = None
    media_type: str | None = None
    size: int | None = None
    seconds: float | None = None
    last_modified: str | None = None
    """the header as sent"""
    asked: str | None = None
    """when"""
    robots: tuple[str, ...] | None = None
    """what the page and its headers tell every robot"""
    disallowed: str | None = None
    """the line of robots.txt that forbids the page to the robot a build asks for"""
    soft_404: str | None = None
    """why it is surely an error page that is sent as a page"""
    thin: str | None = None
    """why it surely offers almost no unique content"""
    endless: str | None = None
    """why it is one of endlessly many pages, of which a crawl asks for some before it sees that"""
    dates: tuple[PageDate, ...] | None = None
    """stated by the page"""
    alternates: tuple[Alternate, ...] | None = None
    """its translations, absolute"""

    @property
    def is_linked(self) -> bool:
        """A page of the site links to it, or the crawl started there."""
        return self.found_on is not None or self.via == "start"

    @property
    def was_asked(self) -> bool:
        return self.state != NOT_ASKED

    @property
    def is_unwanted(self) -> bool:
        """Excluded by the options of the crawl."""
        return self.reason in (EXCLUDED, OUTSIDE) and not self.was_asked

    @property
    def leaves_open(self) -> bool:
        """It may be a page, and it was not requested: the crawl is not complete."""
        endless = self.reason.startswith(ENDLESS) and self.reason != SAME_UNDER_ANOTHER_SESSION
        return not self.was_asked and (endless or self.reason in (NOT_YET, NO_RULES))


REQUIRED = frozenset({"url", "state", "reason", "depth", "via"})
"""the columns by which such a file is recognised"""
