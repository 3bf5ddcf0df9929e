"""A request → its turn at the host; its outcome → whether to try again, and after how long.

One object decides that for a host, wherever requests are sent from: `pace.Pace` in this process, or `PaceOwner` in
another one, reached through `RemotePace`.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import NamedTuple, Protocol

from urlset.web.wire import Exchange

PUSHBACK = frozenset({429, 503})


class Pause(NamedTuple):
    seconds: float
    host: str


class Turn(NamedTuple):
    """The right to send one request, until it is settled or dropped."""

    host: str
    number: int


class Then(NamedTuple):
    """What follows an exchange."""

    pause: float | None
    """seconds to wait before the next try; None where the exchange is final"""
    refused_at: int | None = None
    """how many the host had welcomed when it refused this one, for `settle` of the next try"""


class Turns(Protocol):
    """Decides when requests are sent."""

    async def take(self, host: str) -> Turn | Exchange:
        """The refusal of a host that asked to be left alone for longer than is waited."""
        ...

    async def settle(self, turn: Turn, exchange: Exchange, tried: int, refused_at: int | None) -> Then: ...

    def drop(self, turn: Turn) -> None:
        """The request was sent and is not waited for any more."""
        ...

    async def ask_no_faster(self, host: str, delay: float) -> None: ...

    @property
    def under_way(self) -> int: ...

    def waits(self) -> Iterable[Pause]: ...
