"""Two functions → /healthz and /metrics over HTTP, on loopback only, in a separate thread."""

from __future__ import annotations

import threading
from collections.abc import Callable
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from types import TracebackType
from typing import Self

from urlset.web.address import host_of_header, is_loopback_host

Answered = tuple[int, str, str]
"""status, media type, text"""


class StatusServer:
    """`with StatusServer(host, port, routes)`; raises ValueError for an address that others could reach."""

    def __init__(self, host: str, port: int, routes: dict[str, Callable[[], Answered]]) -> None:
        if not is_loopback_host(host):
            raise ValueError(f"{host} is not a loopback address; put a proxy in front to share the metrics")
        self._server = _server(host)((host, port), _handler(routes))
        self._server.daemon_threads = True
        self._thread = threading.Thread(target=self._server.serve_forever, name="urlset status", daemon=True)

    @property
    def port(self) -> int:
        return int(self._server.server_address[1])

    def __enter__(self) -> Self:
        self._thread.start()
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, at: TracebackType | None) -> None:
        self._server.shutdown()
        self._server.server_close()
        self._thread.join()


def _server(host: str) -> type[ThreadingHTTPServer]:
    import socket

    if ":" not in host:
        return ThreadingHTTPServer
    return type("ThreadingHTTPServer6", (ThreadingHTTPServer,), {"address_family": socket.AF_INET6})


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
