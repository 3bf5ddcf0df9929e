"""Subjects of the live rules: pages, media, deliveries, crawls, reports of engines, changes over time."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from datetime import UTC, datetime, timedelta
from enum import StrEnum
from functools import cache, cached_property

import msgspec

from urlset.auditing.duplicates import ContentTwin
from urlset.auditing.page_kinds import PageKind
from urlset.checking.context import Context
from urlset.crawling.scope import without_visitor
from urlset.findings.card import Severity
from urlset.findings.finding import Problem
from urlset.model.address import key_of
from urlset.model.answer import Answer
from urlset.model.document import Document
from urlset.model.entry import Alternate
from urlset.model.page import join
from urlset.model.place import Place
from urlset.model.visit import Named, Visit, named_canonicals
from urlset.reading.host_robots import HostRobots, origin_of
from urlset.reading.robots import Match
from urlset.snapshots.honesty import Honesty
from urlset.spec.engines import ENGINES, Engine

# Subjects of the rules on engine reports: a submitted sitemap, and a page as seen by an engine and an audit.
#
# Examples are `key: value` lines, see tests/checking/engine_examples.py.


class SubmittedSitemap(msgspec.Struct, frozen=True, kw_only=True):
    """One sitemap: the engine's report, and what the site serves. None is unknown."""

    context: Context
    engine: Engine
    url: str
    known: bool = True
    """the engine lists it"""
    below_index: bool = False
    """an index of the site lists it, so it does not have to be submitted"""
    submitted: str | None = None
    last_read: str | None = None
    pending: bool = False
    errors: int | None = None
    warnings: int | None = None
    their_count: int | None = None
    our_count: int | None = None
    """entries that the site serves; None if the sitemap could not be read"""
    newest: str | None = None
    """the newest lastmod in it"""
    gone: str | None = None
    """the response of the site, if it is not a sitemap: `404`"""
    other_spelling: str | None = None
    """the URL with another scheme or host that the engine knows instead"""

    @property
    def title(self) -> str:
        return self.engine.value.capitalize()

    def age(self, text: str | None) -> timedelta | None:
        moment = moment_of(text)
        return None if moment is None else self.context.now - moment


class InspectedPage(msgspec.Struct, frozen=True, kw_only=True):
    """One listed page as Google knows it, with the audit result; None is unknown."""

    context: Context
    url: str
    source: str = ""
    lastmod: str | None = None
    verdict: str = ""
    coverage: str = ""
    robots: str = ""
    indexing: str = ""
    fetch: str = ""
    last_crawl: str | None = None
    google_canonical: str | None = None
    user_canonical: str | None = None
    known_since: str | None = None
    """when the page was first submitted or inspected"""
    state: str | None = None
    """its state in the audit: ok, gone, noindex …"""
    indexable: bool | None = None
    advised_against: tuple[str, ...] = ()
    """codes of findings that recommend removing it"""

    @property
    def indexed(self) -> bool:
        return self.verdict.lower() == "pass"

    @property
    def unknown_to_google(self) -> bool:
        return not self.indexed and not self.last_crawl and self.fetch.lower() in ("", "page_fetch_state_unspecified")


def moment_of(text: str | None) -> datetime | None:
    """An ISO 8601 date or time; None for anything else."""
    if not text:
        return None
    try:
        moment = datetime.fromisoformat(text)
    except ValueError:
        return None
    return moment if moment.tzinfo else moment.replace(tzinfo=UTC)


# Subjects of the rules about time: the dates of one sitemap over several fetches, and a site in two snapshots.
#
# Examples are `key: value` lines, see tests/checking/over_time_examples.py.


class DatedFile(msgspec.Struct, frozen=True):
    """The dates of one sitemap in two or more audits or snapshots."""

    context: Context
    honesty: Honesty

    @property
    def source(self) -> str:
        return self.honesty.source


class SiteChange(msgspec.Struct, frozen=True, kw_only=True):
    """All sitemaps of a site in two consecutive snapshots."""

    context: Context
    target: str
    before: str
    """the time of the earlier one"""
    at: str
    urls_before: int
    urls: int
    common: int = 0
    """URLs in both"""
    files_before: frozenset[str] = frozenset()
    files: frozenset[str] = frozenset()
    unread: int = 0
    """sitemaps that could not be read for either: a smaller number then means nothing"""
    same_for_days: float = 0.0
    """how long no sitemap has changed"""
    rewritten: int = 0
    """listed pages whose main content changed in the meantime"""


