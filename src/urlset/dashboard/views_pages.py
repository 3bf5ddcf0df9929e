"""The pages of a site's snapshot, searched and filtered on the server; the life of one of them; both to download."""

from __future__ import annotations

import asyncio
from collections.abc import Iterator
from itertools import pairwise
from typing import Any

import msgspec
from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import Response, StreamingResponse

from urlset.dashboard.context import context_of, render, site_of, taken_of
from urlset.dashboard.sites import DashboardSite
from urlset.dashboard.trends import cards
from urlset.model.visit import State
from urlset.reports.table import ReportTable, csv_lines, tuple_columns
from urlset.snapshots.page_rows import PageFilter
from urlset.snapshots.timeline import Sighting, Timeline
from urlset.writing.files import work_folder

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
        asked=_asked(request),
        states=[state.value for state in State if state.value in taken.info.states],
        codes=[(code, cards()[code].name if code in cards() else "") for code in taken.info.findings],
        files=[each.name for each in taken.info.files[:_FILES_OFFERED]],
        more_of_search=request.headers.get("hx-target") == "more",
    )


def _asked(request: Request) -> dict[str, object]:
    names = ("q", "title", "state", "status", "code", "file", "indexed", "indexable", "at")
    return {name: request.query_params.get(name, "") for name in names}


async def download(request: Request) -> Response:
    """All matches, written as they are found."""
    context, site = context_of(request), site_of(request)
    taken, wanted, form = taken_of(request, site), filter_of(request), request.path_params["form"]
    writers = {"csv": _csv, "json": _json}
    if form not in writers:
        raise HTTPException(404, "unknown format")
    pieces = writers[form](context.search.columns, context.search.all(taken.path, wanted))
    return attachment(pieces, f"pages-{site.id}-{taken.day}.{form}", form)


def attachment(
    pieces: Iterator[str] | Iterator[bytes] | Iterator[str | bytes], name: str, form: str
) -> StreamingResponse:
    headers = {"content-disposition": f'attachment; filename="{name}"', "content-security-policy": "sandbox"}
    return StreamingResponse(pieces, media_type=TYPES[form], headers=headers)


def _csv(columns: tuple[str, ...], rows: Iterator[tuple[Any, ...]]) -> Iterator[str]:
    return csv_lines(ReportTable("Pages", tuple_columns(*columns), rows))


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
    return render(request, "life.html", site=site, tab="pages", url=url, sightings=found, changes=_changes(found or ()))


def _life(site: DashboardSite, url: str) -> tuple[Sighting, ...]:
    with work_folder() as folder, Timeline([each.snapshot for each in site.taken], folder) as timeline:
        return tuple(timeline.life(url))


_TELLING = (
    "listed",
    "file",
    "lastmod",
    "state",
    "status",
    "final_url",
    "canonical",
    "indexable",
    "indexed",
    "title",
    "codes",
)


def _changes(sightings: tuple[Sighting, ...]) -> list[tuple[Sighting, list[tuple[str, object, object]]]]:
    """The newest first: sightings in which something is different from the one before, and what."""
    found: list[tuple[Sighting, list[tuple[str, object, object]]]] = []
    for old, new in pairwise(sightings):
        names = _TELLING if old.listed and new.listed else ("listed",)
        moved = [(name, getattr(old, name), getattr(new, name)) for name in names]
        different = [each for each in moved if each[1] != each[2]]
        if new.content == "changed":
            different.append(("content", None, "changed"))
        if different:
            found.insert(0, (new, different))
    return found
