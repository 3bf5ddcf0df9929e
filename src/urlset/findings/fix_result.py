"""The report of a fix: what was changed, what was left, and why."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Protocol, runtime_checkable

import msgspec

from urlset.findings.card import Severity
from urlset.findings.finding import Safety
from urlset.model.columns import Edit
from urlset.model.frames import FrameTable, Tabular, table_of
from urlset.model.shown import Shown


class Applied(msgspec.Struct, frozen=True):
    """One change."""

    code: str
    name: str
    title: str
    safety: Safety
    line: int
    column: int
    before: str
    after: str
    subject: str | None = None


class Change(msgspec.Struct, frozen=True):
    """The changes of one kind, with the first few of them."""

    code: str
    name: str
    title: str
    count: int
    examples: tuple[Applied, ...]


class Left(msgspec.Struct, frozen=True):
    """A finding that remains, and the reason."""

    code: str
    name: str
    count: int
    reason: str
    line: int | None = None
    column: int | None = None
    message: str = ""
    severity: Severity = Severity.WARNING


class Removed(msgspec.Struct, frozen=True):
    """A URL that is no longer listed, and the rule that required it."""

    loc: str
    code: str


class Renamed(msgspec.Struct, frozen=True):
    """A URL that was replaced with the URL of another page, and the rule that required it."""

    loc: str
    to: str
    code: str


class FixedFile(msgspec.Struct, frozen=True):
    """One file of the result: most have one, a split sitemap has several and an index."""

    name: str
    chunks: tuple[bytes | memoryview, ...]
    """concatenated they are the file; views if it is part of something larger"""

    @property
    def data(self) -> bytes:
        return b"".join(self.chunks)

    @property
    def size(self) -> int:
        return sum(map(len, self.chunks))


@runtime_checkable
class CountsChanges(Protocol):
    """A sequence of changes with known kinds, created on demand."""

    def changes(self, shown: int) -> list[Change]: ...


class FixResult(Shown, Tabular, msgspec.Struct, frozen=True):
    """The result of fixing one document."""

    source: str
    original: bytes
    """UTF-8, as the edits count it"""
    pieces: tuple[FixedFile, ...]
    """the first one replaces the original"""
    edits: Sequence[Edit]
    applied: Sequence[Applied]
    """for many changes, a sequence that creates each on demand"""
    left: tuple[Left, ...]
    removed: tuple[Removed, ...] = ()
    renamed: tuple[Renamed, ...] = ()
    passes: int = 0
    refused: str | None = None
    """why the result must not be used: the verification failed"""
    recoded: bool = False
    """the file was not plain UTF-8 and now is, which no edit shows"""

    @property
    def data(self) -> bytes:
        """The bytes of the file that replaces the original."""
        return self.pieces[0].data

    def changes(self, shown: int) -> list[Change]:
        """The changes by rule and title, with the first `shown` of each."""
        if isinstance(self.applied, CountsChanges):
            return self.applied.changes(shown)
        by_kind: dict[tuple[str, str, str], list[Applied]] = {}
        for item in self.applied:
            by_kind.setdefault((item.code, item.name, item.title), []).append(item)
        return [Change(*kind, len(items), tuple(items[:shown])) for kind, items in by_kind.items()]

    @property
    def changed(self) -> bool:
        return self.recoded or len(self.pieces) > 1 or len(self.edits) > 0

    def facts(self) -> Iterator[tuple[str, object]]:
        yield "source", self.source
        yield "applied", len(self.applied)
        yield "left", sum(each.count for each in self.left)
        yield "removed", len(self.removed)
        if self.refused is not None:
            yield "refused", self.refused

    def tables(self) -> Mapping[str, Callable[[], FrameTable]]:
        """Rows: applied, left, removed, renamed."""
        return {
            "applied": lambda: table_of(Applied, lambda: self.applied),
            "left": lambda: table_of(Left, lambda: self.left),
            "removed": lambda: table_of(Removed, lambda: self.removed),
            "renamed": lambda: table_of(Renamed, lambda: self.renamed),
        }
