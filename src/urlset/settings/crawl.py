"""The options of `urlset crawl`, and those of every command that follows links or renders pages."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Annotated, ClassVar

from urlset.crawling.found import TrapKind
from urlset.model.visit import RenderMode
from urlset.settings.declare import NOT_IN_FILES, ONE_RUN, Opt, Options, StrPath
from urlset.settings.groups import FetchSettings, PartsSettings, RunSettings, TextOrJson
from urlset.writing.files import STATE_ROOT


class RenderSettings(Options):
    """Every command that reads pages."""

    heading: ClassVar[str] = "Rendering"

    render: Annotated[RenderMode, Opt("Run scripts in a browser; auto: on script shells only")] = RenderMode.NEVER
    browser: Annotated[StrPath | None, Opt("Chromium, Chrome or Edge to use", "PATH", scope=NOT_IN_FILES)] = None

    def faults(self) -> Iterator[tuple[str, str]]:
        if self.render is not RenderMode.NEVER:
            from urlset.web.browser import BrowserError, find_browser

            try:
                find_browser(None if self.browser is None else Path(self.browser))
            except BrowserError as error:
                yield "render", str(error)


class CrawlLimitSettings(Options):
    """Every command that follows links."""

    heading: ClassVar[str] = "Crawling"

    max_pages: Annotated[int | None, Opt("Stop after N pages", least=1)] = None
    max_depth: Annotated[int | None, Opt("Follow links up to N clicks from the start", least=0)] = None
    prefix: Annotated[str | None, Opt("Crawl only below this path", "PATH")] = None
    seed_sitemaps: Annotated[bool, Opt("Also visit URLs listed in the site's sitemaps")] = False
    fresh: Annotated[bool, Opt("Start over instead of resuming", scope=ONE_RUN)] = False

    def faults(self) -> Iterator[tuple[str, str]]:
        if self.prefix is not None and not self.prefix.startswith("/"):
            yield "prefix", f"{self.prefix!r} must start with a slash, for example /blog/"


class CrawlSettings(TextOrJson, CrawlLimitSettings, RenderSettings, FetchSettings, PartsSettings, RunSettings):
    url: Annotated[str | None, Opt("Start page of the site", "URL", positional=True, required="a URL")] = None
    out: Annotated[
        StrPath | None, Opt("Write every URL: .csv .jsonl .parquet .xlsx .html", "FILE", short="-o", command_only=True)
    ] = None
    include: Annotated[tuple[str, ...], Opt("Visit only matching URLs (glob or re:REGEX)", "PATTERN")] = ()
    exclude: Annotated[tuple[str, ...], Opt("Skip matching URLs (glob or re:REGEX)", "PATTERN")] = ()
    follow_nofollow: Annotated[bool, Opt("Follow nofollow links")] = False
    ignore_robots: Annotated[bool, Opt("Ignore robots.txt (your own site only)")] = False
    ignore_traps: Annotated[
        tuple[TrapKind, ...], Opt("Follow URL patterns that look endless", "KINDS", split=True)
    ] = ()
    state: Annotated[StrPath, Opt("Folder for crawl state", "DIR")] = STATE_ROOT
