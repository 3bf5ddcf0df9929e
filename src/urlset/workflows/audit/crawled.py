"""A crawl → findings against the pages that sitemaps list: which are missing, which are orphan pages."""

from __future__ import annotations

from array import array
from collections.abc import Collection, Iterable, Iterator
from contextlib import contextmanager
from datetime import timedelta
from functools import cached_property
from pathlib import Path

from urlset.auditing.facts import PendingVisit
from urlset.building.policy import variants_of
from urlset.checking import clock
from urlset.checking.context import Context
from urlset.checking.live_page import Comparison, Crawled, ListingPlace, PageLinks, agents
from urlset.crawling.find import link_hash
from urlset.crawling.found import CrawledUrl, Via
from urlset.crawling.frontier import CrawlFrontier, end_of
from urlset.crawling.loop import CrawlEnd
from urlset.crawling.scope import address_of, origin_of_url
from urlset.model.address import Address
from urlset.model.page import NOINDEX
from urlset.model.visit import State, agreed_canonical
from urlset.reading.host_robots import origin_of
from urlset.settings.audit import AuditSettings
from urlset.settings.crawl import CrawlSettings, RenderSettings
from urlset.settings.groups import FetchSettings
from urlset.storage.paths import is_address
from urlset.workflows.audit.rows import LINKED_FROM, Repeated
from urlset.workflows.crawl import CrawlReport, CrawlStopped, CrawlUse, Progress, crawling
from urlset.workflows.crawl_pages import PageContent, kept_in

_PAGES = frozenset({"text/html", "application/xhtml+xml"})
_FRESH = timedelta(days=1)


def crawl_for_audit(settings: AuditSettings) -> CrawlSettings | None:
    """The whole site that the sitemap belongs to; None where it is a folder."""
    target = settings.target or ""
    origin = origin_of(target if is_address(target) else settings.base_url or "")
    if origin is None or settings.root or Path(target).is_dir():
        return None
    return CrawlSettings(
        **settings.values(RenderSettings),
        **settings.values(FetchSettings),
        url=f"{origin}/",
        state=settings.state,
        exclude=settings.exclude,
        fresh=settings.fresh,
        ignore_robots=settings.ignore_robots,
    )


@contextmanager
def comparing(settings: CrawlSettings, *, progress: Progress | None = None) -> Iterator[CrawledSite]:
    """Crawls; what it yields is good inside the block. Raises CrawlStopped after ctrl-C."""
    with crawling(settings, CrawlUse(name="audit"), progress=progress) as (frontier, report):
        if report.ended == CrawlEnd.STOPPED:
            raise CrawlStopped(f"stopped after {report.visited:,} pages of the crawl")
        yield CrawledSite(frontier, report)


class CrawledSite:
    """What an audit takes from a crawl of the same site."""

    def __init__(self, frontier: CrawlFrontier, report: CrawlReport) -> None:
        self._frontier, self.report = frontier, report
        now = clock.now()
        self._since, self._until = (now - _FRESH).isoformat(), (now + _FRESH).isoformat()
        """a moment behind it was written before the clock was set back, and its age is unknown"""

    def __call__(self, listings: Iterable[ListingPlace], context: Context) -> Comparison:
        """Of the pages listed for the host that was crawled; nothing is said about others."""
        found = self.report.completeness
        return Comparison(
            Repeated(lambda: self._at_home(listings)),
            Repeated(lambda: self._pages(agents(context.engines).values())),
            context,
            complete=found.complete,
            reasons=found.reasons,
            unread=found.unread,
            read=found.read,
        )

    def links(self, url: str) -> PageLinks | None:
        """None for a page that no link leads to, and after a crawl that is not complete."""
        address = address_of(url)
        row = self._frontier.find(address) if address is not None and self.report.completeness.complete else None
        if row is None or address is None:
            return None
        count, pages = self._index.get(link_hash(address), (0, ()))
        if row.via in (Via.SITEMAP, Via.LAST_SET, Via.START) or not count:
            return None
        return PageLinks(row.depth, count, next(iter(pages), ""))

    def inlinks(self, url: str) -> tuple[str, ...]:
        """The first pages that link to it."""
        address = address_of(url)
        return () if address is None else self._index.get(link_hash(address), (0, ()))[1]

    @cached_property
    def _index(self) -> dict[int, tuple[int, tuple[str, ...]]]:
        """The hash of an address → how many other pages link to it, and the first of them."""
        found: dict[int, tuple[int, tuple[str, ...]]] = {}
        for page, data in self._frontier.links():
            own = link_hash(page)
            for each in array("I", data):
                if each != own:
                    count, first = found.get(each, (0, ()))
                    found[each] = count + 1, first if count >= LINKED_FROM else (*first, page)
        return found

    def recent_visit(self, url: str) -> PendingVisit | None:
        """What the crawl saw under just this address, where that answers for itself: no redirect, no failure."""
        found = self._frontier.find(url)
        visit = found.visit if found is not None else None
        if found is None or visit is None:
            return None
        if visit.state not in (State.OK, State.GONE) or visit.hops:
            return None
        if not self._since <= visit.moment <= self._until:
            return None
        kept = kept_in(found.kept) if found.kept is not None else PageContent()
        return PendingVisit(visit, kept.blocks, kept.words)

    def _at_home(self, listings: Iterable[ListingPlace]) -> Iterator[ListingPlace]:
        """Those of the origin that was crawled."""
        for listing in listings:
            address = address_of(listing.loc)
            if address is not None and origin_of_url(address) == self.report.home:
                yield listing

    def _pages(self, bots: Collection[str]) -> Iterator[Crawled]:
        """Every address the crawl met, those it was not to ask for included: they are linked all the same."""
        for row in self._frontier.rows():
            yield self._crawled(row, bots)
        for url, source in self._frontier.only_unfollowed():
            yield Crawled(url, indexable=False, linked_from=source)

    def _crawled(self, row: CrawledUrl, bots: Collection[str]) -> Crawled:
        visit, linked = row.visit, row.found_on
        if visit is None:
            return Crawled(row.url, indexable=False, linked_from=linked)
        if visit.state is State.REDIRECTED:
            return Crawled(row.url, end_of(self._frontier, visit), indexable=False, linked_from=linked)
        return Crawled(
            row.url,
            canonical=agreed_canonical(visit),
            indexable=visit.state is State.OK
            and (visit.media_type is None or visit.media_type in _PAGES)
            and visit.refresh is None
            and NOINDEX.isdisjoint(visit.directives_for(*bots))
            and next(variants_of(Address.parse(row.url)), None) is None,
            linked_from=linked,
            is_start=row.via is Via.START,
        )
