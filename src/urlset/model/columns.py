"""The entries of one document as parallel columns: filled by a scanner, read by all other code."""

from __future__ import annotations

from array import array
from collections.abc import Collection, Iterator
from typing import TYPE_CHECKING, Any, ClassVar, Final, Protocol

import msgspec

from urlset.model.edits import Edit, RowEdits
from urlset.model.place import Place

__all__ = ["TEXTS", "Columns", "Edit", "EntryFields", "LazyTexts", "Mark"]


class Mark:
    """What is out of the ordinary about a row, so only such rows are looked at closely.

    Plain integers: an IntFlag costs a microsecond per operation, and there are millions.
    """

    EXTENDED: Final = 1
    """carries elements of another namespace"""
    IRREGULAR: Final = 2
    """core elements that are unknown, repeated, nested or in another spelling, or stray text"""
    SALVAGED: Final = 4
    """was not well-formed; read after repairs"""
    COMMENTED: Final = 8
    """has a comment or processing instruction inside"""
    DISORDERED: Final = 16
    """a core field comes after one that it should precede, or after an element of another namespace"""
    ATTRIBUTED: Final = 32
    """the entry or one of its core fields has attributes"""
    ODD: Final = IRREGULAR | DISORDERED | ATTRIBUTED
    """core structure is not canonical, for any of these reasons"""


class LazyTexts(Protocol):
    """A scanner that finds the texts of the rows it took again, so they need not be made at once."""

    @property
    def rows(self) -> int:
        """How many it took."""

    def fill(self, texts: list[str | None], field: int, columns: Columns) -> None:
        """Append one text for each row that has none yet; the fields are counted as in TEXTS."""

    def loc(self, row: int, columns: Columns) -> str:
        """The address of one of the rows it took last."""

    def all_differ(self, columns: Columns) -> bool:
        """Whether no two of the addresses are written alike for sure; asked only when it took all rows."""

    def counts(self, field: int) -> dict[str | None, int] | None:
        """How often each text was met, None and then by first appearance; None when there were too many."""


TEXTS: Final = ("locs", "lastmods", "changefreqs", "priorities")
"""the columns that hold texts"""

_EXTENDED_MARKS = bytes(mark for mark in range(256) if mark & Mark.EXTENDED)


