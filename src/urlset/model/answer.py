"""What a server said: every request on the way with its status and headers, the body, and how it failed if it did."""

from __future__ import annotations

from enum import StrEnum

import msgspec


class FailureKind(StrEnum):
    """Why there is no usable answer; the value is how it is shown."""

    DNS = "the host name does not resolve"
    REFUSED = "connection refused"
    RESET = "connection reset"
    UNREACHABLE = "network unreachable"
    CONNECT_TIMEOUT = "connection timed out"
    TLS_EXPIRED = "the certificate has expired"
    TLS_NAME = "the certificate is for another host"
    TLS_UNTRUSTED = "the certificate is not trusted"
    TLS = "TLS handshake failed"
    READ_TIMEOUT = "the server stopped answering"
    TOTAL_TIMEOUT = "the response timed out"
    CUT_SHORT = "the body is shorter than Content-Length"
    BAD_HTTP = "the response is not HTTP"
    BAD_ENCODING = "invalid content encoding"
    BOMB = "decompression bomb"
    REDIRECT_LOOP = "redirect loop"
    TOO_MANY_REDIRECTS = "too many redirects"
    BAD_REDIRECT = "redirect without a valid target"
    NOT_ALLOWED = "redirected to a URL disallowed by robots.txt"
    FORBIDDEN_ADDRESS = "the address is private"
    BAD_ADDRESS = "not a fetchable URL"
    NOT_RECORDED = "not in the recording"

    @property
    def is_tls(self) -> bool:
        return self.name.startswith("TLS")


class Failure(msgspec.Struct, frozen=True, omit_defaults=True):
    kind: FailureKind
    detail: str = ""
    """what the system or the library said, short"""

    def __str__(self) -> str:
        return f"{self.kind.value}: {self.detail}" if self.detail else self.kind.value


class Hop(msgspec.Struct, frozen=True, omit_defaults=True):
    """One request that was answered by a redirect."""

    url: str
    status: int
    location: str
    """as written"""


class Answer(msgspec.Struct, frozen=True, omit_defaults=True):
    """The outcome of asking for one address, redirects followed by hand."""

    url: str
    """as requested"""
    hops: tuple[Hop, ...] = ()
    final_url: str = ""
    """the address that gave this status or failure; equals `url` where nothing redirected"""
    status: int | None = None
    """of the last request; None where it failed before a status line came"""
    headers: tuple[tuple[str, str], ...] = ()
    """of the last answer, names in lowercase, in order, repeated ones repeated"""
    body: bytes = b""
    """content encoding undone; empty where `spooled` says where it lies"""
    truncated: bool = False
    """the body was longer than the cap: `body` is its beginning"""
    failure: Failure | None = None
    """possible together with a status: a body that was cut short"""
    wire_bytes: int = 0
    """body bytes as sent"""
    seconds: float = 0.0
    """until the last byte, pauses for politeness not counted"""
    first_byte: float = 0.0
    not_modified: bool = False
    """the server said 304 and the body is what was kept of an earlier answer"""
    tries: int = 1
    retried: str = ""
    """how the first try failed, where there were several: a status, or a failure"""
    moment: str = ""
    """time of the request, UTC, ISO 8601"""

    def header(self, name: str) -> str | None:
        """The first value of that header; `name` in lowercase."""
        return next((value for key, value in self.headers if key == name), None)

    def all(self, name: str) -> list[str]:
        return [value for key, value in self.headers if key == name]

    @property
    def media_type(self) -> str | None:
        """`text/html` of `Text/HTML; charset=utf-8`; None where the server named none."""
        value = self.header("content-type")
        return value.partition(";")[0].strip().lower() or None if value else None

    @property
    def ok(self) -> bool:
        return self.failure is None and self.status is not None and 200 <= self.status < 300
