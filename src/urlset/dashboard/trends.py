"""The snapshots of a site → its history, its findings, and what happened between one and the next, in words."""

from __future__ import annotations

from collections.abc import Iterator
from functools import cache
from itertools import pairwise
from pathlib import Path

import msgspec

from urlset.dashboard.context import DashboardContext
from urlset.dashboard.sites import DashboardSite, Taken
from urlset.findings.card import Card, Severity
from urlset.findings.verdict import Verdict
from urlset.model.shown import amount, few
from urlset.reports.diff_report import DiffReport
from urlset.reports.history_report import SiteHistory
from urlset.reports.wording import summary_of
from urlset.rules.catalogue import all_rules
from urlset.settings.history import DiffSettings, HistorySettings
from urlset.snapshots.delta import Summary
from urlset.snapshots.series import SnapshotError
from urlset.snapshots.timeline import Point
from urlset.workflows.diff import DiffError, diff
from urlset.workflows.history import history

# The history, and the largest changes between two snapshots.

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


async def past_of(context: DashboardContext, site: DashboardSite) -> Past | None:
    """None while it is being computed."""
    key = ("past", site.id, site.taken[0].name, site.latest.name, len(site.taken))
    try:
        return await context.cache.get(key, lambda: _compute(context.state, site))
    except (SnapshotError, DiffError) as error:
        return Past(SiteHistory(target=site.target, points=(), honesty=(), verdict=Verdict()), problem=str(error))


def _compute(state: Path, site: DashboardSite) -> Past:
    found = history(HistorySettings(target=site.target, state=state)).site
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
    return diff(DiffSettings(targets=(str(old.path), str(new.path)), state=state, probe=0))


_SHARE = 0.02
"""of the listed pages: a change of a finding below that is ordinary"""
_INDEXED = 0.1
_RISES_SHOWN = 6


class Event(msgspec.Struct, frozen=True):
    """Something that changed from one snapshot to the next."""

    at: str
    """the name of the snapshot that shows it first"""
    before: str
    day: str
    text: str
    tone: str
    """`bad`, `good` or `plain`"""
    code: str = ""
    """of the finding it is about"""


@cache
def cards() -> dict[str, Card]:
    return {rule.card.code: rule.card for rule in all_rules()}


class FindingRow(msgspec.Struct, frozen=True):
    code: str
    name: str
    summary: str
    severity: Severity | None
    count: int
    before: int | None
    """in the snapshot before"""
    counts: tuple[int, ...] = ()
    """in every snapshot"""


def findings(site: DashboardSite, taken: Taken) -> list[FindingRow]:
    """The findings of one snapshot, the gravest and most frequent first; those that went away in the end."""
    before = site.before(taken)
    was = before.info.findings if before is not None and before.info.audited else {}
    rows = []
    for code in {*taken.info.findings, *was}:
        card = cards().get(code)
        rows.append(
            FindingRow(
                code,
                card.name if card else "",
                summary_of(card) if card else "",
                card.severity if card else None,
                taken.info.findings.get(code, 0),
                was.get(code, 0) if before is not None else None,
                tuple(each.info.findings.get(code, 0) for each in site.taken),
            )
        )
    return sorted(rows, key=lambda row: (not row.count, row.severity.rank if row.severity else 9, -row.count, row.code))


def events(site: DashboardSite, past: Past | None = None) -> list[Event]:
    """The newest first. `past` adds what came, went and was renamed."""
    points = {point.taken: point for point in past.history.points} if past is not None else {}
    found: list[Event] = []
    for old, new in pairwise(site.taken):
        point, summary = points.get(new.info.taken), past.summaries.get(new.info.taken) if past is not None else None
        found[:0] = [
            Event(new.name, old.name, new.day, text, tone, code)
            for text, tone, code in _between(old, new, point, summary)
        ]
    return found


def _between(old: Taken, new: Taken, point: Point | None, summary: Summary | None) -> Iterator[tuple[str, str, str]]:
    if len(new.info.missing) > len(old.info.missing):
        yield f"{amount(len(new.info.missing), 'sitemap')} could not be read", "bad", ""
    gone = {each.name for each in old.info.files} - {each.name for each in new.info.files}
    if gone and not new.info.missing:
        yield f"{amount(len(gone), 'sitemap')} no longer listed: {few(sorted(gone), 3)}", "bad", ""
    if point is not None and is_churn(point, new):
        counts = summary or Summary(point.added or 0, point.removed or 0)
        said = [
            f"{getattr(counts, kind):,} {kind}" for kind in ("renamed", "added", "removed") if getattr(counts, kind)
        ]
        yield f"URLs: {', '.join(said)}", "bad" if counts.removed > counts.added else "plain", ""
    if old.info.audited and new.info.audited:
        moves, least = [], max(FEW, _SHARE * max(old.info.listed, new.info.listed))
        for code in {*old.info.findings, *new.info.findings}:
            had, has = old.info.findings.get(code, 0), new.info.findings.get(code, 0)
            if abs(has - had) >= least:
                moves.append((-abs(has - had), code, had, has))
        for _, code, had, has in sorted(moves)[:_RISES_SHOWN]:
            card = cards().get(code)
            name = f" {card.name}" if card else ""
            yield f"{code}{name}: {had:,} → {has:,} pages", "bad" if has > had else "good", code
    was, now = old.indexed_share, new.indexed_share
    if was is not None and now is not None and abs(now - was) >= _INDEXED:
        yield f"Indexed share {was:.0%} → {now:.0%} of inspected pages", "good" if now > was else "bad", ""
