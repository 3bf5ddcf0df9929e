"""The options of `urlset check`."""

from __future__ import annotations

from urlset.settings.declare import ONE_RUN, opt
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
    targets: tuple[str, ...] = opt(
        (),
        "Sitemaps to check",
        "FILE|PATTERN|FOLDER|URL|-...",
        positional=True,
        required="a file, a folder, a URL, or - for standard input",
    )
    at: str | None = opt(None, "URL of the sitemap file", "URL", is_url=True, scope=ONE_RUN)
    fix: bool = opt(False, "Apply safe fixes in place first", scope=ONE_RUN, command_only=True)
