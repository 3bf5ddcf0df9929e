"""A byte range of a document → line and column, computed only on request."""

from __future__ import annotations

from array import array
from bisect import bisect_left, bisect_right
from itertools import accumulate, islice
from typing import TYPE_CHECKING, NamedTuple

import msgspec

from urlset.model.cached import cached_property_unlocked
from urlset.spec.lazy_pattern import lazy_pattern

if TYPE_CHECKING:
    from collections.abc import Iterator


class Place(msgspec.Struct, frozen=True, order=True, gc=False):
    """A position: bytes `offset` to `offset + length` of the uncompressed document."""

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
    """The lines of one document, found by counting line ends from the nearest known place.

    Where carriage returns end lines, and for lines by number, an index of all lines is built.
    """

    def __init__(self, data: bytes) -> None:
        self._data = data
        self._last = (0, 1)
        self._counts = array("Q", [0])
        """the line ends before each block, up to the last one needed: most findings show the first entries"""
        self._is_odd = False
        """a carriage return ends a line in one of these blocks"""

    @cached_property_unlocked
    def _starts(self) -> array[int]:
        return array("Q", _line_starts(self._data))

    def _ends_before(self, block: int) -> int:
        """How many line ends there are before the block; -1 if a carriage return ends a line before its end."""
        data, counts = self._data, self._counts
        while not self._is_odd and len(counts) <= block + 1:
            at = (len(counts) - 1) * _BLOCK
            end = at + _BLOCK
            if data.find(b"\r", at, end) >= 0:
                alone = _LONE_RETURN.search(data, at, end + 1)
                self._is_odd = alone is not None and alone.start() < end
            counts.append(counts[-1] + data.count(b"\n", at, end))
        return -1 if self._is_odd else counts[block]

    def __len__(self) -> int:
        return len(self._starts)

    def at(self, offset: int) -> LineColumn:
        number, start = self._line(offset)
        column = 1
        if start <= self._last[0] <= offset:  # a minified sitemap is one line: go on from the last answer
            start, column = self._last
        column += len(self._data[start:offset].decode("utf-8", "replace"))
        self._last = (offset, column)
        return LineColumn(number, column)

    def number(self, offset: int) -> int:
        """The line alone, which costs no decoding."""
        return self._line(offset)[0]

    def _line(self, offset: int) -> tuple[int, int]:
        """Its number and where it starts."""
        data = self._data
        at = min(offset, len(data))
        block = at // _BLOCK
        number = self._ends_before(block)
        if number < 0:
            number = bisect_right(self._starts, offset)
            return number, self._starts[number - 1]
        number += data.count(b"\n", block * _BLOCK, at)
        start = data.rfind(b"\n", block * _BLOCK, at) + 1
        if not start and number:  # the line begins in a block before
            block = bisect_left(self._counts, number) - 1
            start = data.rfind(b"\n", block * _BLOCK, (block + 1) * _BLOCK) + 1
        return number + 1, start

    def line(self, number: int) -> bytes:
        """The bytes of line `number`, without its line end."""
        start = self._starts[number - 1]
        end = self._starts[number] if number < len(self._starts) else len(self._data)
        return self._data[start:end].rstrip(b"\r\n")

    def start_of(self, number: int) -> int:
        return self._starts[number - 1]


def _line_starts(data: bytes) -> Iterator[int]:
    """Line feed, carriage return or both end a line, and so do several carriage returns before a line feed, which
    tools leave that translate line ends twice. Done in stretches, to avoid a second copy.
    """
    yield 0
    start = 0
    while start < len(data):
        stop = data.find(b"\n", start + _STRETCH) + 1 or len(data)
        if data.find(b"\r\r", start, stop) != -1:
            yield from (end.end() for end in _LINE_END.finditer(data, start, stop))
            start = stop
            continue
        lines = data[start:stop].splitlines(keepends=True)
        yield from islice(accumulate(map(len, lines), initial=start), 1, len(lines))
        if data[stop - 1 : stop] in (b"\n", b"\r"):
            yield stop
        start = stop


_STRETCH = 1 << 22
_BLOCK = 1 << 13
_LONE_RETURN = lazy_pattern(rb"\r(?!\n)")
_LINE_END = lazy_pattern(rb"(?<!\r)\r++\n|\n|\r")
