"""The options of the commands that read lists of pages: ls, info, logs."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Literal

from urlset.settings.declare import ONE_RUN, StrPath, argument, opt
from urlset.settings.groups import ROOT, RunSettings, SitemapFetchSettings, TextOrJson, WorkerSettings
from urlset.writing.files import STATE_ROOT


class LsSettings(SitemapFetchSettings, WorkerSettings, RunSettings):
    targets: tuple[str, ...] = argument(
        (), "Sitemaps to list", "FILE|PATTERN|FOLDER|URL|-...", "a file, a folder, a URL, or - for standard input"
    )
    format: Literal["url", "jsonl", "csv", "tsv", "parquet"] | None = opt(
        None, "Output format", "FORMAT", default="url, or by extension"
    )
    fields: str | None = opt(None, "Fields to print, comma-separated", "NAMES")
    match: str | None = opt(None, "Only URLs matching this regular expression", "REGEX")
    exclude: tuple[str, ...] = opt((), "Exclude URLs matching this regular expression", "REGEX")
    since: str | None = opt(None, "Only URLs with a lastmod on or after DATE", "DATE")
    until: str | None = opt(None, "Only URLs with a lastmod on or before DATE", "DATE")
    changed_since: str | None = opt(None, "Only new and changed URLs, compared with OLD", "OLD", scope=ONE_RUN)
    sort: str | None = opt(None, "Order by a field; -FIELD is descending", "FIELD")
    count: bool = opt(False, "Print the number of URLs only")
    limit: int | None = opt(None, "Stop after N URLs", least=0)
    state: StrPath = opt(STATE_ROOT, "Folder for snapshots", "DIR")
    root: StrPath | None = opt(None, ROOT)
    output: StrPath | None = opt(None, "Write to FILE", "FILE", short="-o")

    def faults(self) -> Iterator[tuple[str, str]]:
        if self.format == "url" and self.fields is not None:
            yield "fields", "needs --format jsonl, csv, tsv or parquet"
        for name, patterns in (("match", (self.match,)), ("exclude", self.exclude)):
            for pattern in filter(None, patterns):
                try:
                    re.compile(pattern)
                except re.error as error:
                    yield name, f"{pattern!r} is not a regular expression: {error}"
        if self.changed_since is not None and len(self.targets) > 1:
            yield "changed_since", "compares one target"


class InfoSettings(TextOrJson, SitemapFetchSettings, RunSettings):
    targets: tuple[str, ...] = argument(
        (), "Sitemaps to describe", "FILE|PATTERN|FOLDER|URL|-...", "a file, a folder, a URL, or - for standard input"
    )
    follow: bool = opt(False, "Describe the children of an index too")
    root: StrPath | None = opt(None, ROOT)


class LogsSettings(SitemapFetchSettings, RunSettings):
    targets: tuple[str, ...] = argument(
        (), "Sitemaps or site, then access logs", "TARGET LOG...", "a sitemap, folder or URL, and an access log"
    )
    bot: str = opt("Googlebot", "Crawler, by its name in the User-Agent", "NAME")
    ranges: StrPath | None = opt(None, "Published IP ranges of the crawler (JSON)", "FILE", exists="file")
    format: Literal["text", "json", "csv"] | None = opt(
        None, "Output format", command_only=True, default="text, or by extension"
    )
    output: StrPath | None = opt(None, "Write to FILE", "FILE", short="-o", command_only=True)
    root: StrPath | None = opt(None, ROOT)

    def faults(self) -> Iterator[tuple[str, str]]:
        if len(self.targets) == 1:
            yield "targets", "name an access log after the target"
        if not self.bot.strip():
            yield "bot", "must not be empty"
