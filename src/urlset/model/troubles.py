"""Troubles → columns of kinds, places, rows and details, so a million of them are a few numbers each."""

from __future__ import annotations

import re
from array import array
from collections.abc import Iterable, Iterator, Sequence
from typing import Final, Self, overload

from urlset.model.place import Place
from urlset.model.trouble import Trouble, TroubleKind

_KINDS: Final = tuple(TroubleKind)
_NUMBERS: Final = {kind: number for number, kind in enumerate(_KINDS)}
_MOST_SHARED = 4096


class Troubles(Sequence[Trouble]):
    """A sequence of troubles that makes each of them on access.

    A trouble takes 33 bytes, and its detail where few others have the same.
    """

    __slots__ = ("_details", "_known", "_lengths", "_numbers", "_offsets", "_rows")

    def __init__(self, troubles: Iterable[Trouble] = ()) -> None:
        self._numbers = bytearray()
        self._offsets: array[int] = array("Q")
        self._lengths: array[int] = array("Q")
        self._rows: array[int] = array("q")
        self._details: list[str] = []
        self._known: dict[str, str] = {}
        self += troubles

    def append(self, trouble: Trouble) -> None:
        self.add(trouble.kind, trouble.place.offset, trouble.place.length, trouble.detail, trouble.row)

    def add(self, kind: TroubleKind, offset: int, length: int, detail: str, row: int | None = None) -> None:
        self._numbers.append(_NUMBERS[kind])
        self._offsets.append(offset)
        self._lengths.append(length)
        self._rows.append(-1 if row is None else row)
        known = self._known.get(detail)
        if known is None:
            known = detail
            if len(self._known) < _MOST_SHARED:
                self._known[detail] = detail
        self._details.append(known)

    def __iadd__(self, troubles: Iterable[Trouble]) -> Self:
        if isinstance(troubles, Troubles):
            self._numbers += troubles._numbers
            self._offsets.extend(troubles._offsets)
            self._lengths.extend(troubles._lengths)
            self._rows.extend(troubles._rows)
            self._details.extend(troubles._details)
        else:
            for trouble in troubles:
                self.append(trouble)
        return self

    def in_order(self) -> Troubles:
        """By offset; itself where they are in order already."""
        offsets = self._offsets
        if all(offsets[at - 1] <= offsets[at] for at in range(1, len(offsets))):
            return self
        return self._picked(sorted(range(len(self)), key=offsets.__getitem__))

    def of(self, kinds: Iterable[TroubleKind]) -> Iterator[Trouble]:
        """Those of some kinds, in order; the others cost next to nothing."""
        if not self._numbers:
            return iter(())
        wanted = re.compile(b"[" + b"".join(re.escape(bytes([_NUMBERS[kind]])) for kind in kinds) + b"]")
        return (self[found.start()] for found in wanted.finditer(self._numbers))

    def has(self, *kinds: TroubleKind) -> bool:
        return any(_NUMBERS[kind] in self._numbers for kind in kinds)

    def count_of(self, kind: TroubleKind) -> int:
        return self._numbers.count(_NUMBERS[kind])

    def kinds(self) -> Iterator[TroubleKind]:
        return (_KINDS[number] for number in self._numbers)

    def rows(self) -> set[int]:
        """The entries that some of them are about."""
        found = set(self._rows)
        found.discard(-1)
        return found

    def __len__(self) -> int:
        return len(self._details)

    @overload
    def __getitem__(self, at: int) -> Trouble: ...
    @overload
    def __getitem__(self, at: slice) -> tuple[Trouble, ...]: ...
    def __getitem__(self, at: int | slice) -> Trouble | tuple[Trouble, ...]:
        if isinstance(at, slice):
            return tuple(self[each] for each in range(*at.indices(len(self))))
        row = self._rows[at]
        place = Place(self._offsets[at], self._lengths[at])
        return Trouble(_KINDS[self._numbers[at]], place, self._details[at], None if row < 0 else row)

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Sequence) and len(self) == len(other) and all(map(_same, self, other))

    __hash__ = None  # type: ignore[assignment]  # it grows

    def __repr__(self) -> str:
        return f"Troubles({list(self)!r})"

    def _picked(self, numbers: Sequence[int]) -> Troubles:
        found = Troubles()
        found._numbers = bytearray(self._numbers[at] for at in numbers)
        found._offsets = array("Q", (self._offsets[at] for at in numbers))
        found._lengths = array("Q", (self._lengths[at] for at in numbers))
        found._rows = array("q", (self._rows[at] for at in numbers))
        found._details = [self._details[at] for at in numbers]
        return found


def _same(one: object, other: object) -> bool:
    return one == other
