"""What all pages of the dashboard share: state, sessions, searches, runs, and how a page is rendered."""

from __future__ import annotations

import asyncio
from collections import OrderedDict
from collections.abc import Callable, Hashable
from concurrent.futures import Future, ThreadPoolExecutor
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar
from urllib.parse import quote, urlencode

from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import HTMLResponse

from urlset.dashboard.access import LoginLimit, Protection, Sessions, SignInSession, form_of
from urlset.dashboard.charts import spark
from urlset.dashboard.runs import Runs
from urlset.dashboard.sites import DashboardSite, Taken, find_site
from urlset.reading.host_robots import origin_of
from urlset.reports.history import evidence_text, example_text
from urlset.reports.html_page import environment
from urlset.settings.serve import ServeSettings
from urlset.snapshots.page_rows import PageSearch
from urlset.version import __version__

if TYPE_CHECKING:
    from jinja2 import Environment


T = TypeVar("T")
_KEPT = 64
_AT_ONCE = 2
PATIENCE = 2.0
"""seconds that a page waits before it is shown without the answer"""


class BackgroundCache:
    """Slow answers about snapshots, computed once in the background; snapshots do not change, so they stay right."""

    def __init__(self) -> None:
        self._pool = ThreadPoolExecutor(_AT_ONCE, thread_name_prefix="urlset-dashboard")
        self._known: OrderedDict[Hashable, Future[Any]] = OrderedDict()

    async def get(self, key: Hashable, compute: Callable[[], T], patience: float = PATIENCE) -> T | None:
        """None while it is still being computed. Raises what `compute` raised."""
        future: Future[T] | None = self._known.get(key)
        if future is None:
            future = self._pool.submit(compute)
            self._known[key] = future
        self._known.move_to_end(key)
        while len(self._known) > _KEPT:
            self._known.popitem(last=False)
        waiting = asyncio.wrap_future(future)
        waiting.add_done_callback(lambda done: done.cancelled() or done.exception())  # else asyncio complains later
        await asyncio.wait([waiting], timeout=patience)
        if not future.done():
            return None
        if future.exception() is not None:
            self._known.pop(key, None)  # the next request tries again
        return future.result()

    def close(self) -> None:
        self._pool.shutdown(wait=False, cancel_futures=True)


HERE = Path(__file__).parent


class DashboardContext:
    def __init__(self, settings: ServeSettings, access: Protection) -> None:
        self.settings, self.access, self.state = settings, access, Path(settings.state)
        self.sessions, self.limit = Sessions(), LoginLimit()
        self.verifying = asyncio.Lock()
        """one password at a time: each takes 64 MB, and a failure has to count before the next try"""
        self.cache, self.search = BackgroundCache(), PageSearch()
        self.runs = Runs(settings)

    async def close(self) -> None:
        await self.runs.close()
        self.cache.close()
        self.search.close()


def context_of(request: Request) -> DashboardContext:
    context: DashboardContext = request.app.state.context
    return context


def site_of(request: Request) -> DashboardSite:
    """The site that the path names; 404 for any name that the folder does not list."""
    site = find_site(context_of(request).state, request.path_params["site"])
    if site is None:
        raise HTTPException(404, "unknown site")
    return site


def taken_of(request: Request, site: DashboardSite, name: str = "at") -> Taken:
    found = site.at(request.query_params.get(name))
    if found is None:
        raise HTTPException(404, "unknown snapshot")
    return found


async def checked_form(request: Request) -> dict[str, str]:
    """The fields of a form that this session was given; 403 for any other."""
    context, session = context_of(request), request.state.session
    form = await form_of(request)
    if not context.sessions.form_token_fits(session, form.get("form_token", "")):
        raise HTTPException(403, "the form has expired; reload the page and try again")
    return form


@cache
def _templates() -> Environment:
    made = environment(HERE / "templates")
    made.filters |= {"spark": spark, "query": _query, "share": lambda value: "-" if value is None else f"{value:.0%}"}
    made.filters |= {"short": _short, "proof": example_text, "evidence": evidence_text}
    made.globals["version"] = __version__
    return made


def _short(url: str, target: str) -> str:
    """The path, where the host is that of the site."""
    origin = origin_of(target)
    return url.removeprefix(origin) if origin and url.startswith(f"{origin}/") else url


def _query(values: dict[str, object], **changed: object) -> str:
    """`?a=1&b=2`, without what is empty."""
    kept = {name: value for name, value in (values | changed).items() if value not in (None, "")}
    return f"?{urlencode(kept)}" if kept else "?"


def render(request: Request, template: str, status: int = 200, **values: Any) -> HTMLResponse:
    context = context_of(request)
    session: SignInSession = request.state.session
    frame = {
        "path": quote(request.scope["path"]),
        "form_token": context.sessions.form_token(session),
        "may_start": not context.settings.read_only,
        "may_leave": session.signed_in and not context.access.is_open,
        "is_partial": "hx-request" in request.headers and "hx-boosted" not in request.headers,
        "site": None,
        "tab": "",
    }
    return HTMLResponse(_templates().get_template(template).render(frame | values), status)
