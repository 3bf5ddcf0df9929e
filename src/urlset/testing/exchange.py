"""What goes over the wire of a test server: the requests it saw, how they overlap, and the answers its routes give."""

from __future__ import annotations

import time
from collections import Counter
from collections.abc import AsyncIterable, Awaitable, Callable, Iterable, Mapping, Sequence
from typing import Literal, TypeAlias

import msgspec

HTML = "text/html; charset=utf-8"

TYPE_OF_ENDING = {
    "xml": "application/xml",
    "txt": "text/plain; charset=utf-8",
    "gz": "application/gzip",
    "json": "application/json",
    "pdf": "application/pdf",
    "png": "image/png",
    "jpg": "image/jpeg",
}
"""what a route given as bare text or bytes is served as; anything else is HTML"""


class Request(msgspec.Struct, omit_defaults=True):
    """One request as the server saw it; `ended` and `status` come with the answer."""

    method: str
    target: str
    """path and query as sent"""
    headers: dict[str, str]
    """names in lowercase; repeated ones joined by a comma"""
    connection: int = 0
    """the number of the connection it came on, from 1"""
    started: float = 0.0
    """time.monotonic() when the head of the request was complete"""
    ended: float | None = None
    """when the last byte of the answer was handed over, or the connection was gone"""
    status: int | None = None
    """None for a Raw answer"""
    body: bytes = b""
    scheme: str = "http"

    @property
    def path(self) -> str:
        """Without the query, as sent."""
        return self.target.partition("?")[0]

    @property
    def query(self) -> str:
        return self.target.partition("?")[2]

    @property
    def host(self) -> str:
        """The Host header without its port, in lowercase."""
        value = self.headers.get("host", "")
        return value[: value.rfind(":")].lower() if ":" in value.rpartition("]")[2] else value.lower()

    @property
    def origin(self) -> str:
        """`http://127.0.0.1:4711`: what absolute addresses in the answer should start with."""
        return f"{self.scheme}://{self.headers.get('host', '')}"


class PageAnswer(msgspec.Struct, frozen=True):
    """A well-formed answer. ETag and Last-Modified among the headers are compared with what the request holds."""

    status: int = 200
    body: bytes | str = b""
    headers: Mapping[str, str] | Iterable[tuple[str, str]] = {}
    """sent as they are, after Date, Content-Type and Content-Length"""
    type: str | None = HTML
    """None sends no Content-Type"""
    pause: float = 0.0
    """seconds before the answer starts; other requests are served meanwhile"""
    gzip: bool = False
    """sent with Content-Encoding: gzip to clients that accept it"""
    reason: str = ""

    def pairs(self) -> list[tuple[str, str]]:
        return list(self.headers.items() if isinstance(self.headers, Mapping) else self.headers)

    def payload(self) -> bytes:
        return self.body.encode() if isinstance(self.body, str) else self.body


Piece: TypeAlias = bytes | float | int
"""bytes are sent, a number is a pause in seconds"""


class Raw(msgspec.Struct, frozen=True):
    """Bytes as they go over the wire, status line included, for everything that is not good HTTP."""

    pieces: Iterable[Piece] | AsyncIterable[Piece] = ()
    """taken one at a time, and only as fast as the client reads: may be endless"""
    end: Literal["close", "reset", "keep", "hang"] = "close"
    """then: close (FIN), reset (RST), keep for the next request, or hang until the client leaves"""


Reply: TypeAlias = PageAnswer | Raw | bytes | str
Route: TypeAlias = Reply | Callable[[Request], Reply | Awaitable[Reply | None] | None]
Routes: TypeAlias = dict[str, Route]


def redirect(location: str, status: int = 301, **headers: str) -> PageAnswer:
    return PageAnswer(status, headers={"Location": location, **{k.replace("_", "-"): v for k, v in headers.items()}})


class TurnByTurn:
    """A route that gives its answers one after the other, and the last one from then on."""

    def __init__(self, *replies: Reply) -> None:
        self._replies = replies
        self.asked = 0

    def __call__(self, request: Request) -> Reply:  # noqa: ARG002
        reply = self._replies[min(self.asked, len(self._replies) - 1)]
        self.asked += 1
        return reply


def as_page(reply: bytes | str, path: str) -> PageAnswer:
    ending = path.rpartition("/")[2].rpartition(".")[2].lower()
    return PageAnswer(body=reply, type=TYPE_OF_ENDING.get(ending, HTML))


def most_at_once(requests: Iterable[Request]) -> int:
    """The largest number of requests that were under way at one moment."""
    now = time.monotonic()
    # an end sorts before a start of the same moment: they did not overlap
    changes = sorted(
        change
        for request in list(requests)
        for change in ((request.started, 1), (now if request.ended is None else request.ended, -1))
    )
    most = under_way = 0
    for _, step in changes:
        under_way += step
        most = max(most, under_way)
    return most


def gaps(requests: Iterable[Request]) -> list[float]:
    """Seconds from the end of everything earlier to the start of each next request; below 0 where they overlap."""
    now = time.monotonic()
    found: list[float] = []
    latest: float | None = None
    for request in sorted(requests, key=lambda each: each.started):
        if latest is not None:
            found.append(request.started - latest)
        ended = now if request.ended is None else request.ended
        latest = ended if latest is None else max(latest, ended)
    return found


class Logged:
    """What can be asked of a log, wherever it is kept."""

    log: Sequence[Request]

    @property
    def most_at_once(self) -> int:
        return most_at_once(self.log)

    def gaps(self, host: str | None = None) -> list[float]:
        """Of all requests, or of those to one host."""
        return gaps(self.seen(host=host))

    def seen(self, path: str | None = None, host: str | None = None) -> list[Request]:
        return [
            each
            for each in list(self.log)
            if (path is None or each.path == path) and (host is None or each.host == host)
        ]

    def paths(self) -> list[str]:
        """Every requested path, in order, with its query."""
        return [each.target for each in list(self.log)]

    def counts(self) -> Counter[str]:
        """How often each target was requested."""
        return Counter(self.paths())
