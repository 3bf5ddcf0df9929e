"""A store behind a proxy that kills the publisher or drops its connection at a chosen request, and a reader that polls.

Versions are numbered. Every object says its version, so a reader can tell a whole object from a part of one and a new
index from one that came before its children.
"""

from __future__ import annotations

import http.client
import json
import os
import re
import subprocess
import sys
import threading
from collections.abc import Callable
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from types import TracebackType
from typing import Any, Self
from urllib.parse import urlsplit

from urlset.storage.store import StorageError

NS = 'xmlns="http://www.sitemaps.org/schemas/sitemap/0.9"'
BASE = "https://e.com/"
KILLS = ("kill before", "kill in the middle", "kill after")
DROPS = ("drop before", "drop in the middle", "drop after")
OUTAGE = "outage"


def names(version: int) -> list[str]:
    """Children that change, one in a subfolder, one that stays, and one that comes and goes."""
    return ["a.xml", "maps/b.xml", "same.xml", f"turn-{version % 3}.xml"]


def content(name: str, version: int) -> str:
    if name == "sitemap.xml":
        listed = "".join(f"<sitemap><loc>{BASE}{child}</loc></sitemap>" for child in names(version))
        return f"<sitemapindex {NS}><!-- version {version} -->{listed}</sitemapindex>"
    version = 0 if name == "same.xml" else version
    urls = "".join(f"<url><loc>{BASE}{name}/{n}</loc></url>" for n in range(200))
    return f"<urlset {NS}><!-- version {version} -->{urls}</urlset>"


def write_version(folder: Path, version: int) -> None:
    (folder / "maps").mkdir(parents=True, exist_ok=True)
    for name in ["sitemap.xml", *names(version)]:
        (folder / name).write_text(content(name, version))
    (folder / "llms.txt").write_text(f"# version {version}\n")


class Reader:
    """Reads the index and what it lists, over and over; what a crawler must never see is in `violations`."""

    def __init__(self, fetch: Callable[[str], bytes | None]) -> None:
        self._fetch = fetch
        self.violations: list[str] = []
        self.rounds = self.broken_off = 0
        self.newest = 0
        self._stop = threading.Event()
        self._thread = threading.Thread(target=self._run, daemon=True)

    def __enter__(self) -> Self:
        self._thread.start()
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, at: TracebackType | None) -> None:
        self._stop.set()
        self._thread.join()

    def _run(self) -> None:
        while not self._stop.is_set():
            try:
                self._look()
            except StorageError:  # the store broke off the response, which a crawler asks for again
                self.broken_off += 1
            self.rounds += 1
            self._stop.wait(0.002)

    def _look(self) -> None:
        version = self._whole("sitemap.xml")
        if version is None:
            self.violations.append("no index")
            return
        self.newest = max(self.newest, version)
        for name in names(version):
            found = self._whole(name)
            if name == "same.xml":
                if found != 0:
                    self.violations.append(f"index {version} lists {name}, which is missing")
            elif found is None:
                now = self._whole("sitemap.xml")
                if now is None or now <= version + 1:
                    self.violations.append(f"index {version} lists {name}, which is missing (index now {now})")
            elif found < version:
                self.violations.append(f"index {version} is visible before its {name} (still {found})")

    def _whole(self, name: str) -> int | None:
        """The version of an object; noted where it is only a part of one."""
        data = self._fetch(name)
        if data is None:
            return None
        marked = re.search(rb"version (\d+)", data)
        version = int(marked[1]) if marked else -1
        if data.decode() != content(name, version):
            self.violations.append(f"{name} is not whole: {len(data)} bytes")
        return version


