"""Edits → columns of offsets, lengths and texts, so a million of them are a few numbers each."""

from __future__ import annotations

from array import array
from bisect import bisect_left
from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import compress, count
from operator import add, eq, gt, le, lt
from typing import overload

import msgspec

from urlset.model.place import Place

_SHARED = 8
_MOST_SHARED = 4096


class Edit(msgspec.Struct, frozen=True, gc=False):
    """One repair: these source bytes were read as if they were `text`."""

    place: Place
    text: bytes


class Edits(Sequence[Edit]):
    """A sequence of edits that makes each of them on access.

    An edit takes 24 bytes and its text, and short texts are kept once for all edits that write them.
    """

    __slots__ = ("_apart", "_known", "lengths", "offsets", "texts")

    def __init__(self, edits: Iterable[Edit] = ()) -> None:
        self.offsets: array[int] = array("Q")
        self.lengths: array[int] = array("Q")
        self.texts: list[bytes] = []
        self._known: dict[bytes, bytes] = {}
        self._apart = (0, True)
        """for how many of them it is known whether they are apart"""
        for edit in edits:
            self.add(edit.place.offset, edit.place.length, edit.text)

    def add(self, offset: int, length: int, text: bytes) -> None:
        self.offsets.append(offset)
        self.lengths.append(length)
        self.texts.append(self.shared(text))

    def shared(self, text: bytes) -> bytes:
        """The same text, as an object that other edits have too where it is short."""
        if len(text) > _SHARED:
            return text
        known = self._known.get(text)
        if known is None:
            known = text
            if len(self._known) < _MOST_SHARED:
                self._known[text] = text
        return known

    def extend(self, others: Edits) -> None:
        self.offsets.extend(others.offsets)
        self.lengths.extend(others.lengths)
        self.texts.extend(others.texts)

    def part(self, start: int, stop: int) -> Edits:
        found = Edits()
        found.offsets, found.lengths = self.offsets[start:stop], self.lengths[start:stop]
        found.texts = self.texts[start:stop]
        return found

    def triples(self) -> Iterator[tuple[int, int, bytes]]:
        """Offset, length and text of each, without an object for it."""
        return zip(self.offsets, self.lengths, self.texts, strict=True)

    def in_order(self) -> Edits:
        """By place; itself where they are in order already, which most are."""
        if self.are_apart() or not self._is_mixed():
            return self
        found = self.picked(sorted(range(len(self)), key=self.offsets.__getitem__))
        if found.are_apart():
            return found
        by_length = sorted(range(len(self)), key=self.lengths.__getitem__)
        return self.picked(sorted(by_length, key=self.offsets.__getitem__))

    def ends(self) -> array[int]:
        return array("Q", map(add, self.offsets, self.lengths))

    def are_apart(self) -> bool:
        """Whether they are in order, start at different places, and do not overlap; kept for the next question."""
        if self._apart[0] != len(self):
            following = self.offsets[1:]
            apart = all(map(lt, self.offsets, following)) and all(map(le, self.ends(), following))
            self._apart = len(self), apart
        return self._apart[1]

    def joined(self) -> Edits:
        """Edits that touch as one edit; itself if there are none. For edits that are apart."""
        ends = self.ends()
        later = dict.fromkeys(compress(count(1), map(eq, ends, self.offsets[1:])))
        if not later:
            return self
        found = self.part(0, len(self))
        firsts, lasts = (
            (number - 1 for number in later if number - 1 not in later),
            (number for number in later if number + 1 not in later),
        )
        for first, last in zip(firsts, lasts, strict=True):
            found.lengths[first] = ends[last] - self.offsets[first]
            found.texts[first] = b"".join(self.texts[first : last + 1])
        return found.picked([number for number in range(len(self)) if number not in later])

    def picked(self, numbers: Iterable[int]) -> Edits:
        """Some of them, in that order."""
        found = Edits()
        chosen = list(numbers)
        found.offsets.extend([self.offsets[at] for at in chosen])
        found.lengths.extend([self.lengths[at] for at in chosen])
        found.texts.extend([self.texts[at] for at in chosen])
        return found

    def _is_mixed(self) -> bool:
        following = self.offsets[1:]
        if any(map(gt, self.offsets, following)):
            return True
        lengths = self.lengths
        return any(lengths[at] > lengths[at + 1] for at in compress(count(), map(eq, self.offsets, following)))

    def __len__(self) -> int:
        return len(self.texts)

    @overload
    def __getitem__(self, at: int) -> Edit: ...
    @overload
    def __getitem__(self, at: slice) -> tuple[Edit, ...]: ...
    def __getitem__(self, at: int | slice) -> Edit | tuple[Edit, ...]:
        if isinstance(at, slice):
            return tuple(self[each] for each in range(*at.indices(len(self))))
        return Edit(Place(self.offsets[at], self.lengths[at]), self.texts[at])

    def __iter__(self) -> Iterator[Edit]:
        return (Edit(Place(offset, length), text) for offset, length, text in self.triples())

    def __eq__(self, other: object) -> bool:
        if isinstance(other, Edits):
            return (self.offsets, self.lengths, self.texts) == (other.offsets, other.lengths, other.texts)
        return isinstance(other, Sequence) and len(self) == len(other) and all(map(_same, self, other))

    __hash__ = None  # type: ignore[assignment]  # it grows

    def __repr__(self) -> str:
        return f"Edits({list(self)!r})"


