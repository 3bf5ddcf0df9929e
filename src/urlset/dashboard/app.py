"""Options → the dashboard as an ASGI application."""

from __future__ import annotations

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from functools import cache
from hashlib import sha256

from starlette.applications import Starlette
from starlette.exceptions import HTTPException
from starlette.middleware import Middleware
from starlette.requests import Request
from starlette.responses import PlainTextResponse, Response
from starlette.routing import Route

from urlset.dashboard import views_diff, views_home, views_pages, views_runs, views_site
from urlset.dashboard.context import HERE, DashboardContext, DashboardOptions, render
from urlset.dashboard.guard import AllowedHosts, RequestGuard
from urlset.snapshots.info import SnapshotError

_TYPES = {"css": "text/css; charset=utf-8", "js": "text/javascript; charset=utf-8", "svg": "image/svg+xml"}


def dashboard(options: DashboardOptions) -> Starlette:
    context = DashboardContext(options)

    @asynccontextmanager
    async def lifespan(_: Starlette) -> AsyncIterator[None]:
        yield
        await context.close()

    hosts = AllowedHosts(options.host, options.names)
    guard = Middleware(
        RequestGuard, access=options.access, sessions=context.sessions, hosts=hosts, is_secure=options.is_secure
    )
    app = Starlette(
        routes=[
            Route("/healthz", lambda _: PlainTextResponse("ok\n")),
            Route("/static/{name}", _static),
            *views_home.ROUTES,
            *views_site.ROUTES,
            *views_pages.ROUTES,
            *views_diff.ROUTES,
            *views_runs.ROUTES,
        ],
        middleware=[guard],
        exception_handlers={HTTPException: _trouble, SnapshotError: _unreadable, Exception: _broken},
        lifespan=lifespan,
    )
    app.state.context = context
    return app


@cache
def _files() -> dict[str, bytes]:
    """What may be fetched, by name; read once, so no path is ever made from a request."""
    return {path.name: path.read_bytes() for path in (HERE / "static").iterdir() if path.is_file()}


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


async def _trouble(request: Request, error: Exception) -> Response:
    assert isinstance(error, HTTPException)
    return render(request, "trouble.html", error.status_code, code=error.status_code, said=error.detail)


async def _unreadable(request: Request, error: Exception) -> Response:
    """Damaged, or pruned between two requests."""
    return render(request, "trouble.html", 503, code=503, said=str(error))


async def _broken(request: Request, error: Exception) -> Response:
    del request, error  # the log has it; a page must not show what is inside
    return PlainTextResponse("internal error\n", 500)