SURE_ENOUGH = 0.5
"""minimum confidence for a report"""
NOWHERE = Place(0)
"""a live finding is at the loc of its entry, which is looked up when it is shown"""


class ListingPlace(msgspec.Struct, frozen=True, omit_defaults=True):
    """The first entry of a page, and its data in the sitemap."""

    loc: str
    source: str = ""
    """the sitemap, by the name findings use"""
    row: int | None = None
    lastmod: str | None = None
    alternates: tuple[Alternate, ...] = ()


class PageLinks(msgspec.Struct, frozen=True):
    """What a complete crawl of the site knows about the links to a page."""

    clicks: int
    """from the start page"""
    inlinks: int
    """pages that link to it"""
    first: str = ""
    """one of them"""


class PageInSite(msgspec.Struct, frozen=True):
    """What is known of a page by comparing it with all others; None if there is none, or it is not known."""

    twin: ContentTwin | None = None
    links: PageLinks | None = None
    kind: PageKind | None = None
    is_listed: Callable[[str], bool] = lambda _url: True
    """whether a sitemap of the audit lists a URL"""


class LivePage:
    """One listed page: sitemap entry, server response, and robots.txt."""

    def __init__(
        self,
        visit: Visit,
        listing: ListingPlace,
        context: Context,
        *,
        robots: HostRobots | None = None,
        find: Callable[[str], Visit | None] = lambda _url: None,
        seen_changed: str | None = None,
        in_site: PageInSite | None = None,
    ) -> None:
        compared = in_site or PageInSite()
        self.twin, self.links, self.kind = compared.twin, compared.links, compared.kind
        self.is_listed = compared.is_listed
        self.visit, self.listing, self.context, self.robots = visit, listing, context, robots
        self.find = find
        """the visit of another listed or probed URL, if it was fetched; None is "not known" """
        self.seen_changed = seen_changed
        """the lastmod in the build ledger, with its evidence, if there is a ledger"""

    @property
    def url(self) -> str:
        return self.listing.loc

    @cached_property
    def final_url(self) -> str:
        return self.visit.final_url or self.visit.url

    @cached_property
    def canonicals(self) -> tuple[Named, ...]:
        """Those that search engines respect."""
        return named_canonicals(self.visit)

    @cached_property
    def own_key(self) -> str:
        """Of the page that answered: the listed one, or the redirect target."""
        return key_of(self.final_url)

    @cached_property
    def kept_out(self) -> dict[Engine, Match]:
        """The selected engines that a line in robots.txt blocks from the listed URL."""
        if self.robots is None:
            return {}
        found = {engine: self.robots.match(agent, self.url) for engine, agent in agents(self.context.engines).items()}
        # without a line, robots.txt could not be fetched: a problem of that file, not of each page
        return {engine: match for engine, match in found.items() if not match.allowed and match.line is not None}

    def resolve(self, href: str) -> str | None:
        """The absolute URL of `href` on this page."""
        base = join(self.final_url, self.visit.base_href) if self.visit.base_href else self.final_url
        return join(base or self.final_url, href)

    def problem(self, message: str, *, severity: Severity | None = None, subject: str | None = None) -> Problem:
        return Problem(
            NOWHERE, message, severity=severity, subject=subject, source=self.listing.source, row=self.listing.row
        )


class Delivery:
    """How one sitemap or robots.txt was served, and where it is listed."""

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
        """`document` is None if nothing could be read; its body may have been released"""
        self.parent, self.row = parent, row
        """the index or robots.txt that lists it, by the name findings use, and the entry or line there"""
        self.robots = robots
        """of its host"""
        self.is_robots = is_robots

    @property
    def url(self) -> str:
        return self.answer.url

    def at_parent(self, message: str, *, severity: Severity | None = None) -> Problem:
        """A problem of the line that lists it."""
        return Problem(NOWHERE, message, severity=severity, subject=self.url, source=self.parent, row=self.row)

    def at_itself(self, message: str, *, severity: Severity | None = None) -> Problem:
        """A problem of its delivery."""
        return Problem(NOWHERE, message, severity=severity, subject=self.url, source=self.url)


class MediaKind(StrEnum):
    IMAGE = "image"
    THUMBNAIL = "thumbnail"
    CONTENT = "video"
    PLAYER = "player"


