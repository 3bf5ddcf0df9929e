"""Bytes as delivered → unpacked bytes: gzip by magic number, streamed, capped, whatever state it is in.

Damage never raises: what came out before it is kept, and a Trouble says what happened. Errors of the
source itself (a disk, a socket) are the caller's and pass through.
"""

from __future__ import annotations

import zlib
from collections.abc import Iterable, Iterator
from contextlib import suppress
from io import BytesIO
from typing import Any, BinaryIO

import msgspec

from urlset.model.place import Place
from urlset.model.trouble import Trouble, TroubleKind
from urlset.reading import limits

_GZIP = b"\x1f\x8b"
_DEFLATE = 8
_EXTRA, _NAME, _COMMENT, _HEADER_CHECKSUM = 4, 8, 16, 2

_BLOCK = 1 << 16
_PIECE = 1 << 18
"""Bytes let out of zlib at once: bounds both memory and how far a limit can be overshot."""

_MAX_MEMBERS = 1 << 16
"""An empty member takes 20 bytes and gives none, so no cap on output would ever end a file of them."""

_OTHER = (
    ("zip", 0, (b"PK\x03\x04", b"PK\x05\x06")),
    ("bz2", 0, tuple(b"BZh%d%s" % (n, m) for n in range(1, 10) for m in (b"1AY&SY", b"\x17rE8P\x90"))),
    ("xz", 0, (b"\xfd7zXZ\x00",)),
    ("zstd", 0, (b"\x28\xb5\x2f\xfd",)),
    ("compress", 0, (b"\x1f\x9d", b"\x1f\xa0")),
    ("zlib", 0, (b"\x78\x01", b"\x78\x9c", b"\x78\xda")),
    ("7z", 0, (b"7z\xbc\xaf\x27\x1c",)),
    ("rar", 0, (b"Rar!\x1a\x07",)),
    ("lz4", 0, (b"\x04\x22\x4d\x18",)),
    ("lzip", 0, (b"LZIP\x01",)),
    ("tar", 257, (b"ustar",)),
)
"""name, offset of the magic number, its spellings; brotli has none"""


class Unpacked(msgspec.Struct, frozen=True):
    """The unpacked bytes and what is known about how they were packed."""

    data: bytes
    delivered: int
    """bytes taken from the source: all of them, unless a limit stopped reading"""
    compression: str | None = None
    """"gzip", or the name of a format that is recognised but not unpacked"""
    layers: int = 0
    complete: bool = True
    troubles: tuple[Trouble, ...] = ()


def unpack(chunks: Iterable[bytes], *, cap: int = limits.LOCAL_CAP) -> Unpacked:
    """Unpack what `chunks` deliver, at most `cap` bytes; how they are cut makes no difference."""
    if isinstance(chunks, (list, tuple)) and len(chunks) == 1:
        only = chunks[0]
        if len(only) <= cap and not only.startswith(_GZIP):
            return _report(bytes(only), len(only), [], None)  # in memory already: no copy
    delivery = _Delivery(chunks, limit=2 * cap + _BLOCK)
    source = _Source(delivery.blocks())
    gzips: list[_Gzip] = []
    while len(gzips) < 2 and source.peek(2) == _GZIP:
        gzips.append(_Gzip(source))
        source = _Source(gzips[-1].pieces())
    sink = BytesIO()
    stop = _collect(source, sink, cap, delivery if gzips else None)
    if stop is None:
        delivery.drain()
        if delivery.overrun:
            detail = f"more than {delivery.limit:,} bytes delivered"
            stop = Trouble(TroubleKind.TOO_LARGE, Place(sink.tell()), detail)
    # unlike joining pieces or copying a bytearray, this hands over the buffer itself
    return _report(sink.getvalue(), delivery.delivered, gzips, stop)


def file_chunks(file: BinaryIO, size: int = limits.CHUNK) -> Iterator[bytes]:
    while chunk := file.read(size):
        yield chunk


