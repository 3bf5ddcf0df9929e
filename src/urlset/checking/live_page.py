"""What live rules look at: one listed page with its answer, or the delivery of one sitemap or robots.txt."""

from __future__ import annotations

from collections.abc import Callable
from functools import cached_property

import msgspec

from urlset.checking.context import Context
from urlset.findings.finding import Problem
from urlset.findings.severity import Severity
from urlset.model.answer import Answer
from urlset.model.document import Document
from urlset.model.media import Alternate
from urlset.model.page import join
from urlset.model.place import Place
from urlset.model.visit import Visit
from urlset.reading.host_robots import HostRobots

NOWHERE = Place(0)
"""a live finding stands at the loc of the entry it is about, which is looked up when it is shown"""


class Listing(msgspec.Struct, frozen=True, omit_defaults=True):
    """Where a page is listed first, and what the sitemap says of it."""

    loc: str
    source: str = ""
    """the sitemap, by the name findings use"""
    row: int | None = None
    lastmod: str | None = None
    alternates: tuple[Alternate, ...] = ()


class LivePage:
    """One listed page: what the sitemap says, what the server answered, what robots.txt allows."""

    def __init__(
        self,
        visit: Visit,
        listing: Listing,
        context: Context,
        *,
        robots: HostRobots | None = None,
        find: Callable[[str], Visit | None] = lambda _url: None,
        seen_changed: str | None = None,
    ) -> None:
        self.visit, self.listing, self.context, self.robots = visit, listing, context, robots
        self.find = find
        """the visit of another listed or probed address, as far as it was made; None is "not known" """
        self.seen_changed = seen_changed
        """the lastmod that the build ledger believes in, with its evidence, where there is a ledger"""

    @property
    def url(self) -> str:
        return self.listing.loc

    @cached_property
    def final_url(self) -> str:
        return self.visit.final_url or self.visit.url

    def resolve(self, href: str) -> str | None:
        """The absolute address that `href` means on this page."""
        base = join(self.final_url, self.visit.base_href) if self.visit.base_href else self.final_url
        return join(base or self.final_url, href)

    def problem(self, message: str, *, severity: Severity | None = None, subject: str | None = None) -> Problem:
        return Problem(
            NOWHERE, message, severity=severity, subject=subject, source=self.listing.source, row=self.listing.row
        )


class Delivery:
    """How one sitemap or robots.txt came over the wire, and who named it."""

    def __init__(
        self,
        answer: Answer,
        context: Context,
        *,
        document: Document | None = None,
        parent: str | None = None,
        row: int | None = None,
        robots: HostRobots | None = None,
        is_robots: bool = False,
    ) -> None:
        self.answer, self.context, self.document = answer, context, document
        """`document` is None where nothing could be read; its body may have been let go since"""
        self.parent, self.row = parent, row
        """the index or robots.txt that names it, by the name findings use, and the entry or line there"""
        self.robots = robots
        """that of the host it lives on"""
        self.is_robots = is_robots

    @property
    def url(self) -> str:
        return self.answer.url

    def at_parent(self, message: str, *, severity: Severity | None = None) -> Problem:
        """A fault of the line that names it."""
        return Problem(NOWHERE, message, severity=severity, subject=self.url, source=self.parent, row=self.row)

    def at_itself(self, message: str, *, severity: Severity | None = None) -> Problem:
        """A fault of how it is served."""
        return Problem(NOWHERE, message, severity=severity, subject=self.url, source=self.url)
