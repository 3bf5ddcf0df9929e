"""A rule's public facts: its severity, and everything that reports, docs, and history need."""

from __future__ import annotations

from enum import StrEnum

import msgspec

from urlset.model.shown import Shown
from urlset.spec.engines import Engine

# How severe a finding is, in a comparable order.


class Severity(StrEnum):
    """error: crawlers lose something; warning: a risk; info: worth knowing."""

    ERROR = "error"
    WARNING = "warning"
    INFO = "info"

    @property
    def rank(self) -> int:
        """0 for the highest severity."""
        return _ORDER.index(self)

    def at_least(self, other: Severity) -> bool:
        return self.rank <= other.rank


_ORDER = (Severity.ERROR, Severity.WARNING, Severity.INFO)


def worst(severities: list[Severity]) -> Severity:
    return min(severities, key=lambda severity: severity.rank)


class Card(Shown, msgspec.Struct, frozen=True):
    """The facts of a rule. Code and name never change and are never reused."""

    code: str
    name: str
    summary: str
    rationale: str
    severities: dict[Engine, Severity]
    """affected engines, with severities"""
    cites: tuple[str, ...]
    fixable: bool
    since: str = "0.1.0"

    @property
    def family(self) -> str:
        """The letters of the code: one for a rule of urlset, more for one that a package brings."""
        return self.code.rstrip("0123456789")

    @property
    def severity(self) -> Severity:
        """The highest severity under any engine."""
        return worst(list(self.severities.values()))

    def severity_for(self, engines: tuple[Engine, ...]) -> Severity | None:
        """The highest severity under the selected engines; None if none of them is affected."""
        minding = [self.severities[engine] for engine in engines if engine in self.severities]
        return worst(minding) if minding else None

    def minded_by(self, engines: tuple[Engine, ...]) -> tuple[Engine, ...]:
        return tuple(engine for engine in engines if engine in self.severities)
