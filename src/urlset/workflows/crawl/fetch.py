"""Where the pages of a crawl are requested: in this process, in worker processes, or on a cluster."""

from __future__ import annotations

from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from functools import partial

import msgspec

from urlset.auditing.soft404 import ErrorProbe
from urlset.crawling.found import Looked
from urlset.crawling.loop import CrawlTask, PageSource
from urlset.execution.backend import ExecutionError
from urlset.model.page import PageFacts
from urlset.model.rendered import RenderMode
from urlset.model.visit import Visit
from urlset.web.client import Client
from urlset.workflows.crawl.look import LocalSource, again, looker
from urlset.workflows.crawl.options import CrawlOptions
from urlset.workflows.live.fleet import Ask, Fleet, FleetState, PageOptions, fleet_of
from urlset.workflows.live.rendering import second_look

Baseline = Callable[[], ErrorProbe | None]


class PageParts(msgspec.Struct, frozen=True):
    """What is read of each page."""

    content: bool = False
    images: bool = False
    videos: bool = False


class _Sent(msgspec.Struct, frozen=True, array_like=True):
    """A task on its way to a worker."""

    task: CrawlTask
    baseline: ErrorProbe | None


class _PackedLook(msgspec.Struct, frozen=True, array_like=True):
    """A page on its way back."""

    visit: Visit
    facts: PageFacts | None
    kept: bytes | None
    link_headers: tuple[tuple[str, tuple[str, ...]], ...]
    is_shell: bool
    texts: tuple[str, ...]


_sent_in = msgspec.msgpack.Decoder(_Sent).decode
_look_in = msgspec.msgpack.Decoder(_PackedLook).decode
_out = msgspec.msgpack.Encoder().encode


@asynccontextmanager
async def fetcher(
    options: CrawlOptions, pages: PageOptions, state: FleetState, notices: list[str], baseline: Baseline
) -> AsyncIterator[tuple[Client, PageSource]]:
    """The client of this process too: it requests what belongs to the whole site. Raises ExecutionError."""
    web, named, workers = pages.web, pages.named, options.workers
    parts = PageParts(options.content, options.images, options.videos)
    if workers.pays(enough=False):
        if options.render.mode is not RenderMode.NEVER:
            raise ExecutionError("--render needs --executor local")
        async with (
            fleet_of(workers, pages, partial(crawl_worker, parts), state, notices) as fleet,
            Client(web, named=named, robots_of_today=state.resumed, turns=fleet.pace) as client,
        ):
            yield client, FleetSource(fleet, baseline)
    else:
        look = _look(parts, baseline)
        rendering: list[str] = []
        async with (
            Client(web, named=named, resumed=state.resumed, robots_of_today=state.resumed) as client,
            second_look(options.render, client, rendering, obey_robots=pages.obey_robots) as browser,
        ):
            yield client, LocalSource(client, look, again(browser, look) if browser is not None else None)
        notices += rendering
    notices[:0] = [each for each in client.notices if each not in notices]


def _look(parts: PageParts, baseline: Baseline) -> Callable[..., Looked]:
    return looker(content=parts.content, images=parts.images, videos=parts.videos, baseline=baseline)


class FleetSource:
    """In other processes."""

    def __init__(self, fleet: Fleet, baseline: Baseline) -> None:
        self._fleet, self._baseline = fleet, baseline

    def attempts(self, page: int) -> int:
        return self._fleet.sent(page)

    async def fetch(self, task: CrawlTask) -> Looked:
        found = _look_in(await self._fleet.ask(task.page, _out(_Sent(task, self._baseline()))))
        texts = found.texts
        return Looked(found.visit, found.facts, found.kept, found.link_headers, found.is_shell, lambda: texts)


def crawl_worker(parts: PageParts, client: Client, options: PageOptions) -> Ask:
    """What a worker process calls with each page."""
    del options
    known: list[ErrorProbe | None] = [None]
    source = LocalSource(client, _look(parts, lambda: known[0]))

    async def ask(data: bytes) -> bytes:
        sent = _sent_in(data)
        known[0] = sent.baseline or known[0]
        looked = await source.fetch(sent.task)
        facts = looked.facts
        if facts is not None:  # only links and what tells pages of a row apart are needed
            facts = msgspec.structs.replace(facts, blocks=(), frame=(), main=(), images=(), videos=(), stated=None)
        texts = tuple(looked.texts()) if sent.task.texts else ()
        return _out(_PackedLook(looked.visit, facts, looked.kept, looked.link_headers, looked.is_shell, texts))

    return ask
