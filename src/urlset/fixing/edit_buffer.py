"""A document while it is fixed: the original and the sum of all passes, as one list of edits; and its diff."""

from __future__ import annotations

import re
from array import array
from bisect import bisect_left, bisect_right
from collections.abc import Iterable, Iterator, Sequence
from io import BytesIO
from itertools import accumulate, chain
from operator import add, sub

from urlset.model.columns import Edit, Edits
from urlset.model.place import Place

_BLOCK = 4096
"""edits written at a time: a copy of the bytes between them stays alive until then"""


class EditBuffer:
    """The bytes of the original with some edits, and where each byte came from."""

    def __init__(self, original: bytes, edits: Edits | None = None) -> None:
        self.original = original
        self._edits = Edits() if edits is None else edits
        """in order, with bytes of the original between them"""
        self._bounds: tuple[array[int], array[int], array[int]] | None = None

    def snapshot(self) -> EditBuffer:
        """The current state, unaffected by later edits."""
        return EditBuffer(self.original, self._edits)

    @property
    def data(self) -> bytes:
        """Written into its place, because two copies of a large file, or the holes of one that grows, cost memory."""
        original, edits, at = memoryview(self.original), self._edits, 0
        found = BytesIO(bytes(len(original) - sum(edits.lengths) + sum(map(len, edits.texts))))
        for first in range(0, len(edits), _BLOCK):
            parts: list[bytes | memoryview] = []
            for offset, length, text in edits.part(first, first + _BLOCK).triples():
                parts += original[at:offset], text
                at = offset + length
            found.write(b"".join(parts))
        found.write(original[at:])
        return found.getvalue()

    def cut(self, place: Place) -> bytes:
        """The current bytes at a place."""
        starts, ends, shifts = self._places()
        at, parts = place.offset, list[bytes]()
        for number in range(bisect_right(ends, at), len(shifts)):
            start = min(starts[number], place.end) if number < len(starts) else place.end
            parts.append(self.original[at + shifts[number] : max(at, start) + shifts[number]])
            if start == place.end:
                break
            parts.append(self._edits.texts[number][max(0, at - start) : place.end - start])
            at = ends[number]
        return b"".join(parts)

    def apply(self, edits: Iterable[Edit]) -> None:
        """Edits in current coordinates, sorted, not overlapping."""
        self._edits = _joined(self._edits, edits if isinstance(edits, Edits) else Edits(edits))
        self._bounds = None

    def edits(self) -> Edits:
        """All changes, as edits to the original."""
        return self._edits

    def count_original(self, places: Iterable[Place]) -> int:
        """How many of these places in the current text contain only original bytes."""
        starts, ends, _ = self._places()

        def is_original(place: Place) -> bool:
            first, last = bisect_right(ends, place.offset), bisect_left(starts, max(place.end, place.offset + 1))
            return not any(self._edits.texts[first:last])

        return sum(map(is_original, places))

    def origin(self, offset: int) -> int:
        """The position of a current byte in the original; that of an inserted one is where the bytes before it end."""
        starts, ends, shifts = self._places()
        number, offsets = bisect_right(ends, offset), self._edits.offsets
        if number == len(ends) and number and offsets[-1] + self._edits.lengths[-1] == len(self.original):
            number -= 1  # nothing follows the last edit
        return offsets[number] if number < len(ends) and starts[number] <= offset else offset + shifts[number]

    def _places(self) -> tuple[array[int], array[int], array[int]]:
        """Where each edit begins and ends now, and how far the bytes before it and after all of them have moved."""
        if self._bounds is None:
            sizes = array("q", map(len, self._edits.texts))
            shifts = array("q", accumulate(map(sub, self._edits.lengths, sizes), initial=0))
            starts = array("q", map(sub, self._edits.offsets, shifts))
            self._bounds = starts, array("q", map(add, starts, sizes)), shifts
        return self._bounds


_NO_EDIT = (1 << 62, 0, b"")


def _joined(first: Edits, second: Edits) -> Edits:
    """Edits and those of a later pass, as edits to the original; edits that touch become one."""
    found, begin, end, texts = Edits(), -1, -1, list[bytes]()
    offsets, lengths, joined = found.offsets.append, found.lengths.append, found.texts.append
    for start, stop, text in chain(_stacked(first, second), [_NO_EDIT]):
        if start <= end:
            texts.append(text)
            end = max(end, stop)
            continue
        if (whole := b"".join(texts)) or end > begin:
            offsets(begin)
            lengths(end - begin)
            joined(whole)
        begin, end, texts = start, stop, [text]
    return found


def _stacked(first: Edits, second: Edits) -> Iterator[tuple[int, int, bytes]]:
    """Start, end and text in the original of all edits, in order; `second` are edits to the result of `first`."""
    earlier, shift = first.triples(), 0
    offset, length, text = next(earlier, _NO_EDIT)
    for start, size, new in second.triples():
        while offset + shift + len(text) <= start:
            yield offset, offset + length, text
            shift += len(text) - length
            offset, length, text = next(earlier, _NO_EDIT)
        begin, stop = start - shift, start + size
        if offset + shift < start:  # inside of what an earlier edit wrote
            begin, new = offset, text[: start - offset - shift] + new  # noqa: PLW2901 - the text before it stays
        while offset + shift < stop:
            taken = min(len(text), stop - offset - shift)
            shift += taken - length
            offset, length, text = (offset + length, 0, text[taken:]) if text[taken:] else next(earlier, _NO_EDIT)
        yield begin, stop - shift, new
    while offset != _NO_EDIT[0]:
        yield offset, offset + length, text
        offset, length, text = next(earlier, _NO_EDIT)


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
