"""Sitemaps and access logs → a report, for Python programs: the same service as `urlset logs`."""

from __future__ import annotations

import os
from collections.abc import Iterable
from pathlib import Path
from typing import Unpack

from urlset.settings.groups import SitemapFetchSettings
from urlset.settings.keywords import from_keywords
from urlset.workflows.library.keywords import SitemapFetchKeywords
from urlset.workflows.live.setup import Live
from urlset.workflows.logs import BOT, LogReport, LogsError, LogsOptions, compare_logs

__all__ = ["LogReport", "LogsError", "logs"]

StrPath = str | os.PathLike[str]


def logs(
    target: StrPath,
    files: StrPath | Iterable[StrPath],
    *,
    bot: str = BOT,
    ranges: StrPath | None = None,
    root: StrPath | None = None,
    **options: Unpack[SitemapFetchKeywords],
) -> LogReport:
    """Join the requests of a crawler in access logs to listed pages, as `urlset logs` does.

    `target` is a sitemap, a folder of them, or the URL of a site. `ranges` is the published JSON file of the crawler's
    IP ranges; without it a User-Agent is believed. Raises LogsError where something cannot be read.
    """
    settings = from_keywords(SitemapFetchSettings, options)
    several = [files] if isinstance(files, (str, os.PathLike)) else files
    return compare_logs(
        LogsOptions(
            target=os.fspath(target),
            logs=tuple(map(Path, several)),
            bot=bot,
            ranges=None if ranges is None else Path(ranges),
            root=None if root is None else os.fspath(root),
            live=Live(settings.fetching, settings.max_files),
        )
    )
