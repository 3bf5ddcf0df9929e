"""Values that must be gone through more than once → a file on disk, so that memory does not grow with the site."""

from __future__ import annotations

import struct
from collections.abc import Iterator
from pathlib import Path
from types import TracebackType
from typing import Generic, Self, TypeVar

import msgspec

Value = TypeVar("Value", bound=msgspec.Struct)
_LENGTH = struct.Struct("<I")


class Spool(Generic[Value]):
    """Append, then read from the start as often as needed, in the same order."""

    def __init__(self, path: Path, kind: type[Value]) -> None:
        self._path = path
        self._decoder = msgspec.msgpack.Decoder(kind)
        self._encoder = msgspec.msgpack.Encoder()
        self._file = path.open("wb", buffering=1 << 20)
        self._count = 0

    def __len__(self) -> int:
        return self._count

    def __enter__(self) -> Self:
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, at: TracebackType | None) -> None:
        self._file.close()
        self._path.unlink(missing_ok=True)

    def append(self, value: Value) -> None:
        data = self._encoder.encode(value)
        self._file.write(_LENGTH.pack(len(data)))
        self._file.write(data)
        self._count += 1

    def __iter__(self) -> Iterator[Value]:
        self._file.flush()
        decode = self._decoder.decode
        with self._path.open("rb", buffering=1 << 20) as file:
            while head := file.read(4):
                yield decode(file.read(_LENGTH.unpack(head)[0]))
