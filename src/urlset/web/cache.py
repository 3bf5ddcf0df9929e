"""Answers worth keeping → files in a folder, so an unchanged sitemap is not sent again.

One file per address: a line of JSON, then the body as gzip. A damaged or foreign file counts as none.
"""

from __future__ import annotations

import gzip
import hashlib
import zlib
from collections.abc import Iterator
from contextlib import suppress
from io import BytesIO
from itertools import chain
from pathlib import Path
from typing import BinaryIO

import msgspec

from urlset.model.answer import Answer, Hop
from urlset.writing.files import make_state_folder, write_atomically
from urlset.writing.gzip import compress

_VERSION = 1
_CHUNK = 1 << 18
_LEVEL = 3
_LONGEST_HEAD = 1 << 20


class _Head(msgspec.Struct, frozen=True, omit_defaults=True):
    version: int
    url: str
    final_url: str
    headers: tuple[tuple[str, str], ...]
    size: int
    moment: str
    hops: tuple[Hop, ...] = ()


class CachedAnswer:
    """One answer on disk."""

    def __init__(self, path: Path, head: _Head) -> None:
        self._path, self._head = path, head

    @property
    def moment(self) -> str:
        return self._head.moment

    @property
    def validators(self) -> Validators:
        named = dict(reversed(self._head.headers))
        return Validators(named.get("etag"), named.get("last-modified"), self._head.final_url)

    def as_answer(self, cap: int, spool: Path | None = None, confirmed: Answer | None = None) -> Answer | None:
        """The kept body under the answer that confirmed it, as a 200; None where the file turns out damaged."""
        try:
            body, truncated = self._body(cap, spool)
        except (OSError, EOFError, zlib.error):
            self._path.unlink(missing_ok=True)
            return None
        head = self._head
        if confirmed is None:
            return Answer(
                head.url, head.hops, head.final_url, 200, head.headers, body, truncated=truncated, moment=head.moment
            )
        newer = {name for name, _ in confirmed.headers}
        kept = tuple(pair for pair in head.headers if pair[0] not in newer)
        changes = {"status": 200, "headers": confirmed.headers + kept, "body": body, "truncated": truncated}
        return msgspec.structs.replace(confirmed, not_modified=True, **changes)

    def _body(self, cap: int, spool: Path | None) -> tuple[bytes, bool]:
        with self._path.open("rb") as file:
            file.readline(_LONGEST_HEAD)
            with gzip.GzipFile(fileobj=file) as packed:
                if spool is None:
                    held = BytesIO()
                    size = _copy(packed, held, cap)
                    body = held.getvalue()
                else:
                    body = b""
                    with spool.open("wb") as target:
                        size = _copy(packed, target, cap)
        if size < min(self._head.size, cap):
            raise EOFError
        return body, self._head.size > cap


def _copy(source: gzip.GzipFile, target: BinaryIO, cap: int) -> int:
    size = 0
    while size < cap and (piece := source.read(min(_CHUNK, cap - size))):
        target.write(piece)
        size += len(piece)
    return size


class Cache:
    def __init__(self, folder: Path) -> None:
        self._folder = folder

    def find(self, url: str) -> CachedAnswer | None:
        path = self._path(url)
        try:
            with path.open("rb") as file:
                head = msgspec.json.decode(file.readline(_LONGEST_HEAD), type=_Head)
        except (OSError, msgspec.MsgspecError, UnicodeDecodeError):
            return None
        return CachedAnswer(path, head) if head.version == _VERSION and head.url == url else None

    def keep(self, answer: Answer, spool: Path | None = None) -> None:
        """Only whole answers; a folder that cannot be written to costs nothing but the next transfer."""
        if answer.status != 200 or answer.failure is not None or answer.truncated:
            return
        size = spool.stat().st_size if spool is not None else len(answer.body)
        head = _Head(_VERSION, answer.url, answer.final_url, answer.headers, size, answer.moment, answer.hops)
        body = compress([answer.body] if spool is None else _chunks(spool), _LEVEL)
        with suppress(OSError):
            make_state_folder(self._folder)
            write_atomically(self._path(answer.url), chain([msgspec.json.encode(head) + b"\n"], body), private=True)

    def _path(self, url: str) -> Path:
        name = hashlib.sha256(url.encode("utf-8", "surrogatepass")).hexdigest()[:40]
        return self._folder / f"{name}.kept"


def _chunks(path: Path) -> Iterator[bytes]:
    with path.open("rb") as file:
        while chunk := file.read(_CHUNK):
            yield chunk


# What a server said by which a copy can be recognised as current → the headers that ask whether it is.


class Validators(msgspec.Struct, frozen=True):
    """Header values as the server sent them."""

    etag: str | None = None
    last_modified: str | None = None
    url: str | None = None
    """the `final_url` that gave them, where redirects led there: a date means nothing to any other address"""

    def headers(self) -> dict[str, str]:
        asked = {"If-None-Match": self.etag, "If-Modified-Since": self.last_modified}
        return {name: value for name, value in asked.items() if value and value.isprintable()}

    def __bool__(self) -> bool:
        return bool(self.etag or self.last_modified)
