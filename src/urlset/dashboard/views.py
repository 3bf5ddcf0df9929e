"""The pages of the dashboard: all sites; one site, its findings, sitemaps, dates, engines and alerts; runs; pages."""

from __future__ import annotations

import asyncio
from collections import Counter
from collections.abc import Iterator, Sequence
from itertools import islice, pairwise
from math import ceil
from typing import Any

import msgspec
from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import FileResponse, RedirectResponse, Response, StreamingResponse

from urlset.checking import clock
from urlset.dashboard.charts import Chart, ChartDay, TrendLine, churn_chart, line_chart
from urlset.dashboard.context import DashboardContext, checked_form, context_of, render, site_of, taken_of
from urlset.dashboard.runs import FORMATS, KINDS, DashboardRun, RunError
from urlset.dashboard.sites import DashboardSite, Taken, all_sites, engine_state, find_site, watch_state
from urlset.dashboard.trends import Event, cards, compared, events, findings, past_of
from urlset.model.visit import State
from urlset.reading.host_robots import origin_of
from urlset.reports.diff import CHANGE_KINDS
from urlset.reports.format import ReportOptions, report_pieces
from urlset.reports.table import ReportTable, csv_lines, tuple_columns
from urlset.settings.convert import with_scheme
from urlset.settings.history import HistorySettings
from urlset.snapshots.page_rows import PageFilter
from urlset.snapshots.timeline import Point, Sighting, Timeline
from urlset.spec.citations import cited
from urlset.spec.engines import ENGINES
from urlset.workflows.diff import DiffError
from urlset.workflows.history import history
from urlset.writing.files import work_folder

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
    same_day = sum(each.day == taken.day for each in site.taken) > 1
    return ChartDay(taken.minute if same_day else taken.day, link, tone, "; ".join(each.text for each in here))


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
        kinds=CHANGE_KINDS,
    )


def _pair(request: Request, site: DashboardSite) -> tuple[Taken | None, Taken]:
    """Those that are named; by default the latest and the one before."""
    new = site.at(request.query_params.get("new"))
    name = request.query_params.get("old")
    old = site.at(name) if name else (site.before(new) if new is not None else None)
    if new is None or (name and old is None):
        raise HTTPException(404, "unknown snapshot")
    return old, new


def _view(context: DashboardContext, old: Taken, new: Taken) -> dict[str, object]:
    """What the page shows of a DiffReport, which lies on disk only as long as it is open."""
    with compared(context.state, old, new) as report:
        return {
            "summary": report.summary,
            "fields": report.fields,
            "groups": report.groups[:_GROUPS],
            "notes": report.notes,
            **{kind: tuple(islice(getattr(report, kind), _SHOWN)) for kind in CHANGE_KINDS},
        }


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


_LONGEST_TEXT = 2_048
_FILES_OFFERED = 1_000
_YES_NO = {"yes": True, "no": False}
TYPES = {"csv": "text/csv; charset=utf-8", "json": "application/json", "html": "text/html; charset=utf-8"}


def filter_of(request: Request) -> PageFilter:
    """Unknown values ask for nothing that could match."""
    asked = request.query_params
    status = asked.get("status", "")
    return PageFilter(
        text=asked.get("q", "").strip()[:_LONGEST_TEXT],
        title=asked.get("title", "").strip()[:_LONGEST_TEXT],
        state=asked.get("state", "")[:40],
        status=int(status) if status.isascii() and status.isdigit() and len(status) <= 3 else None,
        code=asked.get("code", "")[:40],
        file=asked.get("file", "")[:_LONGEST_TEXT],
        indexed=_YES_NO.get(asked.get("indexed", "")),
        indexable=_YES_NO.get(asked.get("indexable", "")),
    )


