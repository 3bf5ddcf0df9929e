"""The options of `urlset check`."""

from __future__ import annotations

from urlset.settings.declare import ONE_RUN, argument, opt
from urlset.settings.groups import FindingSettings, JudgeSettings, SitemapFetchSettings


class CheckSettings(JudgeSettings, SitemapFetchSettings, FindingSettings):
    targets: tuple[str, ...] = argument(
        (), "Sitemaps to check", "FILE|PATTERN|FOLDER|URL|-...", "a file, a folder, a URL, or - for standard input"
    )
    at: str | None = opt(None, "URL of the sitemap file", "URL", is_url=True, scope=ONE_RUN)
    fix: bool = opt(False, "Apply safe fixes in place first", scope=ONE_RUN, command_only=True)
