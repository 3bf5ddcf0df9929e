"""What `urlset diff` compares, and when it fails."""

from __future__ import annotations

import re
from datetime import datetime
from pathlib import Path

import msgspec

from urlset.checking import clock
from urlset.snapshots.block import FIELDS
from urlset.workflows.live.setup import Live

STATE = ".urlset"
_LIMIT = re.compile(r"(\d+(?:\.\d+)?)\s*(%?)")
LIMITED = ("added", "removed", "changed")


class DiffError(Exception):
    """The two states cannot be compared; the message says why and what to do."""


class Limit(msgspec.Struct, frozen=True):
    """`1%` of the URLs of OLD, or a number of URLs."""

    text: str
    number: float
    is_share: bool

    @classmethod
    def parse(cls, text: str) -> Limit:
        """Raises ValueError."""
        found = _LIMIT.fullmatch(text.strip())
        if found is None or (found[2] and float(found[1]) > 100) or (not found[2] and "." in found[1]):
            raise ValueError(f"{text!r} is neither a number of URLs nor a percentage like 1%")
        return cls(text.strip(), float(found[1]), bool(found[2]))

    def exceeded(self, count: int, total: int) -> bool:
        if self.is_share:
            return count * 100 > self.number * total if total else count > 0
        return count > self.number


class DiffOptions(msgspec.Struct, frozen=True, kw_only=True):
    old: str
    """a file, pattern, folder or URL; a snapshot as `TARGET@WHEN` or by the path of its file"""
    new: str
    state: Path = Path(STATE)
    fields: tuple[str, ...] = FIELDS
    """whose change counts"""
    ignore_host: bool = False
    """compare paths and queries only"""
    renames: bool = True
    redirects: Path | None = None
    """known redirects: `OLD NEW` lines, or CSV"""
    require_all: bool = False
    """every URL of OLD must be in NEW"""
    limits: dict[str, Limit] = {}
    """by the names in LIMITED"""
    root: str | None = None
    now: datetime = msgspec.field(default_factory=clock.now)
    live: Live | None = None