class MediaAsset:
    """An image, thumbnail, video, or player of an entry, fetched because media checks are enabled."""

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
        """of the host of the file"""

    @property
    def url(self) -> str:
        return self.answer.url

    def problem(self, message: str, *, severity: Severity | None = None) -> Problem:
        return Problem(
            NOWHERE, message, severity=severity, subject=self.url, source=self.listing.source, row=self.listing.row
        )


class Crawled(msgspec.Struct, frozen=True, omit_defaults=True):
    """The crawl result for one URL."""

    url: str
    final_url: str = ""
    """the redirect target; empty without a redirect"""
    canonical: str | None = None
    """absolute"""
    indexable: bool = True
    """it returns a page, and none of the selected engines has a noindex"""
    linked_from: str | None = None
    """a page with a link to it; None if only a sitemap or the command line contains it"""
    is_start: bool = False
    is_linked: bool = False
    """some page links to it; the export of another crawler does not say which"""
    in_search: bool = False
    """a performance export of Search Console names it: search results showed it, which says nothing about links"""


class CrawlExport(msgspec.Struct, frozen=True):
    """A file that another tool wrote about the site."""

    name: str
    crawled: frozenset[str]
    """origins of which it says how pages answered: only a crawler knows about links"""


class Comparison:
    """The pages listed in sitemaps compared with those found by a crawl of the same site.

    Both are iterated more than once and may be on disk: only a hash of each URL is kept in memory.
    """

    def __init__(
        self,
        listings: Iterable[ListingPlace],
        crawled: Iterable[Crawled],
        context: Context,
        *,
        complete: bool,
        reasons: tuple[str, ...] = (),
        unread: int = 0,
        read: int | None = None,
        export: CrawlExport | None = None,
    ) -> None:
        self.context = context
        self.complete, self.reasons = complete, reasons
        """whether every link of the site is known, otherwise why not"""
        self.unread = unread
        """pages whose links are unknown"""
        self.read = read
        """pages whose links are known; None if that was not counted"""
        self.export = export
        """where the crawled pages are from, if that is the file of another tool"""
        self._listings, self._crawled = listings, crawled
        self._keys = {hash(key_of(listing.loc)) for listing in listings}

    def unlisted(self) -> Iterator[Crawled]:
        """Indexable and self-canonical pages that no sitemap lists; each once."""
        reported = self._keys.copy()
        for page in self._crawled:
            key = key_of(page.final_url or page.url)
            itself = page.canonical is None or key_of(page.canonical) == key
            if page.indexable and itself and hash(key) not in reported:
                reported.add(hash(key))
                yield page

    @property
    def no_orphans(self) -> str | None:
        """Why a missing link means nothing: no page was read, or fewer than unread. None if it means something."""
        if self.complete or self.read is None or (self.read and self.unread <= self.read):
            return None
        why = "; ".join(self.reasons) or "it was not finished"
        if not self.unread:
            return f"the crawl read no page: {why}"
        return f"the crawl read {self.read:,} pages, and {self.unread:,} could not be crawled: {why}"

    def unlinked(self) -> Iterator[ListingPlace]:
        """Listed pages without a link from a crawled page, also through a redirect or a canonical; each once."""
        known: set[int] = set()
        for page in self._crawled:
            if page.linked_from is not None or page.is_start or page.is_linked:
                known.update(hash(key_of(url)) for url in (page.url, page.final_url, page.canonical) if url)
        for listing in self._listings:
            if self.export is not None and (origin_of(listing.loc) or "") not in self.export.crawled:
                continue
            key, followed = hash(key_of(listing.loc)), hash(key_of(without_visitor(listing.loc)[0]))
            if key not in known and followed not in known:  # a crawl follows links without their session
                known.add(key)
                yield listing


@cache
def agents(engines: tuple[Engine, ...]) -> dict[Engine, str]:
    """The name of each selected engine in robots.txt; `*` if only standards are selected."""
    found: dict[Engine, str] = {
        engine: spec.robots_tokens[0]
        for engine in engines
        if engine is not Engine.PROTOCOL and (spec := ENGINES[engine]).robots_tokens
    }
    return found or {Engine.PROTOCOL: "*"}


LIVE: tuple[type[object], ...] = (
    *(LivePage, MediaAsset, Delivery, Comparison),
    *(SubmittedSitemap, InspectedPage, DatedFile, SiteChange),
)
"""subjects that only the web or time can fill; examples of rules on them are transcripts"""
