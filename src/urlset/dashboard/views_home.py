"""The pages that are about no single site: sites at a glance, rules, signing in and out."""

from __future__ import annotations

import asyncio
from collections import Counter
from math import ceil

from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import RedirectResponse, Response
from starlette.routing import Route

from urlset.dashboard.context import checked_form, desk_of, render
from urlset.dashboard.sites import all_sites
from urlset.dashboard.trends import cards, events
from urlset.dashboard.watch_state import watch_state
from urlset.spec.citations import cited
from urlset.spec.engines import ENGINES

_LONGEST_PASSWORD = 1_024


async def home(request: Request) -> Response:
    context = desk_of(request)
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
    context = desk_of(request)
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
    context = desk_of(request)
    await checked_form(request)
    context.sessions.end(request.state.session)
    return RedirectResponse("/login" if not context.options.access.is_open else "/", 303)


def _inside(target: str) -> str:
    """A path of this server; a redirect to anywhere else would lend it our name."""
    return target if target.startswith("/") and not target.startswith(("//", "/\\")) and target.isprintable() else "/"


ROUTES = [
    Route("/", home),
    Route("/login", login, methods=["GET", "POST"]),
    Route("/logout", logout, methods=["POST"]),
    Route("/rules/{code}", rule),
]
