"""Rules with a common key → the outlines of their problems, kept for entries that are alike."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterable
from functools import lru_cache

from urlset.checking.declare import AnyRule
from urlset.checking.subjects import Sitemap
from urlset.findings.finding import Problem
from urlset.findings.fix import Fix, Safety
from urlset.findings.severity import Severity
from urlset.model.place import Place

_MOST = 1 << 14
_START = Place(0)
Outlined = tuple[tuple[AnyRule, tuple[Problem, ...]], ...]


@lru_cache(256)
def outline(count: int = 1, severity: Severity | None = None, safety: Safety | None = None) -> Problem:
    """A problem of which only the number is needed."""
    return Problem(_START, "", None if safety is None else Fix("", (), safety), count=count, severity=severity)


def outlines_of(problems: Iterable[Problem]) -> tuple[Problem, ...]:
    """Problems without place, message and edits: their severity, and whether they have a fix."""
    return tuple([outline(each.count, each.severity, each.fix.safety if each.fix else None) for each in problems])


def placed(found: Problem, offset: int) -> Problem:
    """The outline of a problem that begins in the entry at the offset."""
    return Problem(Place(offset), "", found.fix, count=found.count, severity=found.severity)


class AlikeRules:
    """Rules with the same key, and the outlines of what they found, by key."""

    __slots__ = ("_known", "key", "rules")

    def __init__(self, key: Callable[[Sitemap, int], Hashable], rules: list[AnyRule]) -> None:
        self.key = key
        self.rules = rules
        self._known: dict[Hashable, Outlined] = {}

    def outlined(self, key: Hashable) -> Outlined | None:
        """The rules with problems in entries with this key; None if no entry was checked."""
        return self._known.get(key)

    def keep(self, key: Hashable, found: Iterable[tuple[AnyRule, list[Problem]]]) -> None:
        """Bounded, because a file can have as many keys as entries."""
        if len(self._known) < _MOST:
            self._known[key] = tuple([(rule, outlines_of(problems)) for rule, problems in found if problems])
