"""Any iterable of pages → a published set of sitemaps: the door of the library to what `urlset build` does."""

from __future__ import annotations

import os
from collections.abc import Iterable
from dataclasses import replace
from os import PathLike
from pathlib import Path
from typing import Unpack

from urlset.building.sources.iterable import Offer
from urlset.execution.workers import Workers
from urlset.reports.uri import is_address
from urlset.settings.build import BuildSettings
from urlset.settings.keywords import from_keywords
from urlset.workflows.build.build import build as build_set
from urlset.workflows.build.result import BuildError, BuildReport, BuildRun
from urlset.workflows.library.keywords import BuildKeywords
from urlset.writing.files import work_folder


class BuildRefused(BuildError):  # noqa: N818 - a decision, not a mistake
    """A safety check refused the set; `report` has the details, and the published set is unchanged."""

    def __init__(self, report: BuildReport) -> None:
        super().__init__(report)
        self.report = report

    def __str__(self) -> str:
        return "; ".join(refusal.text for refusal in self.report.refusals)


def build(
    entries: Iterable[Offer] = (),
    out: str | PathLike[str] = "",
    *,
    sources: Iterable[str] = (),
    **options: Unpack[BuildKeywords],
) -> BuildReport:
    """Build sitemaps in the folder `out`, as `urlset build` does. The keywords are the options of the command.

    `entries` are URLs, `Entry` values or mappings with the columns of docs/sources.md; they are read once and never
    held in memory. `sources` are folders, files, databases or a site, as the command takes them. With `state`, a folder
    that is kept from run to run, pages stay in their files, unchanged files are not rewritten, and a set that lost too
    much is refused; without it every run is the first. Everything runs in this process unless `jobs` asks for worker
    processes (0: one per core). Raises BuildRefused, BuildError or OSError, and the published sitemaps are unchanged
    then; ValueError and TypeError for keywords that cannot be used.
    """
    from urlset.building.journal import PublishError
    from urlset.building.sources.source import SourceBroken, SourceError
    from urlset.writing.sqlite_store import StateError

    settings = from_keywords(BuildSettings, options)
    named = tuple(sources)
    if isinstance(entries, (str, os.PathLike)):
        raise TypeError("build() takes an iterable of entries; name folders and files with sources=")
    if not os.fspath(out):
        raise TypeError("build() needs the folder to write to: out=")
    settings = replace(settings, sources=tuple(each for each in named if not is_address(each)), out=Path(out))
    workers = settings.workers if {"jobs", "executor"} & options.keys() else Workers()
    try:
        report = _run(settings, BuildRun(offers=entries, workers=workers), [each for each in named if is_address(each)])
    except (PublishError, SourceBroken, SourceError, StateError) as error:
        raise BuildError(str(error)) from error
    if report.refusals:
        raise BuildRefused(report)
    return report


def _run(settings: BuildSettings, run: BuildRun, sites: list[str]) -> BuildReport:
    if len(sites) > 1:
        raise ValueError("sources: only one site can be crawled at a time; save the others with crawl(url, out=FILE)")
    if sites:
        from urlset.workflows.build.crawl import build_from_web, crawl_for_build

        with work_folder() as temporary:
            crawling = crawl_for_build(settings, sites[0], settings.state_folder or temporary)
            _, report = build_from_web(settings, crawling, run)
        if report is None:
            raise BuildError("the crawl was interrupted; nothing was built")
        return report
    if not settings.base_url:
        if not settings.all_sources:
            raise ValueError("base_url: missing; it is inferred from sources only")
        from urlset.workflows.build.build import inferred_base_url

        settings = replace(settings, base_url=inferred_base_url(settings))
    return build_set(settings, run)
