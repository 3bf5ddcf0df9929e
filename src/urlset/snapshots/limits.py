"""`1%` or `25` → a limit on how many URLs may differ."""

from __future__ import annotations

import re

import msgspec

_LIMIT = re.compile(r"(\d+(?:\.\d+)?)\s*(%?)")


class Limit(msgspec.Struct, frozen=True):
    """A share of the URLs of the old state, or a number of URLs."""

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
