"""Many small pieces of bytes → few large ones, so a file or a socket is not called per entry."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

CHUNK_BYTES = 65_536


def joined(pieces: Iterable[bytes], size: int = CHUNK_BYTES) -> Iterator[bytes]:
    """The same bytes in chunks of at least `size`, save the last; a piece is never cut."""
    held: list[bytes] = []
    length = 0
    for piece in pieces:
        held.append(piece)
        length += len(piece)
        if length >= size:
            yield b"".join(held)
            held.clear()
            length = 0
    if length:
        yield b"".join(held)
