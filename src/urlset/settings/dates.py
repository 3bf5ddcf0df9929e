"""The options of `urlset dates`."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING

from urlset.building.lock import LOCK_NAME
from urlset.settings.declare import ONE_RUN, Opt, Options, StrPath, argument, opt
from urlset.settings.groups import DATE_CHANGES, FetchSettings, RunSettings, TextOrJson
from urlset.spec.page_facets import DATED_BY, Facet
from urlset.writing.files import STATE_ROOT

if TYPE_CHECKING:
    from datetime import datetime

LOCK = Opt("Lock file with the dates of all pages", "FILE")


class DateSettings(Options, heading="Dates"):
    """What dates a page."""

    date_changes: tuple[Facet, ...] = opt(DATED_BY, DATE_CHANGES)
    source_dir: StrPath | None = opt(None, "Files a generator made the pages from, for dates", "DIR", exists="folder")
    timezone: str | None = opt(None, "Offset of dates without one, such as +02:00", "OFFSET")
    first_seen: bool = opt(False, "Date new pages with the day they are first seen")


class DatesSettings(TextOrJson, DateSettings, FetchSettings, RunSettings):
    target: str | None = argument(None, "Built site, or one of its sitemaps", "[FOLDER|FILE]")
    root: StrPath | None = opt(
        None, "Folder with the pages", "DIR", exists="folder", default="the folder of the sitemap"
    )
    base_url: str | None = opt(None, "URL that the folder is served at", "URL", is_url=True)
    lock: StrPath = opt(LOCK_NAME, LOCK)
    check: bool = opt(False, "Report stale dates and write nothing", scope=ONE_RUN, command_only=True)
    start: str | None = opt(None, "Live site to fetch pages and first dates from", "URL", flag="--from", scope=ONE_RUN)
    dry_run: bool = opt(False, "Show what would change and write nothing", scope=ONE_RUN)
    allow_shrink: bool = opt(False, "Allow a lock that loses more than 20% of its pages")
    state: StrPath = opt(STATE_ROOT, "State folder, with a cache that may be deleted", "DIR")
    now: datetime | None = None
    """the time of the run, instead of the clock"""

    @property
    def lock_path(self) -> Path:
        return Path(self.lock)

    def faults(self) -> Iterator[tuple[str, str]]:
        if self.check and self.first_seen:
            yield "check", "cannot be combined with --first-seen: it writes nothing"
