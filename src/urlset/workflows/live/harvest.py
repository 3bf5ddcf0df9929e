"""Addresses of sitemaps → answers and files on disk, fetched in a thread of its own while others are being read."""

from __future__ import annotations

import asyncio
import threading
from collections.abc import Callable, Coroutine, Iterable
from concurrent.futures import FIRST_COMPLETED, CancelledError, Future
from concurrent.futures import wait as wait_until
from contextvars import copy_context
from pathlib import Path
from types import TracebackType
from typing import Any, Self, TypeVar

import msgspec

from urlset.auditing.state import LARGEST
from urlset.model.answer import Answer, FailureKind
from urlset.reading.host_robots import HostRobots, origin_of, path_of
from urlset.reading.limits import REMOTE_CAP
from urlset.rules.fetch_state import challenged, no_way_in
from urlset.web.client import Client
from urlset.web.loop import is_borrowed, run
from urlset.web.options import WebOptions

T = TypeVar("T")
ENOUGH = 6
"""sitemaps in a row for which a host could not be asked, or requests that it refused"""
_LET_ALONE = (429, 503)
_WITHOUT_A_REQUEST = (FailureKind.NOT_RECORDED, FailureKind.BAD_ADDRESS, FailureKind.FORBIDDEN_ADDRESS)
_START = 1024
_BEFORE_MARKUP = b"\xef\xbb\xbf \t\r\n"
_SITEMAP_STARTS = (b"<?xml", b"<urlset", b"<sitemapindex", b"<rss", b"<feed")
SPOOL_CAP = REMOTE_CAP + 1
"""one byte more than is read, so the reader sees that there was more"""


class Arrival(msgspec.Struct, frozen=True):
    """One requested address and its result."""

    number: int
    url: str
    answer: Answer
    robots: HostRobots
    """of the requested host"""
    path: Path
    """the body, its content encoding undone; there only if something came"""

    def head(self, size: int) -> bytes:
        """The beginning of the body; empty where nothing came."""
        try:
            with self.path.open("rb") as file:
                return file.read(size)
        except OSError:
            return b""

    def discard(self) -> None:
        self.path.unlink(missing_ok=True)


class Refusals:
    """Hosts that fail or refuse one sitemap after the other: they are let alone, instead of waited for each time."""

    def __init__(self) -> None:
        self._in_a_row: dict[str, int] = {}
        self._last: dict[str, Answer] = {}

    def note(self, answer: Answer) -> None:
        origin = origin_of(answer.url) or ""
        refused = answer.status in _LET_ALONE or challenged(answer) is not None
        was_sent = answer.failure is None or answer.failure.kind not in _WITHOUT_A_REQUEST
        if refused or (no_way_in(answer) and was_sent):
            self._in_a_row[origin] = self._in_a_row.get(origin, 0) + (answer.tries if refused else 1)
            self._last[origin] = msgspec.structs.replace(answer, body=b"")
        else:
            self._in_a_row.pop(origin, None)

    def instead_of(self, url: str) -> Answer | None:
        """The last answer of the host, with zero tries, when further requests are pointless."""
        origin = origin_of(url) or ""
        if self._in_a_row.get(origin, 0) < ENOUGH:
            return None
        return msgspec.structs.replace(self._last[origin], url=url, final_url=url, hops=(), tries=0)


