"""The differences between two states of sitemaps: the input of all `urlset diff` formats."""

from __future__ import annotations

from collections.abc import Iterator
from types import TracebackType
from typing import Self

import msgspec

from urlset.snapshots.delta import Changed, Delta, Moved, Renamed, Summary


class StateInfo(msgspec.Struct, frozen=True):
    """One of the two states."""

    name: str
    """as typed by the user"""
    urls: int
    files: int
    taken: str | None = None
    """when the snapshot was taken; None for a state that was just read"""


class Group(msgspec.Struct, frozen=True):
    """URLs of one section with one path pattern, and their changes."""

    section: str
    pattern: str
    added: int = 0
    removed: int = 0
    changed: int = 0
    moved: int = 0
    renamed: int = 0
    example: str = ""

    @property
    def total(self) -> int:
        return self.added + self.removed + self.changed + self.moved + self.renamed


class DiffReport(msgspec.Struct, frozen=True, kw_only=True, dict=True):
    """The lists may be on disk: they are read again each time and removed by `close`."""

    old: StateInfo
    new: StateInfo
    summary: Summary
    renamed: tuple[Renamed, ...] = ()
    fields: dict[str, int] = {}
    """the number of changed entries per field"""
    groups: tuple[Group, ...] = ()
    """ordered by number of changes"""
    failures: tuple[str, ...] = ()
    """limits that were exceeded"""
    notes: tuple[str, ...] = ()
    troubled: tuple[str, ...] = ()
    """files that could not be read: their URLs are not known to be removed"""
    delta: Delta

    @property
    def differs(self) -> bool:
        return self.summary.differs

    @property
    def added(self) -> Iterator[str]:
        """New URLs, in order."""
        taken = self._new_names
        return (each.loc for each in self.delta.added() if each.loc not in taken)

    @property
    def removed(self) -> Iterator[str]:
        taken = self._old_names
        return (each.loc for each in self.delta.removed() if each.loc not in taken)

    @property
    def changed(self) -> Iterator[Changed]:
        return self.delta.changed()

    @property
    def moved(self) -> Iterator[Moved]:
        return self.delta.moved()

    @property
    def _new_names(self) -> frozenset[str]:
        return frozenset(each.new for each in self.renamed)

    @property
    def _old_names(self) -> frozenset[str]:
        return frozenset(each.old for each in self.renamed)

    def close(self) -> None:
        """Release the data on disk."""
        self.delta.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, at: TracebackType | None) -> None:
        self.close()
