"""The dashboard → a server on a port, until it is stopped."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import uvicorn

from urlset.dashboard.app import dashboard
from urlset.dashboard.connections import LimitedProtocol
from urlset.dashboard.context import DashboardOptions

_IDLE = 30
_GRACE = 3


class ServerError(Exception):
    """The port cannot be used; the message says why."""


class DashboardServer(uvicorn.Server):
    """`run` blocks until `should_exit` is set, or a signal comes; `told` is called with the port."""

    def __init__(self, options: DashboardOptions, port: int, told: Callable[[int], None]) -> None:
        config = uvicorn.Config(
            dashboard(options),
            host=options.host,
            port=port,
            log_level="warning",
            access_log=False,
            server_header=False,
            proxy_headers=False,
            ws="none",
            timeout_keep_alive=_IDLE,
            timeout_graceful_shutdown=_GRACE,
            http=LimitedProtocol,
            lifespan="on",
        )
        super().__init__(config)
        self._told = told

    async def startup(self, sockets: Any = None) -> None:
        await super().startup(sockets)
        if self.started:
            self._told(self.servers[0].sockets[0].getsockname()[1])


def serve(options: DashboardOptions, port: int, told: Callable[[int], None]) -> None:
    """Until Ctrl-C; `told` receives the port. Raises ServerError."""
    server = DashboardServer(options, port, told)
    trouble = f"cannot listen on {options.host} port {port}: is it in use? Set another --port"
    try:
        server.run()
    except SystemExit as error:
        raise ServerError(trouble) from error
    if not server.started:
        raise ServerError(trouble)
