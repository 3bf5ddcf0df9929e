"""A target with snapshots → its numbers over time and how far its dates can be believed; or the life of one URL."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime
from functools import partial
from pathlib import Path

from urlset.checking import clock
from urlset.checking.context import Context
from urlset.checking.live_page import DatedFile, SiteChange
from urlset.checking.placing import ProblemCollector
from urlset.model.frames import NotInstalledError
from urlset.model.shown import few
from urlset.reading.read import read
from urlset.reports.history_report import HistoryReport, SiteHistory, TargetSummary, UrlHistory
from urlset.rules.catalogue import all_rules
from urlset.settings.history import HistorySettings
from urlset.snapshots.delta import labels
from urlset.snapshots.expressions import MOMENT_HELP, end_of
from urlset.snapshots.honesty import Honesty
from urlset.snapshots.parquet import require
from urlset.snapshots.series import Series, Snapshot, SnapshotError, SnapshotInfo, all_series, is_address, series_of
from urlset.snapshots.timeline import Point, Timeline
from urlset.spec.engines import DEFAULT_ENGINES
from urlset.writing.files import work_folder


def history(settings: HistorySettings, *, now: datetime | None = None) -> HistoryReport:
    """Raises SnapshotError."""
    try:
        require("urlset history")
    except NotInstalledError as error:
        raise SnapshotError(str(error)) from error
    context = Context(now=now or clock.now(), engines=DEFAULT_ENGINES)
    state = Path(settings.state)
    known = all_series(state)
    if not known:
        raise SnapshotError(f"no snapshots in {state}; take one with `urlset snapshot TARGET`")
    if settings.target is None:
        if len(known) > 1:
            taken = {each.target: [it.taken.isoformat() for it in each.snapshots()] for each in known}
            return HistoryReport(
                targets=tuple(TargetSummary(name, len(each), each[0], each[-1]) for name, each in taken.items())
            )
        return HistoryReport(site=_site(known[0], settings, context))
    series = series_of(state, settings.target)
    if series.snapshots():
        return HistoryReport(site=_site(series, settings, context))
    named = few([each.target for each in known], 5)
    if not is_address(settings.target):
        raise SnapshotError(f"{settings.target}: no snapshots in {state}; there are those of {named}")
    urls = []
    for each in known:
        with work_folder() as folder, Timeline(_chosen(each, settings, context), folder) as timeline:
            sightings = tuple(timeline.life(settings.target))
            urls.append(UrlHistory(url=settings.target, target=timeline.infos[-1].target, sightings=sightings))
    if not any(each.found for each in urls):
        raise SnapshotError(f"{settings.target}: neither a target with snapshots nor listed in one; {named}")
    return HistoryReport(urls=tuple(each for each in urls if each.found))


def _chosen(series: Series, settings: HistorySettings, context: Context) -> list[Snapshot]:
    found = series.snapshots()
    if settings.since is not None:
        start = end_of(settings.since, context.now)
        if start is None:
            raise SnapshotError(f"{settings.since!r} is not a time; {MOMENT_HELP}")
        until = [each for each in found if each.taken <= start]
        found = [*until[-1:], *(each for each in found if each.taken > start)]
    return found if settings.last is None else found[-settings.last :]


def _site(series: Series, settings: HistorySettings, context: Context) -> SiteHistory:
    chosen = _chosen(series, settings, context)
    with work_folder() as folder, Timeline(chosen, folder, settings.date_changes) as timeline:
        points = timeline.points()
        honesty = timeline.honesty()
        infos = timeline.infos
    notes = [
        f"{point.unread:,} sitemaps could not be read on {point.taken[:10]}; their URLs may appear as removed"
        for point in points
        if point.unread
    ]
    changes = _changes(infos, points, honesty, context)
    gathering = ProblemCollector(context, {}, {})
    wanted = [rule for rule in all_rules() if set(rule.card.severities) & set(context.engines)]
    on_files = [rule for rule in wanted if rule.on is DatedFile]
    on_sites = [rule for rule in wanted if rule.on is SiteChange]
    for each in honesty:
        for rule in on_files:
            gathering.judge(rule, partial(rule.check, DatedFile(context, each)), each.source)
    for change in changes:
        for rule in on_sites:
            gathering.judge(rule, partial(rule.check, change), change.target)
    return SiteHistory(
        target=infos[-1].target,
        points=tuple(points),
        honesty=tuple(honesty),
        verdict=gathering.verdict([*on_files, *on_sites], read),
        notes=tuple(notes),
    )


def _changes(
    infos: Sequence[SnapshotInfo], points: Sequence[Point], honesty: Sequence[Honesty], context: Context
) -> list[SiteChange]:
    found = []
    same_since = 0
    for number in range(1, len(infos)):
        old, new = infos[number - 1], infos[number]
        if {each.sha256 for each in old.files} != {each.sha256 for each in new.files}:
            same_since = number
        was, now = labels((each.name for each in old.files), (each.name for each in new.files))
        since = infos[same_since].taken
        same_for = datetime.fromisoformat(new.taken) - datetime.fromisoformat(since)
        rewritten = sum(
            each.backed + each.silent for file in honesty for each in file.transitions if each.before >= since
        )
        found.append(
            SiteChange(
                context=context,
                target=new.target,
                before=old.taken,
                at=new.taken,
                urls_before=points[number - 1].urls,
                urls=points[number].urls,
                common=points[number].urls - (points[number].added or 0),
                files_before=frozenset(was.values()),
                files=frozenset(now.values()),
                unread=len(old.missing) + len(new.missing),
                same_for_days=same_for.total_seconds() / 86_400 if number == len(infos) - 1 else 0.0,
                rewritten=rewritten,
            )
        )
    return found
