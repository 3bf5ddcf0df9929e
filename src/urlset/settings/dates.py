"""The options of `urlset dates`."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, ClassVar

from urlset.building.lock import LOCK_NAME
from urlset.settings.declare import ONE_RUN, Opt, Options, StrPath
from urlset.settings.groups import DATE_CHANGES, FetchSettings, RunSettings, TextOrJson
from urlset.spec.page_facets import DATED_BY, Facet
from urlset.writing.files import STATE_ROOT

if TYPE_CHECKING:
    from datetime import datetime

LOCK = Opt("Lock file with the dates of all pages", "FILE")


class DateSettings(Options):
    """What dates a page."""

    heading: ClassVar[str] = "Dates"

    date_changes: Annotated[tuple[Facet, ...], DATE_CHANGES] = DATED_BY
    source_dir: Annotated[
        StrPath | None, Opt("Files a generator made the pages from, for dates", "DIR", exists="folder")
    ] = None
    timezone: Annotated[str | None, Opt("Offset of dates without one, such as +02:00", "OFFSET")] = None
    first_seen: Annotated[bool, Opt("Date new pages with the day they are first seen")] = False


class DatesSettings(TextOrJson, DateSettings, FetchSettings, RunSettings):
    target: Annotated[str | None, Opt("Built site, or one of its sitemaps", "[FOLDER|FILE]", positional=True)] = None
    root: Annotated[
        StrPath | None, Opt("Folder with the pages", "DIR", exists="folder", default="the folder of the sitemap")
    ] = None
    base_url: Annotated[str | None, Opt("URL that the folder is served at", "URL", is_url=True)] = None
    lock: Annotated[StrPath, LOCK] = LOCK_NAME
    check: Annotated[bool, Opt("Report stale dates and write nothing", scope=ONE_RUN, command_only=True)] = False
    start: Annotated[
        str | None, Opt("Live site to fetch pages and first dates from", "URL", flag="--from", scope=ONE_RUN)
    ] = None
    dry_run: Annotated[bool, Opt("Show what would change and write nothing", scope=ONE_RUN)] = False
    allow_shrink: Annotated[bool, Opt("Allow a lock that loses more than 20% of its pages")] = False
    state: Annotated[StrPath, Opt("State folder, with a cache that may be deleted", "DIR")] = STATE_ROOT
    now: datetime | None = None
    """the time of the run, instead of the clock"""

    @property
    def lock_path(self) -> Path:
        return Path(self.lock)

    def faults(self) -> Iterator[tuple[str, str]]:
        if self.check and self.first_seen:
            yield "check", "cannot be combined with --first-seen: it writes nothing"
