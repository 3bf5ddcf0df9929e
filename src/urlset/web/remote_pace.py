"""Requests of this process → turns of a `PaceOwner` in another one, also when that is killed and restarted."""

from __future__ import annotations

import asyncio
import os
from collections.abc import Coroutine, Iterable
from contextvars import ContextVar
from itertools import count
from types import TracebackType
from typing import Any, Protocol, Self

import msgspec

from urlset.web.exchange import Exchange
from urlset.web.pace_messages import (
    Beat,
    Drop,
    Granted,
    Hello,
    HostStanding,
    Message,
    NoFaster,
    Reply,
    Settle,
    Settled,
    Stranger,
    Take,
    TurnRefused,
    packed,
    read_reply,
)
from urlset.web.turns import PUSHBACK, Pause, Then, Turn

asking_for: ContextVar[tuple[int, int]] = ContextVar("asking_for", default=(0, 0))
"""the number of the page that requests of this task are for, and its attempt"""
_BEAT = 0.5
_RETRY = 0.1


class OwnerConnection(Protocol):
    async def call(self, data: bytes) -> bytes:
        """Raises ConnectionError where the owner is gone; it may be back soon."""
        ...


class RemotePace:
    """One for each process that sends requests."""

    def __init__(self, owner: OwnerConnection, slot: int) -> None:
        self._owner, self._slot, self._token = owner, slot, os.urandom(8).hex()
        self._numbers = count()
        self._held: dict[int, str] = {}
        self._greeted = False
        self._greeting = asyncio.Lock()
        self._standing = HostStanding(0, None)
        self._tasks: set[asyncio.Task[object]] = set()

    async def __aenter__(self) -> Self:
        self._start(self._beat())
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        for task in self._tasks:
            task.cancel()
        await asyncio.gather(*self._tasks, return_exceptions=True)

    async def take(self, host: str) -> Turn | Exchange:
        number = next(self._numbers)
        reply = await self._say(Take(self._slot, self._token, number, host, *asking_for.get()))
        if isinstance(reply, TurnRefused):
            return reply.exchange
        assert isinstance(reply, Granted)
        self._held[number] = host
        return Turn(host, number)

    async def settle(self, turn: Turn, exchange: Exchange, tried: int, refused_at: int | None) -> Then:
        headers = exchange.headers if exchange.status in PUSHBACK else ()
        lean = msgspec.structs.replace(exchange, body=b"", headers=headers)
        reply = await self._say(Settle(self._slot, self._token, turn.number, lean, tried, refused_at))
        self._held.pop(turn.number, None)
        assert isinstance(reply, Settled)
        return Then(reply.pause, reply.refused_at)

    def drop(self, turn: Turn) -> None:
        self._held.pop(turn.number, None)
        self._start(self._say(Drop(self._slot, self._token, turn.number)))

    async def ask_no_faster(self, host: str, delay: float) -> None:
        await self._say(NoFaster(self._slot, self._token, host, delay))

    @property
    def under_way(self) -> int:
        """Of all processes, as of the last beat."""
        return self._standing.under_way

    def waits(self) -> Iterable[Pause]:
        pause = self._standing.pause
        return () if pause is None else (Pause(*pause),)

    # talking

    async def _say(self, message: Message) -> Reply:
        """As often as it takes: a restarted owner first learns which turns are in use."""
        data = packed(message)
        while True:
            try:
                if not self._greeted:
                    await self._greet()
                reply: Reply = read_reply(await self._owner.call(data))
            except ConnectionError:
                self._greeted = False
                await asyncio.sleep(_RETRY)
                continue
            if not isinstance(reply, Stranger):
                return reply
            self._greeted = False

    async def _greet(self) -> None:
        async with self._greeting:
            if not self._greeted:
                await self._owner.call(packed(Hello(self._slot, self._token, tuple(self._held.items()))))
                self._greeted = True

    async def _beat(self) -> None:
        """Also what tells a restarted owner quickly which turns are in use."""
        while True:
            reply = await self._say(Beat(self._slot, self._token))
            if isinstance(reply, HostStanding):
                self._standing = reply
            await asyncio.sleep(_BEAT)

    def _start(self, work: Coroutine[Any, Any, object]) -> None:
        task = asyncio.create_task(work)
        self._tasks.add(task)
        task.add_done_callback(self._tasks.discard)
