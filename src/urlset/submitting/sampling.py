"""Listed URLs → a stratified sample in an order whose every beginning is a fair sample too; a share with its interval.

Each URL has a fixed random rank (a hash), so the sample stays the same from day to day, and a run that a quota
ends early has asked a proportional part of every stratum.
"""

from __future__ import annotations

import hashlib
import heapq
from collections import Counter, defaultdict
from collections.abc import Iterable
from math import ceil, sqrt

import msgspec

_Z = 1.96
"""95 of 100 intervals hold the truth; the corrections below keep small and uneven sets above that"""

Stratum = str


class SampleUrl(msgspec.Struct, frozen=True):
    url: str
    stratum: Stratum
    lastmod: str | None = None


class UrlSample(msgspec.Struct, frozen=True):
    sizes: dict[Stratum, int]
    """how many URLs each stratum has"""
    order: tuple[SampleUrl, ...]
    """what to inspect, in this order"""

    @property
    def total(self) -> int:
        return sum(self.sizes.values())


def rank(url: str, seed: str = "") -> int:
    return int.from_bytes(
        hashlib.blake2b(f"{seed}\n{url}".encode("utf-8", "surrogatepass"), digest_size=8).digest(), "big"
    )


def draw(listed: Iterable[SampleUrl], most: int, seed: str = "") -> UrlSample:
    """One pass; memory grows with the sample and the number of strata, not with the list."""
    sizes: Counter[Stratum] = Counter()
    kept: defaultdict[Stratum, list[tuple[int, str, SampleUrl]]] = defaultdict(list)
    for each in listed:
        sizes[each.stratum] += 1
        heap = kept[each.stratum]
        item = (-rank(each.url, seed), each.url, each)
        if len(heap) < most:
            heapq.heappush(heap, item)
        elif item > heap[0]:
            heapq.heapreplace(heap, item)
    total = sum(sizes.values())
    chosen: list[tuple[float, int, SampleUrl]] = []
    for stratum, heap in kept.items():
        share = sizes[stratum] / total
        wanted = min(len(heap), max(min(sizes[stratum], 10), round(most * share)))
        ranked = sorted(heap, reverse=True)[:wanted]
        chosen += [((place + 0.5) / wanted, -key, each) for place, (key, _, each) in enumerate(ranked)]
    chosen.sort(key=lambda item: item[:2])
    return UrlSample(dict(sizes), tuple(each for _, _, each in chosen[:most]))


class Share(msgspec.Struct, frozen=True):
    """How much of a set is indexed: a point estimate and an interval that holds the truth 95 times of 100."""

    urls: int
    inspected: int
    indexed: int
    share: float | None
    low: float
    high: float


def estimate(sizes: dict[Stratum, int], inspected: dict[Stratum, int], indexed: dict[Stratum, int]) -> Share:
    """Strata that were not looked at may be anything, which the interval says."""
    total = sum(sizes.values())
    count, found = sum(inspected.values()), sum(indexed.values())
    if not total or not count:
        return Share(total, count, found, None, 0.0, 1.0)
    met = {stratum: size for stratum, size in sizes.items() if inspected.get(stratum)}
    reach = sum(met.values())
    weights = {stratum: size / reach for stratum, size in met.items()}
    share = sum(weights[each] * indexed.get(each, 0) / inspected[each] for each in met)
    # a URL that represents many others is worth less: the effective number of independent answers
    worth = 1 / sum(weights[each] ** 2 / inspected[each] for each in met)
    low, high = _interval(share, worth, worth * reach / count)
    blind = total - reach
    low, high = low * reach / total, (high * reach + blind) / total
    return Share(total, count, found, share, max(low, found / total), min(high, 1 - (count - found) / total))


def _interval(share: float, count: float, population: float) -> tuple[float, float]:
    """Wilson's score interval with the finite population correction and a continuity correction."""
    if count >= population:
        return share, share
    effective = count * (population - 1) / (population - count) if population > 1 else count
    square = _Z * _Z / effective
    middle = (share + square / 2) / (1 + square)
    spread = _Z * sqrt(share * (1 - share) / effective + square / (4 * effective)) / (1 + square)
    step = 1 / (2 * effective)
    return max(0.0, middle - spread - step), min(1.0, middle + spread + step)


def needed(urls: int, share: float | None, points: float) -> int:
    """Inspections for an interval of plus or minus so many points; without an estimate, for the worst case."""
    if not urls:
        return 0
    likely = 0.5 if share is None else min(max(share, 0.1), 0.9)
    endless = _Z * _Z * likely * (1 - likely) / (points * points)
    return min(urls, ceil(endless / (1 + (endless - 1) / urls)))
