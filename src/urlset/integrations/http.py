"""A request and what is known about a resource → status and headers; and a body that is complete before it is sent."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from datetime import UTC
from email.utils import formatdate, parsedate_to_datetime
from hashlib import blake2b
from io import BytesIO
from tempfile import TemporaryFile
from typing import IO, NamedTuple, Self

XML, GZIP, TEXT = "application/xml", "application/gzip", "text/plain; charset=utf-8"
METHODS = ("GET", "HEAD")
PHRASES = {200: "OK", 304: "Not Modified", 404: "Not Found", 405: "Method Not Allowed"}


class FrameworkRequest(NamedTuple):
    method: str
    path: str
    """below the place where the sitemaps are mounted, with a leading slash"""
    prefix: str = ""
    """that place"""
    headers: Mapping[str, str] = {}
    """by lower-case name"""


class EntityValidators(NamedTuple):
    etag: str
    modified: float = 0.0
    """seconds since 1970; 0 when not known"""


class ResponseHead(NamedTuple):
    status: int
    headers: list[tuple[str, str]]


def etag_of(*parts: object, weak: bool = True) -> str:
    """Weak where it is made from what is known about the rows and not from the bytes."""
    digest = blake2b("\x1f".join(map(str, parts)).encode(), digest_size=12).hexdigest()
    return f'W/"{digest}"' if weak else f'"{digest}"'


def head(request: FrameworkRequest, content_type: str, known: EntityValidators, max_age: int) -> ResponseHead:
    """200 or 304."""
    headers = [("ETag", known.etag), ("Cache-Control", f"public, max-age={max_age}")]
    if known.modified > 0:
        headers.append(("Last-Modified", formatdate(int(known.modified), usegmt=True)))
    if is_unchanged(request.headers, known):
        return ResponseHead(304, headers)
    return ResponseHead(200, [("Content-Type", content_type), *headers])


def is_unchanged(headers: Mapping[str, str], known: EntityValidators) -> bool:
    """RFC 9110 section 13.2.2: If-Modified-Since counts only without If-None-Match."""
    wanted = headers.get("if-none-match")
    if wanted is not None:
        tags = {tag.strip().removeprefix("W/") for tag in wanted.split(",")}
        return "*" in tags or known.etag.removeprefix("W/") in tags
    since = headers.get("if-modified-since")
    if since is None or known.modified <= 0:
        return False
    try:
        moment = parsedate_to_datetime(since)
        return int(known.modified) <= (moment if moment.tzinfo else moment.replace(tzinfo=UTC)).timestamp()
    except (ValueError, TypeError, OverflowError):
        return False


# A complete body.
#
# A response whose rows fail after its first byte cannot become an error any more. Over HTTP/1.0, which wsgiref and
# many reverse proxies speak, the client cannot tell that the file is incomplete: it takes the part for the whole,
# with status 200. So a file is complete before its status is sent. In return it has a length, and a slow client holds
# no database cursor. A file of 50,000 plain URLs has 5 MB; memory stays at `_IN_MEMORY`, and the rest is in a
# temporary file.

_IN_MEMORY = 1 << 20
_BLOCK = 1 << 16


class FinishedFile:
    """Written, then finished, then read once as an iterator of chunks; `close` frees it, also before the end."""

    def __init__(self) -> None:
        self._file: IO[bytes] = BytesIO()
        self._size = 0

    @classmethod
    @contextmanager
    def making(cls) -> Iterator[Self]:
        """A new one, closed if the block fails."""
        file = cls()
        try:
            yield file
        except BaseException:
            file.close()
            raise

    def write(self, chunk: bytes) -> None:
        if self._size <= _IN_MEMORY < self._size + len(chunk):
            begun, self._file = self._file, TemporaryFile()  # noqa: SIM115 - closed with the response
            assert isinstance(begun, BytesIO)
            self._file.write(begun.getbuffer())
        self._size += self._file.write(chunk)

    def finish(self, chunk: bytes) -> None:
        """With the last chunk."""
        self.write(chunk)
        self._file.seek(0)

    def __len__(self) -> int:
        return self._size

    def __iter__(self) -> Self:
        return self

    def __next__(self) -> bytes:
        chunk = b"" if self._file.closed else self._file.read(_BLOCK)
        if not chunk:
            self.close()
            raise StopIteration
        return chunk

    def close(self) -> None:
        self._file.close()
