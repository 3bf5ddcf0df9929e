"""The doors for Python programs that audit: a site or a folder in, a report of its pages out.

`audit` is for programs that wait, `Auditor` for those that run on asyncio: the audit has a thread and an event loop
of its own then, and so has the database that its report reads from.
"""

from __future__ import annotations

import asyncio
import os
from collections.abc import AsyncIterator, Callable, Iterable, Iterator, Mapping
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack, contextmanager, suppress
from itertools import islice
from threading import Event
from types import TracebackType
from typing import Self, TypeVar, Unpack

import msgspec

from urlset.auditing.session import Session
from urlset.crawling.frontier import CrawlFrontier
from urlset.model.frames import FrameTable, Tabular, table_of
from urlset.model.shown import Shown
from urlset.model.visit import CrawlRow
from urlset.reports.pages import AuditReport, PageRow
from urlset.settings.audit import AuditSettings
from urlset.settings.convert import with_scheme
from urlset.settings.crawl import CrawlSettings
from urlset.settings.load import from_keywords
from urlset.settings.ls import LogsSettings
from urlset.workflows.audit.audit import NoProgress, audited
from urlset.workflows.audit.crawled import comparing, crawl_for_audit
from urlset.workflows.audit.sources import AuditError
from urlset.workflows.crawl import CrawlReport, CrawlUse, crawling
from urlset.workflows.crawl_pages import crawl_rows
from urlset.workflows.library.check import in_python
from urlset.workflows.library.keywords import AuditKeywords, CrawlKeywords, LogsKeywords
from urlset.workflows.logs import LogReport, LogsError, compare_logs
from urlset.writing.files import work_folder

_AT_ONCE = 500
T = TypeVar("T")


@contextmanager
def audit(target: str | os.PathLike[str], **options: Unpack[AuditKeywords]) -> Iterator[AuditReport]:
    """Audit every listed page, as `urlset audit` does. The keywords are the options of the command.

    `target` is the URL of a site or sitemap, a sitemap file, or a build folder that is served at `base_url`. The report
    is valid inside the block: `report.states` counts the pages, `report.pages()` yields them, and `report.verdict` has
    the findings. Without `state` nothing is kept. Inside an event loop, as in a notebook, it works and blocks the loop;
    `Auditor` does not. Raises AuditError for a target that cannot be audited, ValueError for a value that cannot be
    used, and TypeError for an unknown keyword.
    """
    with _audit(target, options, NoProgress()) as report:
        yield report


@contextmanager
def _audit(target: str | os.PathLike[str], options: AuditKeywords, watch: NoProgress) -> Iterator[AuditReport]:
    with ExitStack() as stack:
        state = options.get("state") or stack.enter_context(work_folder())
        settings = from_keywords(AuditSettings, {**options, "state": state}, target=os.fspath(target))
        crawled = None
        if settings.crawl:
            crawl = crawl_for_audit(settings)
            if crawl is None:
                raise AuditError("crawl=True needs a site on the web: name its URL, not a folder")
            crawled = stack.enter_context(comparing(crawl))
        report = stack.enter_context(audited(settings, watch=watch, crawled=crawled)).report
        yield msgspec.structs.replace(report, verdict=in_python(report.verdict))


class Auditor:
    """The same for programs on asyncio.

    async with urlset.Auditor("https://www.example.com/") as auditor:
        print(auditor.report.states)
        async for page in auditor.pages():
            ...

    Entering is the audit; a task that is cancelled meanwhile stops it.
    """

    report: AuditReport

    def __init__(self, target: str | os.PathLike[str], **options: Unpack[AuditKeywords]) -> None:
        self._watch = _Stoppable()
        self._audit = _audit(target, options, self._watch)
        self._thread = ThreadPoolExecutor(1, thread_name_prefix="urlset-audit")

    async def __aenter__(self) -> Self:
        entering = self._start(self._audit.__enter__)
        try:
            self.report = await asyncio.shield(entering)
        except asyncio.CancelledError:
            self._watch.wanted.set()
            with suppress(AuditError):
                await entering
                await self._start(lambda: self._audit.__exit__(None, None, None))
            self._thread.shutdown(wait=False)
            raise
        except BaseException:
            self._thread.shutdown(wait=False)
            raise
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        await self._start(lambda: self._audit.__exit__(None, None, None))
        self._thread.shutdown(wait=False)

    async def pages(self) -> AsyncIterator[PageRow]:
        """Every listed page."""
        rows = await self._start(self.report.pages)
        while some := await self._start(lambda: list(islice(rows, _AT_ONCE))):
            for row in some:
                yield row

    def _start(self, work: Callable[[], T]) -> asyncio.Future[T]:
        return asyncio.get_running_loop().run_in_executor(self._thread, work)


class _Stoppable(NoProgress):
    """Stops the audit in the audit's own thread."""

    def __init__(self) -> None:
        self.wanted = Event()

    def listing(self, sitemaps: int, pages: int) -> None:
        del sitemaps, pages
        if self.wanted.is_set():
            raise AuditError("stopped")

    def asking(self, session: Session) -> None:
        if self.wanted.is_set():
            session.stop()


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
    with ExitStack() as stack:
        state = options.get("state") or stack.enter_context(work_folder())
        settings = from_keywords(CrawlSettings, {**options, "state": state}, url=with_scheme(url))
        frontier, report = stack.enter_context(crawling(settings, CrawlUse(name="file")))
        yield CrawlResult(report, frontier)


__all__ = ["LogReport", "LogsError", "logs"]

StrPath = str | os.PathLike[str]


def logs(
    target: StrPath,
    files: StrPath | Iterable[StrPath],
    **options: Unpack[LogsKeywords],
) -> LogReport:
    """Join the requests of a crawler in access logs to listed pages, as `urlset logs` does.

    `target` is a sitemap, a folder of them, or the URL of a site. `ranges` is the published JSON file of the crawler's
    IP ranges; without it a User-Agent is believed. Raises LogsError where something cannot be read.
    """
    several: Iterable[StrPath] = [files] if isinstance(files, (str, os.PathLike)) else files
    targets = tuple(os.fspath(each) for each in (target, *several))
    return compare_logs(from_keywords(LogsSettings, options, targets=targets))
