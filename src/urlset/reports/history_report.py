"""A target over time, or the life of one URL, as every format of `urlset history` wants it."""

from __future__ import annotations

import msgspec

from urlset.findings.verdict import Verdict
from urlset.snapshots.honesty import Honesty
from urlset.snapshots.timeline import Point, Sighting


class TargetSummary(msgspec.Struct, frozen=True):
    """A target that has snapshots."""

    target: str
    snapshots: int
    first: str
    last: str


class SiteHistory(msgspec.Struct, frozen=True, kw_only=True):
    target: str
    points: tuple[Point, ...]
    honesty: tuple[Honesty, ...]
    verdict: Verdict
    notes: tuple[str, ...] = ()


class UrlHistory(msgspec.Struct, frozen=True, kw_only=True):
    url: str
    target: str
    sightings: tuple[Sighting, ...]

    @property
    def found(self) -> bool:
        return any(each.listed for each in self.sightings)


class HistoryReport(msgspec.Struct, frozen=True, kw_only=True):
    """One of the three is there: all targets, one target, or one URL in the targets that list it."""

    targets: tuple[TargetSummary, ...] = ()
    site: SiteHistory | None = None
    urls: tuple[UrlHistory, ...] = ()
