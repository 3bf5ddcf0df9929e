"""HTTP/1.1 as a test server needs it: bytes → Request, Page → bytes, with conditional answers and gzip."""

from __future__ import annotations

import gzip
import http
import time
from email.utils import formatdate, parsedate_to_datetime

from urlset.testing.exchange import PageAnswer, Request

LONGEST_HEAD = 1 << 16
BODILESS = frozenset({204, 304})
REASONS = {each.value: each.phrase for each in http.HTTPStatus}


class HeadTooLongError(Exception):
    """The head of a request has no end in sight."""


def take_request(buffer: bytearray) -> Request | None:
    """The first request in the buffer, which loses it; None while it is not whole; ValueError where it is not HTTP."""
    end = buffer.find(b"\r\n\r\n")
    if end < 0:
        if len(buffer) > LONGEST_HEAD:
            raise HeadTooLongError
        return None
    lines = buffer[:end].decode("latin-1").split("\r\n")
    method, target, version = lines[0].split(" ")
    if not version.startswith("HTTP/1."):
        raise ValueError(version)
    headers: dict[str, str] = {}
    for line in lines[1:]:
        name, _, value = line.partition(":")
        name, value = name.lower(), value.strip()
        headers[name] = f"{headers[name]}, {value}" if name in headers else value
    if "transfer-encoding" in headers:
        raise ValueError("no chunked requests here")
    length = int(headers.get("content-length", 0))
    if len(buffer) < end + 4 + length:
        return None
    body = bytes(buffer[end + 4 : end + 4 + length])
    del buffer[: end + 4 + length]
    if version == "HTTP/1.0":
        headers.setdefault("connection", "close")
    return Request(method=method, target=target, headers=headers, body=body)


def encode(page: PageAnswer, request: Request) -> tuple[bytes, int, bool]:
    """The answer as sent, its status, and whether the connection stays open."""
    pairs = page.pairs()
    names = {name.lower(): value for name, value in pairs}
    keep = "close" not in request.headers.get("connection", "").lower() and names.get("connection") != "close"
    unchanged = page.status == 200 and request.method in {"GET", "HEAD"} and is_unchanged(names, request)
    status = 304 if unchanged else page.status
    lines = [f"HTTP/1.1 {status} {page.reason or REASONS.get(status, 'Unknown')}", f"Date: {date_now()}"]
    body = b""
    if status not in BODILESS:
        body = page.payload()
        if page.gzip and "gzip" in request.headers.get("accept-encoding", ""):
            body = gzip.compress(body, 1, mtime=0)
            lines.append("Content-Encoding: gzip\r\nVary: Accept-Encoding")
        if page.type is not None:
            lines.append(f"Content-Type: {page.type}")
        if "content-length" not in names:
            lines.append(f"Content-Length: {len(body)}")
    lines.extend(f"{name}: {value}" for name, value in pairs)
    if not keep and "connection" not in names:
        lines.append("Connection: close")
    # bytes above 0x7f go out as latin-1 where they can: that is how servers send them
    head = ("\r\n".join(lines) + "\r\n\r\n").encode("latin-1", "backslashreplace")
    return (head if request.method == "HEAD" else head + body), status, keep


def is_unchanged(headers: dict[str, str], request: Request) -> bool:
    """If-None-Match counts where it is sent, If-Modified-Since only without it (RFC 9110, 13.2.2)."""
    wanted = request.headers.get("if-none-match")
    if wanted is not None:
        etag = headers.get("etag")
        return etag is not None and (wanted.strip() == "*" or bare(etag) in {bare(each) for each in wanted.split(",")})
    since, modified = request.headers.get("if-modified-since"), headers.get("last-modified")
    if since is None or modified is None:
        return False
    try:
        return parsedate_to_datetime(modified) <= parsedate_to_datetime(since)
    except (TypeError, ValueError):
        return False


def bare(etag: str) -> str:
    return etag.strip().removeprefix("W/")


_date: tuple[int, str] = (0, "")


def date_now() -> str:
    """The Date header, worked out once a second."""
    global _date  # noqa: PLW0603
    now = int(time.time())
    if _date[0] != now:
        _date = (now, formatdate(now, usegmt=True))
    return _date[1]
