"""Sections → routes of a FastAPI or Starlette application that serve their sitemaps from its root."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from starlette.applications import Starlette
from starlette.routing import BaseRoute, Match, NoMatchFound
from starlette.types import Receive, Scope, Send

from urlset.integrations.asgi import SitemapApp, split_path
from urlset.integrations.plan import Source
from urlset.integrations.service import Sitemaps


def add_sitemaps(app: Starlette, sections: Mapping[str, Source], base_url: str, **settings: Any) -> Sitemaps:
    """Serve `/sitemap.xml`, its shards and their .gz twins; settings as in `Sitemaps`.

    The routes come first, so a route such as `/{page}` does not take the requests. They do not show up in the
    OpenAPI schema.
    """
    found = SitemapApp(sections, base_url, **settings)
    app.router.routes.insert(0, _SitemapRoute(found))
    return found.sitemaps


class _SitemapRoute(BaseRoute):
    """Matches exactly the files there can be, whatever the sections are called."""

    def __init__(self, app: SitemapApp) -> None:
        self._app = app

    def matches(self, scope: Scope) -> tuple[Match, Scope]:
        ours = scope["type"] == "http" and self._app.sitemaps.serves(split_path(scope)[1])
        return (Match.FULL if ours else Match.NONE), {}

    def url_path_for(self, name: str, /, **path_params: Any) -> Any:
        raise NoMatchFound(name, path_params)

    async def handle(self, scope: Scope, receive: Receive, send: Send) -> None:
        await self._app(scope, receive, send)
