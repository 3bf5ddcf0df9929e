"""The doors for Python programs that audit: a site or a folder in, a report of its pages out.

`audit` is for programs that wait, `Auditor` for those that run on asyncio: the audit has a thread and an event loop
of its own then, and so has the database that its report reads from.
"""

from __future__ import annotations

import asyncio
import os
from collections.abc import AsyncIterator, Callable, Iterable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack, contextmanager, suppress
from datetime import datetime
from itertools import islice
from pathlib import Path
from threading import Event
from types import TracebackType
from typing import Self, TypedDict, TypeVar, Unpack

import msgspec

from urlset.auditing.session import Session
from urlset.reports.pages import AuditReport, PageRow
from urlset.settings.groups import JudgeSettings
from urlset.spec.engines import DEFAULT_ENGINES, Engine
from urlset.web.options import WebOptions
from urlset.workflows.audit.audit import AuditError, NoProgress, audited
from urlset.workflows.audit.options import AuditOptions
from urlset.workflows.library.check import in_python
from urlset.writing.work_folder import work_folder

_AT_ONCE = 500
T = TypeVar("T")


class AuditHow(TypedDict, total=False):
    """What can be said of an audit besides its target."""

    base_url: str | None
    """the address that a build folder stands for"""
    engines: Iterable[str]
    select: Iterable[str]
    ignore: Iterable[str]
    """rules by code, family letter or name"""
    sample: int | str | None
    """a number of pages, or a share such as "5%" """
    max_pages: int | None
    max_seconds: float | None
    obey_robots: bool
    media: bool
    """ask for images and videos too"""
    check: bool
    """check the sitemaps themselves too, as `urlset.check` does"""
    state: str | os.PathLike[str] | None
    """a folder: an audit that was stopped goes on where it was, and the next one asks what may have changed"""
    now: datetime | None
    web: WebOptions | None


@contextmanager
def audit(target: str | os.PathLike[str], **how: Unpack[AuditHow]) -> Iterator[AuditReport]:
    """Look at every page that sitemaps list, politely, and judge it.

    `target` is the address of a site or sitemap, a sitemap file, or a build folder that stands for `base_url`. The
    report is good inside the block, and in the thread that opened it: `report.states` counts the pages,
    `report.pages()` gives them one by one, and `report.verdict` has the findings. Without `state` nothing is kept.
    Raises AuditError for a target that cannot be audited, ValueError for an engine or a rule that does not exist,
    and RuntimeError on an event loop, where `Auditor` is the door.
    """
    if _on_an_event_loop():
        raise RuntimeError("an event loop is running in this thread; use `async with urlset.Auditor(…)`")
    with _audit(target, how, NoProgress()) as report:
        yield report


@contextmanager
def _audit(target: str | os.PathLike[str], how: AuditHow, watch: NoProgress) -> Iterator[AuditReport]:
    with ExitStack() as stack:
        state, sample = how.get("state"), how.get("sample")
        if state is None:
            state = stack.enter_context(work_folder())
        options = AuditOptions(
            target=os.fspath(target),
            state=Path(state),
            sample=None if sample is None else str(sample),
            max_pages=how.get("max_pages"),
            max_seconds=how.get("max_seconds"),
            obey_robots=how.get("obey_robots", True),
            media=how.get("media", False),
            check=how.get("check", False),
            web=how.get("web") or WebOptions(),
        )
        settings = JudgeSettings(
            engines=tuple(Engine(engine) for engine in how.get("engines", DEFAULT_ENGINES)),
            select=tuple(how.get("select", ())),
            ignore=tuple(how.get("ignore", ())),
            base_url=how.get("base_url"),
        )
        report = stack.enter_context(audited(options, settings, watch=watch, now=how.get("now"))).report
        yield msgspec.structs.replace(report, verdict=in_python(report.verdict))


def _on_an_event_loop() -> bool:
    try:
        asyncio.get_running_loop()
    except RuntimeError:
        return False
    return True


class Auditor:
    """The same for programs on asyncio.

    async with urlset.Auditor("https://www.example.com/") as auditor:
        print(auditor.report.states)
        async for page in auditor.pages():
            ...

    Entering is the audit; a task that is cancelled meanwhile stops it.
    """

    report: AuditReport

    def __init__(self, target: str | os.PathLike[str], **how: Unpack[AuditHow]) -> None:
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