def _same(one: object, other: object) -> bool:
    return one == other


class RowEdits(Mapping[int, Sequence[Edit]]):
    """Edits by row, for the few rows that have some; rows are added in rising order."""

    __slots__ = ("_edits", "_rows", "_stops")

    def __init__(self) -> None:
        self._rows: array[int] = array("Q")
        self._stops: array[int] = array("Q", [0])
        self._edits = Edits()

    def __setitem__(self, row: int, edits: Iterable[Edit]) -> None:
        assert not self._rows or row > self._rows[-1]
        if isinstance(edits, Edits):
            self._edits.extend(edits)
        else:
            for edit in edits:
                self._edits.add(edit.place.offset, edit.place.length, edit.text)
        self._rows.append(row)
        self._stops.append(len(self._edits))

    def put(self, row: int, offsets: Iterable[int], lengths: Iterable[int], texts: Iterable[bytes]) -> None:
        """The edits of a row in columns, without an object for each."""
        self._edits.offsets.extend(offsets)
        self._edits.lengths.extend(lengths)
        self._edits.texts.extend(map(self._edits.shared, texts))
        self._rows.append(row)
        self._stops.append(len(self._edits))

    def __getitem__(self, row: int) -> Sequence[Edit]:
        if row not in self:
            raise KeyError(row)
        return self._edits.part(*self._span(row))

    def writing(self, row: int, text: bytes) -> list[int]:
        """The offsets of the edits of a row that write this text."""
        start, stop = self._span(row)
        return [self._edits.offsets[at] for at in range(start, stop) if self._edits.texts[at] == text]

    def matched(self, places: Iterable[tuple[int, int, int]]) -> Iterator[Edit | None]:
        """For row, offset and length of one trouble after another the edit that it led to.

        Troubles and edits of a row have the same order, but an edit may have no trouble.
        """
        offsets, lengths, texts = self._edits.offsets, self._edits.lengths, self._edits.texts
        before, at, stop = -1, 0, 0
        for row, offset, length in places:
            if row != before:
                before = row
                at, stop = self._span(row)
            found = None
            while at < stop and found is None:
                if offsets[at] == offset and lengths[at] == length:
                    found = Edit(Place(offset, length), texts[at])
                at += 1
            yield found

    def _span(self, row: int) -> tuple[int, int]:
        """Where the edits of a row begin and end in the columns."""
        at = bisect_left(self._rows, row) if row >= 0 else len(self._rows)
        if at == len(self._rows) or self._rows[at] != row:
            return 0, 0
        return self._stops[at], self._stops[at + 1]

    def __contains__(self, row: object) -> bool:
        if not self._rows or not isinstance(row, int):
            return False
        return self._rows[(at := bisect_left(self._rows, row)) : at + 1].tolist() == [row]

    def __iter__(self) -> Iterator[int]:
        return iter(self._rows)

    def __len__(self) -> int:
        return len(self._rows)
