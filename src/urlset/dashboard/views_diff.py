"""Two snapshots of a site → what differs between them; and the history, to look at or to download."""

from __future__ import annotations

import asyncio
from collections.abc import Iterator
from importlib import import_module
from itertools import islice

import msgspec
from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route

from urlset.checking import clock
from urlset.dashboard.context import DashboardContext, desk_of, render, site_of
from urlset.dashboard.past import compared
from urlset.dashboard.sites import DashboardSite, Taken
from urlset.dashboard.views_pages import TYPES, attachment
from urlset.reports.diff_report import Group
from urlset.reports.diff_text import KINDS
from urlset.reports.format import ReportOptions
from urlset.snapshots.delta import Changed, Moved, RenamedUrl, Summary
from urlset.workflows.diff.options import DiffError
from urlset.workflows.history.history import HistoryOptions, history

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
    context, site = desk_of(request), site_of(request)
    old, new = _pair(request, site)
    view = problem = None
    if old is not None:
        key = ("diff", site.id, old.name, new.name)
        try:
            view = await context.later.get(key, lambda: _view(context, old, new))
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
    context, site, form = desk_of(request), site_of(request), request.path_params["form"]
    old, new = _pair(request, site)
    if old is None or form not in TYPES:
        raise HTTPException(404, "nothing to compare")
    pieces = _diff_pieces(context, old, new, form)
    return attachment(pieces, f"diff-{site.id}-{old.day}-{new.day}.{form}", form)


def _diff_pieces(context: DashboardContext, old: Taken, new: Taken, form: str) -> Iterator[str]:
    options = _options("diff", f"{old.info.target}@{old.day}", f"{new.info.target}@{new.day}")
    with compared(context.state, old, new) as report:
        yield from import_module(f"urlset.reports.diff_{form}").render(report, options)


async def history_download(request: Request) -> Response:
    context, site, form = desk_of(request), site_of(request), request.path_params["form"]
    if form not in TYPES:
        raise HTTPException(404, "unknown format")
    options = HistoryOptions(target=site.target, state=context.state, now=clock.now())
    report = await asyncio.to_thread(history, options)
    pieces = import_module(f"urlset.reports.history_{form}").render(report, _options("history", site.target))
    return attachment(pieces, f"history-{site.id}-{site.latest.day}.{form}", form)


def _options(command: str, *targets: str) -> ReportOptions:
    return ReportOptions(command=command, target=targets, made=clock.now())


ROUTES = [
    Route("/sites/{site}/diff", diff_page),
    Route("/sites/{site}/diff.{form}", diff_download),
    Route("/sites/{site}/history.{form}", history_download),
]
