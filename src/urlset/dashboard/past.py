"""All snapshots of a site → its history, and what the largest changes between two of them were."""

from __future__ import annotations

from itertools import pairwise
from pathlib import Path

import msgspec

from urlset.checking import clock
from urlset.dashboard.later import Later
from urlset.dashboard.sites import DashboardSite, Taken
from urlset.findings.verdict import Verdict
from urlset.reports.diff_report import DiffReport
from urlset.reports.history_report import SiteHistory
from urlset.snapshots.delta import Summary
from urlset.snapshots.info import SnapshotError
from urlset.snapshots.timeline import Point
from urlset.workflows.diff.diff import diff
from urlset.workflows.diff.options import DiffError, DiffOptions
from urlset.workflows.history.history import HistoryOptions, history

CHURN, FEW = 0.05, 5
"""of the URLs, and at least so many: what comes or goes beyond that is worth a word"""
_LOOKED_INTO = 5
_LARGEST = 1_000_000
"""entries of a snapshot that is compared with another one only to tell renames from removals"""


class Past(msgspec.Struct, frozen=True):
    history: SiteHistory
    summaries: dict[str, Summary] = {}
    """by the time of a snapshot: how it differs from the one before, where that is a lot"""
    problem: str = ""
    """why there is no history: a snapshot is damaged, or was removed a moment ago"""

    def worst_score(self) -> tuple[str, float] | None:
        """The sitemap whose dates can be believed least."""
        scores = [(each.score.share, each.source) for each in self.history.honesty if each.score.share is not None]
        return (min(scores)[1], min(scores)[0]) if scores else None


async def past_of(later: Later, state: Path, site: DashboardSite) -> Past | None:
    """None while it is being computed."""
    key = ("past", site.id, site.taken[0].name, site.latest.name, len(site.taken))
    try:
        return await later.get(key, lambda: _compute(state, site))
    except (SnapshotError, DiffError) as error:
        return Past(SiteHistory(target=site.target, points=(), honesty=(), verdict=Verdict()), problem=str(error))


def _compute(state: Path, site: DashboardSite) -> Past:
    found = history(HistoryOptions(target=site.target, state=state, now=clock.now())).site
    assert found is not None  # the target has snapshots
    points = {point.taken: point for point in found.points}
    churned = [
        (old, new)
        for old, new in pairwise(site.taken)
        if new.info.taken in points and is_churn(points[new.info.taken], new) and new.info.entries <= _LARGEST
    ]
    summaries = {}
    for old, new in churned[-_LOOKED_INTO:]:
        with compared(state, old, new) as report:
            summaries[new.info.taken] = report.summary
    return Past(found, summaries)


def is_churn(point: Point, taken: Taken) -> bool:
    return max(point.added or 0, point.removed or 0) >= max(FEW, CHURN * taken.info.listed)


def compared(state: Path, old: Taken, new: Taken) -> DiffReport:
    """The caller closes it. Raises DiffError."""
    return diff(DiffOptions(old=str(old.path), new=str(new.path), state=state, probe=0, now=clock.now()))
