"""The dashboard: its routes, a server on a port, and limits on slow or silent clients."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Callable, Iterable
from contextlib import asynccontextmanager
from functools import cache
from hashlib import sha256
from ipaddress import IPv6Address, ip_address
from typing import Any
from urllib.parse import urlsplit

import h11
import uvicorn
from starlette.applications import Starlette
from starlette.exceptions import HTTPException
from starlette.middleware import Middleware
from starlette.requests import Request
from starlette.responses import PlainTextResponse, Response
from starlette.routing import Route
from uvicorn.protocols.http.h11_impl import H11Protocol

from urlset.dashboard import views
from urlset.dashboard.access import AllowedHosts, Protection, RequestGuard
from urlset.dashboard.context import HERE, DashboardContext, render
from urlset.dashboard.validator import validate, validator_page
from urlset.model.errors import UrlsetError
from urlset.settings.serve import ServeSettings
from urlset.snapshots.series import SnapshotError

_TYPES = {"css": "text/css; charset=utf-8", "js": "text/javascript; charset=utf-8", "svg": "image/svg+xml"}


def dashboard(settings: ServeSettings, access: Protection) -> Starlette:
    context, public = DashboardContext(settings, access), settings.public_url or ""

    @asynccontextmanager
    async def lifespan(_: Starlette) -> AsyncIterator[None]:
        yield
        await context.close()

    guard = Middleware(
        RequestGuard,
        access=access,
        sessions=context.sessions,
        hosts=AllowedHosts(settings.host, [urlsplit(public).hostname or ""] if public else ()),
        is_secure=public.lower().startswith("https:"),
    )
    app = Starlette(
        routes=ROUTES,
        middleware=[guard],
        exception_handlers={HTTPException: _trouble, SnapshotError: _trouble, Exception: _broken},
        lifespan=lifespan,
    )
    app.state.context = context
    return app


@cache
def _files() -> dict[str, bytes]:
    """What may be fetched, by name; read once, so no path is ever made from a request."""
    found = {path.name: path.read_bytes() for path in (HERE / "static").iterdir() if path.is_file()}
    return found | {"validator.css": (HERE.parent / "reports/templates/base.css").read_bytes() + found["validator.css"]}


def _static(request: Request) -> Response:
    name = request.path_params["name"]
    data = _files().get(name)
    if data is None:
        raise HTTPException(404, "no such file")
    tag = f'"{sha256(data).hexdigest()[:16]}"'
    headers = {"etag": tag, "cache-control": "no-cache"}
    if request.headers.get("if-none-match") == tag:
        return Response(status_code=304, headers=headers)
    return Response(data, media_type=_TYPES[name.rpartition(".")[2]], headers=headers)


ROUTES = [
    Route("/healthz", lambda _: PlainTextResponse("ok\n")),
    Route("/static/{name}", _static),
    Route("/", views.home),
    Route("/login", views.login, methods=["GET", "POST"]),
    Route("/logout", views.logout, methods=["POST"]),
    Route("/rules/{code}", views.rule),
    Route("/validator", validator_page),
    Route("/validator", validate, methods=["POST"]),
    Route("/sites/{site}", views.overview),
    Route("/sites/{site}/findings", views.findings_page),
    Route("/sites/{site}/sitemaps", views.sitemaps),
    Route("/sites/{site}/dates", views.dates),
    Route("/sites/{site}/engines", views.engines),
    Route("/sites/{site}/alerts", views.alerts),
    Route("/sites/{site}/pages", views.pages),
    Route("/sites/{site}/pages.{form}", views.download),
    Route("/sites/{site}/page", views.life),
    Route("/sites/{site}/diff", views.diff_page),
    Route("/sites/{site}/diff.{form}", views.diff_download),
    Route("/sites/{site}/history.{form}", views.history_download),
    Route("/runs", views.start, methods=["POST"]),
    Route("/runs/{run}", views.run_page),
    Route("/runs/{run}/stop", views.stop, methods=["POST"]),
    Route("/runs/{run}/report.{form}", views.report),
    Route("/sites/{site}/runs", views.site_runs),
]


async def _trouble(request: Request, error: Exception) -> Response:
    """A snapshot may be damaged, or pruned between two requests."""
    code, said = (error.status_code, error.detail) if isinstance(error, HTTPException) else (503, str(error))
    return render(request, "trouble.html", code, code=code, said=said)


async def _broken(request: Request, error: Exception) -> Response:
    del request, error  # the log has it; a page must not show what is inside
    return PlainTextResponse("internal error\n", 500)


# A slow or silent client cannot keep others out.
#
# uvicorn waits for a request as long as the client likes and counts every open connection, so 200 clients that sent
# one byte each made it refuse everyone. Here a request has a deadline, and so has a client that does not read its
# answer. When too many connections are open, from one address or in all, the oldest one without a complete request
# makes room for the new one.

REQUEST_SECONDS = 10.0
"""from the first byte of a request, or the start of the connection, to the end of the request's body"""
UNREAD_SECONDS = 30.0
"""for which a client may leave its answer unread"""
MOST, MOST_OF_CLIENT = 256, 64
_INCOMPLETE = (h11.IDLE, h11.SEND_BODY)


