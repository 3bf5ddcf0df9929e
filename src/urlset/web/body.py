"""A body as it arrives → its bytes with the content encoding undone, up to a cap, in memory or in a file."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any, BinaryIO, NamedTuple

from urlset.model.answer import Failure, FailureKind
from urlset.reading.deflate import Damaged, quick
from urlset.reading.limits import BOMB_FLOOR, BOMB_RATIO
from urlset.web.failures import NETWORK_ERRORS, failure_of

if TYPE_CHECKING:
    from aiohttp import StreamReader

ACCEPTED = "gzip, deflate"
"""the encodings asked for: what every server can, and what needs nothing installed"""

_PIECE = 1 << 18
_GZIP_BITS, _ZLIB_BITS, _RAW_BITS = 31, 15, -15
_MOST_LAYERS = 3
_MOST_MEMBERS = 10_000
"""of one gzip stream: the tools that write many put 64 KB in each"""
_WASTE = 1 << 16
"""bytes and an eighth of the cap: what a body may be larger packed than unpacked"""


class Body(NamedTuple):
    data: bytes = b""
    truncated: bool = False
    failure: Failure | None = None
    wire_bytes: int = 0


class BrokenEncodingError(ValueError):
    """The message says how."""


class Inflater:
    """One layer of gzip or deflate, fed piece by piece and let out in pieces that bound the memory."""

    def __init__(self, encoding: str) -> None:
        self.encoding = encoding
        self._head = b""
        self._engine: Any = quick.decompressobj(_GZIP_BITS) if encoding == "gzip" else None
        self._done = self._fed = False
        self._members = 0

    @property
    def is_over(self) -> bool:
        """Whatever follows is ignored, as browsers do."""
        return self._done

    def feed(self, data: bytes) -> Iterator[bytes]:
        self._fed = self._fed or bool(data)
        if self._engine is None:
            data = self._head = self._head + data
            if len(data) < 2:
                return
            self._engine = quick.decompressobj(_ZLIB_BITS if _has_zlib_header(data) else _RAW_BITS)
        while data and not self._done:
            try:
                piece = self._engine.decompress(data, _PIECE)
            except Damaged as error:
                raise BrokenEncodingError(f"not {self.encoding}, or damaged") from error
            if piece:
                yield piece
            data = self._engine.unconsumed_tail
            if self._engine.eof:
                # another member may follow
                data = self._engine.unused_data
                self._done = self.encoding != "gzip" or (bool(data) and not data.startswith(b"\x1f"))
                if data and not self._done:
                    self._members += 1
                    if self._members > _MOST_MEMBERS:
                        raise BrokenEncodingError(f"more than {_MOST_MEMBERS:,} members of {self.encoding}")
                    self._engine = quick.decompressobj(_GZIP_BITS)
            elif not piece and not data:
                return

    def finish(self) -> None:
        if self._fed and not self._done and (self._engine is None or not self._engine.eof):
            raise BrokenEncodingError(f"the {self.encoding} stream ends in the middle")


def _has_zlib_header(data: bytes) -> bool:
    """`deflate` means a zlib stream, but some servers send a bare one."""
    return data[0] & 0x0F == 8 and (data[0] << 8 | data[1]) % 31 == 0


def inflaters(encoding: str | None) -> list[Inflater]:
    """In the order of undoing. Raises BrokenEncodingError for an encoding that was not requested."""
    names = [name.strip().lower().removeprefix("x-") for name in (encoding or "").split(",")]
    names = [name for name in names if name not in ("", "identity")]
    for name in names:
        if name not in ("gzip", "deflate"):
            raise BrokenEncodingError(f"{name[:40]!r}, which was not requested")
    if len(names) > _MOST_LAYERS:
        raise BrokenEncodingError(f"{len(names)} layers of it")
    return [Inflater(name) for name in reversed(names)]


def _undone(layers: list[Inflater], data: bytes) -> Iterator[bytes]:
    if not layers:
        yield data
        return
    for piece in layers[0].feed(data):
        yield from _undone(layers[1:], piece)


class _Sink:
    """Collects up to the cap, and says when to stop."""

    def __init__(self, cap: int, file: BinaryIO | None) -> None:
        self.size, self.cap, self.file = 0, cap, file
        self.pieces: list[bytes] = []

    def take(self, piece: bytes) -> bool:
        room = self.cap - self.size
        self.size += len(piece)
        if len(piece) > room:
            piece = piece[: max(room, 0)]
        if self.file is None:
            self.pieces.append(piece)
        else:
            self.file.write(piece)
        return self.size <= self.cap

    def body(self, wire_bytes: int, *, truncated: bool = False, failure: Failure | None = None) -> Body:
        pieces = self.pieces
        data = pieces[0] if len(pieces) == 1 else b"".join(pieces)
        return Body(data, truncated, failure, wire_bytes)


async def read_body(content: StreamReader, encoding: str | None, cap: int, spool: Path | None = None) -> Body:
    """Never raises for what comes over the wire; errors of the spool file are the caller's."""
    if spool is None:
        return await _read(content, encoding, _Sink(cap, None))
    with spool.open("wb") as file:
        return await _read(content, encoding, _Sink(cap, file))


async def _read(content: StreamReader, encoding: str | None, sink: _Sink) -> Body:
    wire_bytes = 0
    failure: Failure | None = None
    try:
        layers = inflaters(encoding) if encoding else []
        while failure is None:
            try:
                data = await content.readany()
            except NETWORK_ERRORS as error:
                failure = failure_of(error)
                data = _left_over(content)
            if not data and failure is None:
                break
            wire_bytes += len(data)
            for piece in _undone(layers, data):
                if not sink.take(piece):
                    if layers and sink.size > BOMB_RATIO * wire_bytes:
                        return _bomb(sink, wire_bytes)
                    return sink.body(wire_bytes, truncated=True)
                if layers and sink.size > BOMB_FLOOR and sink.size > BOMB_RATIO * wire_bytes:
                    return _bomb(sink, wire_bytes)
            if layers and wire_bytes > sink.cap + sink.cap // 8 + _WASTE:
                if not layers[0].is_over:
                    said = f"{wire_bytes:,} bytes and more that unpack to {sink.size:,}"
                    failure = failure or Failure(FailureKind.BAD_ENCODING, said)
                break
        if failure is None:
            for layer in layers:
                layer.finish()
    except BrokenEncodingError as error:
        failure = failure or Failure(FailureKind.BAD_ENCODING, str(error))
    if failure is not None and failure.kind is FailureKind.CUT_SHORT:
        failure = Failure(FailureKind.CUT_SHORT, f"after {wire_bytes:,} bytes")
    return sink.body(wire_bytes, failure=failure)


def _bomb(sink: _Sink, wire_bytes: int) -> Body:
    sink.pieces.clear()
    if sink.file is not None:
        sink.file.truncate(0)
    return Body(
        b"",
        failure=Failure(FailureKind.BOMB, f"{sink.size:,} bytes and more out of {wire_bytes:,}"),
        wire_bytes=wire_bytes,
    )


def _left_over(content: StreamReader) -> bytes:
    """What had arrived before the connection broke: the library forgets it, so the same answer would differ by luck."""
    try:
        content._exception = None  # noqa: SLF001 - there is no public way to it
        return content.read_nowait()
    except (*NETWORK_ERRORS, AttributeError, RuntimeError):
        return b""
