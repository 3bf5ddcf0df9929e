"""What goes over the wire of a test server: the requests it saw and the answers its routes give."""

from __future__ import annotations

from collections.abc import AsyncIterable, Awaitable, Callable, Iterable, Mapping
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


def as_page(reply: bytes | str, path: str) -> PageAnswer:
    ending = path.rpartition("/")[2].rpartition(".")[2].lower()
    return PageAnswer(body=reply, type=TYPE_OF_ENDING.get(ending, HTML))
