"""`python -m tests.servers MODULE:FACTORY` → one more test server; its address is the first line of output."""

from __future__ import annotations

import argparse
import importlib
import runpy
import signal
import sys
import threading
from collections.abc import Callable
from pathlib import Path
from typing import Any

import msgspec

from urlset.testing.exchange import Request, Routes
from urlset.testing.site import Site


def routes_of(name: str, arguments: dict[str, Any]) -> Routes:
    """What the factory makes: MODULE:NAME, or FILE.py:NAME."""
    place, _, factory = name.rpartition(":")
    names = runpy.run_path(place) if place.endswith(".py") else vars(importlib.import_module(place))
    routes: Routes = names[factory](**arguments)
    return routes


def noting(log: Path | None) -> Callable[[Request], None] | None:
    if log is None:
        return None
    sink = log.open("ab", buffering=0)

    def note(request: Request) -> None:
        sink.write(msgspec.json.encode(request) + b"\n")

    return note


def main() -> None:
    parser = argparse.ArgumentParser(prog="python -m tests.servers", description=__doc__)
    parser.add_argument("factory", help="MODULE:NAME or FILE.py:NAME of a function that returns routes")
    parser.add_argument("--arguments", default="{}", help="keyword arguments for it, as JSON")
    parser.add_argument("--port", type=int, default=0, help="default: a free one")
    parser.add_argument("--addresses", nargs="+", default=["127.0.0.1"], help="further ones are hosts on the same port")
    parser.add_argument("--log", type=Path, help="write every request that has ended to this file, as JSON lines")
    parser.add_argument("--while-input-is-open", action="store_true", help="end when standard input is closed")
    options = parser.parse_args()
    routes = routes_of(options.factory, msgspec.json.decode(options.arguments))
    with Site(routes, port=options.port, addresses=options.addresses, note=noting(options.log)) as site:
        sys.stdout.write(site.origin + "\n")
        sys.stdout.flush()
        if options.while_input_is_open:
            sys.stdin.buffer.read()
        else:
            done = threading.Event()
            for each in (signal.SIGINT, signal.SIGTERM):
                signal.signal(each, lambda *_: done.set())
            done.wait()


if __name__ == "__main__":
    main()
