"""One address without its redirects → the last exchange of as many tries as help, each in its host's turn."""

from __future__ import annotations

import asyncio
from pathlib import Path

import msgspec

from urlset.web.address import RequestTarget
from urlset.web.options import WebOptions
from urlset.web.pace import PUSHBACK, HostPace, Pace
from urlset.web.retry import UNREACHABLE, is_temporary, pause_before_retry, retry_after
from urlset.web.wire import Exchange, Wire

_DEAD = 2
"""addresses in a row without a connection after which a host gets one try each"""
_FUTILE = 5
_ONCE_IN = 8
"""after so many addresses for which another try did not help, only one in so many gets one"""


class Asker:
    def __init__(self, options: WebOptions, wire: Wire, pace: Pace) -> None:
        self._options, self._wire, self._pace = options, wire, pace

    @property
    def under_way(self) -> int:
        return self._pace.under_way

    async def ask(
        self, target: RequestTarget, *, cap: int, headers: dict[str, str] | None = None, spool: Path | None = None
    ) -> Exchange:
        """Where a host has asked to be left alone for longer than is waited, its refusal comes back with 0 tries."""
        host = self._pace.host(target.host)
        tried = 0
        refused_at: int | None = None
        while True:
            if host.closed and host.refusal is not None:
                return msgspec.structs.replace(host.refusal, tries=tried)
            exchange = await self._once(host, target.href, cap, headers, spool, refused_at)
            tried += 1
            refused_at = host.welcomed if exchange.status in PUSHBACK else None
            pause = pause_before_retry(exchange, tried, self._options)
            if pause is None or _is_hopeless(host, exchange):
                break
            if exchange.status in PUSHBACK:
                host.leave_alone(pause)
            else:
                await asyncio.sleep(pause)
        _remember(host, exchange, tried, temporary=is_temporary(exchange))
        return exchange if tried == 1 else msgspec.structs.replace(exchange, tries=tried)

    async def _once(
        self,
        host: HostPace,
        href: str,
        cap: int,
        headers: dict[str, str] | None,
        spool: Path | None,
        refused_at: int | None,
    ) -> Exchange:
        await host.take()
        asked = False
        try:
            async with self._pace.everywhere:
                asked = True
                exchange = await self._wire.ask(href, cap=cap, headers=headers, spool=spool)
            host.learn(exchange, refused_at=refused_at)
            if exchange.status in PUSHBACK:
                wanted = retry_after(exchange)
                if wanted is not None and wanted > self._options.max_retry_after:
                    host.refuse(msgspec.structs.replace(exchange, body=b""), wanted)
                elif wanted:
                    host.leave_alone(wanted)
            return exchange
        finally:
            host.give_back(asked=asked)


def _is_hopeless(host: HostPace, exchange: Exchange) -> bool:
    """Whether others at that host have shown that retries fail; a 429 is always worth waiting for."""
    if exchange.failure is not None and exchange.failure.kind in UNREACHABLE:
        return host.unreachable >= _DEAD
    return exchange.status != 429 and host.futile >= _FUTILE and host.futile % _ONCE_IN != 0


def _remember(host: HostPace, exchange: Exchange, tried: int, *, temporary: bool) -> None:
    failure = exchange.failure
    if exchange.status is not None:
        host.unreachable = 0
    elif failure is not None and failure.kind in UNREACHABLE:
        host.unreachable += 1
        return
    if temporary:
        host.futile += 1
    elif tried > 1:
        host.futile = 0
