"""The entries of one document as parallel columns: what a scanner fills and everybody else reads."""

from __future__ import annotations

from array import array
from collections.abc import Iterator
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


class Hint:
    """What a scanner found out about a row on its way, so that nobody has to look again."""

    PLAIN_LOC: Final = 1
    """the address is one in which no rule can find anything"""
    PLAIN_FIELDS: Final = 2
    """the other fields are absent or written the usual way; only the dates are still to be held against the clock"""
    SAME_HEAD: Final = 4
    """plain, and begins with the scheme and host of the last plain address before it"""
    SLASHED: Final = 8
    """plain, and its path ends with a slash"""


class Edit(msgspec.Struct, frozen=True):
    """One repair: these source bytes were read as if they were `text`."""

    place: Place
    text: bytes


_WITH = {bit: bytes(hint for hint in range(256) if hint & bit) for bit in (1, 2, 4, 8)}

_NOT_EXTENDED = bytes(mark for mark in range(256) if not mark & Mark.EXTENDED)


class Columns:
    """Raw texts (None where absent), byte ranges and marks, one item per entry."""

    __slots__ = (
        "changefreqs",
        "comments",
        "edits",
        "ends",
        "hints",
        "lastmods",
        "locs",
        "marks",
        "newest_day",
        "outside",
        "plain_ranges",
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
        self.hints = bytearray()
        """Hint bits by row; shorter than the columns where a scanner knows nothing of the last rows"""
        self.newest_day = 0
        """the latest lastmod of all rows with PLAIN_FIELDS, as a number such as 20261115"""
        self.plain_ranges: list[tuple[int, int]] = []
        """Byte ranges, in order, with nothing in them but white space and entries that are plain in all parts"""

    def __len__(self) -> int:
        return len(self.starts)

    def beside_plain(self, start: int, stop: int) -> Iterator[tuple[int, int]]:
        """The byte ranges between `start` and `stop` in which something other than plain entries may stand."""
        for begin, end in self.plain_ranges:
            if start < begin < stop:
                yield start, begin
            start = max(start, end)
        if start < stop:
            yield start, stop

    @property
    def extended(self) -> bool:
        """Whether any row carries elements of another namespace."""
        return bool(self.marks.translate(None, _NOT_EXTENDED))

    def hinted(self, hint: int) -> int:
        """How many rows have this hint."""
        return len(self.hints) - len(self.hints.translate(None, _WITH[hint]))

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
