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
    for chunk in chunks:
        check = quick.crc32(chunk, check)
        size += len(chunk)
        packed = packer.compress(chunk)
        if packed:
            yield packed
    yield packer.flush() + check.to_bytes(4, "little") + (size & 0xFFFF_FFFF).to_bytes(4, "little")
