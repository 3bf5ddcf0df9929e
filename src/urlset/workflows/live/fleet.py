"""Pages → worker processes here or on a cluster, that ask for them at the pace of one owner; a killed one is replaced.

The command keeps the list and the results. A worker gets one page at a time, takes a turn from the owner of the pace
for each request, and returns what it saw.
"""

from __future__ import annotations

import asyncio
import os
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import AsyncExitStack, asynccontextmanager
from functools import partial, reduce
from pathlib import Path
from typing import NamedTuple

import msgspec

from urlset.auditing.second_look import SecondLook
from urlset.execution.actor import Actor, Caller, LostCall
from urlset.execution.actors import actors_on
from urlset.execution.backend import ExecutionError
from urlset.execution.workers import Where, Workers
from urlset.web.client import Client
from urlset.web.options import WebOptions
from urlset.web.pace import RESUMED_PAUSE
from urlset.web.pace_owner import AFTER_SILENCE, DRIVER, OwnerOptions, make_owner
from urlset.web.remote_pace import RemotePace, asking_for
from urlset.web.turn_log import TurnLog
from urlset.workflows.live.rendering import Render, RenderCounts, counts_of, second_look

_RETRY = 0.1
_ATTENTION = 0.5
"""seconds between two calls of a worker that has nothing to do"""
_asked_in = msgspec.msgpack.Decoder(tuple[int, int, bytes]).decode
_answer_in = msgspec.msgpack.Decoder(tuple[str, RenderCounts, list[str], bytes]).decode


class PageOptions(msgspec.Struct, frozen=True):
    """How pages are requested, wherever that is."""

    web: WebOptions
    named: tuple[str, ...]
    """the addresses the user gave"""
    render: Render = Render()
    obey_robots: bool = True


class FleetState(NamedTuple):
    """What a killed run leaves for the next."""

    file: Path
    """of the list, absolute; the files of the pace are beside it"""
    is_open: Callable[[int], bool]
    """whether a page is still to be requested"""
    resumed: bool


Ask = Callable[[bytes], Awaitable[bytes]]
Work = Callable[[Client, SecondLook | None, PageOptions], Ask]
"""makes the function that a worker calls with each page; must be a module's own"""


class PageWorker:
    """Lives in a worker process."""

    def __init__(self, options: PageOptions, work: Work, owner: Caller, slot: int) -> None:
        self._options, self._work, self._owner, self._slot = options, work, owner, slot
        self._ask: Ask | None = None
        self._name = os.urandom(8).hex()
        self._starting = asyncio.Lock()

    async def handle(self, data: bytes) -> bytes:
        """Nothing is only a question whether the worker is there."""
        ask = self._ask or await self._start()
        seen = b""
        if data:
            page, attempt, task = _asked_in(data)
            asking_for.set((page, attempt))
            seen = await ask(task)
        said = self._client.notices[:]
        self._client.notices.clear()
        return msgspec.msgpack.encode((self._name, counts_of(self._look), said, seen))

    async def _start(self) -> Ask:
        async with self._starting:
            if self._ask is None:
                self._stack = AsyncExitStack()  # ends with the process
                pace = await self._stack.enter_async_context(RemotePace(self._owner, self._slot))
                client = Client(self._options.web, named=self._options.named, robots_of_today=True, turns=pace)
                self._client = await self._stack.enter_async_context(client)
                render, obey = self._options.render, self._options.obey_robots
                self._look = await self._stack.enter_async_context(
                    second_look(render, self._client, [], obey_robots=obey)
                )
                self._ask = self._work(self._client, self._look, self._options)
            return self._ask


