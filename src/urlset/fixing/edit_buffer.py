"""A document while it is fixed: pieces of the original and new bytes, over any number of passes."""

from __future__ import annotations

from array import array
from bisect import bisect_left, bisect_right
from collections.abc import Iterable, Iterator
from itertools import accumulate, chain, compress
from operator import add, inv, or_, sub

from urlset.model.columns import Edit, Edits
from urlset.model.place import Place

_BLOCK = 4096
"""pieces joined at a time: a copy of each stays alive until then"""


_Pieces = tuple["array[int]", "array[int]"]
"""sources and sizes"""


class EditBuffer:
    """Tracks the original bytes, so the sum of all passes is one list of edits.

    A piece is two numbers: its length and its start, in the original or (as a negative number) in the inserted bytes.
    """

    def __init__(self, original: bytes) -> None:
        self.original = original
        self._added = bytearray()
        self._pieces: _Pieces | None = None
        """None before they are needed"""
        self._first: Edits | None = None
        """the edits of the first pass, while they are all edits; they are apart and do not touch"""
        self._bounds: tuple[array[int], array[int]] | None = None

    def snapshot(self) -> EditBuffer:
        """The current state, unaffected by later edits; costs nothing."""
        copy = EditBuffer(self.original)
        copy._added, copy._pieces, copy._first = self._added, self._pieces, self._first
        return copy

    @property
    def data(self) -> bytes:
        if self._first is not None:
            return b"".join(_edited(self.original, self._first))
        return self.original if self._is_untouched else b"".join(self._blocks())

    def _blocks(self) -> Iterator[bytes]:
        original, new = self.original, bytes(self._added)
        sources, sizes = self._made()
        for first in range(0, len(sources), _BLOCK):
            pieces = zip(sources[first : first + _BLOCK], sizes[first : first + _BLOCK], strict=True)
            yield b"".join(
                [
                    original[source : source + size] if source >= 0 else new[~source : ~source + size]
                    for source, size in pieces
                ]
            )

    @property
    def _is_untouched(self) -> bool:
        return self._pieces is None and self._first is None

    def apply(self, edits: Iterable[Edit]) -> None:
        """Edits in current coordinates, sorted, not overlapping."""
        columns = edits if isinstance(edits, Edits) else Edits(edits)
        if not len(columns):
            return
        if self._is_untouched and columns.are_apart() and columns[-1].place.end <= len(self.original):
            self._first = columns.joined()
            return
        old_sources, old_sizes = self._made()
        sources, sizes, added = array("q"), array("Q"), self._added
        number, count, start = 0, len(old_sources), 0
        source, size = (old_sources[0], old_sizes[0]) if count else (0, 0)
        for offset, length, text in columns.triples():
            stop = offset
            for skipping in (False, True):  # the bytes before the edit stay, the bytes it replaces do not
                while number < count and start < stop:
                    part = min(size, stop - start)
                    if not skipping:
                        sources.append(source)
                        sizes.append(part)
                    start += part
                    if part == size:
                        number += 1
                        source, size = (old_sources[number], old_sizes[number]) if number < count else (0, 0)
                    else:
                        source, size = (source + part if source >= 0 else source - part), size - part
                if not skipping and text:
                    sources.append(~len(added))
                    sizes.append(len(text))
                    added += text
                stop = offset + length
        if number < count:
            sources.append(source)
            sizes.append(size)
            sources.extend(old_sources[number + 1 :])
            sizes.extend(old_sizes[number + 1 :])
        self._pieces, self._first, self._bounds = (sources, sizes), None, None

    def _made(self) -> _Pieces:
        if self._pieces is None:
            self._pieces = _cut(len(self.original), self._first or Edits())
            self._added = bytearray(b"".join(self._first.texts if self._first else ()))
        return self._pieces

    def edits(self) -> Edits:
        """All changes, as edits to the original."""
        first = self._first
        if first is not None and all(map(or_, first.lengths, map(len, first.texts))):  # none that changes nothing
            return first
        found = Edits()
        at, new = 0, bytearray()
        for source, size in chain(zip(*self._made(), strict=True), [(len(self.original), 0)]):
            if source < 0:
                new += memoryview(self._added)[~source : ~source + size]
                continue
            if new or source > at:
                found.add(at, max(0, source - at), bytes(new))
                new = bytearray()
            at = source + size
        return found

    def count_original(self, places: Iterable[Place]) -> int:
        """How many of these places in the current text contain only original bytes."""
        ends, _ = self._piece_bounds()
        sources, _ = self._made()

        def is_original(place: Place) -> bool:
            first = min(bisect_right(ends, place.offset), len(ends) - 1)
            last = max(first, min(bisect_left(ends, place.end), len(ends) - 1))
            return all(source >= 0 for source in sources[first : last + 1])

        return sum(map(is_original, places))

    def origin(self, offset: int) -> int:
        """The position of a current byte in the original."""
        ends, origins = self._piece_bounds()
        number = bisect_right(ends, offset)
        if number == len(ends):
            return origins[-1] if origins else 0
        if self._made()[0][number] < 0:
            return origins[number]
        return origins[number] + offset - ends[number]

    def _piece_bounds(self) -> tuple[array[int], array[int]]:
        """The end of each piece, now and in the original; an inserted piece ends where the piece before it does."""
        if self._bounds is None:
            origins, last = array("Q"), 0
            sources, sizes = self._made()
            for source, size in zip(sources, sizes, strict=True):
                last = last if source < 0 else source + size
                origins.append(last)
            self._bounds = array("Q", accumulate(sizes)), origins
        return self._bounds


def _cut(size: int, edits: Edits) -> _Pieces:
    """Column by column: a piece of the original before each edit, its text, and a piece of the original."""
    ends, texts = edits.ends(), edits.texts
    sources = array("q", bytes(8 * (2 * len(texts) + 1)))
    sizes = array("Q", bytes(len(sources) * sources.itemsize))
    sources[0::2] = array("q", [0, *ends])
    sizes[0::2] = array("Q", map(sub, [*edits.offsets, size], [0, *ends]))
    sizes[1::2] = array("Q", map(len, texts))
    sources[1::2] = array("q", map(inv, accumulate(sizes[1:-2:2], initial=0))) if texts else array("q")
    return array("q", compress(sources, sizes)), array("Q", filter(None, sizes))


def _edited(original: bytes, edits: Edits) -> Iterator[bytes]:
    """The result of one pass, some edits at a time."""
    start = 0
    for first in range(0, len(edits), _BLOCK):
        offsets, texts = edits.offsets[first : first + _BLOCK], edits.texts[first : first + _BLOCK]
        ends = array("Q", map(add, offsets, edits.lengths[first : first + _BLOCK]))
        pieces = [b""] * (2 * len(texts))
        pieces[0::2] = map(original.__getitem__, map(slice, [start, *ends[:-1]], offsets))
        pieces[1::2] = texts
        start = ends[-1]
        yield b"".join(pieces)
    yield original[start:]
