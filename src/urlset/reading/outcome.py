"""How one pass over a document ended: where, why, and what was open then."""

from __future__ import annotations

from collections.abc import Sequence
from enum import Enum

import msgspec

from urlset.reading.frame import OpenTag


class Stop(Enum):
    """Why a pass ended."""

    ENOUGH = "enough rows"
    ROOT_CLOSED = "root closed"
    MALFORMED = "malformed"
    NESTED_ROW = "a row begins inside a row"
    ROWLESS_FIELD = "a field is outside any row"
    TOO_DEEP = "too deep"
    TOKEN_TOO_LONG = "token too long"
    TOO_MANY = "too many entries, comments or other elements"
    END = "unexpected end of data"


class Halt(Exception):  # noqa: N818 - not an error: it stops the parser from inside a handler
    """Raised by a handler to end the pass at `at`."""

    def __init__(self, stop: Stop, at: int) -> None:
        super().__init__(stop.value)
        self.stop = stop
        self.at = at


class Container(msgspec.Struct, frozen=True):
    """An element that is open around the rows; expected for <channel>, not for anything else."""

    tag: OpenTag
    expected: bool


class PassEnd:
    """Where and why a pass ended, and what was open then."""

    __slots__ = ("at", "code", "opened", "row_start", "stop")

    def __init__(
        self, stop: Stop, at: int, *, code: int = 0, row_start: int | None = None, opened: Sequence[int] = ()
    ) -> None:
        self.stop = stop
        self.at = at
        self.code = code
        self.row_start = row_start
        self.opened = opened
        """for a nested row: where the elements around it begin, from the outer row on"""
