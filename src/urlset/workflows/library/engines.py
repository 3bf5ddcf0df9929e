"""The doors for Python programs that talk to search engines and object stores, each also for asyncio."""

from __future__ import annotations

import os
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Unpack, cast

from urlset.model.document import Document
from urlset.model.errors import ArgumentTypeError, ArgumentValueError, UrlsetError
from urlset.settings.engines import DoctorSettings, IndexSettings, StatusSettings, SubmitSettings
from urlset.settings.load import from_keywords
from urlset.settings.publish import PublishSettings
from urlset.settings.words import in_library_words
from urlset.workflows.doctor import DoctorReport
from urlset.workflows.doctor import doctor as look
from urlset.workflows.engines_index import IndexReport, index
from urlset.workflows.engines_status import StatusReport, status
from urlset.workflows.library.calls import complete, on_asyncio, verb
from urlset.workflows.library.keywords import (
    FetchKeywords,
    IndexKeywords,
    PublishKeywords,
    StatusKeywords,
    SubmitKeywords,
)
from urlset.workflows.library.sources import StrPath, path_of, url_of
from urlset.workflows.publish import PublishReport
from urlset.workflows.publish import publish as place
from urlset.workflows.submit import SubmitReport
from urlset.workflows.submit import submit as submit_sitemaps

# The keywords of each function are the options of its command; `environment` has the credentials.

Site = str | Document
"""a URL, or a document whose URL is known"""


@verb
def submit(
    sitemaps: Site | Iterable[Site], *, environment: Mapping[str, str] | None = None, **options: Unpack[SubmitKeywords]
) -> SubmitReport:
    """Submit sitemaps and changed URLs, as `urlset submit` does.

    Raises ValueError for an unknown engine and StateError where the state cannot be used; what engines answer is in
    the receipts.
    """
    given: object = sitemaps
    one = isinstance(given, (str, bytes, Document, Mapping)) or not isinstance(given, Iterable)
    urls = tuple(url_of(each, "submit") for each in cast("Iterable[object]", [given] if one else given))
    if not urls:
        raise ArgumentValueError("submit() takes the URL of a sitemap: the list is empty")
    return submit_sitemaps(from_keywords(SubmitSettings, options, sitemaps=urls), environment=_variables(environment))


submit_async = on_asyncio(submit, "Submit sitemaps on asyncio, as `urlset.submit` does.")


@verb
def engines_status(
    target: Site, *, environment: Mapping[str, str] | None = None, **options: Unpack[StatusKeywords]
) -> StatusReport:
    """Each sitemap of a site as the engines report it, as `urlset engines status` shows."""
    settings = from_keywords(StatusSettings, options, target=url_of(target, "engines_status"))
    return status(settings, environment=_variables(environment))


engines_status_async = on_asyncio(engines_status, "Ask the engines on asyncio, as `urlset.engines_status` does.")


@verb
def engines_index(
    target: Site, *, environment: Mapping[str, str] | None = None, **options: Unpack[IndexKeywords]
) -> IndexReport:
    """The indexed share per sitemap with its interval, as `urlset engines index` shows."""
    settings = from_keywords(IndexSettings, options, target=url_of(target, "engines_index"))
    return index(settings, environment=_variables(environment))


engines_index_async = on_asyncio(engines_index, "Inspect the index on asyncio, as `urlset.engines_index` does.")


@verb
def doctor(
    url: Site, *, environment: Mapping[str, str] | None = None, **options: Unpack[FetchKeywords]
) -> DoctorReport:
    """Why an engine cannot fetch a sitemap, as `urlset doctor` shows."""
    settings = from_keywords(DoctorSettings, options, url=url_of(url, "doctor"))
    return look(settings, environment=_variables(environment))


doctor_async = on_asyncio(doctor, "Diagnose on asyncio, as `urlset.doctor` does.")


def _variables(given: Mapping[str, str] | None) -> Mapping[str, str]:
    return os.environ if given is None else given


class PublishRefused(UrlsetError):  # noqa: N818 - a decision, not a mistake
    """A safety check refused the set; `report` has the details, and the published set is unchanged."""

    def __init__(self, report: PublishReport) -> None:
        super().__init__(report)
        self.report = report

    def __str__(self) -> str:
        return in_library_words("; ".join(self.report.refusals))


@verb
def publish(
    folder: StrPath | None, to: str, *, strict: bool = True, **options: Unpack[PublishKeywords]
) -> PublishReport:
    """Publish the sitemaps of a folder to an object store, as `urlset publish` does. The keywords are its options.

    `to` is s3://, gs://, az:// or file://; credentials come from the variables of the provider. With `rollback`, a kept
    generation is restored and `folder` may be None.

    Raises StorageError where the store cannot be used or another publish is running, ValueError for a folder without a
    complete set, PublishRefused for a set that a safety check refused, and IncompleteError where the purge command
    failed; with `strict=False`, the report says so.
    """
    if folder is None and options.get("rollback") is None:
        raise ArgumentTypeError("publish() needs a folder, or `rollback`")
    if not isinstance(to, str):
        raise ArgumentTypeError(f"publish(): `to` is a storage URL such as s3://bucket/prefix, not {type(to).__name__}")
    where = None if folder is None else Path(path_of(folder, "publish", "`folder`"))
    report = place(from_keywords(PublishSettings, options, to=to, folder=where))
    if report.refusals and strict:
        raise PublishRefused(report)
    return complete([report.purge_failed] if report.purge_failed else [], report, strict=strict)


publish_async = on_asyncio(publish, "Publish on asyncio, as `urlset.publish` does.")
