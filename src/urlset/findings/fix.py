"""Byte edits with a title and a stated safety."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from enum import StrEnum

import msgspec

from urlset.model.columns import Edit
from urlset.model.place import Place

ON_REQUEST = frozenset({"F008", "F009", "F010", "F013"})
"""codes whose fix removes correct but useless data: applied only if selected with `only`"""


class Safety(StrEnum):
    """Whether the meaning of the sitemap stays the same."""

    SAFE = "safe"
    REVIEW = "review"


class Fix(msgspec.Struct, frozen=True):
    """The change that fixes a problem."""

    title: str
    supply: Sequence[Edit] | Callable[[], Sequence[Edit]]
    """the edits, or a function that computes them: for thousands of entries this is deferred"""
    safety: Safety = Safety.SAFE

    @property
    def edits(self) -> Sequence[Edit]:
        return self.supply() if callable(self.supply) else self.supply


def replace(place: Place | Callable[[], Place], text: str | bytes, title: str, safety: Safety = Safety.SAFE) -> Fix:
    """The most common fix: replace these bytes."""
    new = text.encode() if isinstance(text, str) else text
    return Fix(title, (Edit(place, new),) if isinstance(place, Place) else lambda: (Edit(place(), new),), safety)


def delete(place: Place | Callable[[], Place], title: str, safety: Safety = Safety.SAFE) -> Fix:
    return replace(place, b"", title, safety)
