"""A target over time, or the history of one URL: the input of all `urlset history` formats."""

from __future__ import annotations

import msgspec

from urlset.findings.verdict import Verdict
from urlset.snapshots.honesty import Honesty
from urlset.snapshots.timeline import Point, Sighting


class TargetSummary(msgspec.Struct, frozen=True):
    """A target with snapshots."""

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
    """Exactly one of the three is set: all targets, one target, or one URL in the targets that list it."""

    targets: tuple[TargetSummary, ...] = ()
    site: SiteHistory | None = None
    urls: tuple[UrlHistory, ...] = ()
