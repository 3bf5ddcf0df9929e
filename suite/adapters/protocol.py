"""What adapters in Python share: the line protocol, and a server on loopback for libraries that only take URLs."""

from __future__ import annotations

import json
import sys
import threading
from collections.abc import Callable
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any

BEST = "--best" in sys.argv
"""the documented settings that read most, instead of the defaults"""
Request = dict[str, Any]
TYPES = {".xml": "application/xml", ".gz": "application/gzip", ".txt": "text/plain"}


def speak(answer: Callable[[Request], dict[str, Any]]) -> None:
    """One answer for each request; an exception of the library is its error."""
    for line in sys.stdin:
        request = json.loads(line)
        try:
            given = answer(request)
        except Exception as error:  # noqa: BLE001 - whatever the library raises
            given = {"urls": [], "error": f"{type(error).__name__}: {error}"[:300]}
        print(json.dumps({"case": request["case"], **given}, default=str), flush=True)


def data_of(request: Request) -> bytes:
    return Path(request["path"]).read_bytes()


def is_robots(request: Request) -> bool:
    return bool(request["case"].startswith("robots/"))


def url_of(request: Request) -> str:
    """Where the file would be: its type decides the name."""
    name = "robots.txt" if is_robots(request) else "sitemap" + "".join(Path(request["path"]).suffixes[-2:])
    return str(request.get("url") or f"https://example.com/{name}")


class Loopback:
    """One file at a time, at a URL of its own on 127.0.0.1; every other URL is missing."""

    def __init__(self) -> None:
        files: dict[str, Path] = {}

        class Handler(BaseHTTPRequestHandler):
            def do_GET(self) -> None:
                path = files.get(self.path)
                body = path.read_bytes() if path else b""
                self.send_response(200 if path else 404)
                self.send_header("Content-Type", TYPES.get(path.suffix if path else "", "application/xml"))
                self.send_header("Content-Length", str(len(body)))
                self.end_headers()
                self.wfile.write(body)

            do_HEAD = do_GET  # noqa: N815 - the name that the server looks for

            def log_message(self, *_values: object) -> None:
                pass

        self.files, self.server = files, ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        threading.Thread(target=self.server.serve_forever, daemon=True).start()

    def url(self, request: Request) -> str:
        path = "/" + url_of(request).rpartition("/")[2]
        self.files.clear()
        self.files[path] = Path(request["path"])
        return f"http://127.0.0.1:{self.server.server_port}{path}"
