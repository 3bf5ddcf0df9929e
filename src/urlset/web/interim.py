"""Interim answers (100 to 199) → a few are passed over, a flood of them is cut off before it fills the memory."""

from __future__ import annotations

import asyncio
import functools
from typing import Any

import aiohttp
from aiohttp.client_proto import ResponseHandler
from aiohttp.http import RawResponseMessage
from aiohttp.http_exceptions import BadHttpMessage
from aiohttp.streams import StreamReader

MOST = 64


class CountingHandler(ResponseHandler):
    """aiohttp passes over interim answers one by one, however fast they come."""

    _interim = 0

    def feed_data(self, data: tuple[RawResponseMessage, StreamReader], size: int = 0) -> None:
        if data[0].code >= 200:
            self._interim = 0
        else:
            self._interim += 1
            if self._interim > MOST:
                if self.transport is not None:
                    self.transport.abort()
                self.set_exception(BadHttpMessage("endless interim responses"))
                return
        super().feed_data(data, size)


def count_interim_answers(connector: aiohttp.BaseConnector) -> None:
    """There is no public way to name the protocol of a connector."""
    made: Any = functools.partial(CountingHandler, loop=asyncio.get_running_loop())
    connector._factory = made  # noqa: SLF001
