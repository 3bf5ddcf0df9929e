"""The options of the commands that read lists of pages: ls, info, logs."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Annotated, Literal

from urlset.settings.declare import ONE_RUN, Opt, StrPath
from urlset.settings.groups import ROOT, RunSettings, SitemapFetchSettings, TextOrJson, WorkerSettings
from urlset.writing.files import STATE_ROOT


class LsSettings(SitemapFetchSettings, WorkerSettings, RunSettings):
    targets: Annotated[
        tuple[str, ...],
        Opt(
            "Sitemaps to list",
            "FILE|PATTERN|FOLDER|URL|-...",
            positional=True,
            required="a file, a folder, a URL, or - for standard input",
        ),
    ] = ()
    format: Annotated[
        Literal["url", "jsonl", "csv", "tsv", "parquet"] | None,
        Opt("Output format", "FORMAT", default="url, or by extension"),
    ] = None
    fields: Annotated[str | None, Opt("Fields to print, comma-separated", "NAMES")] = None
    match: Annotated[str | None, Opt("Only URLs matching this regular expression", "REGEX")] = None
    exclude: Annotated[tuple[str, ...], Opt("Exclude URLs matching this regular expression", "REGEX")] = ()
    since: Annotated[str | None, Opt("Only URLs with a lastmod on or after DATE", "DATE")] = None
    until: Annotated[str | None, Opt("Only URLs with a lastmod on or before DATE", "DATE")] = None
    changed_since: Annotated[str | None, Opt("Only new and changed URLs, compared with OLD", "OLD", scope=ONE_RUN)] = (
        None
    )
    sort: Annotated[str | None, Opt("Order by a field; -FIELD is descending", "FIELD")] = None
    count: Annotated[bool, Opt("Print the number of URLs only")] = False
    limit: Annotated[int | None, Opt("Stop after N URLs", least=0)] = None
    state: Annotated[StrPath, Opt("Folder for snapshots", "DIR")] = STATE_ROOT
    root: Annotated[StrPath | None, ROOT] = None
    output: Annotated[StrPath | None, Opt("Write to FILE", "FILE", short="-o")] = None

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
    targets: Annotated[
        tuple[str, ...],
        Opt(
            "Sitemaps to describe",
            "FILE|PATTERN|FOLDER|URL|-...",
            positional=True,
            required="a file, a folder, a URL, or - for standard input",
        ),
    ] = ()
    follow: Annotated[bool, Opt("Describe the children of an index too")] = False
    root: Annotated[StrPath | None, ROOT] = None


class LogsSettings(SitemapFetchSettings, RunSettings):
    targets: Annotated[
        tuple[str, ...],
        Opt(
            "Sitemaps or site, then access logs",
            "TARGET LOG...",
            positional=True,
            required="a sitemap, folder or URL, and an access log",
        ),
    ] = ()
    bot: Annotated[str, Opt("Crawler, by its name in the User-Agent", "NAME")] = "Googlebot"
    ranges: Annotated[StrPath | None, Opt("Published IP ranges of the crawler (JSON)", "FILE", exists="file")] = None
    format: Annotated[
        Literal["text", "json", "csv"] | None, Opt("Output format", command_only=True, default="text, or by extension")
    ] = None
    output: Annotated[StrPath | None, Opt("Write to FILE", "FILE", short="-o", command_only=True)] = None
    root: Annotated[StrPath | None, ROOT] = None

    def faults(self) -> Iterator[tuple[str, str]]:
        if len(self.targets) == 1:
            yield "targets", "name an access log after the target"
        if not self.bot.strip():
            yield "bot", "must not be empty"
