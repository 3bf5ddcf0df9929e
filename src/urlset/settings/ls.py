"""The options of `urlset ls`."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Annotated, Literal

from urlset.settings.declare import Opt, StrPath
from urlset.settings.groups import RunSettings, SitemapFetchSettings, WorkerSettings


@dataclass(frozen=True, kw_only=True)
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
    since: Annotated[str | None, Opt("Only URLs with a lastmod on or after DATE", "DATE")] = None
    limit: Annotated[int | None, Opt("Stop after N URLs", least=0)] = None
    root: Annotated[StrPath | None, Opt("Folder that holds the site's files", "DIR", exists="folder")] = None
    output: Annotated[StrPath | None, Opt("Write to FILE", "FILE", short="-o")] = None

    def problems(self) -> Iterator[tuple[str, str]]:
        yield from super().problems()
        if self.format == "url" and self.fields is not None:
            yield "fields", "needs --format jsonl, csv, tsv or parquet"
        if self.match is not None:
            try:
                re.compile(self.match)
            except re.error as error:
                yield "match", f"{self.match!r} is not a regular expression: {error}"
