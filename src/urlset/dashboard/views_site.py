"""The pages of one site: overview, findings, sitemaps, dates, engines, alerts, and the difference of two snapshots."""

from __future__ import annotations

import asyncio
from collections import Counter
from collections.abc import Iterator, Sequence
from itertools import islice

import msgspec
from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import Response

from urlset.checking import clock
from urlset.dashboard.charts import Chart, ChartDay, TrendLine, churn_chart, line_chart
from urlset.dashboard.context import DashboardContext, context_of, render, site_of, taken_of
from urlset.dashboard.sites import DashboardSite, Taken, engine_state, watch_state
from urlset.dashboard.trends import Event, cards, compared, events, findings, past_of
from urlset.dashboard.views_pages import TYPES, attachment
from urlset.reports.diff_report import Group
from urlset.reports.diff_text import KINDS
from urlset.reports.format import ReportOptions, report_pieces
from urlset.settings.history import HistorySettings
from urlset.snapshots.delta import Changed, Moved, RenamedUrl, Summary
from urlset.snapshots.timeline import Point
from urlset.workflows.diff_states import DiffError
from urlset.workflows.history import history

_CODES_SHOWN = 4
_COLORS = ("one", "two", "three", "four")
_EVENTS_SHOWN = 12
_FILES_SHOWN = 500
_TONES = ("bad", "good", "plain")
"""the first of those at one moment gives the color"""


async def overview(request: Request) -> Response:
    context, site = context_of(request), site_of(request)
    past = await past_of(context, site)
    points = past.history.points if past is not None else ()
    happened = events(site, past)
    return render(
        request,
        "overview.html",
        site=site,
        tab="overview",
        taken=site.latest,
        before=site.before(site.latest),
        events=happened[:_EVENTS_SHOWN],
        charts=_charts(site, points, happened),
        pending=past is None,
        problem=past.problem if past is not None else "",
        worst=past.worst_score() if past is not None else None,
        causes=site.latest.info.causes[:3],
        problems=(await asyncio.to_thread(watch_state, context.state, site.target)).problems,
        runs=[run for run in context.runs.all(site.target) if run.is_running],
    )


def _charts(site: DashboardSite, points: Sequence[Point], happened: Sequence[Event]) -> list[Chart]:
    moments = [_moment(site, each, happened) for each in site.taken]
    infos = [each.info for each in site.taken]
    found = [line_chart("Listed URLs", moments, [TrendLine("URLs", [info.listed for info in infos], area=True)])]
    totals: Counter[str] = Counter()
    for info in infos:
        totals.update(info.findings)
    if any(info.audited for info in infos):
        lines = [
            TrendLine(
                f"{code} {card.name}" if (card := cards().get(code)) else code,
                [info.findings.get(code, 0) if info.audited else None for info in infos],
                _COLORS[number],
            )
            for number, (code, _) in enumerate(totals.most_common(_CODES_SHOWN))
        ]
        if lines:
            found.append(line_chart("Pages with findings", moments, lines))
    if points:
        came = TrendLine("added", [point.added or 0 for point in points], "good")
        went = TrendLine("removed", [point.removed or 0 for point in points], "bad")
        found.append(churn_chart("Added and removed", moments, came, went))
    if any(info.inspected for info in infos):
        found.append(_indexed_chart(site, moments))
    return found


def _indexed_chart(site: DashboardSite, moments: Sequence[ChartDay]) -> Chart:
    shares = [each.indexed_share for each in site.taken]
    return line_chart("Indexed by Google", moments, [TrendLine("indexed", shares, "two", area=True)], share=True)


def _moment(site: DashboardSite, taken: Taken, happened: Sequence[Event] = ()) -> ChartDay:
    before = site.before(taken)
    link = f"/sites/{site.id}/diff?old={before.name}&new={taken.name}" if before is not None else ""
    here = [each for each in happened if each.at == taken.name]
    tone = min((each.tone for each in here), default="", key=_TONES.index)
    return ChartDay(taken.day, link, tone, "; ".join(each.text for each in here))


async def findings_page(request: Request) -> Response:
    site = site_of(request)
    taken = taken_of(request, site)
    return render(
        request, "findings.html", site=site, tab="findings", taken=taken, rows=findings(site, taken),
        causes=taken.info.causes, snapshots=site.taken[::-1],
    )  # fmt: skip