async def pages(request: Request) -> Response:
    context, site = context_of(request), site_of(request)
    taken, wanted = taken_of(request, site), filter_of(request)
    start = request.query_params.get("start", "0")
    first = int(start) if start.isascii() and start.isdigit() and len(start) < 12 else 0
    found = await asyncio.to_thread(context.search.find, taken.path, taken.info, wanted, start=first)
    is_results = "hx-request" in request.headers and request.headers.get("hx-target") in ("results", "more")
    names = ("q", "title", "state", "status", "code", "file", "indexed", "indexable", "at")
    return render(
        request,
        "pages_results.html" if is_results else "pages.html",
        site=site,
        tab="pages",
        taken=taken,
        snapshots=site.taken[::-1],
        found=found,
        wanted=wanted,
        start=first,
        asked={name: request.query_params.get(name, "") for name in names},
        states=[state.value for state in State if state.value in taken.info.states],
        codes=[(code, cards()[code].name if code in cards() else "") for code in taken.info.findings],
        files=[each.name for each in taken.info.files[:_FILES_OFFERED]],
        more_of_search=request.headers.get("hx-target") == "more",
    )


async def download(request: Request) -> Response:
    """All matches, written as they are found."""
    context, site = context_of(request), site_of(request)
    taken, wanted, form = taken_of(request, site), filter_of(request), request.path_params["form"]
    if form not in ("csv", "json"):
        raise HTTPException(404, "unknown format")
    columns, rows = context.search.columns, context.search.all(taken.path, wanted)
    table = ReportTable("Pages", tuple_columns(*columns), rows)
    pieces = csv_lines(table) if form == "csv" else _json(columns, rows)
    return attachment(pieces, f"pages-{site.id}-{taken.day}.{form}", form)


def attachment(
    pieces: Iterator[str] | Iterator[bytes] | Iterator[str | bytes], name: str, form: str
) -> StreamingResponse:
    headers = {"content-disposition": f'attachment; filename="{name}"', "content-security-policy": "sandbox"}
    return StreamingResponse(pieces, media_type=TYPES[form], headers=headers)


def _json(columns: tuple[str, ...], rows: Iterator[tuple[Any, ...]]) -> Iterator[str]:
    """One object, written row by row."""
    yield '{"schema":1,"pages":['
    for number, row in enumerate(rows):
        text = msgspec.json.encode(dict(zip(columns, row, strict=True))).decode()
        yield f"{',' if number else ''}\n{text}"
    yield "\n]}\n"


async def life(request: Request) -> Response:
    context, site = context_of(request), site_of(request)
    url = request.query_params.get("url", "")[: _LONGEST_TEXT * 2]
    key = ("life", site.id, site.latest.name, len(site.taken), url)
    found = await context.cache.get(key, lambda: _life(site, url))
    if found is not None and not any(each.listed for each in found):
        raise HTTPException(404, "this URL is in none of the snapshots")
    # the newest first: sightings in which something is different from the one before, and what
    changes: list[tuple[Sighting, list[tuple[str, object, object]]]] = []
    for old, new in pairwise(found or ()):
        names = _TELLING if old.listed and new.listed else ("listed",)
        moved = [(name, getattr(old, name), getattr(new, name)) for name in names]
        different = [each for each in moved if each[1] != each[2]]
        if new.content == "changed":
            different.append(("content", None, "changed"))
        if different:
            changes.insert(0, (new, different))
    return render(request, "life.html", site=site, tab="pages", url=url, sightings=found, changes=changes)


def _life(site: DashboardSite, url: str) -> tuple[Sighting, ...]:
    with work_folder() as folder, Timeline([each.snapshot for each in site.taken], folder) as timeline:
        return tuple(timeline.life(url))


_TELLING = (
    *("listed", "file", "lastmod", "state", "status", "final_url", "canonical"),
    *("indexable", "indexed", "title", "codes"),
)


_LONGEST_PASSWORD = 1_024


async def home(request: Request) -> Response:
    context = context_of(request)
    sites = await asyncio.to_thread(all_sites, context.state)
    watch = await asyncio.to_thread(watch_state, context.state)
    problems = Counter(each.site for each in watch.problems)
    rows = [(site, events(site)[:1], problems[site.target]) for site in sites]
    return render(request, "home.html", rows=rows, runs=context.runs.all()[:5])


async def rule(request: Request) -> Response:
    card = cards().get(request.path_params["code"])
    if card is None:
        raise HTTPException(404, "unknown rule")
    severities = [(ENGINES[engine].title, severity) for engine, severity in card.severities.items()]
    return render(request, "rule.html", card=card, severities=severities, sources=[cited(key) for key in card.cites])


