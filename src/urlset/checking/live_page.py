"""What live rules look at: a listed page and its answer, its images and videos, a delivered sitemap, a crawl."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from enum import StrEnum
from functools import cache, cached_property

import msgspec

from urlset.checking.context import Context
from urlset.checking.engine_report import InspectedPage, SubmittedSitemap
from urlset.findings.finding import Problem
from urlset.findings.severity import Severity
from urlset.model.address_key import key_of
from urlset.model.answer import Answer
from urlset.model.canonicals import Named, named_canonicals
from urlset.model.document import Document
from urlset.model.media import Alternate
from urlset.model.page import join
from urlset.model.place import Place
from urlset.model.visit import Visit
from urlset.reading.host_robots import HostRobots
from urlset.reading.robots_match import Match
from urlset.spec.engines import ENGINES, Engine

SURE_ENOUGH = 0.5
"""the certainty from which a judgement is told"""
NOWHERE = Place(0)
"""a live finding stands at the loc of the entry it is about, which is looked up when it is shown"""


class ListingPlace(msgspec.Struct, frozen=True, omit_defaults=True):
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
        listing: ListingPlace,
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

    @cached_property
    def canonicals(self) -> tuple[Named, ...]:
        """Those that search engines take notice of."""
        return named_canonicals(self.visit)

    @cached_property
    def own_key(self) -> str:
        """Of the page that speaks: the listed one, or where its redirects lead."""
        return key_of(self.final_url)

    @cached_property
    def kept_out(self) -> dict[Engine, Match]:
        """The chosen engines that a line of robots.txt keeps from the listed address."""
        if self.robots is None:
            return {}
        found = {engine: self.robots.match(agent, self.url) for engine, agent in agents(self.context.engines).items()}
        # without a line it is a robots.txt that could not be had: a fault of that file, not of each page
        return {engine: match for engine, match in found.items() if not match.allowed and match.line is not None}

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


class MediaKind(StrEnum):
    IMAGE = "image"
    THUMBNAIL = "thumbnail"
    CONTENT = "video"
    PLAYER = "player"


class MediaAsset:
    """An image, thumbnail, video or player that an entry names, asked for because somebody wanted media looked at."""

    def __init__(
        self,
        kind: MediaKind,
        answer: Answer,
        listing: ListingPlace,
        context: Context,
        *,
        robots: HostRobots | None = None,
    ) -> None:
        self.kind, self.answer, self.listing, self.context = kind, answer, listing, context
        self.robots = robots
        """of the host the file lives on"""

    @property
    def url(self) -> str:
        return self.answer.url

    def problem(self, message: str, *, severity: Severity | None = None) -> Problem:
        return Problem(
            NOWHERE, message, severity=severity, subject=self.url, source=self.listing.source, row=self.listing.row
        )


class Crawled(msgspec.Struct, frozen=True, omit_defaults=True):
    """What a crawl found out about one address."""

    url: str
    final_url: str = ""
    """where it redirects to; empty where it does not"""
    canonical: str | None = None
    """absolute"""
    indexable: bool = True
    """it answers, and none of the chosen engines is told to leave it out"""
    linked_from: str | None = None
    """a page with a link to it; None where only a sitemap or the command line named it"""
    is_start: bool = False


class Comparison:
    """The pages that sitemaps list against those that a crawl of the same site found.

    Both are walked through more than once and may lie on disk: a hash of each address is all that is kept.
    """

    def __init__(
        self,
        listings: Iterable[ListingPlace],
        crawled: Iterable[Crawled],
        context: Context,
        *,
        complete: bool,
        reasons: tuple[str, ...] = (),
    ) -> None:
        self.context = context
        self.complete, self.reasons = complete, reasons
        """whether nothing was left out of the crawl, else why: only then absence means something"""
        self._listings, self._crawled = listings, crawled
        self._keys = {hash(key_of(listing.loc)) for listing in listings}

    def unlisted(self) -> Iterator[Crawled]:
        """Indexable pages, canonical by their own account, that no sitemap lists; each once."""
        reported = self._keys.copy()
        for page in self._crawled:
            key = key_of(page.final_url or page.url)
            itself = page.canonical is None or key_of(page.canonical) == key
            if page.indexable and itself and hash(key) not in reported:
                reported.add(hash(key))
                yield page

    def unlinked(self) -> Iterator[ListingPlace]:
        """Listed pages that no crawled page links to, be it by way of a redirect or a canonical; each once."""
        known: set[int] = set()
        for page in self._crawled:
            if page.linked_from is not None or page.is_start:
                known.update(hash(key_of(url)) for url in (page.url, page.final_url, page.canonical) if url)
        for listing in self._listings:
            if (key := hash(key_of(listing.loc))) not in known:
                known.add(key)
                yield listing


@cache
def agents(engines: tuple[Engine, ...]) -> dict[Engine, str]:
    """By which name each chosen engine looks for its group in robots.txt; `*` where only documents are chosen."""
    found: dict[Engine, str] = {
        engine: spec.robots_tokens[0]
        for engine in engines
        if engine is not Engine.PROTOCOL and (spec := ENGINES[engine]).robots_tokens
    }
    return found or {Engine.PROTOCOL: "*"}


LIVE: tuple[type[object], ...] = (LivePage, MediaAsset, Delivery, Comparison, SubmittedSitemap, InspectedPage)
"""subjects that only the web can fill; examples of rules on them are transcripts"""