def _collect(source: _Source, sink: BytesIO, cap: int, packed: _Delivery | None) -> Trouble | None:
    """Write everything into `sink`; the trouble that stopped it, if a limit did."""
    size = 0
    while piece := source.more():
        size += len(piece)
        sink.write(piece if size <= cap else piece[: cap - size])
        place = Place(min(size, cap))
        if packed and size > limits.BOMB_FLOOR and size > limits.BOMB_RATIO * packed.delivered:
            detail = f"{size:,} bytes or more from {packed.delivered:,}"
            return Trouble(TroubleKind.COMPRESSION_BOMB, place, detail)
        if size > cap:
            return Trouble(TroubleKind.TOO_LARGE, place, f"more than {cap:,} bytes")
    return None


def _report(data: bytes, delivered: int, gzips: list[_Gzip], stop: Trouble | None) -> Unpacked:
    compression = "gzip" if gzips else None
    troubles: list[Trouble] = []
    if len(gzips) > 1:
        troubles.append(Trouble(TroubleKind.GZIP_IN_GZIP, Place(0), "compressed twice"))
    for gzip in gzips:
        final = gzip is gzips[-1]
        troubles += [
            # an offset of an inner layer means nothing in the document
            Trouble(kind, Place(min(offset, len(data)) if final else len(data)), detail)
            for kind, offset, detail in gzip.faults
            # input that a limit cut off looks truncated to zlib
            if not (stop and kind is TroubleKind.TRUNCATED_GZIP)
        ]
    if gzips and data.startswith(_GZIP):
        troubles.append(Trouble(TroubleKind.GZIP_IN_GZIP, Place(0), "a third layer, not unpacked"))
    elif other := _other_compression(data):
        troubles.append(Trouble(TroubleKind.OTHER_COMPRESSION, Place(0), other))
        compression = compression or other
    if stop:
        troubles.append(stop)
    complete = stop is None and not any(gzip.broken_off for gzip in gzips)
    return Unpacked(data, delivered, compression, len(gzips), complete, tuple(troubles))


def _other_compression(data: bytes) -> str | None:
    for name, offset, magics in _OTHER:
        if data.startswith(magics, offset):
            return name
    return None


class _Delivery:
    """The delivered bytes in blocks of one size, so the sender's chunks cannot change the outcome."""

    def __init__(self, chunks: Iterable[bytes], limit: int) -> None:
        self.limit = limit
        self.delivered = 0
        self.overrun = False
        self._blocks = self._cut(chunks)

    def blocks(self) -> Iterator[bytes]:
        """Ends early, with `overrun` set, when input keeps coming that gives no output."""
        while not self.overrun and (block := next(self._blocks, b"")):
            self.delivered += len(block)
            self.overrun = self.delivered > self.limit
            yield block

    def drain(self) -> None:
        """Count bytes without keeping them."""
        for _ in self.blocks():
            pass

    @staticmethod
    def _cut(chunks: Iterable[bytes]) -> Iterator[bytes]:
        pending = bytearray()
        for chunk in chunks:
            at = 0
            while len(pending) + len(chunk) - at >= _BLOCK:
                end = at + _BLOCK - len(pending)
                yield bytes(pending) + chunk[at:end]
                pending.clear()
                at = end
            pending += chunk[at:]
        if pending:
            yield bytes(pending)


class _Source:
    """Pieces of bytes with room to look ahead and to give back."""

    def __init__(self, pieces: Iterator[bytes]) -> None:
        self._pieces = pieces
        self._rest = b""

    def more(self) -> bytes:
        """The next bytes, as many as are at hand; empty at the end."""
        rest, self._rest = self._rest, b""
        return rest or next(self._pieces, b"")

    def give_back(self, rest: bytes) -> None:
        self._rest = rest

    def peek(self, count: int) -> bytes:
        while len(self._rest) < count and (piece := next(self._pieces, b"")):
            self._rest += piece
        return self._rest[:count]

    def take(self, count: int) -> bytes:
        taken = self.peek(count)
        if len(taken) < count:
            raise EOFError
        self._rest = self._rest[count:]
        return taken

    def skip_past_nul(self) -> None:
        while piece := self.more():
            nul = piece.find(b"\0")
            if nul != -1:
                self.give_back(piece[nul + 1 :])
                return
        raise EOFError