class Fleet:
    """The workers, as the command sees them."""

    def __init__(self, pace: RemotePace, workers: list[Caller], turns: TurnLog, notices: list[str]) -> None:
        self.pace, self._turns, self._notices = pace, turns, notices
        self._free = asyncio.Condition()
        self._running = dict.fromkeys(workers, 0)
        self._up: set[Caller] = set()
        self._counts: dict[str, RenderCounts] = {}
        """by worker, also of those that were killed"""
        self._attendants = [asyncio.create_task(self._attend(each)) for each in workers]

    @property
    def busy(self) -> int:
        return sum(self._running.values())

    def sent(self, page: int) -> int:
        """How often it was requested by workers that were killed."""
        return self._turns.sent(page)

    async def ask(self, page: int, data: bytes) -> bytes:
        """Raises LostCall where the worker was killed; `sent` says whether that was after the request."""
        worker = await self._idlest()
        self._running[worker] += 1
        try:
            asked = msgspec.msgpack.encode((page, self.sent(page) + 1, data))
            return self._taken(await worker.call(asked))
        except ConnectionError as error:
            self._up.discard(worker)
            self._turns.lost(page)
            raise LostCall(str(error)) from error
        finally:
            self._running[worker] -= 1

    def _taken(self, answer: bytes) -> bytes:
        name, counts, said, seen = _answer_in(answer)
        self._counts[name] = counts
        self._notices += [each for each in said if each not in self._notices]
        return seen

    async def _idlest(self) -> Caller:
        async with self._free:
            while not self._up:
                for task in self._attendants:
                    if task.done():
                        task.result()  # raises where workers cannot be started
                await self._free.wait()
            return min(self._up, key=self._running.__getitem__)

    async def _attend(self, worker: Caller) -> None:
        """Call an idle worker now and then: one that took the place of another reports to the owner of the pace only
        when it is called, and a restarted owner waits for all of them."""
        try:
            while True:
                try:
                    await worker.call(b"")
                except ConnectionError:
                    self._up.discard(worker)
                    await asyncio.sleep(_RETRY)
                    continue
                await self._welcome(worker)
                await asyncio.sleep(_ATTENTION)
        finally:
            async with self._free:
                self._free.notify_all()

    async def _welcome(self, worker: Caller) -> None:
        """A page is given only to a worker that is there: what was given to one that is not counts as requested."""
        if worker not in self._up:
            self._up.add(worker)
            async with self._free:
                self._free.notify_all()

    async def close(self) -> None:
        self._notices += reduce(RenderCounts.plus, self._counts.values(), RenderCounts()).notices()
        for task in self._attendants:
            task.cancel()
        await asyncio.gather(*self._attendants, return_exceptions=True)


@asynccontextmanager
async def fleet_of(
    workers: Workers, options: PageOptions, work: Work, state: FleetState, notices: list[str]
) -> AsyncIterator[Fleet]:
    """Raises ExecutionError where no worker can be started."""
    if options.web.record is not None:
        raise ExecutionError("--record needs --executor local")
    on_ray = workers.where is Where.RAY
    if on_ray:  # the folder is on this machine
        options = msgspec.structs.replace(options, web=msgspec.structs.replace(options.web, cache=None))
    # on other machines, the workers of a killed command notice only by the silence of their owner
    pause = AFTER_SILENCE if on_ray and state.resumed else RESUMED_PAUSE
    turns = TurnLog(state.file.with_suffix(".turns"), state.is_open)
    async with actors_on(workers) as actors:
        wanted = OwnerOptions(
            web=options.web,
            memory=state.file.with_suffix(".pace"),
            turns=state.file.with_suffix(".turns"),
            processes=actors.count + 1,
            pause=pause,
        )
        owner = actors.start(partial(make_owner, wanted), near=True)
        callers = [actors.start(partial(_worker, options, work, owner, slot + 1)) for slot in range(actors.count)]
        async with RemotePace(owner, DRIVER) as pace:
            fleet = Fleet(pace, callers, turns, notices)
            try:
                yield fleet
            finally:
                await fleet.close()


def _worker(options: PageOptions, work: Work, owner: Caller, slot: int, restarted: bool) -> Actor:
    del restarted  # it has nothing that is not requested again
    return PageWorker(options, work, owner, slot)
