"""The options of `urlset info`."""

from __future__ import annotations

from typing import Annotated

from urlset.settings.declare import Opt, StrPath
from urlset.settings.groups import RunSettings, SitemapFetchSettings, TextOrJson


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
    root: Annotated[
        StrPath | None, Opt("Folder that holds the site's files", "DIR|URL", exists="folder", or_storage=True)
    ] = None
