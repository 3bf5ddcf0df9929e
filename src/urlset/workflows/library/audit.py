"""The doors for Python programs that audit, crawl and compare with logs: a site in, a report of its pages out."""

from __future__ import annotations

from collections.abc import AsyncGenerator, Callable, Iterable, Iterator, Mapping
from contextlib import ExitStack, contextmanager
from typing import Self, Unpack

from urlset.auditing.session import SessionEnd
from urlset.crawling.frontier import CrawlFrontier
from urlset.model.frames import FrameTable, Tabular, table_of
from urlset.model.shown import Shown
from urlset.model.visit import CrawlRow
from urlset.reports.pages import AuditReport, PageRow
from urlset.settings.audit import AuditSettings
from urlset.settings.crawl import CrawlSettings
from urlset.settings.load import from_keywords
from urlset.settings.ls import LogsSettings
from urlset.workflows.audit.audit import AuditRun, audited
from urlset.workflows.audit.crawled import comparing, crawl_for_audit
from urlset.workflows.audit.sources import AuditError
from urlset.workflows.crawl import CrawlReport, CrawlUse, crawling
from urlset.workflows.crawl_pages import crawl_rows
from urlset.workflows.library.calls import AwaitedBlock, complete, in_python, library_errors, on_asyncio, verb
from urlset.workflows.library.keywords import AuditKeywords, CrawlKeywords, LogsKeywords
from urlset.workflows.library.sources import Source, StrPath, named_source, path_of, url_of
from urlset.workflows.logs import LogReport, compare_logs
from urlset.writing.files import work_folder


@contextmanager
def audit(target: Source, *, strict: bool = True, **options: Unpack[AuditKeywords]) -> Iterator[AuditReport]:
    """Audit every listed page, as `urlset audit` does. The keywords are the options of the command.

    `target` is the URL of a site or sitemap, a sitemap (a file, XML as text or bytes, an open file, a Document), or a
    build folder that is served at `base_url`. The report is valid inside the block: `report.states` counts the pages,
    `report.pages()` yields them, and `report.verdict` has the findings. Without `state` nothing is kept. Inside an
    event loop, as in a notebook, it works and blocks the loop; `audit_async` does not.

    Raises AuditError for a target that cannot be audited, ValueError and TypeError for arguments that cannot be used,
    and IncompleteError where a sitemap could not be read or no page is listed; with `strict=False`, that is in
    `report.verdict.troubled` and `report.notices`.
    """
    with ExitStack() as stack:
        with library_errors():
            state = options.get("state") or stack.enter_context(work_folder())
            name, documents = named_source(target)
            settings = from_keywords(AuditSettings, {**options, "state": state}, target=name)
            crawled = None
            if settings.crawl:
                crawl = crawl_for_audit(settings)
                if crawl is None:
                    raise AuditError("crawl=True needs a site on the web: name its URL, not a folder")
                crawled = stack.enter_context(comparing(crawl))
            run = stack.enter_context(audited(settings, crawled=crawled, documents=documents))
            report = complete(_incomplete(run), in_python(run.report), strict=strict)
        yield report


def _incomplete(run: AuditRun) -> Iterator[str]:
    """What makes the command fail: something could not be read, or there is nothing to audit."""
    yield from run.report.verdict.troubled
    if not run.report.listed and not run.report.verdict.troubled:
        yield "; ".join([f"{run.report.target}: no page is listed", *run.report.notices])
    if run.ended is SessionEnd.STOPPED:
        yield f"{run.report.target}: the audit was stopped; {run.left:,} pages are left"


class Auditor(AwaitedBlock[AuditReport]):
    """An audit on asyncio.

    async with urlset.Auditor("https://www.example.com/") as auditor:
        print(auditor.report.states)
        async for page in auditor.pages():
            ...

    Entering is the audit; a task that is cancelled meanwhile stops it.
    """

    report: AuditReport

    def __init__(self, target: Source, *, strict: bool = True, **options: Unpack[AuditKeywords]) -> None:
        super().__init__(audit(target, strict=strict, **options), "urlset-audit")

    async def __aenter__(self) -> Self:
        self.report = await self._enter()
        return self

    def pages(self) -> AsyncGenerator[PageRow]:
        """Every listed page."""
        return self._rows(self.report.pages)


