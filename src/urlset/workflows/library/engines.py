"""The doors for Python programs that talk to search engines: blocking functions, and the same for asyncio."""

from __future__ import annotations

import asyncio
import os
from collections.abc import Callable, Coroutine, Iterable, Mapping
from functools import wraps
from pathlib import Path
from typing import ParamSpec, TypeVar

from urlset.settings.engines import IndexSettings, StatusSettings, SubmitSettings
from urlset.web.options import WebOptions
from urlset.workflows.doctor import DoctorReport
from urlset.workflows.doctor import doctor as look
from urlset.workflows.engines_index import IndexReport, index
from urlset.workflows.engines_status import StatusReport, status
from urlset.workflows.submit import SubmitReport
from urlset.workflows.submit import submit as submit_sitemaps

StrPath = str | os.PathLike[str]


def submit(  # noqa: PLR0913 - one keyword per option
    sitemaps: str | Iterable[str],
    *,
    to: Iterable[str],
    state: StrPath = ".urlset",
    property: str | None = None,  # noqa: A002 - the word of Search Console and of the command
    dry_run: bool = False,
    send_all: bool = False,
    only_if_published: bool = False,
    key_location: str | None = None,
    environment: Mapping[str, str] | None = None,
    web: WebOptions | None = None,
) -> SubmitReport:
    """Submit sitemaps and changed URLs, as `urlset submit` does.

    Raises ValueError for an unknown engine and StateError where the state cannot be used; what engines answer is in
    the receipts.
    """
    settings = SubmitSettings(
        sitemaps=(sitemaps,) if isinstance(sitemaps, str) else tuple(sitemaps),
        to=tuple(to),
        state=Path(state),
        property=property,
        dry_run=dry_run,
        all=send_all,
        only_if_published=only_if_published,
        key_location=key_location,
        web=web,
    )
    return submit_sitemaps(settings, environment=os.environ if environment is None else environment)


def engines_status(
    target: str,
    *,
    engines: Iterable[str] = (),
    property: str | None = None,  # noqa: A002
    environment: Mapping[str, str] | None = None,
    web: WebOptions | None = None,
) -> StatusReport:
    """Each sitemap of a site as the engines report it, as `urlset engines status` shows."""
    settings = StatusSettings(target=target, to=tuple(engines), property=property, web=web)
    return status(settings, environment=os.environ if environment is None else environment)


def engines_index(  # noqa: PLR0913 - one keyword per option
    target: str,
    *,
    state: StrPath = ".urlset",
    property: str | None = None,  # noqa: A002
    sample: int = 2_000,
    exports: Iterable[StrPath] = (),
    audit: StrPath | None = None,
    impressions: bool = False,
    environment: Mapping[str, str] | None = None,
    web: WebOptions | None = None,
) -> IndexReport:
    """The indexed share per sitemap with its interval, as `urlset engines index` shows."""
    settings = IndexSettings(
        target=target,
        state=Path(state),
        property=property,
        sample=sample,
        exports=tuple(map(Path, exports)),
        audit=None if audit is None else Path(audit),
        impressions=impressions,
        web=web,
    )
    return index(settings, environment=os.environ if environment is None else environment)


def doctor(url: str, *, environment: Mapping[str, str] | None = None, web: WebOptions | None = None) -> DoctorReport:
    """Why an engine cannot fetch a sitemap, as `urlset doctor` shows."""
    return look(url, web=web, environment=os.environ if environment is None else environment)


P = ParamSpec("P")
T = TypeVar("T")


def in_thread(work: Callable[P, T]) -> Callable[P, Coroutine[None, None, T]]:
    """The same for asyncio: each call has its own thread and event loop."""

    @wraps(work)
    async def call(*given: P.args, **named: P.kwargs) -> T:
        return await asyncio.to_thread(work, *given, **named)

    return call


submit_async = in_thread(submit)
engines_status_async = in_thread(engines_status)
engines_index_async = in_thread(engines_index)
doctor_async = in_thread(doctor)
