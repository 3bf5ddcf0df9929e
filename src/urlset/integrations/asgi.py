"""Sections → an ASGI application that serves their sitemaps."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Mapping, MutableMapping
from contextlib import closing
from typing import Any

from urlset.integrations.calls import run_async
from urlset.integrations.http import FrameworkRequest
from urlset.integrations.plan import Source
from urlset.integrations.service import ServedAnswer, Sitemaps

Message = MutableMapping[str, Any]
Receive = Callable[[], Awaitable[Message]]
Send = Callable[[Message], Awaitable[None]]
AsgiApp = Callable[[MutableMapping[str, Any], Receive, Send], Awaitable[None]]


class SitemapApp:
    """`SitemapApp(sections={"pages": source}, base_url="https://www.example.com")`; settings as in `Sitemaps`.

    Requests for other paths go to `app`, or are answered with 404 without one. Sync sources run in a thread.
    """

    def __init__(
        self, sections: Mapping[str, Source], base_url: str, *, app: AsgiApp | None = None, **settings: Any
    ) -> None:
        self.sitemaps = Sitemaps(sections, base_url, **settings)
        self._app = app

    async def __call__(self, scope: MutableMapping[str, Any], receive: Receive, send: Send) -> None:
        if scope["type"] == "http":
            prefix, path = split_path(scope)
            if self._app is None or self.sitemaps.serves(path):
                headers = {name.decode("latin-1").lower(): value.decode("latin-1") for name, value in scope["headers"]}
                await self._respond(FrameworkRequest(scope["method"], path, prefix, headers), send)
                return
        if self._app is not None:
            await self._app(scope, receive, send)
        elif scope["type"] == "lifespan":
            await _lifespan(receive, send)

    async def _respond(self, request: FrameworkRequest, send: Send) -> None:
        answer: ServedAnswer = await run_async(self.sitemaps.answer(request, is_async=True))
        headers = [(name.lower().encode(), value.encode("latin-1")) for name, value in answer.head.headers]
        await send({"type": "http.response.start", "status": answer.head.status, "headers": headers})
        with closing(answer):
            for chunk in answer.chunks:
                await send({"type": "http.response.body", "body": chunk, "more_body": True})
        await send({"type": "http.response.body", "body": b"", "more_body": False})


def split_path(scope: Mapping[str, Any]) -> tuple[str, str]:
    """`path` should hold the mount prefix too, but not every server and framework puts it there."""
    prefix, path = scope.get("root_path", ""), scope["path"]
    if prefix and path.startswith(f"{prefix}/"):
        path = path[len(prefix) :]
    return prefix, path or "/"


async def _lifespan(receive: Receive, send: Send) -> None:
    while True:
        message = await receive()
        await send({"type": f"{message['type']}.complete"})
        if message["type"] == "lifespan.shutdown":
            return
