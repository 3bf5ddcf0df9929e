"""The pages that are about no single site: sites at a glance, rules, signing in and out, and runs."""

from __future__ import annotations

import asyncio
from collections import Counter
from math import ceil

from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import FileResponse, RedirectResponse, Response

from urlset.dashboard.context import checked_form, context_of, render, site_of
from urlset.dashboard.runs import FORMATS, KINDS, DashboardRun, RunError
from urlset.dashboard.sites import all_sites, find_site, watch_state
from urlset.dashboard.trends import cards, events
from urlset.dashboard.views_pages import TYPES
from urlset.reading.host_robots import origin_of
from urlset.settings.convert import with_scheme
from urlset.spec.citations import cited
from urlset.spec.engines import ENGINES

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
        if not await asyncio.to_thread(context.options.access.fits, given):
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
    return RedirectResponse("/login" if not context.options.access.is_open else "/", 303)


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
    if context.options.read_only:
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
