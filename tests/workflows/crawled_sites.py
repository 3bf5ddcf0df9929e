"""Small sites to crawl, and one call that crawls them and hands back what was found."""

from __future__ import annotations

from pathlib import Path
from typing import Any, NamedTuple

from urlset.model.visit import CrawlRow
from urlset.settings.crawl import CrawlSettings
from urlset.testing import Site
from urlset.web.options import WebOptions
from urlset.workflows.crawl import CrawlReport, CrawlUse, crawling
from urlset.workflows.crawl_pages import crawl_rows

QUICK = WebOptions(allow_private=True, backoff=0.01, patience=0.02, tries=2)
TEXT = "Words of its own make a page worth reading, and this one has some of them about {}, enough to be no thin page. "


def html(*links: str, head: str = "", body: str = "", title: str = "A page") -> str:
    """A link is an address, or a whole element."""
    anchors = " ".join(link if link.startswith("<") else f'<a href="{link}">{link}</a>' for link in links)
    return (
        f"<!doctype html><html lang=en><head><meta charset=utf-8><title>{title}</title>{head}</head>"
        f"<body><h1>{title}</h1><p>{TEXT.format(title) * 6}</p>{body}{anchors}</body></html>"
    )


class Crawled(NamedTuple):
    report: CrawlReport
    rows: list[CrawlRow]
    origin: str

    def states(self) -> dict[str, str]:
        return {self._path(row.url): row.state for row in self.rows}

    def row(self, path: str) -> CrawlRow:
        [row] = [row for row in self.rows if self._path(row.url) == path]
        return row

    def asked(self) -> set[str]:
        return {self._path(row.url) for row in self.rows if row.state != "not asked"}

    def _path(self, url: str) -> str:
        return url.removeprefix(self.origin)


def crawled(site: Site | str, state: Path, start: str = "/", **given: Any) -> Crawled:
    """With the options of a crawl, and those of `CrawlUse`; `web` as it is."""
    origin = site if isinstance(site, str) else site.origin
    use = CrawlUse(**{name: given.pop(name) for name in CrawlUse.__struct_fields__ if name in given})
    settings = CrawlSettings(url=origin + start, state=state, **{"web": QUICK, **given})
    with crawling(settings, use) as (frontier, report):
        return Crawled(report, list(crawl_rows(frontier)), origin)
