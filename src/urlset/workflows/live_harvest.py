"""Addresses of sitemaps → answers and files on disk, fetched in a thread of its own while others are being read."""

from __future__ import annotations

import asyncio
import threading
from collections.abc import Coroutine, Iterable
from pathlib import Path
from queue import Empty, SimpleQueue
from types import TracebackType
from typing import Any, Self, TypeVar
from urllib.parse import urlsplit

import msgspec

from urlset.model.answer import Answer
from urlset.reading.host_robots import HostRobots
from urlset.reading.limits import REMOTE_CAP
from urlset.web.client import Client
from urlset.web.loop import run
from urlset.web.options import WebOptions

T = TypeVar("T")
SPOOL_CAP = REMOTE_CAP + 1
"""one byte more than is read, so that the reader sees that there was more"""


class Arrival(msgspec.Struct, frozen=True):
    """One address that was asked for, and what came of it."""

    number: int
    url: str
    answer: Answer
    robots: HostRobots
    """of the host that was asked"""
    path: Path
    """the body, its content encoding undone; there only if something came"""

    def discard(self) -> None:
        self.path.unlink(missing_ok=True)


class Harvest:
    """`with Harvest(options, folder) as harvest`: `request` some, then take what comes.

    The caller bounds how much waits on disk by how much it requests ahead. Leaving the block ends what is
    under way.
    """

    def __init__(self, options: WebOptions, folder: Path) -> None:
        self._options = options
        self._folder = folder
        self._arrivals: SimpleQueue[Arrival | BaseException] = SimpleQueue()
        self._early: dict[int, Arrival] = {}
        self._ready = threading.Event()
        self._thread = threading.Thread(target=self._run, name="urlset harvest", daemon=True)
        self._tasks: set[asyncio.Task[None]] = set()
        self._loop: asyncio.AbstractEventLoop | None = None
        self._stop: asyncio.Event | None = None
        self._client: Client | None = None
        self._fault: BaseException | None = None
        self._given = 0
        self.outstanding = 0
        """requested and not yet taken"""

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

    def request(self, url: str) -> int:
        """Begin to fetch; the number tells it apart from others when it arrives."""
        number, self._given = self._given, self._given + 1
        self.outstanding += 1
        assert self._loop is not None
        self._loop.call_soon_threadsafe(self._begin, number, url)
        return number

    def fetch(self, url: str) -> Arrival:
        """Fetch one and wait for it."""
        return self.wait_for(self.request(url))

    def wait_for(self, number: int) -> Arrival:
        while number not in self._early:
            arrival = self._taken(self._arrivals.get())
            self._early[arrival.number] = arrival
        self.outstanding -= 1
        return self._early.pop(number)

    def take(self, *, wait: bool) -> list[Arrival]:
        """All that has arrived; with `wait`, at least one as long as any is under way."""
        found = list(self._early.values())
        self._early.clear()
        if wait and not found and self.outstanding:
            found.append(self._taken(self._arrivals.get()))
        while True:
            try:
                found.append(self._taken(self._arrivals.get_nowait()))
            except Empty:
                break
        self.outstanding -= len(found)
        return found

    def robots(self, url: str) -> HostRobots:
        """The robots.txt of the address's host, asked for once."""
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
        return asyncio.run_coroutine_threadsafe(question, self._loop).result()

    def _taken(self, arrival: Arrival | BaseException) -> Arrival:
        if isinstance(arrival, BaseException):
            raise arrival
        return arrival

    def _run(self) -> None:
        try:
            run(self._main())
        except BaseException as fault:  # noqa: BLE001 - raised again in the thread that waits for arrivals
            self._fault = fault
            self._arrivals.put(fault)
        finally:
            self._ready.set()

    async def _main(self) -> None:
        async with Client(self._options) as client:
            self._client, self._loop, self._stop = client, asyncio.get_running_loop(), asyncio.Event()
            self._ready.set()
            await self._stop.wait()
            for task in self._tasks:
                task.cancel()
            await asyncio.gather(*self._tasks, return_exceptions=True)

    def _begin(self, number: int, url: str) -> None:
        assert self._loop is not None
        task = self._loop.create_task(self._fetch(number, url))
        self._tasks.add(task)
        task.add_done_callback(self._tasks.discard)

    async def _fetch(self, number: int, url: str) -> None:
        path = self._folder / f"{number}{'.gz' if _called_gz(url) else ''}"
        try:
            client = self._its_client
            robots = await client.robots(url)
            answer = await client.get(url, cap=SPOOL_CAP, spool=path, keep=True)
        except Exception as fault:  # noqa: BLE001 - the other thread must not wait for ever
            self._arrivals.put(fault)
        else:
            self._arrivals.put(Arrival(number, url, answer, robots, path))


def _called_gz(url: str) -> bool:
    try:
        return urlsplit(url).path.lower().endswith(".gz")
    except ValueError:
        return False
