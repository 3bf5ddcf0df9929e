"""Starting a check, an audit or a snapshot, watching it, and its reports."""

from __future__ import annotations

from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import FileResponse, RedirectResponse, Response
from starlette.routing import Route

from urlset.dashboard.context import checked_form, desk_of, render, site_of
from urlset.dashboard.runs import FORMATS, KINDS, DashboardRun, RunError
from urlset.dashboard.sites import all_sites, find_site
from urlset.dashboard.views_pages import TYPES
from urlset.reading.host_robots import origin_of
from urlset.settings.convert import with_scheme

_LONGEST_TARGET = 2_048


async def site_runs(request: Request) -> Response:
    context, site = desk_of(request), site_of(request)
    return render(request, "runs.html", site=site, tab="runs", runs=context.runs.all(site.target), kinds=KINDS)


async def start(request: Request) -> Response:
    context = desk_of(request)
    form = await checked_form(request)
    if context.options.read_only:
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
        site = find_site(desk_of(request).state, name)
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
    run = desk_of(request).runs.find(request.path_params["run"])
    if run is None:
        raise HTTPException(404, "unknown run")
    return run


async def run_page(request: Request) -> Response:
    context, run = desk_of(request), _run_of(request)
    site = next((each for each in all_sites(context.state) if each.target == run.target), None)
    reports = [form for form in FORMATS if context.runs.report(run, form)]
    return render(request, "run.html", site=site, tab="runs", run=run, reports=[] if run.is_running else reports)


async def stop(request: Request) -> Response:
    context, run = desk_of(request), _run_of(request)
    await checked_form(request)
    if context.options.read_only:
        raise HTTPException(403, "this dashboard is read-only")
    context.runs.stop(run)
    return RedirectResponse(f"/runs/{run.id}", 303)


async def report(request: Request) -> Response:
    context, run, form = desk_of(request), _run_of(request), request.path_params["form"]
    path = context.runs.report(run, form)
    if path is None:
        raise HTTPException(404, "no such report")
    headers = {"content-security-policy": "sandbox"}
    return FileResponse(path, media_type=TYPES[form], filename=f"{run.kind}-{run.id}.{form}", headers=headers)


ROUTES = [
    Route("/runs", start, methods=["POST"]),
    Route("/runs/{run}", run_page),
    Route("/runs/{run}/stop", stop, methods=["POST"]),
    Route("/runs/{run}/report.{form}", report),
    Route("/sites/{site}/runs", site_runs),
]
