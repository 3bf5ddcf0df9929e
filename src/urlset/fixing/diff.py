"""Edits on an original → a unified diff, in time linear in the file however many edits there are."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from urlset.model.columns import Edit
from urlset.model.place import Lines

CONTEXT = 3


class _Hunk:
    """Lines first..last (0-based, last exclusive) of the original, and the edits inside."""

    def __init__(self, first: int, last: int) -> None:
        self.first = first
        self.last = last
        self.edits: list[Edit] = []


def unified(original: bytes, edits: Sequence[Edit], name: str) -> Iterator[str]:
    """Lines without their ends; nothing when there are no edits."""
    if not edits:
        return
    lines = Lines(original)
    yield f"--- {name}"
    yield f"+++ {name} (fixed)"
    shift = 0
    for hunk in _hunks(original, edits, lines):
        old = _lines(original, lines, hunk.first, hunk.last)
        start = lines.start_of(hunk.first + 1)
        end = _end(original, lines, hunk.last)
        new = _split(_edited(original, start, end, hunk.edits))
        before, body, after = _trim(old, new)
        first = hunk.first + before
        yield f"@@ -{_range(first, len(old) - before - after)} +{_range(first + shift, len(new) - before - after)} @@"
        yield from body
        shift += len(new) - len(old)


def _hunks(original: bytes, edits: Sequence[Edit], lines: Lines) -> Iterator[_Hunk]:
    hunk: _Hunk | None = None
    count = len(lines)
    for edit in edits:
        first = max(0, lines.at(edit.place.offset).line - 1 - CONTEXT)
        last = min(count, lines.at(max(edit.place.offset, edit.place.end)).line + CONTEXT)
        if hunk is not None and first <= hunk.last:
            hunk.last = max(hunk.last, last)
        else:
            if hunk is not None:
                yield hunk
            hunk = _Hunk(first, last)
        hunk.edits.append(edit)
    if hunk is not None:
        yield hunk
    del original


def _trim(old: list[str], new: list[str]) -> tuple[int, list[str], int]:
    """Keep CONTEXT equal lines on either side and pair the changed ones in between."""
    same = 0
    while same < min(len(old), len(new)) and old[same] == new[same]:
        same += 1
    tail = 0
    while tail < min(len(old), len(new)) - same and old[-1 - tail] == new[-1 - tail]:
        tail += 1
    before, after = max(0, same - CONTEXT), max(0, tail - CONTEXT)
    body = [f" {line}" for line in old[before:same]]
    body += _changed(old[same : len(old) - tail], new[same : len(new) - tail])
    body += [f" {line}" for line in old[len(old) - tail : len(old) - after]]
    return before, body, after


def _changed(old: list[str], new: list[str]) -> Iterator[str]:
    """Line by line where the counts agree, so that a change in each line of a block reads well."""
    if len(old) == len(new):
        run: list[tuple[str, str]] = []
        for pair in zip(old, new, strict=True):
            if pair[0] == pair[1]:
                yield from _flush(run)
                run = []
                yield f" {pair[0]}"
            else:
                run.append(pair)
        yield from _flush(run)
        return
    yield from (f"-{line}" for line in old)
    yield from (f"+{line}" for line in new)


def _flush(run: list[tuple[str, str]]) -> Iterator[str]:
    yield from (f"-{old}" for old, _ in run)
    yield from (f"+{new}" for _, new in run)


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
    return _split(original[lines.start_of(first + 1) : _end(original, lines, last)])


def _split(data: bytes) -> list[str]:
    text = data.decode("utf-8", "replace")
    found = text.split("\n")
    return found[:-1] if found[-1] == "" else found


def _range(first: int, count: int) -> str:
    return f"{first + 1 if count else first},{count}"
