"""The options of `urlset check`."""

from __future__ import annotations

from typing import Annotated

from urlset.settings.declare import ONE_RUN, Opt
from urlset.settings.groups import (
    BaselineSettings,
    ExitSettings,
    JudgeSettings,
    PartsSettings,
    ReportSettings,
    RunSettings,
    SitemapFetchSettings,
    WorkerSettings,
)


class CheckSettings(
    JudgeSettings,
    SitemapFetchSettings,
    ExitSettings,
    ReportSettings,
    BaselineSettings,
    WorkerSettings,
    PartsSettings,
    RunSettings,
):
    targets: Annotated[
        tuple[str, ...],
        Opt(
            "Sitemaps to check",
            "FILE|PATTERN|FOLDER|URL|-...",
            positional=True,
            required="a file, a folder, a URL, or - for standard input",
        ),
    ] = ()
    at: Annotated[str | None, Opt("URL of the sitemap file", "URL", is_url=True, scope=ONE_RUN)] = None
    fix: Annotated[bool, Opt("Apply safe fixes in place first", scope=ONE_RUN, command_only=True)] = False
