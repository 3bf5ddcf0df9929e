"""The options of `urlset mcp`."""

from __future__ import annotations

from typing import Annotated

from urlset.settings.declare import Opt, OptionScope, StrPath
from urlset.settings.groups import RunSettings, SitemapFetchSettings
from urlset.writing.files import STATE_ROOT


class McpSettings(SitemapFetchSettings, RunSettings):
    roots: Annotated[
        tuple[StrPath, ...],
        Opt("Folder whose files may be used", "DIR", flag="--root", exists="folder", scope=OptionScope.NOT_IN_FILES),
    ] = ()
    read_only: Annotated[bool, Opt("Offer no tool that writes files")] = False
    state: Annotated[StrPath, Opt("Folder of builds and snapshots", "DIR")] = STATE_ROOT
