"""A site → its pages, for Python programs: the same service as `urlset crawl`."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from contextlib import ExitStack, contextmanager
from pathlib import Path
from typing import Unpack

from urlset.crawling.frontier import CrawlFrontier
from urlset.model.crawl_row import CrawlRow
from urlset.model.frames import FrameTable, Tabular, table_of
from urlset.model.shown import Shown
from urlset.settings.convert import with_scheme
from urlset.settings.crawl import CrawlSettings
from urlset.settings.keywords import from_keywords
from urlset.workflows.crawl.crawl import crawling
from urlset.workflows.crawl.options import CrawlOptions, CrawlReport
from urlset.workflows.crawl.rows import crawl_rows
from urlset.workflows.library.keywords import CrawlKeywords
from urlset.writing.files import work_folder


class CrawlResult(Shown, Tabular):
    """What a crawl found; `pages` is valid inside the block that gave it."""

    report: CrawlReport

    def __init__(self, report: CrawlReport, frontier: CrawlFrontier) -> None:
        self.report, self._frontier = report, frontier

    def pages(self) -> Iterator[CrawlRow]:
        """Every URL that was found, in the order of discovery, with what became of it."""
        return crawl_rows(self._frontier, self.report.robots_txt)

    def facts(self) -> Iterator[tuple[str, object]]:
        return self.report.facts()

    def tables(self) -> Mapping[str, Callable[[], FrameTable]]:
        """Rows: pages."""
        return {"pages": lambda: table_of(CrawlRow, self.pages, times=("last_modified", "asked"))}


@contextmanager
def crawl(url: str, **options: Unpack[CrawlKeywords]) -> Iterator[CrawlResult]:
    """Crawl a site, as `urlset crawl` does. The keywords are the options of the command.

    `result.report` has the counts and says whether the crawl is complete; `result.pages()` yields every URL. Without
    `state`, a folder in which an interrupted crawl is resumed, nothing is kept. Raises CrawlError for a URL that cannot
    be crawled, ValueError for a value that cannot be used, and TypeError for an unknown keyword.
    """
    settings = from_keywords(CrawlSettings, options)
    with ExitStack() as stack:
        state = Path(options.get("state") or stack.enter_context(work_folder()))
        told = CrawlOptions.of(settings, with_scheme(url), state, for_rows=True)
        frontier, report = stack.enter_context(crawling(told))
        yield CrawlResult(report, frontier)