class Columns:
    """Raw texts (None where absent), byte ranges and marks, one item per entry.

    A column of texts may be put off: it is made on first use, and is a list like any other then.
    """

    __slots__ = (
        "_begun",
        "_extended",
        "changefreqs",
        "comments",
        "edits",
        "ends",
        "lastmods",
        "locs",
        "marks",
        "outside",
        "plain_ranges",
        "priorities",
        "signals",
        "starts",
        "taker",
    )

    few: ClassVar[int] = 512
    """the texts of fewer rows are made at once: they cost less than the scanner that could make them later"""

    def __init__(self) -> None:
        self.locs: list[str | None] = []
        self.lastmods: list[str | None] = []
        self.changefreqs: list[str | None] = []
        self.priorities: list[str | None] = []
        self.starts: array[int] = array("Q")
        self.ends: array[int] = array("Q")
        self.marks = bytearray()
        self.edits = RowEdits()
        """Repairs by row, for salvaged rows only, ordered by place."""
        self.comments: list[Place] = []
        self.outside: list[int] = []
        """where elements begin that are between the entries and are not entries"""
        self.signals: array[int] = array("Q")
        """what addresses raise (`spec/signals.py`), by row; shorter where a scanner did not judge the last rows"""
        self.plain_ranges: list[tuple[int, int]] = []
        """Byte ranges, in order, with nothing in them but whitespace and entries without attributes, extensions,
        comments, sections, quotes, and references other than `&amp;` in front of text that is not escaped twice"""
        self.taker: LazyTexts | None = None
        """who can make the columns that are put off; None when none is"""
        self._begun: dict[str, list[str | None]] = {}
        """the columns that are put off, as far as they were made"""
        self._extended = (0, False)

    def __len__(self) -> int:
        return len(self.starts)

    def outside_fast_path(self, start: int, stop: int) -> Iterator[tuple[int, int]]:
        """The byte ranges between `start` and `stop` in which something other than plain entries may occur."""
        for begin, end in self.plain_ranges:
            if start < begin < stop:
                yield start, begin
            start = max(start, end)
        if start < stop:
            yield start, stop

    @property
    def extended(self) -> bool:
        """Whether any row carries elements of another namespace; kept, because a dozen rules ask."""
        rows, found = self._extended
        if rows != len(self.marks):
            rows, found = len(self.marks), len(self.marks) != len(self.marks.translate(None, _EXTENDED_MARKS))
            self._extended = rows, found
        return found

    def listed_once(self) -> bool:
        """Whether a scanner can say that no two addresses are the same, whitespace included."""
        return self.taker is not None and self.taker.rows == len(self) and self.taker.all_differ(self)

    def loc(self, row: int) -> str | None:
        """One address, without making the others."""
        begun = self._begun.get("locs")
        if begun is None or self.taker is None or row < len(begun):
            return self.locs[row]
        return self.taker.loc(row, self)

    def counts(self, column: str) -> dict[str | None, int] | None:
        """How often each text occurs in a column, the texts by first appearance; None when no scanner knows."""
        if self.taker is None or self.taker.rows != len(self):
            return None
        return self.taker.counts(TEXTS.index(column))

    def different(self, column: str) -> Collection[str | None]:
        """The different texts of a column, which is not made for it where a scanner knows them."""
        known = self.counts(column)
        return set(getattr(self, column)) if known is None else known.keys()

    def settle(self, reader: object) -> None:
        """Make what a scanner other than this reader put off: no other can."""
        if self.taker is not None and self.taker is not reader:
            self._make()

    def put_off(self, taker: LazyTexts) -> None:
        """The texts of the rows that this scanner is about to append are made on first use."""
        if taker is not self.taker:
            self._make()
            self.taker = taker
        for column in TEXTS:
            if column not in self._begun:
                self._begun[column] = getattr(self, column)
                delattr(self, column)

    def begun(self, column: str) -> list[str | None]:
        """A column as far as it was made."""
        made: list[str | None] = self._begun[column] if column in self._begun else getattr(self, column)
        return made

    def _make(self) -> None:
        """All columns that were put off."""
        for column in TEXTS:
            getattr(self, column)

    if not TYPE_CHECKING:  # the columns are known by name; other names are mistakes

        def __getattr__(self, name: str) -> list[str | None]:
            """A column that was put off; the slot is filled, so this runs once."""
            if name not in TEXTS:
                raise AttributeError(f"Columns have no {name!r}")
            taker, texts = self.taker, self._begun.get(name)
            if taker is None or texts is None:  # another thread made it in this moment
                return object.__getattribute__(self, name)
            taker.fill(texts, TEXTS.index(name), self)
            setattr(self, name, texts)
            self._begun.pop(name, None)
            if not self._begun:
                self.taker = None
            return texts

    def __getstate__(self) -> Any:
        """Copies and pickles have the texts, not the scanner."""
        self._make()
        return object.__getstate__(self)

    def append(self, row: EntryFields) -> None:
        self.locs.append(row.loc)
        self.lastmods.append(row.lastmod)
        self.changefreqs.append(row.changefreq)
        self.priorities.append(row.priority)
        self.starts.append(row.start)
        self.ends.append(row.end)
        self.marks.append(row.mark)

    def place(self, row: int) -> Place:
        return Place(self.starts[row], self.ends[row] - self.starts[row])


class EntryFields(msgspec.Struct):
    """One entry while it is being read."""

    start: int
    end: int = 0
    mark: int = 0
    loc: str | None = None
    lastmod: str | None = None
    changefreq: str | None = None
    priority: str | None = None
    permalink: str | None = None
    """RSS: the guid, where it is an address; the loc of an item without a link"""
