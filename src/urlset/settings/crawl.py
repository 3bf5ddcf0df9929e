"""The options of `urlset crawl`."""

from __future__ import annotations

from typing import Annotated

from urlset.crawling.found import TrapKind
from urlset.settings.declare import Opt, StrPath
from urlset.settings.groups import (
    CrawlLimitSettings,
    FetchSettings,
    PartsSettings,
    RenderSettings,
    RunSettings,
    TextOrJson,
)
from urlset.writing.files import STATE_ROOT


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