class Harvest:
    """`with Harvest(options, folder) as harvest`: `request` some, then take what comes.

    The caller bounds how much waits on disk by how much it requests ahead. Leaving the block ends what is
    under way.
    """

    def __init__(
        self,
        options: WebOptions,
        folder: Path,
        *,
        named: Iterable[str] = (),
        resumed: bool = False,
        still_valid: Callable[[str], bool] | None = None,
    ) -> None:
        """`named`: the addresses the user gave; `resumed`: an earlier process may have asked just now."""
        self._options, self._named, self._resumed, self._still_valid = options, tuple(named), resumed, still_valid
        self._folder = folder
        self._asked: dict[int, Future[Arrival]] = {}
        """by number: requested and not yet taken"""
        self._given = 0
        self._ready = threading.Event()
        self._thread = threading.Thread(
            target=copy_context().run, args=(self._run,), name="urlset harvest", daemon=True
        )
        self._tasks: set[asyncio.Task[Any]] = set()
        self._loop: asyncio.AbstractEventLoop | None = None
        self._stop: asyncio.Event | None = None
        self._client: Client | None = None
        self._fault: BaseException | None = None
        self._refusals = Refusals()
        self._turns: dict[str, asyncio.Semaphore] = {}
        """by origin: who waits here can still be spared, who waits in the client cannot"""

    def __enter__(self) -> Self:
        self._folder.mkdir(exist_ok=True)
        self._thread.start()
        self._ready.wait()
        if self._fault is not None:
            self._thread.join()
            raise self._fault
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        if self._loop is not None and self._stop is not None and self._thread.is_alive():
            self._loop.call_soon_threadsafe(self._stop.set)
        self._thread.join()

    @property
    def notices(self) -> list[str]:
        """What was done otherwise than servers asked."""
        return [] if self._client is None else list(self._client.notices)

    @property
    def outstanding(self) -> int:
        """Requested and not yet taken."""
        return len(self._asked)

    def request(self, url: str) -> int:
        """Begin to fetch; the number tells it apart from others when it arrives."""
        number, self._given = self._given, self._given + 1
        assert self._loop is not None
        self._asked[number] = asyncio.run_coroutine_threadsafe(self._fetch(number, url), self._loop)
        return number

    def fetch(self, url: str) -> Arrival:
        """Fetch one and wait for it."""
        return self.wait_for(self.request(url))

    def wait_for(self, number: int) -> Arrival:
        try:
            return self._asked.pop(number).result()
        except CancelledError:  # the thread has come to its end
            self._thread.join()
            assert self._fault is not None
            raise self._fault from None

    def take(self, *, wait: bool) -> list[Arrival]:
        """All that has arrived; with `wait`, at least one as long as any is under way."""
        if wait:
            wait_until(self._asked.values(), return_when=FIRST_COMPLETED)
        return [self.wait_for(number) for number in [each for each, asked in self._asked.items() if asked.done()]]

    def robots(self, url: str) -> HostRobots:
        """The robots.txt of the address's host, requested once."""
        return self._ask(self._its_client.robots(url))

    def all_robots(self, urls: Iterable[str]) -> list[HostRobots]:
        """The same for several hosts at once."""

        async def ask() -> list[HostRobots]:
            return await asyncio.gather(*(self._its_client.robots(url) for url in urls))

        return self._ask(ask())

    @property
    def _its_client(self) -> Client:
        assert self._client is not None
        return self._client

    def _ask(self, question: Coroutine[Any, Any, T]) -> T:
        assert self._loop is not None
        return run(question) if is_borrowed() else asyncio.run_coroutine_threadsafe(question, self._loop).result()

    def _run(self) -> None:
        try:
            run(self._main())
        except BaseException as fault:  # noqa: BLE001 - raised again in the thread that waits for arrivals
            self._fault = fault
        finally:
            self._ready.set()

    async def _main(self) -> None:
        async with Client(
            self._options, named=self._named, resumed=self._resumed, still_valid=self._still_valid
        ) as client:
            self._client, self._loop, self._stop = client, asyncio.get_running_loop(), asyncio.Event()
            self._ready.set()
            try:
                await self._stop.wait()
            finally:
                for task in self._tasks:
                    task.cancel()
                await asyncio.gather(*self._tasks, return_exceptions=True)

    async def _fetch(self, number: int, url: str) -> Arrival:
        task = asyncio.current_task()
        assert task is not None
        self._tasks.add(task)
        task.add_done_callback(self._tasks.discard)
        path = self._folder / f"{number}{'.gz' if path_of(url).partition('?')[0].lower().endswith('.gz') else ''}"
        client = self._its_client
        robots = await client.robots(url)
        async with self._turns.setdefault(robots.origin, asyncio.Semaphore(self._options.concurrency)):
            answer = self._refusals.instead_of(url)
            if answer is None:
                answer = _with_page(await client.get(url, cap=SPOOL_CAP, spool=path, keep=True), path)
                self._refusals.note(answer)
        return Arrival(number, url, answer, robots, path)


def _with_page(answer: Answer, path: Path) -> Answer:
    """Bot protection shows in the text of a page, so a page in place of a sitemap is kept with its answer."""
    try:
        if not 0 < path.stat().st_size <= LARGEST:
            return answer
        body = path.read_bytes()
    except OSError:
        return answer
    start = body[:_START].lstrip(_BEFORE_MARKUP).lower()
    page = start.startswith(b"<") and not start.startswith(_SITEMAP_STARTS)
    return msgspec.structs.replace(answer, body=body) if page or not answer.ok else answer
