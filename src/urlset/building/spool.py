"""Values that must be gone through more than once → a file on disk, so that memory does not grow with the site."""

from __future__ import annotations

import struct
from collections.abc import Iterator
from pathlib import Path
from typing import Generic, TypeVar

import msgspec

Value = TypeVar("Value", bound=msgspec.Struct)
HELD_BYTES = 1 << 20
_HEAD = struct.Struct("<I")


class Spool(Generic[Value]):
    """Append, then read from the start as often as needed, in the same order.

    The file is open only while bytes move, so that there can be thousands of spools; what is small never
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
