"""The entries of one document as parallel columns: filled by a scanner, read by all other code."""

from __future__ import annotations

from array import array
from bisect import bisect_left
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from collections.abc import Set as AbstractSet
from itertools import count, repeat
from operator import add, eq, le, lt, mul
from typing import TYPE_CHECKING, Any, ClassVar, Final, Protocol, overload

import msgspec

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

    def text(self, row: int, field: int, columns: Columns) -> str | None:
        """One text of one of the rows it took last."""

    def repeated(self, columns: Columns) -> tuple[int, int]:
        """How many rows repeat an address, and how many its path; or more, by chance and where it is not known."""

    def counts(self, field: int) -> dict[str | None, int] | None:
        """How often each text was met, None and then by first appearance; None when there were too many."""


TEXTS: Final = ("locs", "lastmods", "changefreqs", "priorities")
"""the columns that hold texts"""

_MANY = (1 << 32, 1 << 32)
_EXTENDED_MARKS = bytes(mark for mark in range(256) if mark & Mark.EXTENDED)


class Columns:
    """Raw texts (None where absent), byte ranges and marks, one item per entry.

    A column of texts may be put off: it is made on first use, and is a list like any other then.
    """

    __slots__ = (
        "_begun",
        "_counts",
        "_extended",
        "_repeats",
        "changefreqs",
        "comments",
        "edits",
        "ends",
        "lastmods",
        "locs",
        "marks",
        "once_ranges",
        "outside",
        "prefixes",
        "priorities",
        "signals",
        "starts",
        "taker",
        "usual_ranges",
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
        self.once_ranges: list[tuple[int, int]] = []
        """Byte ranges, in order, of entries with nothing that is escaped twice, nor in comments and sections at all"""
        self.usual_ranges: list[tuple[int, int]] = []
        """Byte ranges, in order, of entries without declarations, instructions, attributes with a prefix, and tags in
        comments and sections, and without elements with other prefixes than those in `prefixes`"""
        self.prefixes: set[bytes] = set()
        """with their colons"""
        self.taker: LazyTexts | None = None
        """who can make the columns that are put off; None when none is"""
        self._begun: dict[str, list[str | None]] = {}
        """the columns that are put off, as far as they were made"""
        self._extended = (0, False)
        self._repeats = (0, (0, 0))
        self._counts: dict[str, tuple[int, Counter[str | None]]] = {}
        """by column, and for how many rows"""

    def __len__(self) -> int:
        return len(self.starts)

    def beside_usual(self, start: int, stop: int) -> Iterator[tuple[int, int]]:
        """The byte ranges between `start` and `stop` in which other than usual entries may occur."""
        return _beside(self.usual_ranges, start, stop)

    def beside_once(self, start: int, stop: int) -> Iterator[tuple[int, int]]:
        """The same for references that are escaped twice."""
        return _beside(self.once_ranges, start, stop)

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
        return self._known_repeats()[0] == 0

    def paths_repeat_rarely(self, most: int) -> bool:
        """Whether a scanner can say that at most so many addresses repeat what another has before its query."""
        return self._known_repeats()[1] <= most

    def _known_repeats(self) -> tuple[int, int]:
        if self._repeats[0] != len(self) and self.taker is not None:
            self._repeats = len(self), self.taker.repeated(self)
        return self._repeats[1] if self._repeats[0] == len(self) else _MANY

    def loc(self, row: int) -> str | None:
        return self.text("locs", row)

    def text(self, column: str, row: int) -> str | None:
        """One text of a column, without making the others."""
        begun = self.begun(column)
        if self.taker is None or row < len(begun):
            return begun[row]
        return self.taker.text(row, TEXTS.index(column), self)

    def counts(self, column: str) -> Counter[str | None]:
        """How often each text occurs in a column, which is not made if a scanner knows; cached, so do not change it."""
        rows, found = self._counts.get(column, (-1, None))
        if found is None or rows != len(self):
            known = None
            if self.taker is not None and self.taker.rows == len(self):
                known = self.taker.counts(TEXTS.index(column))
            found = Counter(getattr(self, column) if known is None else known)
            self._counts[column] = len(self), found
        return found

    def different(self, column: str) -> AbstractSet[str | None]:
        """The different texts of a column."""
        return self.counts(column).keys()

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
        self._counts = {}
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


def _beside(ranges: Iterable[tuple[int, int]], start: int, stop: int) -> Iterator[tuple[int, int]]:
    for begin, end in ranges:
        if start < begin < stop:
            yield start, begin
        start = max(start, end)
    if start < stop:
        yield start, stop


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


# Edits → columns of offsets, lengths and texts, so a million of them are a few numbers each.

_SHARED = 8
_MOST_SHARED = 4096


class Edit(msgspec.Struct, frozen=True, gc=False):
    """One repair: these source bytes were read as if they were `text`."""

    place: Place
    text: bytes


EditParts = tuple[int, int, bytes]
"""offset, length and text of an edit"""


def parts_of(edits: Sequence[Edit]) -> list[EditParts]:
    """Each edit once, by place."""
    if isinstance(edits, Edits):
        found = list(edits.triples())
    else:
        found = [(edit.place.offset, edit.place.length, edit.text) for edit in edits]
    return found if len(found) < 2 else sorted(set(found))


class Edits(Sequence[Edit]):
    """A sequence of edits that makes each of them on access.

    An edit takes 24 bytes and its text, and short texts are kept once for all edits that write them.
    """

    __slots__ = ("_apart", "_known", "lengths", "offsets", "texts")

    def __init__(self, edits: Iterable[Edit] = ()) -> None:
        self.offsets: array[int] = array("Q")
        self.lengths: array[int] = array("Q")
        self.texts: list[bytes] = []
        self._known: dict[bytes, bytes] = {}
        self._apart = (0, True)
        """for how many of them it is known whether they are apart"""
        self.extend((edit.place.offset, edit.place.length, edit.text) for edit in edits)

    def add(self, offset: int, length: int, text: bytes) -> None:
        self.offsets.append(offset)
        self.lengths.append(length)
        self.texts.append(self.shared(text))

    def extend(self, edits: Iterable[EditParts]) -> None:
        for parts in edits:
            self.add(*parts)

    def shared(self, text: bytes) -> bytes:
        """The same text, as an object that other edits have too where it is short."""
        if len(text) > _SHARED:
            return text
        known = self._known.get(text)
        if known is None:
            known = text
            if len(self._known) < _MOST_SHARED:
                self._known[text] = text
        return known

    def part(self, start: int, stop: int) -> Edits:
        found = Edits()
        found.offsets, found.lengths = self.offsets[start:stop], self.lengths[start:stop]
        found.texts = self.texts[start:stop]
        return found

    def triples(self) -> Iterator[EditParts]:
        """The parts of each, without an object for it."""
        return zip(self.offsets, self.lengths, self.texts, strict=True)

    def in_order(self) -> Edits:
        """By place; itself where they are in order already, which most are."""
        if self.are_apart():
            return self
        rows, width = len(self), max(self.lengths) + 1
        places = map(add, map(mul, self.offsets, repeat(width)), self.lengths)
        # one number for each: a tuple for each takes more memory than the edits
        keys = sorted(map(add, map(mul, places, repeat(rows)), range(rows)))
        order = array("Q", (key % rows for key in keys))
        return self if all(map(eq, order, count())) else self.picked(order)

    def ends(self) -> array[int]:
        return array("Q", map(add, self.offsets, self.lengths))

    def are_apart(self) -> bool:
        """Whether they are in order, start at different places, and do not overlap; kept for the next question."""
        if self._apart[0] != len(self):
            following = self.offsets[1:]
            apart = all(map(lt, self.offsets, following)) and all(map(le, self.ends(), following))
            self._apart = len(self), apart
        return self._apart[1]

    def picked(self, numbers: Iterable[int]) -> Edits:
        """Some of them, in that order."""
        found = Edits()
        chosen = array("Q", numbers)
        found.offsets.extend(map(self.offsets.__getitem__, chosen))
        found.lengths.extend(map(self.lengths.__getitem__, chosen))
        found.texts = list(map(self.texts.__getitem__, chosen))
        return found

    def __len__(self) -> int:
        return len(self.texts)

    @overload
    def __getitem__(self, at: int) -> Edit: ...
    @overload
    def __getitem__(self, at: slice) -> tuple[Edit, ...]: ...
    def __getitem__(self, at: int | slice) -> Edit | tuple[Edit, ...]:
        if isinstance(at, slice):
            return tuple(self[each] for each in range(*at.indices(len(self))))
        return Edit(Place(self.offsets[at], self.lengths[at]), self.texts[at])

    def __iter__(self) -> Iterator[Edit]:
        return (Edit(Place(offset, length), text) for offset, length, text in self.triples())

    def __eq__(self, other: object) -> bool:
        if isinstance(other, Edits):
            return (self.offsets, self.lengths, self.texts) == (other.offsets, other.lengths, other.texts)
        return isinstance(other, Sequence) and len(self) == len(other) and all(map(eq, self, other))

    __hash__ = None  # type: ignore[assignment]  # it grows

    def __repr__(self) -> str:
        return f"Edits({list(self)!r})"


class RowEdits(Mapping[int, Sequence[Edit]]):
    """Edits by row, for the few rows that have some; rows are added in rising order."""

    __slots__ = ("_edits", "_rows", "_stops")

    def __init__(self) -> None:
        self._rows: array[int] = array("Q")
        self._stops: array[int] = array("Q", [0])
        self._edits = Edits()

    def __setitem__(self, row: int, edits: Iterable[Edit]) -> None:
        assert not self._rows or row > self._rows[-1]
        columns = edits if isinstance(edits, Edits) else Edits(edits)
        self.put(row, columns.offsets, columns.lengths, columns.texts)

    def put(self, row: int, offsets: Iterable[int], lengths: Iterable[int], texts: Iterable[bytes]) -> None:
        """The edits of a row in columns, without an object for each."""
        self._edits.offsets.extend(offsets)
        self._edits.lengths.extend(lengths)
        self._edits.texts.extend(map(self._edits.shared, texts))
        self._rows.append(row)
        self._stops.append(len(self._edits))

    def __getitem__(self, row: int) -> Sequence[Edit]:
        if row not in self:
            raise KeyError(row)
        return self._edits.part(*self._span(row))

    def writing(self, row: int, text: bytes) -> list[int]:
        """The offsets of the edits of a row that write this text."""
        start, stop = self._span(row)
        return [self._edits.offsets[at] for at in range(start, stop) if self._edits.texts[at] == text]

    def matched(self, places: Iterable[tuple[int, int, int]]) -> Iterator[Edit | None]:
        """For row, offset and length of one trouble after another the edit that it led to.

        Troubles and edits of a row have the same order, but an edit may have no trouble.
        """
        offsets, lengths, texts = self._edits.offsets, self._edits.lengths, self._edits.texts
        before, at, stop = -1, 0, 0
        for row, offset, length in places:
            if row != before:
                before = row
                at, stop = self._span(row)
            found = None
            while at < stop and found is None:
                if offsets[at] == offset and lengths[at] == length:
                    found = Edit(Place(offset, length), texts[at])
                at += 1
            yield found

    def _span(self, row: int) -> tuple[int, int]:
        """Where the edits of a row begin and end in the columns."""
        at = bisect_left(self._rows, row) if row >= 0 else len(self._rows)
        if at == len(self._rows) or self._rows[at] != row:
            return 0, 0
        return self._stops[at], self._stops[at + 1]

    def __contains__(self, row: object) -> bool:
        if not self._rows or not isinstance(row, int):
            return False
        return self._rows[(at := bisect_left(self._rows, row)) : at + 1].tolist() == [row]

    def __iter__(self) -> Iterator[int]:
        return iter(self._rows)

    def __len__(self) -> int:
        return len(self._rows)
