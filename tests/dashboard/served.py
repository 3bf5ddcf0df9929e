"""Settings → a real server on loopback, and a client that speaks HTTP by hand and keeps cookies."""

from __future__ import annotations

import re
import socket
import threading
from collections.abc import Iterator, Mapping
from contextlib import contextmanager, suppress
from dataclasses import replace
from http.client import HTTPConnection
from typing import NamedTuple
from urllib.parse import urlencode

from urlset.dashboard.access import Protection
from urlset.dashboard.server import DashboardServer
from urlset.settings.serve import ServeSettings

OPEN = Protection()
_FORM_TOKEN = re.compile(r'name="form_token" value="([^"]+)"')


class Got(NamedTuple):
    status: int
    headers: Mapping[str, str]
    text: str


class Client:
    def __init__(self, port: int) -> None:
        self.port = port
        self.cookie = ""

    @property
    def origin(self) -> str:
        return f"http://127.0.0.1:{self.port}"

    def ask(self, method: str, target: str, body: str | bytes | None = None, **headers: str) -> Got:
        """Names of headers are written with underscores. Redirects are not followed."""
        sent = {name.replace("_", "-"): value for name, value in headers.items()}
        if self.cookie:
            sent.setdefault("cookie", self.cookie)
        connection = HTTPConnection("127.0.0.1", self.port, timeout=30)
        try:
            connection.request(method, target, body, sent)
            answer = connection.getresponse()
            text = answer.read().decode("utf-8", "replace")
            found = {name.lower(): value for name, value in answer.getheaders()}
        finally:
            connection.close()
        if "set-cookie" in found:
            self.cookie = found["set-cookie"].partition(";")[0]
        return Got(answer.status, found, text)

    def send_raw(self, data: bytes) -> tuple[int, bytes]:
        """The status and the rest of whatever comes back; 400 for a connection that is closed without an answer."""
        with socket.create_connection(("127.0.0.1", self.port), timeout=10) as connection:
            connection.sendall(data)
            connection.shutdown(socket.SHUT_WR)
            with connection.makefile("rb") as file, suppress(ConnectionError):
                line, rest = file.readline(), file.read()
                return int(line.split(b" ")[1]) if line else 400, rest
        return 400, b""

    def get(self, target: str, **headers: str) -> Got:
        return self.ask("GET", target, **headers)

    def post(self, target: str, fields: Mapping[str, str], **headers: str) -> Got:
        kind = {"content_type": "application/x-www-form-urlencoded"}
        return self.ask("POST", target, urlencode(fields), **(kind | headers))

    def form_token(self, target: str = "/") -> str:
        found = _FORM_TOKEN.search(self.get(target).text)
        assert found is not None
        return found[1]

    def submit(self, target: str, fields: Mapping[str, str], page: str = "/") -> Got:
        """As a browser would: with the token of the form on `page`."""
        return self.post(target, {**fields, "form_token": self.form_token(page)})


@contextmanager
def served(settings: ServeSettings, access: Protection = OPEN) -> Iterator[Client]:
    ports: list[int] = []
    ready = threading.Event()

    def told(port: int) -> None:
        ports.append(port)
        ready.set()

    server = DashboardServer(replace(settings, port=0), access, told)
    thread = threading.Thread(target=server.run, daemon=True)
    thread.start()
    try:
        assert ready.wait(20)
        yield Client(ports[0])
    finally:
        server.should_exit = True
        thread.join(20)
