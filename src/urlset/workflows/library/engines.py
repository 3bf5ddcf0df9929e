"""The doors for Python programs that talk to search engines: blocking functions, and the same for asyncio."""

from __future__ import annotations

import asyncio
import os
from collections.abc import Callable, Coroutine, Iterable, Mapping
from functools import wraps
from typing import ParamSpec, TypeVar, Unpack

from urlset.settings.engines import DoctorSettings, IndexSettings, StatusSettings, SubmitSettings
from urlset.settings.load import from_keywords
from urlset.workflows.doctor import DoctorReport
from urlset.workflows.doctor import doctor as look
from urlset.workflows.engines_index import IndexReport, index
from urlset.workflows.engines_status import StatusReport, status
from urlset.workflows.library.keywords import FetchKeywords, IndexKeywords, StatusKeywords, SubmitKeywords
from urlset.workflows.submit import SubmitReport
from urlset.workflows.submit import submit as submit_sitemaps

# The keywords of each function are the options of its command; `environment` has the credentials.


def submit(
    sitemaps: str | Iterable[str], *, environment: Mapping[str, str] | None = None, **options: Unpack[SubmitKeywords]
) -> SubmitReport:
    """Submit sitemaps and changed URLs, as `urlset submit` does.

    Raises ValueError for an unknown engine and StateError where the state cannot be used; what engines answer is in
    the receipts.
    """
    urls = (sitemaps,) if isinstance(sitemaps, str) else tuple(sitemaps)
    return submit_sitemaps(from_keywords(SubmitSettings, options, sitemaps=urls), environment=_variables(environment))


def engines_status(
    target: str, *, environment: Mapping[str, str] | None = None, **options: Unpack[StatusKeywords]
) -> StatusReport:
    """Each sitemap of a site as the engines report it, as `urlset engines status` shows."""
    return status(from_keywords(StatusSettings, options, target=target), environment=_variables(environment))


def engines_index(
    target: str, *, environment: Mapping[str, str] | None = None, **options: Unpack[IndexKeywords]
) -> IndexReport:
    """The indexed share per sitemap with its interval, as `urlset engines index` shows."""
    return index(from_keywords(IndexSettings, options, target=target), environment=_variables(environment))


def doctor(url: str, *, environment: Mapping[str, str] | None = None, **options: Unpack[FetchKeywords]) -> DoctorReport:
    """Why an engine cannot fetch a sitemap, as `urlset doctor` shows."""
    return look(from_keywords(DoctorSettings, options, url=url), environment=_variables(environment))


def _variables(given: Mapping[str, str] | None) -> Mapping[str, str]:
    return os.environ if given is None else given


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
