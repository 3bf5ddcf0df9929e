"""Listed pages → a sample that has some of every kind, and what it says about all of them, with the uncertainty.

Pages are stratified by file and shape of path. Two passes over the listing, in the same order: the first counts the
strata, the second takes from each its share, evenly at random. Memory grows with the strata only, which are bounded.
The same seed takes the same pages.
"""

from __future__ import annotations

import re
from collections import Counter, defaultdict
from collections.abc import Iterable
from datetime import UTC, datetime
from heapq import nsmallest
from math import ceil, floor, sqrt
from typing import TYPE_CHECKING

import msgspec

from urlset.auditing.sections import path_shape
from urlset.model.moment import Moment
from urlset.model.visit import State, Visit
from urlset.reading.fingerprint import hash_of

if TYPE_CHECKING:
    from urlset.auditing.store import AuditStore

MOST_STRATA = 2000
_OTHERS = "\u2026"
_Z = 1.959964
"""95 of 100 such intervals hold the truth"""
_WANTED = re.compile(r"\s*(\d{1,12}(?:\.\d{1,6})?)\s*(%?)\s*")

Stratum = tuple[str, str]


class SampleSize(msgspec.Struct, frozen=True):
    """A number of pages, or a share of them."""

    pages: int | None = None
    share: float | None = None

    @classmethod
    def parse(cls, text: str) -> SampleSize:
        """`500` or `2%`; raises ValueError that says what is wrong."""
        match = _WANTED.fullmatch(text)
        if match is None:
            raise ValueError(f'"{text}" is not a sample size: use a number of pages (500) or a share (2%)')
        number = float(match[1])
        if match[2]:
            if not 0 < number <= 100:
                raise ValueError(f'"{text}" is not a share: use more than 0% and at most 100%')
            return cls(share=number / 100)
        if number < 1 or number != int(number):
            raise ValueError(f'"{text}" is not a number of pages: use a whole number of at least 1')
        return cls(pages=int(number))

    def of(self, total: int) -> int:
        if self.pages is not None:
            return min(self.pages, total)
        return min(total, max(1, ceil((self.share or 0) * total))) if total else 0


class Strata:
    """The first pass: how many pages of each kind there are."""

    def __init__(self, most: int = MOST_STRATA) -> None:
        self.sizes: Counter[Stratum] = Counter()
        self._most = most

    def add(self, source: str, url: str) -> None:
        stratum = (source, path_shape(url))
        if stratum not in self.sizes and len(self.sizes) >= self._most:
            stratum = ("", _OTHERS)
        self.sizes[stratum] += 1

    def stratum(self, source: str, url: str) -> Stratum:
        stratum = (source, path_shape(url))
        return stratum if stratum in self.sizes else ("", _OTHERS)

    @property
    def total(self) -> int:
        return self.sizes.total()

    def taker(self, wanted: SampleSize, seed: int = 0) -> SampleFilter:
        return SampleFilter(self, allocation(self.sizes, wanted.of(self.total), seed), seed)


