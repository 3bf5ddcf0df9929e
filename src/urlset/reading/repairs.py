"""Repairs of one stretch → columns: what was wrong, where, and the edit that removes it."""

from __future__ import annotations

from collections.abc import Collection, Iterator
from itertools import repeat

import msgspec

from urlset.model.edits import Edit, Edits
from urlset.model.place import Place
from urlset.model.trouble import TroubleKind, Troubles


class Repair(msgspec.Struct, frozen=True):
    """One edit and the trouble that called for it."""

    kind: TroubleKind
    edit: Edit
    detail: str


class Repairs:
    """Repairs in columns: a stretch of bytes may have millions."""

    def __init__(self) -> None:
        self._kinds: list[TroubleKind] = []
        self._details: list[str] = []
        self.edits = Edits()

    def __len__(self) -> int:
        return len(self._kinds)

    def __iter__(self) -> Iterator[Repair]:
        return map(Repair, self._kinds, self.edits, self._details)

    def add(self, kind: TroubleKind, place: Place, text: bytes, detail: str) -> None:
        self._kinds.append(kind)
        self._details.append(detail)
        self.edits.add(place.offset, place.length, text)

    def add_run(self, kind: TroubleKind, places: range, text: bytes, detail: str) -> None:
        """The same repair of single bytes beside each other."""
        self._kinds += [kind] * len(places)
        self._details += [detail] * len(places)
        self.edits.offsets.extend(places)
        self.edits.lengths.extend(repeat(1, len(places)))
        self.edits.texts += [self.edits.shared(text)] * len(places)

    def in_order(self) -> Repairs:
        return self if self.edits.in_order() is self.edits else self.up_to(None)

    def up_to(self, offset: int | None) -> Repairs:
        """Those that begin there or before, by place."""
        offsets, lengths = self.edits.offsets, self.edits.lengths
        chosen = [at for at in range(len(self)) if offset is None or offsets[at] <= offset]
        chosen.sort(key=lambda at: (offsets[at], lengths[at]))
        found = Repairs()
        found._kinds = [self._kinds[at] for at in chosen]
        found._details = [self._details[at] for at in chosen]
        found.edits = self.edits.picked(chosen)
        return found

    def report(self, troubles: Troubles, row: int | None = None, but: Collection[TroubleKind] = ()) -> None:
        """Each of them as a trouble, but for some kinds."""
        for kind, detail, offset, length in zip(
            self._kinds, self._details, self.edits.offsets, self.edits.lengths, strict=True
        ):
            if kind not in but:
                troubles.add(kind, offset, length, detail, row)
