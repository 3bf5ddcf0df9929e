"""The generations in a store → the one that is live, those before it, and those that were never finished."""

from __future__ import annotations

import hashlib
from collections.abc import Mapping

import msgspec

from urlset.building.manifest import Manifest
from urlset.storage.store import StorageError, Store

GENERATIONS = ".urlset/generations"
KEPT = ".urlset/kept"


class Generation(msgspec.Struct, frozen=True):
    number: int
    manifest: Manifest
    bodies: dict[str, str]
    """file name → the kept object"""
    attributes: dict[str, dict[str, str]]
    tags: dict[str, str]
    """file name → the tag of the published object"""
    schema: int = 1


class Generations:
    """A generation is written before its index, so one whose index never went live was not finished."""

    def __init__(self, known: Mapping[int, Generation], index: bytes | None) -> None:
        self.known = dict(known)
        live = None if index is None else hashlib.sha256(index).hexdigest()
        matching = [number for number, each in known.items() if _index_hash(each) == live]
        self.foreign = bool(known) and not matching
        """the index is one that no generation wrote, or was deleted: nothing tells which were finished"""
        newest = max(matching or known, default=0)
        self.finished = {number: each for number, each in known.items() if number <= newest}
        self.unfinished = {number: each for number, each in known.items() if number > newest}

    @property
    def current(self) -> Generation | None:
        return self.finished[max(self.finished)] if self.finished else None

    @property
    def next_number(self) -> int:
        return max(self.known, default=0) + 1

    def restorable(self, number: int | None) -> Generation:
        """The one of that number, or the one before the current one. Raises StorageError."""
        numbers = sorted(self.finished)
        if number is None:
            if len(numbers) < 2:
                raise StorageError("no earlier generation to roll back to")
            return self.finished[numbers[-2]]
        if number in self.unfinished:
            raise StorageError(f"generation {number} was not finished and cannot be restored")
        if number not in self.finished:
            raise StorageError(f"generation {number} is not kept; kept: {', '.join(map(str, numbers)) or 'none'}")
        return self.finished[number]


def path_of(number: int) -> str:
    return f"{GENERATIONS}/{number:08}.json"


def read_generations(store: Store) -> dict[int, Generation]:
    found = {}
    for name in store.list(GENERATIONS):
        data = store.read(name)
        if data is None:
            continue
        try:
            each = msgspec.json.decode(data[0], type=Generation)
        except msgspec.DecodeError as error:
            raise StorageError(f"{name} in the store is not a generation of urlset: {error}") from error
        found[each.number] = each
    return found


def _index_hash(generation: Generation) -> str | None:
    entry = generation.manifest.entry_point
    return entry.sha256 if entry is not None else None
