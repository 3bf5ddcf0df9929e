"""The output of a rule (Problem), its fix (Fix), and the reported result (Finding)."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from enum import StrEnum

import msgspec

from urlset.findings.card import Severity
from urlset.model.columns import Edit
from urlset.model.place import Place
from urlset.model.shown import Shown
from urlset.spec.engines import Engine

# Byte edits with a title and a stated safety.

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


class Problem(msgspec.Struct, frozen=True):
    """One problem: its place, the fact, and the consequence."""

    where: Place | Callable[[], Place]
    """the bytes, or a function that computes them: for thousands of entries this is deferred"""
    words: str | Callable[[], str]
    """the message, deferred likewise where it is expensive"""
    fix: Fix | None = None
    subject: str | None = None
    """the affected URL, if it is not the URL of the current entry"""
    count: int = 1
    """how many entries this problem covers"""
    severity: Severity | None = None
    """only set if this case is milder or more severe than the rule's card"""
    source: str | None = None
    """for rules on a tree: the affected document"""
    row: int | None = None
    """for rules on a tree: the affected entry; its loc is the place"""
    rows: Sequence[int] | Callable[[], Iterator[int]] = ()
    """the covered entries, if there are several; a function if they are expensive to find"""
    places: Sequence[Place] = ()
    """the same for places that are not entries"""

    @property
    def place(self) -> Place:
        return self.where if isinstance(self.where, Place) else self.where()

    @property
    def message(self) -> str:
        return self.words if isinstance(self.words, str) else self.words()


class Excerpt(msgspec.Struct, frozen=True, gc=False):
    """The source line, cut to a window around the problem; `start` and `length` in characters of `text`."""

    text: str
    start: int
    length: int
    cut_left: bool = False
    cut_right: bool = False


class Spot(msgspec.Struct, frozen=True, gc=False):
    """The place of one of several entries covered by a finding."""

    line: int
    offset: int
    length: int
    subject: str | None = None


class FixNote(msgspec.Struct, frozen=True, gc=False):
    """The part of a fix that reports show; the edits stay with the problem."""

    title: str
    safety: str


class Finding(Shown, msgspec.Struct, frozen=True, gc=False):
    """A problem with its rule, severity, and readable place: complete, so a report only formats it."""

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
    places: tuple[Spot, ...] = ()
    """of the covered entries, up to the cap; empty if it covers one"""


# Values in messages: text and bytes in quotes, truncated when long; alternatives joined by "or".

_LONGEST = 80


def quoted(text: str) -> str:
    """`'2026-11-15'`; longer text ends with an ellipsis inside the quotes."""
    return repr(text if len(text) <= _LONGEST else f"{text[: _LONGEST - 1]}…")


def quoted_bytes(data: bytes) -> str:
    """Decoded as UTF-8 where possible; truncated first, because a message shows only a part."""
    return quoted(data[:400].decode("utf-8", "replace"))


def alternatives(words: tuple[str, ...]) -> str:
    """`http or https`, `http, https or ftp`."""
    return f"{', '.join(words[:-1])} or {words[-1]}" if len(words) > 1 else "".join(words)
