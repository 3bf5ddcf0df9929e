"""Plain rows as written, in the order they came → the same in parts, from the disk where they are many."""

from __future__ import annotations

import struct
from array import array
from bisect import bisect_right
from pathlib import Path
from typing import Any, BinaryIO, NamedTuple

_MOST_BYTES = 0xFFFFFFFF
"""of rows that wait together: their ends are numbers of 32 bits"""
_NUMBER = 4
_HEAD = struct.Struct("=II")


class LaneUnfit(Exception):  # noqa: N818 - it names what is the case
    """The build has to be done in the ordinary way, from the start."""


class Part(NamedTuple):
    """Some rows, and for each where it ends, the build it was met first in and the one it was last written in."""

    entries: bytes | bytearray
    ends: array[int]
    first_seen: array[int]
    changed: array[int]


class FileRows:
    """The rows of pages of one file that say something else than before."""

    def __init__(self, path: Path, module: Any, *, held: int) -> None:
        self._path, self._shifted, self._most_held = path, module.shifted, held
        self._count = 0
        self.size = 0
        self._let_go()

    def _let_go(self) -> None:
        self._held = bytearray()
        self._columns = array("I"), array("I"), array("I")

    def __len__(self) -> int:
        return self._count

    def add(self, entries: memoryview, ends: array[int], first_seen: array[int], changed: array[int]) -> None:
        if self.size + len(entries) > _MOST_BYTES:
            raise LaneUnfit
        moved = ends if self.size == 0 else self._shifted(ends, self.size)
        for column, more in zip(self._columns, (moved, first_seen, changed), strict=True):
            column.extend(more)
        self._count += len(ends)
        self.size += len(entries)
        self._held += entries
        if len(self._held) > self._most_held:
            with self._path.open("ab") as file:
                file.write(_HEAD.pack(len(self._columns[0]), len(self._held)))
                for column in self._columns:
                    column.tofile(file)
                file.write(self._held)
            self._let_go()

    def take(self) -> Part:
        """All of them; they are not kept here any longer."""
        pieces: list[bytes | bytearray] = []
        columns = array("I"), array("I"), array("I")
        if self._path.exists():
            with self._path.open("rb") as file:
                while head := file.read(_HEAD.size):
                    count, size = _HEAD.unpack(head)
                    for column in columns:
                        column.frombytes(file.read(_NUMBER * count))
                    pieces.append(file.read(size))
            self._path.unlink()
        for column, more in zip(columns, self._columns, strict=True):
            column.extend(more)
        pieces.append(self._held)
        self._let_go()
        return Part(pieces[0] if len(pieces) == 1 else b"".join(pieces), *columns)


class NewRows:
    """The rows of pages that are new: which file they go to is known when all are there."""

    def __init__(self, path: Path, module: Any, build: int, *, held: int) -> None:
        self._path, self._shifted, self._most_held, self._build = path, module.shifted, held, build
        self._held = bytearray()
        self._on_disk = 0
        """bytes of these rows in the file"""
        self._ends = array("I")
        self._size = 0

    def __len__(self) -> int:
        return len(self._ends)

    def add(self, entries: memoryview, ends: array[int]) -> None:
        if self._size + len(entries) > _MOST_BYTES:
            raise LaneUnfit
        self._ends.extend(ends if self._size == 0 else self._shifted(ends, self._size))
        self._size += len(entries)
        self._held += entries
        if len(self._held) > self._most_held:
            with self._path.open("ab") as file:
                file.write(self._held)
            self._on_disk = self._size
            self._held = bytearray()

    def _start(self, row: int) -> int:
        return self._ends[row - 1] if row else 0

    def fitting(self, low: int, entries: int, size: int) -> int:
        """How far one can go from row `low` without passing that many entries or bytes."""
        most = bisect_right(self._ends, self._start(low) + max(size, 0))
        return max(low, min(low + max(entries, 0), most, len(self)))

    def size_of(self, low: int, high: int) -> int:
        return self._start(high) - self._start(low)

    def cut(self, low: int, high: int) -> Part:
        start, end = self._start(low), self._start(high)
        ends = self._ends[low:high]
        builds = array("I", (self._build,)) * (high - low)
        return Part(self._bytes(start, end), self._shifted(ends, -start) if start else ends, builds, builds[:])

    def _bytes(self, start: int, end: int) -> bytes:
        if start >= self._on_disk:
            return bytes(memoryview(self._held)[start - self._on_disk : end - self._on_disk])
        with self._path.open("rb") as file:
            found = _read(file, start, min(end, self._on_disk) - start)
        return found + self._held[: max(0, end - self._on_disk)]


def _read(file: BinaryIO, at: int, size: int) -> bytes:
    file.seek(at)
    return file.read(size)
