"""The times of all answers → how fast the parts of a site are."""

from __future__ import annotations

import random
from collections import Counter

import msgspec

from urlset.auditing.sections import section_of
from urlset.model.visit import State, Visit

MOST_SECTIONS = 200
_MEDIAN, _NEARLY_ALL = 0.5, 0.95
_SAMPLE = 2_000
"""times kept of one section"""


class SectionSpeed(msgspec.Struct, frozen=True):
    """Seconds, of pages that answered."""

    section: str
    pages: int
    first_byte_p50: float
    first_byte_p95: float
    total_p50: float
    total_p95: float
    slow: int
    """pages above the threshold"""


class SpeedTally:
    """Counts every page; keeps a sample of the times of each section."""

    def __init__(self, slow: float) -> None:
        self._slow = slow
        self._times: dict[str, list[tuple[float, float]]] = {}
        self._pages: Counter[str] = Counter()
        self._over: Counter[str] = Counter()
        self._random = random.Random(0)  # noqa: S311 - a sample, not a secret

    def add(self, visit: Visit) -> None:
        if visit.state not in (State.OK, State.REDIRECTED) or not visit.moment or visit.from_disk is not None:
            return
        section = section_of(visit.url)
        if section not in self._times and len(self._times) >= MOST_SECTIONS:
            section = "/"
        times = self._times.setdefault(section, [])
        self._pages[section] += 1
        self._over[section] += visit.seconds > self._slow
        if len(times) < _SAMPLE:
            times.append((visit.first_byte, visit.seconds))
        elif (place := self._random.randrange(self._pages[section])) < _SAMPLE:
            times[place] = visit.first_byte, visit.seconds

    def rows(self) -> tuple[SectionSpeed, ...]:
        """The slowest first."""
        made = []
        for section, times in self._times.items():
            first, total = sorted(each for each, _ in times), sorted(each for _, each in times)
            first_byte = _quantile(first, _MEDIAN), _quantile(first, _NEARLY_ALL)
            whole = _quantile(total, _MEDIAN), _quantile(total, _NEARLY_ALL)
            made.append(SectionSpeed(section, self._pages[section], *first_byte, *whole, self._over[section]))
        return tuple(sorted(made, key=lambda each: (-each.slow, -each.total_p95, each.section)))


def _quantile(ordered: list[float], share: float) -> float:
    """The smallest value that so many are not above."""
    return round(ordered[min(len(ordered) - 1, int(share * len(ordered)))], 3)
