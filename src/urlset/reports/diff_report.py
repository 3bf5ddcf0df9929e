"""The differences between two states of sitemaps: the input of all `urlset diff` formats."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from types import TracebackType
from typing import Self

import msgspec

from urlset.model.frames import FrameTable, Tabular, table_of
from urlset.model.shown import Shown
from urlset.snapshots.delta import Changed, Delta, Moved, RenamedUrl, Summary


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


class ChangeRow(Shown, msgspec.Struct, frozen=True):
    """One URL that differs."""

    change: str
    """added, removed, changed, moved or renamed"""
    loc: str
    to: str | None = None
    """the new URL of a renamed one"""
    evidence: str | None = None
    """for a rename, and for a new lastmod of a page that was audited both times"""
    fields: tuple[str, ...] = ()
    """that changed"""
    files: tuple[str, ...] = ()
    """where it was listed, and where it is, if these differ"""


class FieldRow(Shown, msgspec.Struct, frozen=True):
    """One field of one entry that changed."""

    loc: str
    field: str
    old: str | None
    new: str | None


class DiffReport(Shown, Tabular, msgspec.Struct, frozen=True, kw_only=True, dict=True):
    """The lists may be on disk: they are read again each time and removed by `close`."""

    old: StateInfo
    new: StateInfo
    summary: Summary
    renamed: tuple[RenamedUrl, ...] = ()
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
        taken = {each.new for each in self.renamed}
        return (each.loc for each in self.delta.added() if each.loc not in taken)

    @property
    def removed(self) -> Iterator[str]:
        taken = {each.old for each in self.renamed}
        return (each.loc for each in self.delta.removed() if each.loc not in taken)

    @property
    def changed(self) -> Iterator[Changed]:
        return self.delta.changed()

    @property
    def moved(self) -> Iterator[Moved]:
        return self.delta.moved()

    def close(self) -> None:
        """Release the data on disk."""
        self.delta.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, at: TracebackType | None) -> None:
        self.close()

    def facts(self) -> Iterator[tuple[str, object]]:
        yield "old", self.old.name
        yield "new", self.new.name
        for name in self.summary.__struct_fields__:
            yield name, getattr(self.summary, name)

    def tables(self) -> Mapping[str, Callable[[], FrameTable]]:
        """Rows: changes (one per URL), fields (one per changed field), groups."""
        return {
            "changes": lambda: table_of(ChangeRow, self.changes),
            "fields": lambda: table_of(
                FieldRow,
                lambda: (
                    FieldRow(it.loc, field, *values) for it in self.changed for field, values in it.fields.items()
                ),
            ),
            "groups": lambda: table_of(Group, lambda: self.groups),
        }

    def changes(self) -> Iterator[ChangeRow]:
        """Every URL that differs, by kind of change."""
        yield from (ChangeRow("added", loc) for loc in self.added)
        yield from (ChangeRow("removed", loc) for loc in self.removed)
        for each in self.changed:
            yield ChangeRow(
                "changed", each.loc, evidence=each.evidence, fields=tuple(each.fields), files=each.files or ()
            )
        yield from (ChangeRow("moved", each.loc, files=(each.old, each.new)) for each in self.moved)
        yield from (ChangeRow("renamed", each.old, each.new, each.evidence) for each in self.renamed)
