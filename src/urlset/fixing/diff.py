"""Edits on an original → a unified diff, in linear time for any number of edits."""

from __future__ import annotations

import re
from array import array
from bisect import bisect_right
from collections.abc import Iterator, Sequence

from urlset.model.columns import Edit

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
    new = _split(_edited(original, start, end, change.edits))
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


def _edited(original: bytes, start: int, end: int, edits: Sequence[Edit]) -> bytes:
    parts: list[bytes] = []
    at = start
    for edit in edits:
        parts += (original[at : edit.place.offset], edit.text)
        at = edit.place.end
    return b"".join((*parts, original[at:end]))


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
