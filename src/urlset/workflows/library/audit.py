"""The doors for Python programs that audit: a site or a folder in, a report of its pages out.

`audit` is for programs that wait, `Auditor` for those that run on asyncio: the audit has a thread and an event loop
of its own then, and so has the database that its report reads from.
"""

from __future__ import annotations

import asyncio
import os
from collections.abc import AsyncIterator, Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack, contextmanager, suppress
from itertools import islice
from pathlib import Path
from threading import Event
from types import TracebackType
from typing import Self, TypeVar, Unpack

import msgspec

from urlset.auditing.session import Session
from urlset.reports.pages import AuditReport, PageRow
from urlset.settings.audit import AuditSettings
from urlset.settings.keywords import from_keywords
from urlset.workflows.audit.audit import NoProgress, audited
from urlset.workflows.audit.options import AuditError, AuditOptions
from urlset.workflows.crawl.compare import comparing, crawl_for_audit
from urlset.workflows.library.check import in_python
from urlset.workflows.library.keywords import AuditKeywords
from urlset.writing.files import work_folder

_AT_ONCE = 500
T = TypeVar("T")


@contextmanager
def audit(target: str | os.PathLike[str], **how: Unpack[AuditKeywords]) -> Iterator[AuditReport]:
    """Audit every listed page, as `urlset audit` does. The keywords are the options of the command.

    `target` is the URL of a site or sitemap, a sitemap file, or a build folder that is served at `base_url`. The report
    is valid inside the block: `report.states` counts the pages, `report.pages()` yields them, and `report.verdict` has
    the findings. Without `state` nothing is kept. Inside an event loop, as in a notebook, it works and blocks the loop;
    `Auditor` does not. Raises AuditError for a target that cannot be audited, ValueError for a value that cannot be
    used, and TypeError for an unknown keyword.
    """
    with _audit(target, how, NoProgress()) as report:
        yield report


@contextmanager
def _audit(target: str | os.PathLike[str], how: AuditKeywords, watch: NoProgress) -> Iterator[AuditReport]:
    settings = from_keywords(AuditSettings, how)
    with ExitStack() as stack:
        state = Path(how.get("state") or stack.enter_context(work_folder()))
        options = AuditOptions.of(settings, os.fspath(target), state)
        compare = None
        if settings.crawl:
            crawl = crawl_for_audit(options, settings)
            if crawl is None:
                raise AuditError("crawl=True needs a site on the web: name its URL, not a folder")
            compare = stack.enter_context(comparing(crawl))
        met = None if compare is None else compare.met
        auditing = audited(options, settings, watch=watch, now=settings.now, compare=compare, met=met)
        report = stack.enter_context(auditing).report
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

    def __init__(self, target: str | os.PathLike[str], **how: Unpack[AuditKeywords]) -> None:
        self._watch = _Stoppable()
        self._audit = _audit(target, how, self._watch)
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
