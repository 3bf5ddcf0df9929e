"""How severe a finding is, in a comparable order."""

from __future__ import annotations

from enum import StrEnum


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
