"""A request → what an ASGI or WSGI application answers, and applications on real servers on the loopback."""

from __future__ import annotations

import asyncio
import gzip
import io
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any, NamedTuple
from wsgiref.simple_server import WSGIRequestHandler, make_server

import urlset


class Reply(NamedTuple):
    status: int
    headers: dict[str, str]
    body: bytes

    @property
    def locs(self) -> list[str]:
        data = gzip.decompress(self.body) if self.headers["content-type"] == "application/gzip" else self.body
        return [entry.loc or "" for entry in urlset.read(data)]


def ask(app: Any, path: str, method: str = "GET", prefix: str = "", **headers: str) -> Reply:
    """Of either kind; header names with `_` for `-`."""
    named = {name.replace("_", "-"): value for name, value in headers.items()}
    if asyncio.iscoroutinefunction(app.__call__):
        return asyncio.run(ask_async(app, path, method, prefix, named))
    return _ask_wsgi(app, path, method, prefix, named)


async def ask_async(app: Any, path: str, method: str = "GET", prefix: str = "", headers: Any = ()) -> Reply:
    sent: list[Any] = []

    asked = iter([True])

    async def receive() -> Any:
        if not next(asked, False):
            await asyncio.Event().wait()  # the client stays and says nothing more
        return {"type": "http.request", "body": b"", "more_body": False}

    async def send(message: Any) -> None:
        sent.append(message)

    encoded = [(name.lower().encode(), value.encode()) for name, value in dict(headers).items()]
    scope = {"type": "http", "asgi": {"version": "3.0"}, "http_version": "1.1", "method": method, "scheme": "http",
             "path": prefix + path, "raw_path": (prefix + path).encode(), "root_path": prefix, "query_string": b"",
             "headers": encoded, "server": ("127.0.0.1", 80), "client": ("127.0.0.1", 9)}  # fmt: skip
    await app(scope, receive, send)
    start = sent[0]
    found = {name.decode().lower(): value.decode() for name, value in start["headers"]}
    return Reply(start["status"], found, b"".join(message.get("body", b"") for message in sent[1:]))


def _ask_wsgi(app: Any, path: str, method: str, prefix: str, headers: dict[str, str]) -> Reply:
    status: list[Any] = []
    environ = {"REQUEST_METHOD": method, "PATH_INFO": path, "SCRIPT_NAME": prefix, "SERVER_NAME": "127.0.0.1",
               "SERVER_PORT": "80", "wsgi.url_scheme": "http", "wsgi.input": io.BytesIO(), "wsgi.errors": io.StringIO(),
               "QUERY_STRING": "", "SERVER_PROTOCOL": "HTTP/1.1"}  # fmt: skip
    environ |= {f"HTTP_{name.upper().replace('-', '_')}": value for name, value in headers.items()}

    def start_response(line: str, pairs: Any, _info: Any = None) -> None:
        status.extend((int(line[:3]), {name.lower(): value for name, value in pairs}))

    chunks = app(environ, start_response)
    body = b"".join(chunks)
    if hasattr(chunks, "close"):
        chunks.close()
    return Reply(status[0], status[1], body)


@contextmanager
def served(app: Any) -> Iterator[str]:
    """On a real server: uvicorn or wsgiref."""
    with _uvicorn(app) if asyncio.iscoroutinefunction(app.__call__) else _wsgiref(app) as origin:
        yield origin


@contextmanager
def _wsgiref(app: Any) -> Iterator[str]:
    class NoProgress(WSGIRequestHandler):
        def log_message(self, *_: object) -> None:
            pass

    server = make_server("127.0.0.1", 0, app, handler_class=NoProgress)
    thread = threading.Thread(target=server.serve_forever, args=(0.05,), daemon=True)
    thread.start()
    try:
        yield f"http://127.0.0.1:{server.server_port}"
    finally:
        server.shutdown()
        server.server_close()
        thread.join()


@contextmanager
def _uvicorn(app: Any) -> Iterator[str]:
    import uvicorn

    server = uvicorn.Server(uvicorn.Config(app, host="127.0.0.1", port=0, log_level="error", lifespan="off"))
    thread = threading.Thread(target=server.run, daemon=True)
    thread.start()
    until = time.monotonic() + 10
    while not server.started and time.monotonic() < until:
        time.sleep(0.01)
    try:
        yield f"http://127.0.0.1:{server.servers[0].sockets[0].getsockname()[1]}"
    finally:
        server.should_exit = True
        thread.join()
