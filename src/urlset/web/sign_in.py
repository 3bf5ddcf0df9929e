"""A loopback address that a browser is sent back to → the parameters it brings, once."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from types import TracebackType
from typing import Self
from urllib.parse import parse_qsl, urlsplit

_PAGE = (
    b"HTTP/1.1 200 OK\r\nContent-Type: text/html; charset=utf-8\r\nConnection: close\r\n\r\n"
    b"<!doctype html><title>urlset</title><p>You can close this window and return to the terminal.</p>"
)
_ELSEWHERE = b"HTTP/1.1 404 Not Found\r\nContent-Length: 0\r\nConnection: close\r\n\r\n"
_LONGEST = 1 << 14


class Landing:
    """`async with Landing(is_ours) as landing:` listens on 127.0.0.1; `await landing.arrival(seconds)` waits."""

    def __init__(self, is_ours: Callable[[dict[str, str]], bool]) -> None:
        self._is_ours = is_ours
        self._found: asyncio.Future[dict[str, str]] | None = None
        self._server: asyncio.Server | None = None
        self.url = ""

    async def __aenter__(self) -> Self:
        self._found = asyncio.get_running_loop().create_future()
        self._server = await asyncio.start_server(self._serve, "127.0.0.1", 0, limit=_LONGEST)
        self.url = f"http://127.0.0.1:{self._server.sockets[0].getsockname()[1]}/"
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        if self._server is not None:
            self._server.close()
            await self._server.wait_closed()

    async def arrival(self, seconds: float) -> dict[str, str]:
        """Raises TimeoutError."""
        assert self._found is not None
        return await asyncio.wait_for(self._found, seconds)

    async def _serve(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        try:
            line = (await reader.readline()).decode("latin-1").split(" ")
            given = dict(parse_qsl(urlsplit(line[1]).query)) if len(line) > 1 else {}
            ours = self._is_ours(given)
            writer.write(_PAGE if ours else _ELSEWHERE)
            await writer.drain()
            if ours and self._found is not None and not self._found.done():
                self._found.set_result(given)
        except (OSError, ValueError):
            pass
        finally:
            writer.close()
