"""The only owner of the pace of every host, for all processes that send requests; what it knows survives a kill.

A turn belongs to the process that took it until that reports back, is replaced, or a request cannot take longer. The
file has what hosts demanded. A restarted owner gives no turn before every process has said which turns it holds.
"""

from __future__ import annotations

import asyncio
import time
from contextlib import suppress
from pathlib import Path
from typing import NamedTuple

import msgspec

from urlset.web.exchange import Exchange
from urlset.web.options import WebOptions
from urlset.web.pace import RESUMED_PAUSE, HostMemory, Pace
from urlset.web.pace_messages import (
    Beat,
    Drop,
    Granted,
    Heard,
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
    read_message,
)
from urlset.web.turn_log import TurnWriter
from urlset.web.turns import Turn
from urlset.writing.files import write_atomically

DRIVER = 0
"""the slot of the command itself"""
SILENCE = 3.0
"""seconds without a word of the command after which no turn is given: it may be dead, and another one may be asking"""
AFTER_SILENCE = SILENCE + 0.5
_MARGIN = 5.0
_REMEMBERED = 3600.0
_memory_in = msgspec.msgpack.Decoder(dict[str, HostMemory]).decode


class OwnerOptions(msgspec.Struct, frozen=True, kw_only=True):
    web: WebOptions
    memory: Path
    """what hosts demanded, for the next owner"""
    turns: Path
    """the turns given for pages, see turn_log.py"""
    processes: int
    """that send requests, with the command itself"""
    pause: float = RESUMED_PAUSE
    """before the first request to a host: an earlier command may have asked a moment ago"""


class _Lease(NamedTuple):
    turn: Turn
    started: float
    expires: asyncio.TimerHandle


class PaceOwner:
    def __init__(self, options: OwnerOptions, *, restarted: bool = False) -> None:
        self._options, self._restarted = options, restarted
        self._known = _recalled(options.memory)
        self._turns = TurnWriter(options.turns)
        self._pace = Pace(options.web, resumed=True, pause=options.pause, known=dict(self._known))
        self._tokens: dict[int, str] = {}
        self._leases: dict[tuple[int, int], _Lease] = {}
        self._complete: asyncio.Event | None = None
        self._driver_heard, self._driver_back = time.monotonic(), asyncio.Event()
        self._lifetime = options.web.total_timeout + _MARGIN

    def close(self) -> None:
        self._turns.close()

    async def handle(self, data: bytes) -> bytes:
        message = read_message(data)
        if isinstance(message, Hello):
            reply: Reply = await self._greet(message)
        elif not self._knows(message):
            reply = Stranger()
        else:
            reply = await self._answer(message)
        return packed(reply)

    async def _answer(self, message: Message) -> Reply:
        match message:
            case Take():
                return await self._take(message)
            case Settle():
                return await self._settle(message)
            case Drop():
                self._release((message.slot, message.number))
            case NoFaster():
                await self._pace.ask_no_faster(message.host, message.delay)
                self._remember(message.host)
            case Beat():
                if message.slot == DRIVER:
                    self._driver_heard = time.monotonic()
                    self._driver_back.set()
                pause = min(self._pace.waits(), default=None) if not self._leases else None
                return HostStanding(len(self._leases), pause)
        return Heard()

    # processes

    def _knows(self, message: Message) -> bool:
        return self._tokens.get(message.slot) == message.token

    async def _greet(self, message: Hello) -> Reply:
        if message.slot in self._tokens and not self._knows(message):
            for key in [key for key in self._leases if key[0] == message.slot]:
                self._release(key, pause=True)
        self._tokens[message.slot] = message.token
        for number, host in message.held:
            if (message.slot, number) not in self._leases:
                self._lease(message.slot, number, await self._pace.hold(host))
        if len(self._tokens) >= self._options.processes:
            self._everyone.set()
        return Heard()

    @property
    def _everyone(self) -> asyncio.Event:
        """Set when nothing can be under way that this owner does not know of."""
        if self._complete is None:
            self._complete = asyncio.Event()
            if self._restarted:
                asyncio.get_running_loop().call_later(self._lifetime, self._complete.set)
            else:
                self._complete.set()
        return self._complete

    # turns

    async def _take(self, message: Take) -> Reply:
        key = (message.slot, message.number)
        if key in self._leases:  # the first reply was lost
            return Granted()
        await self._everyone.wait()
        turn = await self._pace.take(message.host)
        if isinstance(turn, Exchange):
            return TurnRefused(turn)
        try:
            await self._driver_alive()
        except asyncio.CancelledError:
            self._pace.drop(turn, asked=False)
            raise
        if key in self._leases or not self._knows(message):  # said twice, or the process was replaced meanwhile
            self._pace.drop(turn, asked=False)
            return Granted() if key in self._leases else Stranger()
        if message.attempt:
            self._turns.add(message.page, message.attempt)
        self._lease(message.slot, message.number, turn)
        return Granted()

    async def _driver_alive(self) -> None:
        if time.monotonic() - self._driver_heard > SILENCE:
            self._driver_back.clear()
            await self._driver_back.wait()

    def _lease(self, slot: int, number: int, turn: Turn) -> None:
        key = (slot, number)
        expires = asyncio.get_running_loop().call_later(self._lifetime, self._release, key)
        self._leases[key] = _Lease(turn, time.monotonic(), expires)

    async def _settle(self, message: Settle) -> Reply:
        lease = self._leases.pop((message.slot, message.number), None)
        if lease is None:
            return Settled()
        lease.expires.cancel()
        exchange = msgspec.structs.replace(message.exchange, started=lease.started)  # clocks differ between machines
        then = await self._pace.settle(lease.turn, exchange, message.tried, message.refused_at)
        self._remember(lease.turn.host)
        return Settled(*then)

    def _release(self, key: tuple[int, int], *, pause: bool = False) -> None:
        """`pause`: the process is gone, and the server may still be busy with its request."""
        lease = self._leases.pop(key, None)
        if lease is None:
            return
        lease.expires.cancel()
        host = self._pace.host(lease.turn.host)
        if pause:
            host.leave_alone(max(host.gap, RESUMED_PAUSE))
        self._pace.drop(lease.turn)

    # what the next owner must know

    def _remember(self, name: str) -> None:
        """Written only when the host has demanded something new; most never do."""
        memory, web = self._pace.host(name).memory, self._options.web
        before = self._known.get(name) or HostMemory(web.delay, limit=1 if web.delay else web.concurrency)
        if memory == before:
            return
        self._known[name] = memory
        with suppress(OSError):  # a full disk must not end the run: the pace is kept, only a restart forgets
            write_atomically(self._options.memory, [msgspec.msgpack.encode(self._known)])


def _recalled(memory: Path) -> dict[str, HostMemory]:
    """Without what hosts demanded so long ago that they may be asked as if for the first time."""
    try:
        known = _memory_in(memory.read_bytes())
        old = time.time() - memory.stat().st_mtime > _REMEMBERED
    except (OSError, msgspec.DecodeError):
        return {}
    return {name: each for name, each in known.items() if not old or max(each.until, each.refused_until) > time.time()}


def make_owner(options: OwnerOptions, restarted: bool) -> PaceOwner:
    """Here, because a process that only holds the pace starts much faster without the rest of the web room."""
    return PaceOwner(options, restarted=restarted)
