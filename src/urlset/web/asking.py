"""One address without its redirects → the last exchange of as many tries as help, each in its host's turn."""

from __future__ import annotations

import asyncio
from pathlib import Path

import msgspec

from urlset.web.address import RequestTarget
from urlset.web.exchange import Exchange
from urlset.web.pace import Pace
from urlset.web.wire import Wire


class Asker:
    def __init__(self, wire: Wire, pace: Pace) -> None:
        self._wire, self._pace = wire, pace

    @property
    def under_way(self) -> int:
        return self._pace.under_way

    async def ask(
        self, target: RequestTarget, *, cap: int, headers: dict[str, str] | None = None, spool: Path | None = None
    ) -> Exchange:
        """Where a host has asked to be left alone for longer than is waited, its refusal comes back with 0 tries."""
        tried = 0
        refused_at: int | None = None
        while True:
            refusal = await self._pace.take(target.host)
            if refusal is not None:
                return msgspec.structs.replace(refusal, tries=tried)
            try:
                exchange = await self._wire.ask(target.href, cap=cap, headers=headers, spool=spool)
            except BaseException:
                self._pace.drop(target.host)
                raise
            tried += 1
            pause, refused_at = self._pace.settle(target.host, exchange, tried, refused_at)
            if pause is None:
                return exchange if tried == 1 else msgspec.structs.replace(exchange, tries=tried)
            if pause:
                await asyncio.sleep(pause)
