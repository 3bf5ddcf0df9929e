"""The hosts of an audit → shares, each requested by one worker with its own pace.

A host is the unit of work: every host belongs to one worker, so no pace is shared. `http`, `https` and `www.` of a
host stay together. A page that redirects to the host of another worker is left to the command, which requests it
after all workers have ended, together with the targets that pages named.

    main store → a store per share (`AuditStore.split`) → worker: an ordinary session → main store (`merge`)

A share is a state file like that of an audit: after a kill, of a worker or of the command, what it has is kept.
"""

from __future__ import annotations

import signal
import time
from collections import Counter
from multiprocessing import parent_process
from pathlib import Path
from urllib.parse import urlsplit

import msgspec

from urlset.auditing.session import Session, SessionEnd, WorkerShare
from urlset.auditing.store import STORE, AuditStore, What
from urlset.execution.executor import executor_on
from urlset.execution.workers import Where, Workers
from urlset.model.visit import RenderMode
from urlset.settings.audit import AuditSettings
from urlset.web.client import Client
from urlset.web.loop import run
from urlset.web.options import WebOptions
from urlset.writing.files import work_folder


class ShareTask(msgspec.Struct, frozen=True):
    """Hosts and their pages, for one worker."""

    store: Path
    sites: frozenset[str]
    pages: int
    """listed by the whole audit, which decides how many texts are kept"""
    named: tuple[str, ...]
    web: WebOptions
    ignore_robots: bool
    conditional: bool
    until: float | None
    """time of the clock at which requests end"""
    data: bytes = b""
    """the store, for a machine that does not have the file"""
    # the rest of what a session obeys: limits of pages and a browser are for one process
    max_pages: int | None = None
    max_pages_per_host: int | None = None
    render: RenderMode = RenderMode.NEVER

    @property
    def max_seconds(self) -> float | None:
        return None if self.until is None else max(0.0, self.until - time.time())

    def has(self, url: str) -> bool:
        """Whether this worker requests the host of the address."""
        return site_of(url) in self.sites

    @property
    def name(self) -> str:
        return f"{len(self.sites)} hosts"


class SitesResult(msgspec.Struct):
    """Of one share, or of all together."""

    ended: SessionEnd = SessionEnd.FINISHED
    asked: int = 0
    left_out: Counter[str] = msgspec.field(default_factory=Counter)
    notices: list[str] = []
    data: bytes = b""
    """the store, from a machine that does not have the file"""


def site_of(url: str) -> str:
    try:
        host = urlsplit(url).hostname
    except ValueError:
        host = None
    return (host or "").removeprefix("www.")


def ask_sites(
    settings: AuditSettings,
    web: WebOptions,
    store: AuditStore,
    named: tuple[str, ...],
    *,
    conditional: bool,
) -> SitesResult:
    """Request pages in workers, where that pays; the store has their answers afterwards. Raises ExecutionError."""
    found = SitesResult()
    folder = store.path.with_suffix(".hosts")
    _collect(store, folder)  # what a killed run left
    workers = settings.workers
    # limits and recordings count the requests of one process; a browser requests from any host
    alone = settings.max_pages or settings.max_pages_per_host or web.record or web.replay
    if alone or settings.render is not RenderMode.NEVER or not workers.pays(enough=False):
        return found
    shares = _shares(store.sites(site_of), workers.count)
    if len(shares) < 2:
        return found
    until = None if settings.max_seconds is None else time.time() + settings.max_seconds
    on_ray = workers.where is Where.RAY
    share = msgspec.structs.replace(
        web,
        total_concurrency=max(1, web.total_concurrency // len(shares)),
        cache=None if on_ray else web.cache,  # the folder is on this machine
    )
    tasks = [
        ShareTask(
            store=path,
            sites=frozenset(sites),
            pages=store.count(chosen=True, kind=What.PAGE),
            named=named,
            web=share,
            ignore_robots=settings.ignore_robots,
            conditional=conditional,
            until=until,
            data=path.read_bytes() if on_ray else b"",
        )
        for sites, path in zip(shares, store.split(site_of, shares, folder), strict=True)
    ]
    try:
        _run(workers, tasks, found)
    except KeyboardInterrupt:
        found.ended = SessionEnd.STOPPED
    finally:
        _collect(store, folder)
    return found


def _run(workers: Workers, tasks: list[ShareTask], found: SitesResult) -> None:
    # what no worker could do is left to the command
    with executor_on(workers, ask_share, failed=lambda _task, _reason: SitesResult(), what="hosts", copies=False) as on:
        for task in tasks:
            on.submit(task)
        for task, result in on.finished():
            if result.data:
                task.store.write_bytes(result.data)
            found.asked += result.asked
            found.left_out.update(result.left_out)
            found.notices += [each for each in result.notices if each not in found.notices]
            if result.ended is not SessionEnd.FINISHED:
                found.ended = result.ended


def _shares(sites: dict[str, int], count: int) -> list[list[str]]:
    """At most `count`, with about as many pages each."""
    shares: list[list[str]] = [[] for _ in range(min(count, len(sites)))]
    loads = [0] * len(shares)
    for site in sorted(sites, key=lambda each: (-sites[each], each)):
        lightest = loads.index(min(loads))
        shares[lightest].append(site)
        loads[lightest] += sites[site]
    return shares


def _collect(store: AuditStore, folder: Path) -> None:
    if not folder.is_dir():
        return
    for path in sorted(folder.glob("*.db")):
        store.merge(path)
        STORE.remove(path)
    folder.rmdir()


# in a worker


def ask_share(task: ShareTask) -> SitesResult:
    if parent_process() is not None:
        signal.signal(signal.SIGINT, signal.SIG_IGN)  # the command ends its workers
    if task.store.is_file():
        return _asked(task, task.store)
    with work_folder() as folder:
        path = folder / task.store.name
        path.write_bytes(task.data)
        result = _asked(task, path)
        return msgspec.structs.replace(result, data=path.read_bytes())


def _asked(task: ShareTask, path: Path) -> SitesResult:
    with AuditStore(path) as store:
        store.recall()
        return run(_session(task, store))


async def _session(task: ShareTask, store: AuditStore) -> SitesResult:
    async with Client(task.web, named=task.named, resumed=True) as client:
        session = Session(store, client, task, conditional=task.conditional, share=WorkerShare(task.has, task.pages))
        ended = await session.run()
        return SitesResult(ended, session.asked, session.left_out, list(client.notices))
