"""The entries of one document as parallel columns: what a scanner fills and everybody else reads."""

from __future__ import annotations

from array import array
from typing import Final

import msgspec

from urlset.model.place import Place


class Mark:
    """What is out of the ordinary about a row, so that only such rows are looked at closely.

    Plain integers: an IntFlag costs a microsecond per operation, and there are millions.
    """

    EXTENDED: Final = 1
    """carries elements of another namespace"""
    ODD: Final = 2
    """core structure is not canonical: attributes, unknown or repeated elements, other order, stray text"""
    SALVAGED: Final = 4
    """was not well-formed; read after repairs"""
    COMMENTED: Final = 8
    """has a comment or processing instruction inside"""
    CANONICAL: Final = 16
    """taken by the fast lane; only a hint for the second look, never a difference in what is read"""


class Edit(msgspec.Struct, frozen=True):
    """One repair: these source bytes were read as if they were `text`."""

    place: Place
    text: bytes


class Columns:
    """Raw texts (None where absent), byte ranges and marks, one item per entry."""

    __slots__ = (
        "changefreqs",
        "comments",
        "edits",
        "ends",
        "lastmods",
        "locs",
        "marks",
        "outside",
        "priorities",
        "starts",
    )

    def __init__(self) -> None:
        self.locs: list[str | None] = []
        self.lastmods: list[str | None] = []
        self.changefreqs: list[str | None] = []
        self.priorities: list[str | None] = []
        self.starts: array[int] = array("Q")
        self.ends: array[int] = array("Q")
        self.marks = bytearray()
        self.edits: dict[int, tuple[Edit, ...]] = {}
        """Repairs by row, for salvaged rows only, ordered by place."""
        self.comments: list[Place] = []
        self.outside: list[int] = []
        """where elements begin that stand between the entries and are none"""

    def __len__(self) -> int:
        return len(self.starts)

    def append(self, row: Row) -> None:
        self.locs.append(row.loc)
        self.lastmods.append(row.lastmod)
        self.changefreqs.append(row.changefreq)
        self.priorities.append(row.priority)
        self.starts.append(row.start)
        self.ends.append(row.end)
        self.marks.append(row.mark)

    def place(self, row: int) -> Place:
        return Place(self.starts[row], self.ends[row] - self.starts[row])


class Row(msgspec.Struct):
    """One entry while it is being read."""

    start: int
    end: int = 0
    mark: int = 0
    loc: str | None = None
    lastmod: str | None = None
    changefreq: str | None = None
    priority: str | None = None
