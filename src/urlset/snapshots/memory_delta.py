"""Two states of few entries → how they differ, in memory and without any extra package."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence

from urlset.snapshots.block import FIELDS, EntryBlock
from urlset.snapshots.delta import Changed, Loose, Moved, Summary

Values = tuple[str | None, ...]
Key = Callable[[str], str]


class MemoryState:
    """The entries of one state by URL. A URL that is listed twice has the greatest value of each field."""

    def __init__(self, key: Key = str) -> None:
        self._key = key
        self.entries: dict[str, tuple[str, Values, tuple[str, ...]]] = {}
        """key → URL as written, values, files"""

    def add(self, block: EntryBlock) -> None:
        files = (block.file,)
        columns: Iterable[Sequence[str | None]] = (
            block.fields.get(name) or [None] * len(block.locs) for name in FIELDS
        )
        entries, key = self.entries, self._key
        for loc, values in zip(block.locs, zip(*columns, strict=True), strict=True):
            name = key(loc)
            known = entries.get(name)
            entries[name] = (loc, values, files) if known is None else _joined(known, (loc, values, files))

    def __len__(self) -> int:
        return len(self.entries)


def _joined(
    one: tuple[str, Values, tuple[str, ...]], two: tuple[str, Values, tuple[str, ...]]
) -> tuple[str, Values, tuple[str, ...]]:
    values = tuple(max(a or "", b or "") or None for a, b in zip(one[1], two[1], strict=True))
    return min(one[0], two[0]), values, tuple(sorted({*one[2], *two[2]}))


class MemoryDelta:
    """A Delta over two MemoryStates."""

    def __init__(self, old: MemoryState, new: MemoryState, fields: Sequence[str] = FIELDS) -> None:
        self._old, self._new = old.entries, new.entries
        self._columns = [FIELDS.index(name) for name in fields]
        self._added = sorted(new.entries.keys() - old.entries.keys())
        self._removed = sorted(old.entries.keys() - new.entries.keys())
        self._changed: list[str] = []
        self._moved: list[str] = []
        both = 0
        for key in old.entries.keys() & new.entries.keys():
            both += 1
            _, before, was = old.entries[key]
            _, after, now = new.entries[key]
            if before != after and any(before[column] != after[column] for column in self._columns):
                self._changed.append(key)
            elif was != now:
                self._moved.append(key)
        self._changed.sort()
        self._moved.sort()
        self.counts = Summary(
            len(self._added),
            len(self._removed),
            len(self._changed),
            len(self._moved),
            unchanged=both - len(self._changed) - len(self._moved),
        )

    def added(self) -> Iterator[Loose]:
        return (_loose(*self._new[key][:2]) for key in self._added)

    def removed(self) -> Iterator[Loose]:
        return (_loose(*self._old[key][:2]) for key in self._removed)

    def changed(self) -> Iterator[Changed]:
        for key in self._changed:
            _, before, was = self._old[key]
            loc, after, now = self._new[key]
            fields = {FIELDS[at]: (before[at], after[at]) for at in self._columns if before[at] != after[at]}
            yield Changed(loc, fields, None if was == now else (listed_in(was), listed_in(now)))

    def moved(self) -> Iterator[Moved]:
        for key in self._moved:
            yield Moved(self._new[key][0], listed_in(self._old[key][2]), listed_in(self._new[key][2]))

    def close(self) -> None:
        """Nothing is held but memory."""


def _loose(loc: str, values: Values) -> Loose:
    return Loose(loc, values[_LASTMOD], values[_IMAGES], values[_ALTERNATES])


def listed_in(files: Sequence[str]) -> str:
    return ", ".join(files)


_LASTMOD, _IMAGES, _ALTERNATES = (FIELDS.index(name) for name in ("lastmod", "images", "alternates"))
