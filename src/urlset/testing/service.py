"""The part of a test server that lives in its event loop: listens, finds the route of a request, keeps the log."""

from __future__ import annotations

import asyncio
import ssl
import traceback
from collections.abc import Awaitable, Callable, Sequence

from urlset.testing.connection import Connection
from urlset.testing.exchange import PageAnswer, Raw, Reply, Request, Route, Routes

NOT_FOUND = PageAnswer(404, "no such page\n", type="text/plain; charset=utf-8")


class Service:
    """Routes are looked up as `host/path?query`, `host/path`, `/path?query`, `/path`; then the longest `…*`."""

    def __init__(
        self,
        routes: Routes | Callable[[Request], Reply | None],
        *,
        tls: ssl.SSLContext | None = None,
        greeting: Raw | None = None,
        note: Callable[[Request], None] | None = None,
    ) -> None:
        self.routes: Routes = {"/*": routes} if callable(routes) else routes
        self.tls = tls
        self.greeting = greeting
        self.scheme = "http" if tls is None else "https"
        self.log: list[Request] = []
        self.faults: list[Exception] = []
        self.connections: set[Connection] = set()
        self._numbers = 0
        self._note = note
        self._servers: list[asyncio.Server] = []

    async def listen(self, addresses: Sequence[str], port: int) -> int:
        """Listen on the same port of every address; 0 lets the system choose it. Returns the port."""
        loop = asyncio.get_running_loop()
        for address in addresses:
            server = await loop.create_server(lambda: Connection(self), address, port, ssl=self.tls, backlog=1024)
            self._servers.append(server)
            port = server.sockets[0].getsockname()[1]
        return port

    async def close(self) -> None:
        for server in self._servers:
            server.close()
        connections = list(self.connections)
        for connection in connections:
            if connection.transport is not None:
                connection.transport.abort()
        # sockets are closed in the next turns of the loop
        await asyncio.gather(*(each.gone.wait() for each in connections))
        await asyncio.gather(*(each.task for each in connections if each.task is not None), return_exceptions=True)

    def next_number(self) -> int:
        self._numbers += 1
        return self._numbers

    def note(self, request: Request) -> None:
        if self._note is not None:
            self._note(request)

    def reply_to(self, request: Request) -> Reply | Awaitable[Reply | None]:
        route = self._route(request)
        if route is None:
            return NOT_FOUND
        if not callable(route):
            return route
        try:
            return route(request) or NOT_FOUND
        except Exception as fault:  # noqa: BLE001 - kept, and raised when the site is closed
            return self.broken_route(fault)

    def broken_route(self, fault: Exception) -> PageAnswer:
        self.faults.append(fault)
        return PageAnswer(500, "".join(traceback.format_exception(fault)), type="text/plain; charset=utf-8")

    def _route(self, request: Request) -> Route | None:
        host, path, routes = request.host, request.path, self.routes
        for key in (f"{host}{request.target}", f"{host}{path}", request.target, path):
            if (route := routes.get(key)) is not None:
                return route
        for name in (f"{host}{path}", path):
            for length in range(len(name), -1, -1):
                if (route := routes.get(f"{name[:length]}*")) is not None:
                    return route
        return None
