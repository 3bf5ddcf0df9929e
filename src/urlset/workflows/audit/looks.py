"""Where the pages of an audit are requested: in this process, in worker processes, or on a cluster."""

from __future__ import annotations

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

import msgspec

from urlset.auditing.page_look import LocalLooks, PageLooks, PageSeen, PageTask
from urlset.auditing.robots_gate import RobotsGate
from urlset.auditing.store import AuditStore, Begun, PendingUrl
from urlset.execution.backend import ExecutionError
from urlset.model.rendered import RenderMode
from urlset.web.client import Client
from urlset.workflows.audit.options import AuditOptions
from urlset.workflows.live.fleet import Ask, Fleet, FleetState, PageOptions, fleet_of
from urlset.workflows.live.rendering import second_look

_task_in = msgspec.msgpack.Decoder(PageTask).decode
_seen_in = msgspec.msgpack.Decoder(PageSeen).decode
_out = msgspec.msgpack.Encoder().encode


@asynccontextmanager
async def looking(
    options: AuditOptions, store: AuditStore, begun: Begun, named: tuple[str, ...], notices: list[str]
) -> AsyncIterator[tuple[Client, PageLooks]]:
    """The client of this process too: it asks for what belongs to a whole host. Raises ExecutionError."""
    web, render = options.web, options.render
    if options.workers.pays(enough=False):
        under_way = {page.id for page in store.under_way()} if begun.resumed else set[int]()
        state = FleetState(store.path.absolute(), under_way.__contains__, begun.resumed)
        pages = PageOptions(web, named, options.obey_robots)
        if render.mode is not RenderMode.NEVER:
            raise ExecutionError("--render needs --executor local")
        async with (
            fleet_of(options.workers, pages, audit_worker, state, notices) as fleet,
            Client(web, named=named, turns=fleet.pace) as client,
        ):
            yield client, FleetLooks(fleet)
    else:
        # resumed: a moment ago the sitemaps were fetched
        async with (
            Client(web, named=named, resumed=True) as client,
            second_look(render, client, notices, obey_robots=options.obey_robots) as look,
        ):
            yield client, LocalLooks(client, RobotsGate(client, obey_robots=options.obey_robots), look)
    notices += [each for each in client.notices if each not in notices]


class FleetLooks:
    """In other processes."""

    def __init__(self, fleet: Fleet) -> None:
        self._fleet = fleet

    def attempts(self, page: PendingUrl) -> int:
        return self._fleet.sent(page.id)

    @property
    def busy(self) -> int:
        return self._fleet.busy

    async def at(self, task: PageTask) -> PageSeen:
        return _seen_in(await self._fleet.ask(task.page.id, _out(task)))


def audit_worker(client: Client, options: PageOptions) -> Ask:
    """What a worker process calls with each page."""
    looks = LocalLooks(client, RobotsGate(client, obey_robots=options.obey_robots))

    async def ask(data: bytes) -> bytes:
        return _out(await looks.at(_task_in(data)))

    return ask
