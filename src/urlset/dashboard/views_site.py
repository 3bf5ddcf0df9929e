"""The pages of one site: overview, findings, sitemaps, dates, engines."""

from __future__ import annotations

import asyncio
from collections import Counter
from collections.abc import Sequence

from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route

from urlset.dashboard.charts import Chart, ChartDay, TrendLine, churn_chart, line_chart
from urlset.dashboard.context import desk_of, render, site_of, taken_of
from urlset.dashboard.engine_state import engine_state
from urlset.dashboard.past import past_of
from urlset.dashboard.sites import DashboardSite, Taken
from urlset.dashboard.trends import Event, cards, events, findings
from urlset.dashboard.watch_state import watch_state
from urlset.snapshots.timeline import Point

_CODES_SHOWN = 4
_COLORS = ("one", "two", "three", "four")
_EVENTS_SHOWN = 12
_FILES_SHOWN = 500
_TONES = ("bad", "good", "plain")
"""the first of those at one moment gives the color"""


async def overview(request: Request) -> Response:
    context, site = desk_of(request), site_of(request)
    past = await past_of(context.later, context.state, site)
    points = past.history.points if past is not None else ()
    told = events(site, past)
    return render(
        request,
        "overview.html",
        site=site,
        tab="overview",
        taken=site.latest,
        before=site.before(site.latest),
        events=told[:_EVENTS_SHOWN],
        charts=_charts(site, points, told),
        pending=past is None,
        problem=past.problem if past is not None else "",
        worst=past.worst_score() if past is not None else None,
        causes=site.latest.info.causes[:3],
        problems=(await asyncio.to_thread(watch_state, context.state, site.target)).problems,
        runs=[run for run in context.runs.all(site.target) if run.is_running],
    )


def _charts(site: DashboardSite, points: Sequence[Point], told: Sequence[Event]) -> list[Chart]:
    moments = [_moment(site, each, told) for each in site.taken]
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
        shares = [each.indexed_share for each in site.taken]
        found.append(
            line_chart("Indexed by Google", moments, [TrendLine("indexed", shares, "two", area=True)], share=True)
        )
    return found


def _moment(site: DashboardSite, taken: Taken, told: Sequence[Event] = ()) -> ChartDay:
    before = site.before(taken)
    link = f"/sites/{site.id}/diff?old={before.name}&new={taken.name}" if before is not None else ""
    here = [each for each in told if each.at == taken.name]
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
    context, site = desk_of(request), site_of(request)
    taken = taken_of(request, site)
    past = await past_of(context.later, context.state, site)
    honesty = {each.source: each for each in past.history.honesty} if past is not None else {}
    before = site.before(taken)
    was = {each.name: each for each in before.info.files} if before is not None else {}
    return render(
        request, "sitemaps.html", site=site, tab="sitemaps", taken=taken, snapshots=site.taken[::-1],
        files=taken.info.files[:_FILES_SHOWN], more=max(0, len(taken.info.files) - _FILES_SHOWN), was=was,
        honesty=honesty, has_before=before is not None,
    )  # fmt: skip


async def dates(request: Request) -> Response:
    context, site = desk_of(request), site_of(request)
    past = await past_of(context.later, context.state, site)
    return render(request, "dates.html", site=site, tab="dates", past=past)


async def engines(request: Request) -> Response:
    context, site = desk_of(request), site_of(request)
    known = await asyncio.to_thread(engine_state, context.state, site.target)
    moments = [_moment(site, each) for each in site.taken]
    shares = [each.indexed_share for each in site.taken]
    chart = line_chart("Indexed by Google", moments, [TrendLine("indexed", shares, "two", area=True)], share=True)
    shown = chart if any(share is not None for share in shares) else None
    return render(request, "engines.html", site=site, tab="engines", known=known, chart=shown, taken=site.latest)


async def alerts(request: Request) -> Response:
    context, site = desk_of(request), site_of(request)
    watch = await asyncio.to_thread(watch_state, context.state, site.target)
    return render(request, "alerts.html", site=site, tab="alerts", watch=watch)


ROUTES = [
    Route("/sites/{site}", overview),
    Route("/sites/{site}/findings", findings_page),
    Route("/sites/{site}/sitemaps", sitemaps),
    Route("/sites/{site}/dates", dates),
    Route("/sites/{site}/engines", engines),
    Route("/sites/{site}/alerts", alerts),
]
