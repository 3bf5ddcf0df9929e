"""Servers on loopback only: /healthz and /metrics in a separate thread, and the page a sign-in comes back to."""

from __future__ import annotations

import asyncio
import socket
import threading
from collections.abc import Callable
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Self
from urllib.parse import parse_qsl, urlsplit

from urlset.web.address import host_of_header, is_loopback_host

Answered = tuple[int, str, str]
"""status, media type, text"""


class StatusServer:
    """`with StatusServer(host, port, routes)`; raises ValueError for an address that others could reach."""

    def __init__(self, host: str, port: int, routes: dict[str, Callable[[], Answered]]) -> None:
        if not is_loopback_host(host):
            raise ValueError(f"{host} is not a loopback address; put a proxy in front to share the metrics")
        family = socket.AF_INET6 if ":" in host else socket.AF_INET
        server = type("StatusHttpServer", (ThreadingHTTPServer,), {"address_family": family})
        self._server: ThreadingHTTPServer = server((host, port), _handler(routes))
        self._server.daemon_threads = True
        self._thread = threading.Thread(target=self._server.serve_forever, name="urlset status", daemon=True)

    @property
    def port(self) -> int:
        return int(self._server.server_address[1])

    def __enter__(self) -> Self:
        self._thread.start()
        return self

    def __exit__(self, *_error: object) -> None:
        self._server.shutdown()
        self._server.server_close()
        self._thread.join()


def _handler(routes: dict[str, Callable[[], Answered]]) -> type[BaseHTTPRequestHandler]:
    class Handler(BaseHTTPRequestHandler):
        server_version, sys_version = "urlset", ""
        timeout = 10

        def do_GET(self) -> None:
            # a web page in a browser on this machine reaches loopback too, but not under a loopback name
            hosts = list(map(host_of_header, self.headers.get_all("Host", ["localhost"])))
            named = all(host is not None and is_loopback_host(host) for host in hosts)
            route = routes.get(self.path.partition("?")[0]) if named else None
            status, kind, text = route() if route is not None else (404 if named else 403, "text/plain", "no\n")
            body = text.encode("utf-8", "replace")
            self.send_response(status)
            self.send_header("Content-Type", kind)
            self.send_header("Content-Length", str(len(body)))
            self.send_header("X-Content-Type-Options", "nosniff")
            self.end_headers()
            self.wfile.write(body)

        def log_message(self, *_what: object) -> None:
            """Requests for metrics are not worth a line."""

    return Handler


# A loopback address that a browser is sent back to → the parameters it brings, once.

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

    async def __aexit__(self, *_error: object) -> None:
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
