"""Exports of Screaming Frog, Sitebulb, Ahrefs or Search Console → findings against the pages that sitemaps list.

What the columns say is obeyed: only a page that answered with 200, is indexable and its own canonical is missing from a
sitemap. Orphan pages are reported from exports of crawlers only: Search Console knows no links, and its tables are cut.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from pathlib import Path

from urlset.building.candidate import Candidate
from urlset.building.sources.blocks import items_of
from urlset.building.sources.open import open_source
from urlset.building.sources.options import Item, SourceBroken, SourceError, SourceOptions
from urlset.building.variants import variants_of
from urlset.checking.context import Context
from urlset.checking.live_page import Comparison, Crawled, CrawlExport, ListingPlace
from urlset.model.address import Address
from urlset.model.address_key import key_of
from urlset.model.few import few
from urlset.model.page import NOINDEX
from urlset.reading.host_robots import origin_of
from urlset.workflows.audit.options import AuditError


class CrawlExportError(AuditError):
    """An export that cannot be read, or has no page of the audited site."""


class ExportedSite:
    """Reads the files again whenever they are walked through: there may be millions of rows."""

    def __init__(self, paths: tuple[Path, ...], base_url: str | None) -> None:
        """Raises ExportError."""
        self._paths, self._base_url = paths, base_url
        self.notes: list[str] = []
        self._name = " and ".join(path.name for path in paths)
        self._hosts: set[str] = set()
        self._crawled: set[str] = set()
        """hosts of which a crawler says how pages answered"""
        troubles = rows = 0
        for item in self._items(self.notes):
            if not isinstance(item, Candidate):
                troubles += 1
                continue
            rows += 1
            host = origin_of(item.loc) or ""
            self._hosts.add(host)
            if item.is_crawled:
                self._crawled.add(host)
        if not rows:
            raise CrawlExportError(f"{self._name}: no row with a URL")
        if troubles:
            self.notes.append(f"{self._name}: {troubles:,} row{'s'[: troubles != 1]} could not be used")
        if not self._crawled:
            self.notes.append(
                f"{self._name}: no column says how pages answered, so every URL in it counts as a page,"
                " and orphan pages are unknown"
            )

    def __call__(self, listings: Iterable[ListingPlace], context: Context) -> Comparison:
        hosts = {origin_of(listing.loc) or "" for listing in listings}
        if hosts.isdisjoint(self._hosts):
            others = few(sorted(self._hosts), 3)
            raise CrawlExportError(f"{self._name}: no page of the audited site; its pages are on {others}")
        pages = _Pages(self, hosts)
        export = CrawlExport(self._name, frozenset(self._crawled))
        return Comparison(listings, pages, context, complete=False, export=export)

    def pages(self) -> Iterator[Crawled]:
        for item in self._items([]):
            if isinstance(item, Candidate):
                yield _crawled(item)

    def _items(self, notes: list[str]) -> Iterator[Item]:
        options = SourceOptions(base_url=self._base_url, notify=notes.append)
        for path in self._paths:
            try:
                yield from items_of(open_source(str(path), options))
            except (SourceError, SourceBroken) as error:
                raise CrawlExportError(str(error)) from error


class _Pages:
    """The exported pages of the listed hosts; walked through twice."""

    def __init__(self, export: ExportedSite, hosts: set[str]) -> None:
        self._export, self._hosts = export, hosts

    def __iter__(self) -> Iterator[Crawled]:
        return (page for page in self._export.pages() if (origin_of(page.url) or "") in self._hosts)


def _crawled(page: Candidate) -> Crawled:
    target = page.redirects_to or ""
    return Crawled(
        page.loc,
        target if target and key_of(target) != key_of(page.loc) else "",
        canonical=page.canonical,
        indexable=page.is_page
        and not (target or page.error or page.not_indexable or page.disallowed or page.endless)
        and NOINDEX.isdisjoint(page.directives)
        and next(variants_of(Address.parse(page.loc)), None) is None,
        is_linked=page.is_linked,
    )
