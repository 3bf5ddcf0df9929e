"""A target over time, or the history of one URL: the input of all `urlset history` formats."""

from __future__ import annotations

from collections.abc import Callable, Mapping

import msgspec

from urlset.findings.verdict import Verdict
from urlset.model.frames import FrameTable, Tabular, table_of
from urlset.model.shown import Shown
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


class HistoryReport(Shown, Tabular, msgspec.Struct, frozen=True, kw_only=True):
    """Exactly one of the three is set: all targets, one target, or one URL in the targets that list it."""

    targets: tuple[TargetSummary, ...] = ()
    site: SiteHistory | None = None
    urls: tuple[UrlHistory, ...] = ()

    def tables(self) -> Mapping[str, Callable[[], FrameTable]]:
        """Rows: snapshots, targets, sightings; some of them are empty."""
        return {
            "snapshots": lambda: table_of(
                Point, lambda: self.site.points if self.site else (), times=("taken", "newest")
            ),
            "targets": lambda: table_of(TargetSummary, lambda: self.targets, times=("first", "last")),
            "sightings": lambda: table_of(
                Sighting, lambda: (each for url in self.urls for each in url.sightings), times=("taken", "lastmod")
            ),
        }
