"""Byte edits with a title and a stated safety."""

from __future__ import annotations

from collections.abc import Callable
from enum import StrEnum

import msgspec

from urlset.model.columns import Edit
from urlset.model.place import Place

ON_REQUEST = frozenset({"F008", "F009", "F010", "F013"})
"""codes whose fix drops what is right but of no use: applied only when named with `only`"""


class Safety(StrEnum):
    """Whether the meaning of the sitemap stays the same."""

    SAFE = "safe"
    REVIEW = "review"


class Fix(msgspec.Struct, frozen=True):
    """What would mend a problem."""

    title: str
    supply: tuple[Edit, ...] | Callable[[], tuple[Edit, ...]]
    """the edits, or what works them out: for thousands of entries that is worth putting off"""
    safety: Safety = Safety.SAFE

    @property
    def edits(self) -> tuple[Edit, ...]:
        return self.supply if isinstance(self.supply, tuple) else self.supply()


def replace(place: Place | Callable[[], Place], text: str | bytes, title: str, safety: Safety = Safety.SAFE) -> Fix:
    """The commonest fix: these bytes become those."""
    new = text.encode() if isinstance(text, str) else text
    return Fix(title, (Edit(place, new),) if isinstance(place, Place) else lambda: (Edit(place(), new),), safety)


def delete(place: Place | Callable[[], Place], title: str, safety: Safety = Safety.SAFE) -> Fix:
    return replace(place, b"", title, safety)
