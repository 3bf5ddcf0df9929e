"""Edits on an original → a unified diff, in time linear in the file however many edits there are."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from urlset.model.columns import Edit
from urlset.model.place import Lines

CONTEXT = 3


class _Change:
    """Lines first..last (0-based, last exclusive) of the original that edits touch, and what they become."""

    def __init__(self, first: int, last: int, edit: Edit) -> None:
        self.first = first
        self.last = last
        self.edits = [edit]
        self.old: list[str] = []
        self.new: list[str] = []


def unified(original: bytes, edits: Sequence[Edit], name: str) -> Iterator[str]:
    """Lines without their ends; nothing when there are no edits."""
    if not edits:
        return
    lines = Lines(original)
    yield f"--- {name}"
    yield f"+++ {name} (fixed)"
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


def _changes(original: bytes, edits: Sequence[Edit], lines: Lines) -> Iterator[_Change]:
    """Edits that share a line are one change."""
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


def _settled(original: bytes, lines: Lines, change: _Change) -> Iterator[_Change]:
    """Work out the lines before and after, without those that stay the same at either end."""
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


def _hunk(original: bytes, lines: Lines, changes: Sequence[_Change], shift: int) -> Iterator[str]:
    total = len(lines) if original.endswith((b"\n", b"\r")) is False else len(lines) - 1
    first = max(0, changes[0].first - CONTEXT)
    last = max(min(total, changes[-1].last + CONTEXT), changes[-1].last)
    body: list[str] = []
    at = first
    for change in changes:
        body += [f" {line}" for line in _lines(original, lines, at, change.first)]
        body += [f"-{line}" for line in change.old]
        body += [f"+{line}" for line in change.new]
        at = change.last
    body += [f" {line}" for line in _lines(original, lines, at, last)]
    removed = sum(line[0] != "+" for line in body)
    added = sum(line[0] != "-" for line in body)
    yield f"@@ -{_range(first, removed)} +{_range(first + shift, added)} @@"
    yield from body


def _edited(original: bytes, start: int, end: int, edits: Sequence[Edit]) -> bytes:
    parts: list[bytes] = []
    at = start
    for edit in edits:
        parts += (original[at : edit.place.offset], edit.text)
        at = edit.place.end
    return b"".join((*parts, original[at:end]))


def _end(original: bytes, lines: Lines, last: int) -> int:
    return len(original) if last >= len(lines) else lines.start_of(last + 1)


def _lines(original: bytes, lines: Lines, first: int, last: int) -> list[str]:
    if first >= last:
        return []
    return _split(original[lines.start_of(first + 1) : _end(original, lines, last)])


def _split(data: bytes) -> list[str]:
    text = data.decode("utf-8", "replace")
    found = text.split("\n")
    return found[:-1] if found[-1] == "" else found


def _range(first: int, count: int) -> str:
    return f"{first + 1 if count else first},{count}"