async def login(request: Request) -> Response:
    context = context_of(request)
    target = _inside(request.query_params.get("next", "/"))
    if request.state.session.signed_in:
        return RedirectResponse(target, 303)
    token = request.query_params.get("token")
    if request.method == "GET" and token is None:
        return render(request, "login.html", target=target, problem="")
    form = {"password": token} if token is not None else await checked_form(request)
    address = request.client.host if request.client else ""
    async with context.verifying:
        wait = context.limit.wait(address)
        if wait > 0:
            said = f"Too many attempts. Try again in {ceil(wait)} s."
            answer = render(request, "login.html", 429, target=target, problem=said)
            answer.headers["retry-after"] = str(ceil(wait))
            return answer
        given = (form.get("password") or "")[:_LONGEST_PASSWORD]
        if not await asyncio.to_thread(context.access.fits, given):
            context.limit.failed(address)
            return render(request, "login.html", 401, target=target, problem="Wrong password or token.")
    context.sessions.end(request.state.session)
    request.scope["state"]["session"] = context.sessions.start(signed_in=True)  # a new id: the old one may be known
    request.scope["state"]["renewed"] = True
    return RedirectResponse(_inside(form.get("next") or target), 303)


async def logout(request: Request) -> Response:
    context = context_of(request)
    await checked_form(request)
    context.sessions.end(request.state.session)
    return RedirectResponse("/login" if not context.access.is_open else "/", 303)


def _inside(target: str) -> str:
    """A path of this server; a redirect to anywhere else would lend it our name."""
    return target if target.startswith("/") and not target.startswith(("//", "/\\")) and target.isprintable() else "/"


# Runs: starting a check, an audit or a snapshot, its progress, and its reports.

_LONGEST_TARGET = 2_048


async def site_runs(request: Request) -> Response:
    context, site = context_of(request), site_of(request)
    return render(request, "runs.html", site=site, tab="runs", runs=context.runs.all(site.target), kinds=KINDS)


async def start(request: Request) -> Response:
    context = context_of(request)
    form = await checked_form(request)
    if context.settings.read_only:
        raise HTTPException(403, "this dashboard is read-only")
    if form.get("kind") not in KINDS:
        raise HTTPException(400, "choose what to start")
    try:
        run = await context.runs.start(form["kind"], _target(request, form))
    except RunError as error:
        raise HTTPException(409, str(error)) from error
    return RedirectResponse(f"/runs/{run.id}", 303)


def _target(request: Request, form: dict[str, str]) -> str:
    """A known site by its name, or an http(s) URL; never a path, which would open files of the server."""
    if name := form.get("site"):
        site = find_site(context_of(request).state, name)
        if site is None:
            raise HTTPException(404, "unknown site")
        return site.target
    given = form.get("target", "").strip()
    if not given or len(given) > _LONGEST_TARGET or not given.isprintable():
        raise HTTPException(400, "give the URL of a site or a sitemap")
    url = with_scheme(given)
    authority = url.partition("//")[2].partition("/")[0]
    if origin_of(url) is None or not url.lower().startswith(("http://", "https://")) or "@" in authority:
        raise HTTPException(400, "not a URL that can be fetched; write it like https://www.example.com/")
    return url


def _run_of(request: Request) -> DashboardRun:
    run = context_of(request).runs.find(request.path_params["run"])
    if run is None:
        raise HTTPException(404, "unknown run")
    return run


async def run_page(request: Request) -> Response:
    context, run = context_of(request), _run_of(request)
    site = next((each for each in all_sites(context.state) if each.target == run.target), None)
    reports = [form for form in FORMATS if context.runs.report(run, form)]
    return render(request, "run.html", site=site, tab="runs", run=run, reports=[] if run.is_running else reports)


async def stop(request: Request) -> Response:
    context, run = context_of(request), _run_of(request)
    await checked_form(request)
    if context.settings.read_only:
        raise HTTPException(403, "this dashboard is read-only")
    context.runs.stop(run)
    return RedirectResponse(f"/runs/{run.id}", 303)


async def report(request: Request) -> Response:
    context, run, form = context_of(request), _run_of(request), request.path_params["form"]
    path = context.runs.report(run, form)
    if path is None:
        raise HTTPException(404, "no such report")
    headers = {"content-security-policy": "sandbox"}
    return FileResponse(path, media_type=TYPES[form], filename=f"{run.kind}-{run.id}.{form}", headers=headers)