def audit_async(target: Source, *, strict: bool = True, **options: Unpack[AuditKeywords]) -> Auditor:
    """Audit on asyncio, as `urlset.audit` does: `async with urlset.audit_async(…) as auditor`."""
    return Auditor(target, strict=strict, **options)


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
def crawl(url: str, *, strict: bool = True, **options: Unpack[CrawlKeywords]) -> Iterator[CrawlResult]:
    """Crawl a site, as `urlset crawl` does. The keywords are the options of the command.

    `result.report` has the counts and says whether the crawl is complete; `result.pages()` yields every URL. Without
    `state`, a folder in which an interrupted crawl is resumed, nothing is kept. Raises CrawlError for a URL that cannot
    be crawled, ValueError and TypeError for arguments that cannot be used, and IncompleteError where no page could be
    read; with `strict=False`, `result.report` says why.
    """
    with ExitStack() as stack:
        with library_errors():
            start = url_of(url, "crawl")
            state = options.get("state") or stack.enter_context(work_folder())
            settings = from_keywords(CrawlSettings, {**options, "state": state}, url=start)
            frontier, report = stack.enter_context(crawling(settings, CrawlUse(name="file")))
            result = CrawlResult(in_python(report), frontier)
            complete(_unread(report), None, strict=strict)
        yield result


def _unread(report: CrawlReport) -> Iterator[str]:
    """What makes the command fail: no page of the site answered."""
    if not report.states.get("ok"):
        why = ", ".join(f"{count:,} {state}" for state, count in report.states.items()) or "nothing was requested"
        yield "; ".join([f"{report.url}: no page could be read ({why})", *report.notices])


class SiteCrawler(AwaitedBlock[CrawlResult]):
    """A crawl on asyncio.

    async with urlset.crawl_async("https://www.example.com/") as crawler:
        print(crawler.report.visited)
        async for page in crawler.pages():
            ...

    Entering is the crawl; a task that is cancelled meanwhile stops it.
    """

    report: CrawlReport
    result: CrawlResult

    async def __aenter__(self) -> Self:
        self.result = await self._enter()
        self.report = self.result.report
        return self

    def pages(self) -> AsyncGenerator[CrawlRow]:
        """Every URL that was found, in the order of discovery."""
        return self._rows(self.result.pages)


def crawl_async(url: str, *, strict: bool = True, **options: Unpack[CrawlKeywords]) -> SiteCrawler:
    """Crawl on asyncio, as `urlset.crawl` does: `async with urlset.crawl_async(…) as crawler`."""
    return SiteCrawler(crawl(url, strict=strict, **options), "urlset-crawl")


@verb
def logs(
    target: Source, files: StrPath | Iterable[StrPath], *, strict: bool = True, **options: Unpack[LogsKeywords]
) -> LogReport:
    """Join the requests of a crawler in access logs to listed pages, as `urlset logs` does.

    `target` is a sitemap (a file, XML as text or bytes, an open file, a Document), a folder of them, or the URL of a
    site. `ranges` is the published JSON file of the crawler's IP ranges; without it a User-Agent is believed. Raises
    LogsError where something cannot be read, and IncompleteError where that is a part of the sitemaps; with
    `strict=False`, that is in `LogReport.notes`.
    """
    name, documents = named_source(target)
    several = [files] if isinstance(files, str) or not isinstance(files, Iterable) else files
    targets = (name, *(path_of(each, "logs", "a log") for each in several))
    unread: list[str] = []
    report = compare_logs(from_keywords(LogsSettings, options, targets=targets), documents=documents, unread=unread)
    return complete(unread, report, strict=strict)


logs_async = on_asyncio(logs, "Join access logs to listed pages on asyncio, as `urlset.logs` does.")