async def sitemaps(request: Request) -> Response:
    context, site = context_of(request), site_of(request)
    taken = taken_of(request, site)
    past = await past_of(context, site)
    honesty = {each.source: each for each in past.history.honesty} if past is not None else {}
    before = site.before(taken)
    was = {each.name: each for each in before.info.files} if before is not None else {}
    return render(
        request, "sitemaps.html", site=site, tab="sitemaps", taken=taken, snapshots=site.taken[::-1],
        files=taken.info.files[:_FILES_SHOWN], more=max(0, len(taken.info.files) - _FILES_SHOWN), was=was,
        honesty=honesty, has_before=before is not None,
    )  # fmt: skip


async def dates(request: Request) -> Response:
    context, site = context_of(request), site_of(request)
    past = await past_of(context, site)
    return render(request, "dates.html", site=site, tab="dates", past=past)


async def engines(request: Request) -> Response:
    context, site = context_of(request), site_of(request)
    known = await asyncio.to_thread(engine_state, context.state, site.target)
    has_shares = any(each.indexed_share is not None for each in site.taken)
    chart = _indexed_chart(site, [_moment(site, each) for each in site.taken]) if has_shares else None
    return render(request, "engines.html", site=site, tab="engines", known=known, chart=chart, taken=site.latest)


async def alerts(request: Request) -> Response:
    context, site = context_of(request), site_of(request)
    watch = await asyncio.to_thread(watch_state, context.state, site.target)
    return render(request, "alerts.html", site=site, tab="alerts", watch=watch)


# The difference of two snapshots, and the history, to look at or to download.

_SHOWN = 100
_GROUPS = 30


class DiffView(msgspec.Struct, frozen=True):
    """What a page shows of a DiffReport, which lies on disk only as long as it is open."""

    summary: Summary
    fields: dict[str, int]
    groups: tuple[Group, ...]
    added: tuple[str, ...]
    removed: tuple[str, ...]
    renamed: tuple[RenamedUrl, ...]
    changed: tuple[Changed, ...]
    moved: tuple[Moved, ...]
    notes: tuple[str, ...]


async def diff_page(request: Request) -> Response:
    context, site = context_of(request), site_of(request)
    old, new = _pair(request, site)
    view = problem = None
    if old is not None:
        key = ("diff", site.id, old.name, new.name)
        try:
            view = await context.cache.get(key, lambda: _view(context, old, new))
        except DiffError as error:
            problem = str(error)
    return render(
        request,
        "diff_page.html",
        site=site,
        tab="diff",
        old=old,
        new=new,
        view=view,
        problem=problem,
        snapshots=site.taken[::-1],
        shown=_SHOWN,
        kinds=KINDS,
    )


def _pair(request: Request, site: DashboardSite) -> tuple[Taken | None, Taken]:
    """Those that are named; by default the latest and the one before."""
    new = site.at(request.query_params.get("new"))
    name = request.query_params.get("old")
    old = site.at(name) if name else (site.before(new) if new is not None else None)
    if new is None or (name and old is None):
        raise HTTPException(404, "unknown snapshot")
    return old, new


def _view(context: DashboardContext, old: Taken, new: Taken) -> DiffView:
    with compared(context.state, old, new) as report:
        return DiffView(
            summary=report.summary,
            fields=report.fields,
            groups=report.groups[:_GROUPS],
            added=tuple(islice(report.added, _SHOWN)),
            removed=tuple(islice(report.removed, _SHOWN)),
            renamed=report.renamed[:_SHOWN],
            changed=tuple(islice(report.changed, _SHOWN)),
            moved=tuple(islice(report.moved, _SHOWN)),
            notes=report.notes,
        )


async def diff_download(request: Request) -> Response:
    context, site, form = context_of(request), site_of(request), request.path_params["form"]
    old, new = _pair(request, site)
    if old is None or form not in TYPES:
        raise HTTPException(404, "nothing to compare")
    pieces = _diff_pieces(context, old, new, form)
    return attachment(pieces, f"diff-{site.id}-{old.day}-{new.day}.{form}", form)


def _diff_pieces(context: DashboardContext, old: Taken, new: Taken, form: str) -> Iterator[str | bytes]:
    options = _options("diff", f"{old.info.target}@{old.day}", f"{new.info.target}@{new.day}")
    with compared(context.state, old, new) as report:
        yield from report_pieces("diff", form, report, options)


async def history_download(request: Request) -> Response:
    context, site, form = context_of(request), site_of(request), request.path_params["form"]
    if form not in TYPES:
        raise HTTPException(404, "unknown format")
    settings = HistorySettings(target=site.target, state=context.state)
    report = await asyncio.to_thread(history, settings)
    pieces = report_pieces("history", form, report, _options("history", site.target))
    return attachment(pieces, f"history-{site.id}-{site.latest.day}.{form}", form)


def _options(command: str, *targets: str) -> ReportOptions:
    return ReportOptions(command=command, target=targets, made=clock.now())