class FaultyProxy:
    """Forwards every request to the store, and does what `plan` says at one of them."""

    def __init__(self, upstream: str) -> None:
        self._upstream = urlsplit(upstream)
        self.mode: str | None = None
        self.at = 0
        self.count = 0
        self.with_body: set[int] = set()
        self.victim: subprocess.Popen[str] | None = None
        self._lock = threading.Lock()
        proxy = self

        class Handler(BaseHTTPRequestHandler):
            protocol_version = "HTTP/1.1"

            def _forward(self) -> None:
                proxy._handle(self)

            do_GET = do_PUT = do_HEAD = do_DELETE = do_POST = _forward  # noqa: N815 - the names of the base class

            def log_message(self, format: str, *args: object) -> None:  # noqa: A002 - the name of the base class
                pass

        self._server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self._server.daemon_threads = True
        self.endpoint = f"http://127.0.0.1:{self._server.server_port}{self._upstream.path}"
        threading.Thread(target=self._server.serve_forever, args=(0.02,), daemon=True).start()

    def plan(self, mode: str | None, at: int = 0) -> None:
        self.mode, self.at, self.count, self.with_body = mode, at, 0, set()

    def close(self) -> None:
        self._server.shutdown()
        self._server.server_close()

    def _handle(self, request: BaseHTTPRequestHandler) -> None:
        body = request.rfile.read(int(request.headers.get("Content-Length") or 0))
        with self._lock:
            self.count += 1
            if body:
                self.with_body.add(self.count)
            due = self.mode is not None and (self.count >= self.at if self.mode == OUTAGE else self.count == self.at)
            mode = self.mode if due else ""
        if mode == OUTAGE or (mode or "").endswith("before"):
            self._end(request, mode or "")
            return
        if (mode or "").endswith("middle"):
            self._send_half(request, body)
            self._end(request, mode or "")
            return
        answer, data = self._ask(request, body)
        if mode:
            self._end(request, mode)
            return
        request.send_response_only(answer.status)
        for name, value in answer.getheaders():
            if name.lower() not in ("transfer-encoding", "connection", "content-length"):
                request.send_header(name, value)
        length = answer.getheader("Content-Length") if request.command == "HEAD" else str(len(data))
        request.send_header("Content-Length", length or "0")
        request.end_headers()
        request.wfile.write(data)

    def _ask(self, request: BaseHTTPRequestHandler, body: bytes) -> tuple[http.client.HTTPResponse, bytes]:
        connection = http.client.HTTPConnection(self._upstream.hostname or "", self._upstream.port, timeout=20)
        try:
            connection.putrequest(request.command, request.path, skip_host=True, skip_accept_encoding=True)
            for name, value in request.headers.items():
                connection.putheader(name, value)
            connection.endheaders(body or None)
            answer = connection.getresponse()
            return answer, answer.read()
        finally:
            connection.close()

    def _send_half(self, request: BaseHTTPRequestHandler, body: bytes) -> None:
        """What a store gets of a client that dies while it sends."""
        if not body:
            return
        connection = http.client.HTTPConnection(self._upstream.hostname or "", self._upstream.port, timeout=20)
        connection.putrequest(request.command, request.path, skip_host=True, skip_accept_encoding=True)
        for name, value in request.headers.items():
            connection.putheader(name, value)
        connection.endheaders(body[: len(body) // 2])
        connection.close()

    def _end(self, request: BaseHTTPRequestHandler, mode: str) -> None:
        if mode.startswith("kill") and self.victim is not None:
            self.victim.kill()
            self.victim.wait()
        request.close_connection = True
        request.connection.close()


_PUBLISHER = """
import json, sys
from pathlib import Path
import urlset
given = json.loads(sys.argv[1])
urlset.publish(given.pop("folder"), given.pop("to"), **given)
"""


def publish_in_process(folder: Path, to: str, endpoint: str, proxy: FaultyProxy, **more: Any) -> int:
    """A publisher that can be killed; its exit code, negative when it was."""
    given = json.dumps({"folder": str(folder), "to": to, "endpoint": endpoint, **more})
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join(sys.path)}
    victim = subprocess.Popen(
        [sys.executable, "-c", _PUBLISHER, given], env=environment, stderr=subprocess.PIPE, text=True
    )
    proxy.victim = victim
    victim.communicate(timeout=120)
    return victim.returncode
