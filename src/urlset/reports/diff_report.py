"""How two states of sitemaps differ, as every format of `urlset diff` wants it."""

from __future__ import annotations

from collections.abc import Iterator
from types import TracebackType
from typing import Self

import msgspec

from urlset.snapshots.delta import Changed, Delta, Moved, Renamed, Summary


class StateInfo(msgspec.Struct, frozen=True):
    """One of the two states."""

    name: str
    """as it was named"""
    urls: int
    files: int
    taken: str | None = None
    """when the snapshot was taken; None for what was read just now"""


class Group(msgspec.Struct, frozen=True):
    """URLs of one section with one kind of path, and what happened to them."""

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
    """The lists may lie on disk: they are read anew each time and gone after `close`."""

    old: StateInfo
    new: StateInfo
    summary: Summary
    renamed: tuple[Renamed, ...] = ()
    fields: dict[str, int] = {}
    """how many entries changed in each field"""
    groups: tuple[Group, ...] = ()
    """the busiest first"""
    failures: tuple[str, ...] = ()
    """limits that were exceeded"""
    notes: tuple[str, ...] = ()
    troubled: tuple[str, ...] = ()
    """what could not be read: URLs listed there are not known to be gone"""
    delta: Delta

    @property
    def differs(self) -> bool:
        return self.summary.differs

    @property
    def added(self) -> Iterator[str]:
        """URLs that are new, in their order."""
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
        """Let go of what lies on disk."""
        self.delta.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, at: TracebackType | None) -> None:
        self.close()
