"""What a rule yields (Problem), and what a reader is told (Finding)."""

from __future__ import annotations

from collections.abc import Callable

import msgspec

from urlset.findings.fix import Fix
from urlset.findings.severity import Severity
from urlset.model.place import Place
from urlset.spec.engines import Engine


class Problem(msgspec.Struct, frozen=True):
    """One fault: where it is, what is there and what that causes."""

    where: Place | Callable[[], Place]
    """the bytes, or what works them out: for thousands of entries that is worth putting off"""
    message: str
    fix: Fix | None = None
    subject: str | None = None
    """the address concerned, when it is not that of the entry at hand"""
    count: int = 1
    """how many entries this one problem stands for"""
    severity: Severity | None = None
    """only when this case is milder or worse than the rule's card says"""
    source: str | None = None
    """for rules on a tree: the document concerned"""
    row: int | None = None
    """for rules on a tree: the entry concerned; its loc is the place"""

    @property
    def place(self) -> Place:
        return self.where if isinstance(self.where, Place) else self.where()


class Excerpt(msgspec.Struct, frozen=True, gc=False):
    """The offending line, windowed around the fault; `start` and `length` in characters of `text`."""

    text: str
    start: int
    length: int
    cut_left: bool = False
    cut_right: bool = False


class FixNote(msgspec.Struct, frozen=True, gc=False):
    """What a report says of a fix; the edits stay with the problem."""

    title: str
    safety: str


class Finding(msgspec.Struct, frozen=True, gc=False):
    """A problem with its rule, severity and human place: complete, so that a report only formats."""

    code: str
    name: str
    severity: Severity
    engines: tuple[Engine, ...]
    message: str
    source: str
    line: int | None = None
    column: int | None = None
    offset: int | None = None
    length: int = 0
    end_line: int | None = None
    end_column: int | None = None
    subject: str | None = None
    fix: FixNote | None = None
    count: int = 1
    excerpt: Excerpt | None = None
