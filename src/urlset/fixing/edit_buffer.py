"""A document while it is fixed: pieces of the original and new bytes, over any number of passes; and its diff."""

from __future__ import annotations

import re
from array import array
from bisect import bisect_left, bisect_right
from collections.abc import Iterable, Iterator, Sequence
from itertools import accumulate, chain

from urlset.model.columns import Edit, Edits
from urlset.model.place import Place

_BLOCK = 4096
"""pieces joined at a time: a copy of each stays alive until then"""


class EditBuffer:
    """Tracks the original bytes, so the sum of all passes is one list of edits.

    A piece is two numbers: its length and its start, in the original or (as a negative number) in the inserted texts,
    which are those of the edits themselves: a fix that moves links would keep them twice.
    """

    def __init__(self, original: bytes) -> None:
        self.original = original
        self._texts: list[bytes] = []
        self._stops: array[int] = array("Q", [0])
        """where each inserted text ends, if all are counted as one; the first one begins at 0"""
        self._sources: array[int] = array("q", [0] if original else [])
        self._sizes: array[int] = array("Q", [len(original)] if original else [])
        self._bounds: tuple[array[int], array[int]] | None = None

    def snapshot(self) -> EditBuffer:
        """The current state, unaffected by later edits; both share what they are made of."""
        copy = EditBuffer(self.original)
        copy._texts, copy._stops, copy._sources, copy._sizes = self._texts, self._stops, self._sources, self._sizes
        return copy

    @property
    def data(self) -> bytes:
        steps = range(0, len(self._sources), _BLOCK)
        blocks = ((self._sources[first : first + _BLOCK], self._sizes[first : first + _BLOCK]) for first in steps)
        return b"".join([b"".join(map(self._piece, *block)) for block in blocks])

    def cut(self, place: Place) -> bytes:
        """The current bytes at a place."""
        sources, sizes, (ends, _) = self._sources, self._sizes, self._piece_bounds()
        number, at, parts = bisect_right(ends, place.offset), place.offset, list[bytes]()
        while at < place.end and number < len(ends):
            begin = at - (ends[number] - sizes[number])
            size = min(sizes[number] - begin, place.end - at)
            source = sources[number] + begin if sources[number] >= 0 else sources[number] - begin
            parts.append(self._piece(source, size))
            at, number = at + size, number + 1
        return b"".join(parts)

    def _piece(self, source: int, size: int) -> bytes:
        if source >= 0:
            return self.original[source : source + size]
        number = bisect_right(self._stops, ~source) - 1
        text, begin = self._texts[number], ~source - self._stops[number]
        return text[begin : begin + size]

    def apply(self, edits: Iterable[Edit]) -> None:
        """Edits in current coordinates, sorted, not overlapping."""
        columns = edits if isinstance(edits, Edits) else Edits(edits)
        if not len(columns):
            return
        old_sources, old_sizes = self._sources, self._sizes
        sources, sizes, texts, stops = array("q"), array("Q"), self._texts, self._stops
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
                    sources.append(~stops[-1])
                    sizes.append(len(text))
                    texts.append(text)
                    stops.append(stops[-1] + len(text))
                stop = offset + length
        if number < count:
            sources.append(source)
            sizes.append(size)
            sources.extend(old_sources[number + 1 :])
            sizes.extend(old_sizes[number + 1 :])
        self._sources, self._sizes, self._bounds = sources, sizes, None

    def edits(self) -> Edits:
        """All changes, as edits to the original."""
        found = Edits()
        at, new = 0, list[bytes]()
        for source, size in chain(zip(self._sources, self._sizes, strict=True), [(len(self.original), 0)]):
            if source < 0:
                new.append(self._piece(source, size))
                continue
            if new or source > at:
                found.add(at, max(0, source - at), b"".join(new))
                new = []
            at = source + size
        return found

    def count_original(self, places: Iterable[Place]) -> int:
        """How many of these places in the current text contain only original bytes."""
        ends, _ = self._piece_bounds()

        def is_original(place: Place) -> bool:
            first = min(bisect_right(ends, place.offset), len(ends) - 1)
            last = max(first, min(bisect_left(ends, place.end), len(ends) - 1))
            return all(source >= 0 for source in self._sources[first : last + 1])

        return sum(map(is_original, places))

    def origin(self, offset: int) -> int:
        """The position of a current byte in the original."""
        ends, origins = self._piece_bounds()
        number = bisect_right(ends, offset)
        if number == len(ends):
            return origins[-1] if origins else 0
        if self._sources[number] < 0:
            return origins[number]
        return origins[number] + offset - ends[number]

    def _piece_bounds(self) -> tuple[array[int], array[int]]:
        """The end of each piece, now and in the original; an inserted piece ends where the piece before it does."""
        if self._bounds is None:
            origins, last = array("Q"), 0
            for source, size in zip(self._sources, self._sizes, strict=True):
                last = last if source < 0 else source + size
                origins.append(last)
            self._bounds = array("Q", accumulate(self._sizes)), origins
        return self._bounds


