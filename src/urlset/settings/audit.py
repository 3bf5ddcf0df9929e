"""The options of `urlset audit`."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Annotated, Literal

from urlset.settings.crawl import RenderSettings
from urlset.settings.declare import ONE_RUN, Opt, StrPath
from urlset.settings.groups import (
    DATE_CHANGES,
    BaselineSettings,
    ExitSettings,
    FetchSettings,
    JudgeSettings,
    PartsSettings,
    ReportSettings,
    RunSettings,
    WorkerSettings,
)
from urlset.spec.page_facets import DATED_BY, Facet
from urlset.writing.files import STATE_ROOT

_DURATION = re.compile(r"(?:(\d+)h)?(?:(\d+)m)?(?:(\d+(?:\.\d+)?)s?)?", re.IGNORECASE)


class AuditSettings(
    JudgeSettings,
    RenderSettings,
    FetchSettings,
    ExitSettings,
    ReportSettings,
    BaselineSettings,
    WorkerSettings,
    PartsSettings,
    RunSettings,
):
    target: Annotated[
        str | None,
        Opt("Site, sitemap or build folder", "URL|FILE|FOLDER", positional=True, required="a URL, a file or a folder"),
    ] = None
    sample: Annotated[str | None, Opt("Audit N pages or P% of them, stratified", "N|P%")] = None
    max_pages: Annotated[int | None, Opt("Fetch N pages, then stop; run again to resume", least=1)] = None
    max_pages_per_host: Annotated[int | None, Opt("The same for each host by itself", least=1)] = None
    max_time: Annotated[str | None, Opt("Stop after TIME, such as 90s, 10m or 2h", "TIME")] = None
    media: Annotated[bool, Opt("Also fetch listed images and videos")] = False
    check: Annotated[bool, Opt("Also check the sitemaps themselves")] = True
    crawl: Annotated[bool, Opt("Crawl the site and compare it with the sitemap")] = False
    crawled: Annotated[
        tuple[StrPath, ...], Opt("Compare with the export of a crawler instead", "FILE", exists="file")
    ] = ()
    exclude: Annotated[tuple[str, ...], Opt("With --crawl: skip matching URLs", "PATTERN")] = ()
    compare: Annotated[
        StrPath | None, Opt("Report new and resolved findings since LAST", "LAST", scope=ONE_RUN, command_only=True)
    ] = None
    table: Annotated[
        Literal["problems", "pages"], Opt("Rows of CSV: one per problem and URL, or per page", command_only=True)
    ] = "problems"
    date_changes: Annotated[tuple[Facet, ...], DATE_CHANGES] = DATED_BY
    ignore_robots: Annotated[bool, Opt("Ignore robots.txt (your own site only)")] = False
    state: Annotated[StrPath, Opt("Folder for audit state", "DIR")] = STATE_ROOT
    fresh: Annotated[bool, Opt("Start over instead of resuming", scope=ONE_RUN)] = False
    resume: Annotated[bool, Opt("Resume the previous run (default)", scope=ONE_RUN, command_only=True)] = False
    known: Annotated[bool, Opt("Report the previous run, fetch nothing", scope=ONE_RUN)] = False

    @property
    def max_seconds(self) -> float | None:
        found = _DURATION.fullmatch(self.max_time.strip()) if self.max_time is not None else None
        if found is None or not any(found.groups()):
            return None
        hours, minutes, seconds = (float(part or 0) for part in found.groups())
        return hours * 3600 + minutes * 60 + seconds

    def faults(self) -> Iterator[tuple[str, str]]:
        if self.max_time is not None and self.max_seconds is None:
            yield "max_time", f"{self.max_time!r} is not a time like 90s, 10m or 1h30m"
        if self.sample is not None:
            from urlset.auditing.sample import SampleSize

            try:
                SampleSize.parse(self.sample)
            except ValueError as error:
                yield "sample", str(error)
        if self.exclude and not self.crawl:
            yield "exclude", "needs --crawl"
        if self.crawl and self.crawled:
            yield "crawled", "cannot be combined with --crawl"
        if self.fresh and (self.known or self.resume):
            yield "fresh", "cannot be combined with --resume or --known"
        if self.known and self.crawl:
            yield "known", "cannot be combined with --crawl, which fetches"