def allocation(sizes: Counter[Stratum], count: int, seed: int = 0) -> dict[Stratum, int]:
    """Proportional, with at least one of each; with fewer pages than strata one each of some, larger ones likelier."""
    total = sizes.total()
    if count >= total:
        return dict(sizes)
    if count <= len(sizes):
        # the order in which exponential clocks ring, each as fast as its stratum is large
        ring = sorted(sizes, key=lambda each: (1 - _chance(seed, f"{each}")) ** (1 / sizes[each]), reverse=True)
        return dict.fromkeys(ring[:count], 1)
    given = {stratum: max(1, floor(count * size / total)) for stratum, size in sizes.items()}
    while (over := sum(given.values()) - count) > 0:  # the ones that were lifted to one, paid for by the largest
        largest = max(given, key=lambda each: given[each])
        given[largest] -= min(over, max(1, given[largest] // 10))
    rest = sorted(sizes, key=lambda each: (count * sizes[each] / total) % 1, reverse=True)
    left = count - sum(given.values())
    while left > 0:
        for stratum in rest:
            if left > 0 and given[stratum] < sizes[stratum]:
                given[stratum] += 1
                left -= 1
    return given


class SampleFilter:
    """The second pass: whether each page, in the order of the first, is in the sample."""

    def __init__(self, strata: Strata, given: dict[Stratum, int], seed: int) -> None:
        self._strata, self._seed = strata, seed
        self._open = dict(given)
        self._ahead = Counter(strata.sizes)
        self._position = 0
        self.count = sum(given.values())

    def takes(self, source: str, url: str) -> bool:
        self._position += 1
        stratum = self._strata.stratum(source, url)
        ahead, wanted = self._ahead[stratum], self._open.get(stratum, 0)
        self._ahead[stratum] = ahead - 1
        if wanted <= 0 or ahead <= 0 or _chance(self._seed, self._position) * ahead >= wanted:
            return False
        self._open[stratum] = wanted - 1
        return True


def _chance(seed: int, of: object) -> float:
    """Between 0 and 1, the same in every run."""
    return (hash_of(f"{seed}\n{of}") + 2**63) / 2**64


class Estimate(msgspec.Struct, frozen=True):
    """What a sample says of one kind of finding, with 95 % confidence."""

    seen: int
    of: int
    """pages of the sample that were judged"""
    share: float
    """of all pages, each stratum counted by its size"""
    low: float
    high: float
    pages_low: int
    pages_high: int


class Estimator:
    """Counts what judged pages of a sample showed, and projects it onto all pages."""

    def __init__(self, strata: Strata) -> None:
        self._strata = strata
        self._judged: Counter[Stratum] = Counter()
        self._found: defaultdict[str, Counter[Stratum]] = defaultdict(Counter)

    def add(self, source: str, url: str, kinds: Iterable[str]) -> None:
        """One judged page; a page that was blocked or not asked is none."""
        stratum = self._strata.stratum(source, url)
        self._judged[stratum] += 1
        for kind in set(kinds):
            self._found[kind][stratum] += 1

    def estimates(self) -> dict[str, Estimate]:
        return {kind: self._estimate(found) for kind, found in sorted(self._found.items())}

    def unseen(self) -> Estimate | None:
        """What can be said of a kind of finding that no judged page showed; None where no page was judged."""
        return self._estimate(Counter()) if self._judged else None

    def _estimate(self, found: Counter[Stratum]) -> Estimate:
        sizes, judged = self._strata.sizes, self._judged
        met = sum(sizes[each] for each in judged)
        total, seen, of = self._strata.total, found.total(), judged.total()
        share = sum(sizes[each] / met * found[each] / judged[each] for each in judged)
        # pages that represent more others than the rest do make the sample worth less
        weights = [(sizes[each] / judged[each], judged[each]) for each in judged]
        worth = sum(weight * count for weight, count in weights) ** 2 / sum(
            weight * weight * count for weight, count in weights
        )
        low, high = wilson(share, worth, total if of >= total else total * worth / of)
        most = total - (of - seen)  # pages that were judged and showed nothing are known to be without
        pages_low = max(seen, ceil(low * total - 1e-9))
        return Estimate(seen, of, share, low, high, pages_low, max(pages_low, min(most, floor(high * total + 1e-9))))


def wilson(share: float, count: float, population: float | None = None) -> tuple[float, float]:
    """The interval for a share seen in so many pages; narrower when they are much of the population."""
    if count <= 0:
        return 0.0, 1.0
    if population is not None:
        if count >= population:
            return share, share
        count *= (population - 1) / (population - count) if population > 1 else 1
    square = _Z * _Z / count
    middle = (share + square / 2) / (1 + square)
    spread = _Z * sqrt(share * (1 - share) / count + square / (4 * count)) / (1 + square)
    return max(0.0, middle - spread), min(1.0, middle + spread)


# A listing and what earlier runs saw → the pages to request now; the others keep what was seen.

_STEADY = frozenset({State.OK, State.REDIRECTED})
_NEVER = datetime.min.replace(tzinfo=UTC)


def refresh(store: AuditStore, most: int) -> None:
    """Request up to `most` pages: first new ones, then changed ones, then failed ones, then the longest unseen."""
    seen: dict[int, int] = {}
    ranked: list[tuple[int, datetime, int]] = []
    for position, page, lastmod, visit in store.listed_visits():
        if visit is not None:
            seen[position] = page
        ranked.append((*_rank(lastmod, visit), position))
    wanted = {position for *_, position in nsmallest(most, ranked)}
    store.choose(wanted | seen.keys())
    # a kill before `ready` lists anew
    store.keep_visits(page for position, page in seen.items() if position not in wanted)


def _rank(lastmod: str | None, visit: Visit | None) -> tuple[int, datetime]:
    if visit is None:
        return 0, _NEVER
    try:
        seen = datetime.fromisoformat(visit.moment)
        at = seen.replace(tzinfo=UTC) if seen.tzinfo is None else seen.astimezone(UTC)
    except ValueError:
        at = _NEVER
    covered = Moment.parse(lastmod).interval() if lastmod else None
    if covered is not None and covered[1] > at:
        return 1, at
    return (3 if visit.state in _STEADY else 2), at
