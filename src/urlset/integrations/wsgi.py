"""Sections → a WSGI application that serves their sitemaps."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from typing import Any

from urlset.integrations.calls import AsyncSourceError, run
from urlset.integrations.http import PHRASES, FrameworkRequest
from urlset.integrations.plan import Source
from urlset.integrations.service import ServedAnswer, Sitemaps

WsgiApp = Callable[[dict[str, Any], Callable[..., Any]], Iterable[bytes]]


class SitemapApp:
    """`SitemapApp(sections={"pages": source}, base_url="https://www.example.com")`; settings as in `Sitemaps`.

    Requests for other paths go to `app`, or are answered with 404 without one.
    """

    def __init__(
        self, sections: Mapping[str, Source], base_url: str, *, app: WsgiApp | None = None, **settings: Any
    ) -> None:
        self.sitemaps = Sitemaps(sections, base_url, **settings)
        self._app = app
        if any(section.is_async for section in self.sitemaps.sections.values()):
            raise AsyncSourceError

    def __call__(self, environ: dict[str, Any], start_response: Callable[..., Any]) -> Iterable[bytes]:
        path = environ.get("PATH_INFO", "") or "/"
        if self._app is not None and not self.sitemaps.serves(path):
            return self._app(environ, start_response)
        headers = {
            name[5:].replace("_", "-").lower(): value for name, value in environ.items() if name.startswith("HTTP_")
        }
        request = FrameworkRequest(environ["REQUEST_METHOD"], path, environ.get("SCRIPT_NAME", ""), headers)
        answer: ServedAnswer = run(self.sitemaps.answer(request))
        start_response(f"{answer.head.status} {PHRASES[answer.head.status]}", answer.head.headers)
        return answer.chunks
