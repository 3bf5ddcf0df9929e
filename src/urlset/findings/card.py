"""A rule's public facts: everything that reports, docs, and history need."""

from __future__ import annotations

import msgspec

from urlset.findings.severity import Severity, worst
from urlset.spec.engines import Engine


class Card(msgspec.Struct, frozen=True):
    """Code and name never change and are never reused."""

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
