"""The dashboard → a server on a port, until it is told to stop."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from urlset.dashboard.app import dashboard
from urlset.dashboard.desk import DashboardOptions

_IDLE = 30
_GRACE = 3


class ServerError(Exception):
    """The port cannot be used; the message says why."""


def serve(options: DashboardOptions, port: int, started: Callable[[int], None]) -> None:
    """Blocks. `started` is given the port, which may have been 0. Raises ServerError."""
    import uvicorn

    class Server(uvicorn.Server):
        async def startup(self, sockets: Any = None) -> None:
            await super().startup(sockets)
            if self.started:
                started(self.servers[0].sockets[0].getsockname()[1])

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
        limit_concurrency=200,
        lifespan="on",
    )
    server = Server(config)
    try:
        server.run()
    except SystemExit as error:
        raise ServerError(f"cannot listen on {options.host} port {port}; is it in use? Set another --port") from error
    if not server.started:
        raise ServerError(f"cannot listen on {options.host} port {port}; is it in use? Set another --port")
