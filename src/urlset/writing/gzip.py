"""Chunks of bytes → chunks of one gzip member that is the same on every run.

It is also the same on every machine with the same zlib; with zlib-ng (the extra `fast`) the packed bytes are others,
never the bytes inside.
"""

from __future__ import annotations

import zlib
from collections.abc import Iterable, Iterator

from urlset.reading.deflate import quick
from urlset.spec.protocol import GZIP_MAGIC

DEFAULT_LEVEL = 6
_BLOCK = 1 << 16

# Deflate, no flags (so no name), time 0, no hint about the level, system 255: unknown. zlib would put the
# system it was built for, and two machines would disagree about one file.
_HEADER = GZIP_MAGIC + b"\x08\x00" + bytes(4) + b"\x00\xff"


def compress(chunks: Iterable[bytes], level: int = DEFAULT_LEVEL) -> Iterator[bytes]:
    """The gzip file of the joined chunks, given out as it grows."""
    if not 0 <= level <= 9:
        raise ValueError(f"compression level {level} is not between 0 and 9")
    return _compressed(chunks, level)


def _compressed(chunks: Iterable[bytes], level: int) -> Iterator[bytes]:
    # at other levels zlib-ng is either no quicker or makes larger files
    library = quick if level == DEFAULT_LEVEL else zlib
    packer = library.compressobj(level, zlib.DEFLATED, -zlib.MAX_WBITS)
    check = size = 0
    yield _HEADER
    for block in _even(chunks):
        check = quick.crc32(block, check)
        size += len(block)
        packed = packer.compress(block)
        if packed:
            yield packed
    yield packer.flush() + check.to_bytes(4, "little") + (size & 0xFFFF_FFFF).to_bytes(4, "little")


def _even(chunks: Iterable[bytes]) -> Iterator[bytes | bytearray | memoryview]:
    """The same bytes in blocks of one size: what zlib makes of them depends on how it is fed."""
    held = bytearray()
    for chunk in chunks:
        rest = memoryview(chunk)
        if held:
            missing = _BLOCK - len(held)
            held += rest[:missing]
            rest = rest[missing:]
            if len(held) < _BLOCK:
                continue
            yield held
        while len(rest) >= _BLOCK:
            yield rest[:_BLOCK]
            rest = rest[_BLOCK:]
        held = bytearray(rest)
    if held:
        yield held
