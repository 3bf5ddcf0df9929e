"""A byte range of a document → line and column, computed only when somebody asks."""

from __future__ import annotations

import re
from array import array
from bisect import bisect_right
from typing import TYPE_CHECKING, NamedTuple

import msgspec

if TYPE_CHECKING:
    from collections.abc import Iterator


class Place(msgspec.Struct, frozen=True, order=True):
    """Where something stands: bytes `offset` to `offset + length` of the uncompressed document."""

    offset: int
    length: int = 0

    @property
    def end(self) -> int:
        return self.offset + self.length

    def cut(self, data: bytes) -> bytes:
        return data[self.offset : self.end]


def between(start: int, end: int) -> Place:
    return Place(start, max(0, end - start))


class LineColumn(NamedTuple):
    """1-based, the column counted in characters as an editor shows it."""

    line: int
    column: int


class Lines:
    """The line starts of one document; built once, then each look-up is a bisection."""

    def __init__(self, data: bytes) -> None:
        self._data = data
        self._starts = array("Q", _line_starts(data))

    def __len__(self) -> int:
        return len(self._starts)

    def at(self, offset: int) -> LineColumn:
        line = bisect_right(self._starts, offset)
        start = self._starts[line - 1]
        before = self._data[start:offset].decode("utf-8", "replace")
        return LineColumn(line, len(before) + 1)

    def line(self, number: int) -> bytes:
        """The bytes of line `number`, without its line end."""
        start = self._starts[number - 1]
        end = self._starts[number] if number < len(self._starts) else len(self._data)
        return self._data[start:end].rstrip(b"\r\n")

    def start_of(self, number: int) -> int:
        return self._starts[number - 1]


def _line_starts(data: bytes) -> Iterator[int]:
    yield 0
    if b"\r" in data:  # a lone carriage return ends a line too
        yield from (match.end() for match in _LINE_END.finditer(data))
        return
    at = data.find(b"\n")
    while at != -1:
        yield at + 1
        at = data.find(b"\n", at + 1)


_LINE_END = re.compile(rb"\r\n?|\n")
