"""Values that are read more than once, and keys that were met, in memory that hardly grows with the site."""

from __future__ import annotations

import struct
from array import array
from collections.abc import Iterator
from pathlib import Path
from typing import BinaryIO, Generic, TypeVar

import msgspec

from urlset.building.pages import pages_module

Value = TypeVar("Value", bound=msgspec.Struct)
HELD_BYTES = 1 << 20
_HEAD = struct.Struct("<I")
_WINDOW = 1 << 16


class Spool(Generic[Value]):
    """Append, then read from the start as often as needed, in the same order.

    The file is open only while bytes move, so there can be thousands of spools; what is small never
    reaches the disk.
    """

    def __init__(self, path: Path, kind: type[Value], *, held_bytes: int = HELD_BYTES) -> None:
        self._path = path
        self._decode = msgspec.msgpack.Decoder(kind).decode
        self._encode = msgspec.msgpack.Encoder().encode
        self._held = bytearray()
        self._held_bytes = held_bytes
        self._count = 0

    def __len__(self) -> int:
        return self._count

    def append(self, value: Value) -> None:
        self.append_raw(self._encode(value))

    def append_raw(self, data: bytes) -> None:
        """What `raw` of a spool of the same kind gave."""
        held = self._held
        held += _HEAD.pack(len(data))
        held += data
        self._count += 1
        if len(held) > self._held_bytes:
            with self._path.open("ab") as file:
                file.write(held)
            held.clear()

    def __iter__(self) -> Iterator[Value]:
        return map(self._decode, self.raw())

    def raw(self) -> Iterator[bytes]:
        """Each value as it is kept."""
        unpack, size = _HEAD.unpack, _HEAD.size
        if self._path.exists():
            with self._path.open("rb", buffering=HELD_BYTES) as file:
                read = file.read
                while head := read(size):
                    yield read(unpack(head)[0])
        held, at = bytes(self._held), 0
        while at < len(held):
            start = at + size
            at = start + unpack(held[at:start])[0]
            yield held[start:at]

    def forget(self) -> None:
        """Give the room back."""
        self._path.unlink(missing_ok=True)
        self._held.clear()
        self._count = 0


class Pieces:
    """Bytes by number, in any order; the last ones in memory, all others in a file."""

    def __init__(self, path: Path) -> None:
        self._path = path
        self._file: BinaryIO | None = None
        self._held = bytearray()
        self._written = 0
        self._ends = array("Q")
        self._window, self._window_start = b"", 0
        """what was read last: pieces are mostly read in order"""

    def append(self, data: bytes) -> int:
        """Its number, from 0."""
        if len(self._held) > HELD_BYTES:
            if self._file is None:
                self._file = self._path.open("wb+")
            self._file.seek(self._written)
            self._file.write(self._held)
            self._written += len(self._held)
            self._held.clear()
        self._held += data
        self._ends.append(self._written + len(self._held))
        return len(self._ends) - 1

    def read(self, number: int) -> bytes:
        start, end = self._ends[number - 1] if number else 0, self._ends[number]
        if start >= self._written:
            return bytes(self._held[start - self._written : end - self._written])
        at = start - self._window_start
        if at < 0 or end - self._window_start > len(self._window):
            assert self._file is not None
            self._file.seek(start)
            self._window, self._window_start, at = self._file.read(max(end - start, _WINDOW)), start, 0
        return self._window[at : at + end - start]

    def close(self) -> None:
        if self._file is not None:
            self._file.close()


class KeySet:
    """Keys of addresses that were met; compiled code takes some thirty bytes for each."""

    def __init__(self) -> None:
        self._claims = pages_module().Claims()
        self._count = 0

    def __len__(self) -> int:
        return self._count

    def add(self, key: str) -> bool:
        """True when the key is new."""
        is_new: bool = self._claims.setdefault(key, self._count) == self._count
        self._count += is_new
        return is_new
