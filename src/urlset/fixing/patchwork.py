"""A document while it is fixed: pieces of the original and new bytes, over any number of passes."""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections.abc import Iterable, Sequence
from typing import NamedTuple

from urlset.model.columns import Edit
from urlset.model.place import Place, between


class Segment(NamedTuple):
    """`source` is the offset in the original, or None for inserted bytes; a view, so slicing is free."""

    source: int | None
    data: memoryview


class Patchwork:
    """Tracks the original bytes, so the sum of all passes is one list of edits."""

    def __init__(self, original: bytes) -> None:
        self.original = original
        self._pieces: list[Segment] = [Segment(0, memoryview(original))] if original else []

    @property
    def data(self) -> bytes:
        if [piece.source for piece in self._pieces] == [0] and len(self._pieces[0].data) == len(self.original):
            return self.original
        return b"".join(piece.data for piece in self._pieces)

    def apply(self, edits: Sequence[Edit]) -> None:
        """Edits in current coordinates, sorted, not overlapping."""
        result: list[Segment] = []
        pieces = iter(self._pieces)
        piece = next(pieces, None)
        start = 0  # of `piece`, in current coordinates
        for edit in edits:
            while piece is not None and start + len(piece.data) <= edit.place.offset:
                result.append(piece)
                start += len(piece.data)
                piece = next(pieces, None)
            if piece is not None and start < edit.place.offset:
                head, piece = _cut(piece, edit.place.offset - start)
                result.append(head)
                start = edit.place.offset
            if edit.text:
                result.append(Segment(None, memoryview(edit.text)))
            while piece is not None and start < edit.place.end:
                if start + len(piece.data) <= edit.place.end:
                    start += len(piece.data)
                    piece = next(pieces, None)
                else:
                    _, piece = _cut(piece, edit.place.end - start)
                    start = edit.place.end
        if piece is not None:
            result.append(piece)
        result.extend(pieces)
        self._pieces = [each for each in result if each.data]

    def edits(self) -> list[Edit]:
        """All changes, as edits to the original."""
        found: list[Edit] = []
        at, new = 0, b""
        for piece in (*self._pieces, Segment(len(self.original), memoryview(b""))):
            if piece.source is None:
                new += piece.data
                continue
            if new or piece.source > at:
                found.append(Edit(between(at, piece.source), new))
            at, new = piece.source + len(piece.data), b""
        return found

    def count_original(self, places: Iterable[Place]) -> int:
        """How many of these places in the current text contain only original bytes."""
        starts: list[int] = []
        start = 0
        for piece in self._pieces:
            starts.append(start)
            start += len(piece.data)

        def is_original(place: Place) -> bool:
            first = max(0, bisect_right(starts, place.offset) - 1)
            last = max(first, bisect_left(starts, place.end) - 1)
            return all(piece.source is not None for piece in self._pieces[first : last + 1])

        return sum(map(is_original, places))

    def origins(self, offsets: Sequence[int]) -> list[int]:
        """The positions of current bytes in the original; offsets in ascending order."""
        found: list[int] = []
        start = last = 0
        pieces = iter(self._pieces)
        piece = next(pieces, None)
        for offset in offsets:
            while piece is not None and start + len(piece.data) <= offset:
                start += len(piece.data)
                last = last if piece.source is None else piece.source + len(piece.data)
                piece = next(pieces, None)
            found.append(last if piece is None or piece.source is None else piece.source + offset - start)
        return found


def _cut(piece: Segment, at: int) -> tuple[Segment, Segment]:
    tail = None if piece.source is None else piece.source + at
    return Segment(piece.source, piece.data[:at]), Segment(tail, piece.data[at:])
