"""The options of `urlset logs`."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Annotated, Literal

from urlset.settings.declare import Opt, StrPath
from urlset.settings.groups import ROOT, RunSettings, SitemapFetchSettings


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
    format: Annotated[Literal["text", "json", "csv"], Opt("Output format")] = "text"
    output: Annotated[StrPath | None, Opt("Write to FILE", "FILE", short="-o")] = None
    root: Annotated[StrPath | None, ROOT] = None

    def problems(self) -> Iterator[tuple[str, str]]:
        yield from super().problems()
        if len(self.targets) == 1:
            yield "targets", "name an access log after the target"
        if not self.bot.strip():
            yield "bot", "must not be empty"
