"""The options of `urlset audit`."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Literal

from urlset.settings.crawl import RenderSettings
from urlset.settings.declare import ONE_RUN, StrPath, argument, opt, refused
from urlset.settings.groups import DATE_CHANGES, FetchSettings, FindingSettings, JudgeSettings
from urlset.spec.page_facets import DATED_BY, Facet
from urlset.writing.files import STATE_ROOT

_DURATION = re.compile(r"(?:(\d+)h)?(?:(\d+)m)?(?:(\d+(?:\.\d+)?)s?)?", re.IGNORECASE)


class AuditSettings(JudgeSettings, RenderSettings, FetchSettings, FindingSettings):
    target: str | None = argument(None, "Site, sitemap or build folder", "URL|FILE|FOLDER", "a URL, a file or a folder")
    sample: str | None = opt(None, "Audit N pages or P% of them, stratified", "N|P%")
    max_pages: int | None = opt(None, "Fetch N pages, then stop; run again to resume", least=1)
    max_pages_per_host: int | None = opt(None, "The same for each host by itself", least=1)
    max_time: str | None = opt(None, "Stop after TIME, such as 90s, 10m or 2h", "TIME")
    media: bool = opt(False, "Also fetch listed images and videos")
    check: bool = opt(True, "Also check the sitemaps themselves")
    crawl: bool = opt(False, "Crawl the site and compare it with the sitemap")
    crawled: tuple[StrPath, ...] = opt((), "Compare with the export of a crawler instead", "FILE", exists="file")
    exclude: tuple[str, ...] = opt((), "With --crawl: skip matching URLs", "PATTERN")
    compare: StrPath | None = opt(
        None, "Report new and resolved findings since LAST", "LAST", scope=ONE_RUN, command_only=True
    )
    table: Literal["problems", "pages"] = opt(
        "problems", "Rows of CSV: one per problem and URL, or per page", command_only=True
    )
    date_changes: tuple[Facet, ...] = opt(DATED_BY, DATE_CHANGES)
    ignore_robots: bool = opt(False, "Ignore robots.txt (your own site only)")
    state: StrPath = opt(STATE_ROOT, "Folder for audit state", "DIR")
    fresh: bool = opt(False, "Start over instead of resuming", scope=ONE_RUN)
    resume: bool = opt(False, "Resume the previous run (default)", scope=ONE_RUN, command_only=True)
    known: bool = opt(False, "Report the previous run, fetch nothing", scope=ONE_RUN)

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

            yield from refused("sample", SampleSize.parse, self.sample)
        if self.exclude and not self.crawl:
            yield "exclude", "needs --crawl"
        if self.crawl and self.crawled:
            yield "crawled", "cannot be combined with --crawl"
        if self.fresh and (self.known or self.resume):
            yield "fresh", "cannot be combined with --resume or --known"
        if self.known and self.crawl:
            yield "known", "cannot be combined with --crawl, which fetches"