class _Gzip:
    """One layer of gzip: its members unpacked one after the other, and the faults met on the way."""

    def __init__(self, source: _Source) -> None:
        self._source = source
        self._produced = 0
        self.faults: list[tuple[TroubleKind, int, str]] = []
        self.broken_off = False

    def pieces(self) -> Iterator[bytes]:
        try:
            for _ in range(_MAX_MEMBERS):
                self._skip_header()
                yield from self._member()
                if not self._another_follows():
                    return
            self._break_off(TroubleKind.CORRUPT_GZIP, f"more than {_MAX_MEMBERS:,} gzip members")
        except EOFError:
            self._break_off(TroubleKind.TRUNCATED_GZIP, "the gzip data ends early")
        except Damaged as error:
            self._break_off(TroubleKind.CORRUPT_GZIP, str(error))

    def _skip_header(self) -> None:
        take = self._source.take
        _, method, flags, *_ = take(10)[1:]
        if method != _DEFLATE:
            raise zlib.error(f"unknown compression method {method}")
        if flags & _EXTRA:
            take(int.from_bytes(take(2), "little"))
        if flags & _NAME:
            self._source.skip_past_nul()
        if flags & _COMMENT:
            self._source.skip_past_nul()
        if flags & _HEADER_CHECKSUM:
            take(2)

    def _member(self) -> Iterator[bytes]:
        """Raw deflate, because zlib would refuse the data over a wrong checksum behind it."""
        inflater = quick.decompressobj(-zlib.MAX_WBITS)
        checksum, start, ended = 0, self._produced, False
        while not inflater.eof and not ended:
            fed = inflater.unconsumed_tail or self._source.more()
            before = inflater.copy()
            try:
                piece = inflater.decompress(fed, _PIECE)
            except Damaged:
                yield from self._count(_readable(before, fed))
                raise
            ended = not fed and not piece  # zlib may hold back output after the last input
            checksum = quick.crc32(piece, checksum)
            yield from self._count(piece)
        if ended:
            raise EOFError
        self._source.give_back(inflater.unused_data)
        size = self._produced - start
        trailer = self._source.take(8)
        said = int.from_bytes(trailer[:4], "little")
        said_size = int.from_bytes(trailer[4:], "little")
        if said != checksum:
            self._note(TroubleKind.CORRUPT_GZIP, f"checksum is {checksum:08x}, expected {said:08x}")
        elif said_size != size & 0xFFFFFFFF:
            self._note(TroubleKind.CORRUPT_GZIP, f"size is {size:,}, expected {said_size:,}")

    def _count(self, piece: bytes) -> Iterator[bytes]:
        if piece:
            self._produced += len(piece)
            yield piece

    def _another_follows(self) -> bool:
        while piece := self._source.more():
            if rest := piece.lstrip(b"\0"):  # padding, as on tape
                self._source.give_back(rest)
                break
        head = self._source.peek(3)
        if not head:
            return False
        if head[:2] == _GZIP and head[2:] in (b"", b"\x08"):
            return True
        self._note(TroubleKind.GZIP_TRAILING_GARBAGE, "bytes after the end of the gzip data")
        return False

    def _note(self, kind: TroubleKind, detail: str) -> None:
        self.faults.append((kind, self._produced, detail))

    def _break_off(self, kind: TroubleKind, detail: str) -> None:
        self.broken_off = True
        self._note(kind, detail)


def _readable(inflater: zlib._Decompress, fed: bytes) -> bytes:
    """What `fed` gives before the error in it: zlib throws that away when it raises."""
    sound, broken = 0, len(fed)
    out = b""
    while broken - sound > 1:
        attempt = inflater.copy()
        middle = (sound + broken) // 2
        try:
            gained = attempt.decompress(fed[sound:middle])
        except Damaged:
            broken = middle
        else:
            inflater, sound, out = attempt, middle, out + gained
    last = [out]
    try:
        step = fed[sound:broken]
        while piece := inflater.decompress(step, 1):
            last.append(piece)
            step = inflater.unconsumed_tail
    except Damaged:
        pass
    return b"".join(last)


# The deflate at hand: zlib-ng, or zlib on platforms without it; what is unpacked is the same.
#
# zlib-ng accepts and rejects the same data as zlib. It unpacks in half to four fifths of the time; see `writing.gzip`.

quick: Any = zlib
"""the module of choice, with the functions of zlib"""
with suppress(ImportError):
    from zlib_ng import zlib_ng as quick

Damaged: tuple[type[Exception], ...] = (zlib.error, quick.error)