CONTEXT = 3
_UNENDED = b"\\ No newline at end of file"


class _Lines:
    """Lines as `patch` counts them: only a line feed ends a line; a carriage return is content."""

    def __init__(self, data: bytes) -> None:
        self._starts = array("Q", [0])
        self._starts.extend(found.end() for found in re.finditer(b"\n", data))

    def __len__(self) -> int:
        return len(self._starts)

    def number(self, offset: int) -> int:
        return bisect_right(self._starts, offset)

    def start_of(self, number: int) -> int:
        return self._starts[number - 1]


class _Change:
    """Lines first..last (0-based, last exclusive) of the original that edits touch, and their new content."""

    def __init__(self, first: int, last: int, edit: Edit) -> None:
        self.first = first
        self.last = last
        self.edits = [edit]
        self.old: list[bytes] = []
        self.new: list[bytes] = []


def unified(original: bytes, edits: Sequence[Edit], name: str) -> Iterator[bytes]:
    """Lines without their line feeds, byte for byte as in the file; empty without edits."""
    if not edits:
        return
    lines = _Lines(original)
    gap = "\t" if " " in name else ""  # `patch` only accepts a name with a space if a tab follows
    yield f"--- {name}{gap}".encode()
    yield f"+++ {name}{gap or ' '}(fixed)".encode()
    shift = 0
    hunk: list[_Change] = []
    for change in _changes(original, edits, lines):
        if hunk and change.first - hunk[-1].last > 2 * CONTEXT:
            yield from _hunk(original, lines, hunk, shift)
            shift += sum(len(each.new) - len(each.old) for each in hunk)
            hunk = []
        hunk.append(change)
    if hunk:
        yield from _hunk(original, lines, hunk, shift)


def _changes(original: bytes, edits: Sequence[Edit], lines: _Lines) -> Iterator[_Change]:
    """Edits on the same line are one change."""
    pending: _Change | None = None
    for edit in edits:
        first = lines.number(edit.place.offset) - 1
        last = lines.number(max(edit.place.offset, edit.place.end)) or 1
        if pending is not None and first < pending.last:
            pending.last = max(pending.last, last)
            pending.edits.append(edit)
            continue
        if pending is not None:
            yield from _settled(original, lines, pending)
        pending = _Change(first, last, edit)
    if pending is not None:
        yield from _settled(original, lines, pending)


def _settled(original: bytes, lines: _Lines, change: _Change) -> Iterator[_Change]:
    """The lines before and after, without unchanged lines at either end."""
    start, end = lines.start_of(change.first + 1), _end(original, lines, change.last)
    old = _split(original[start:end])
    parts, at = list[bytes](), start
    for edit in change.edits:
        parts += (original[at : edit.place.offset], edit.text)
        at = edit.place.end
    new = _split(b"".join((*parts, original[at:end])))
    while old and new and old[0] == new[0]:
        old, new, change.first = old[1:], new[1:], change.first + 1
    while old and new and old[-1] == new[-1]:
        old, new = old[:-1], new[:-1]
    change.last = change.first + len(old)
    change.old, change.new = old, new
    if old or new:
        yield change


def _hunk(original: bytes, lines: _Lines, changes: Sequence[_Change], shift: int) -> Iterator[bytes]:
    total = len(lines) - 1 if original.endswith(b"\n") else len(lines)
    first = max(0, changes[0].first - CONTEXT)
    last = max(min(total, changes[-1].last + CONTEXT), changes[-1].last)
    body: list[bytes] = []
    at = first
    for change in changes:
        body += [b" " + line for line in _lines(original, lines, at, change.first)]
        body += [b"-" + line for line in change.old]
        body += [b"+" + line for line in change.new]
        at = change.last
    body += [b" " + line for line in _lines(original, lines, at, last)]
    removed = sum(not line.startswith(b"+") for line in body)
    added = sum(not line.startswith(b"-") for line in body)
    yield f"@@ -{_range(first, removed)} +{_range(first + shift, added)} @@".encode()
    for line in body:
        yield line.removesuffix(b"\n")
        if not line.endswith(b"\n"):
            yield _UNENDED


def _end(original: bytes, lines: _Lines, last: int) -> int:
    return len(original) if last >= len(lines) else lines.start_of(last + 1)


def _lines(original: bytes, lines: _Lines, first: int, last: int) -> list[bytes]:
    if first >= last:
        return []
    return _split(original[lines.start_of(first + 1) : _end(original, lines, last)])


def _split(data: bytes) -> list[bytes]:
    """Lines with their line feeds; the last may have none."""
    *ended, rest = data.split(b"\n")
    return [line + b"\n" for line in ended] + ([rest] if rest else [])


def _range(first: int, count: int) -> str:
    return f"{first + 1 if count else first},{count}"