class LimitedProtocol(H11Protocol):
    def __init__(self, *arguments: Any, **named: Any) -> None:
        super().__init__(*arguments, **named)
        self._deadline, self._unread = _Timer(self, REQUEST_SECONDS), _Timer(self, UNREAD_SECONDS)
        self.network: str | int = ""
        self.opened = 0.0

    @property
    def is_waiting(self) -> bool:
        """For a request, or for the rest of one."""
        return self.conn.their_state in _INCOMPLETE

    def connection_made(self, transport: asyncio.Transport) -> None:  # type: ignore[override]  # as in uvicorn
        super().connection_made(transport)
        self.opened, self.network = self.loop.time(), _network(self.client)
        self._deadline.start()
        everyone: set[LimitedProtocol] = self.connections  # type: ignore[assignment]  # all are made by this class
        own = [each for each in everyone if each.network == self.network]
        if len(own) > MOST_OF_CLIENT:
            self._make_room(own)
        elif len(everyone) > MOST:
            self._make_room(everyone)

    def _make_room(self, among: Iterable[LimitedProtocol]) -> None:
        waiting = (each for each in among if each is not self and each.is_waiting)
        min(waiting, key=lambda each: each.opened, default=self).drop()

    def drop(self) -> None:
        self.connections.discard(self)
        self.transport.abort()

    def data_received(self, data: bytes) -> None:
        if self.transport.is_closing():
            return
        self._deadline.start()
        super().data_received(data)
        if not self.is_waiting:
            self._deadline.stop()

    def pause_writing(self) -> None:
        self._unread.start()
        super().pause_writing()

    def resume_writing(self) -> None:
        self._unread.stop()
        super().resume_writing()

    def connection_lost(self, exc: Exception | None) -> None:
        self._deadline.stop()
        self._unread.stop()
        super().connection_lost(exc)


class _Timer:
    """Drops a connection unless it is stopped in time; starting it again gives no more time."""

    def __init__(self, connection: LimitedProtocol, seconds: float) -> None:
        self._connection, self._seconds = connection, seconds
        self._handle: asyncio.TimerHandle | None = None

    def start(self) -> None:
        if self._handle is None:
            self._handle = self._connection.loop.call_later(self._seconds, self._connection.drop)

    def stop(self) -> None:
        if self._handle is not None:
            self._handle.cancel()
            self._handle = None


def _network(client: tuple[str, int] | None) -> str | int:
    """An IPv4 address, or the 64 bits of an IPv6 address that one customer of a provider gets."""
    host = client[0] if client else ""
    try:
        address = ip_address(host.partition("%")[0])
    except ValueError:
        return host
    return int(address) >> 64 if isinstance(address, IPv6Address) and not address.ipv4_mapped else host


_IDLE = 30
_GRACE = 3


class ServerError(UrlsetError):
    """The port cannot be used; the message says why."""


class DashboardServer(uvicorn.Server):
    """`run` blocks until `should_exit` is set, or a signal comes; `on_start` receives the port."""

    def __init__(self, settings: ServeSettings, access: Protection, on_start: Callable[[int], None]) -> None:
        config = uvicorn.Config(
            dashboard(settings, access),
            host=settings.host,
            port=settings.port,
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
        self._on_start = on_start

    async def startup(self, sockets: Any = None) -> None:
        await super().startup(sockets)
        if self.started:
            self._on_start(self.servers[0].sockets[0].getsockname()[1])


def serve(settings: ServeSettings, access: Protection, on_start: Callable[[int], None]) -> None:
    """Until Ctrl-C; `on_start` receives the port. Raises ServerError."""
    server = DashboardServer(settings, access, on_start)
    trouble = f"cannot listen on {settings.host} port {settings.port}: is it in use? Set another --port"
    try:
        server.run()
    except SystemExit as error:
        raise ServerError(trouble) from error
    if not server.started:
        raise ServerError(trouble)
