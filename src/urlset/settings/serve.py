"""The options of the commands that serve others: serve and mcp."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Annotated, ClassVar
from urllib.parse import urlsplit

from urlset.settings.declare import NOT_IN_FILES, ONE_RUN, Opt, Options, StrPath
from urlset.settings.groups import FetchSettings, RunSettings, SitemapFetchSettings
from urlset.settings.history import keep_problems
from urlset.snapshots.expressions import DEFAULT_RETENTION
from urlset.writing.files import STATE_ROOT

PORT = 8710


class DoorSettings(Options):
    heading: ClassVar[str] = "Access"
    in_library: ClassVar[bool] = False

    host: Annotated[str, Opt("Address to listen on", "ADDRESS")] = "127.0.0.1"
    port: Annotated[int, Opt("Port to listen on; 0 for any", least=0, most=65_535)] = PORT
    token: Annotated[str | None, Opt("Token that opens the dashboard", "TOKEN", scope=NOT_IN_FILES, secret=True)] = None
    password_prompt: Annotated[
        bool, Opt("Ask for a password, save its hash, and exit", flag="--set-password", scope=ONE_RUN)
    ] = False
    read_only: Annotated[bool, Opt("Allow no runs to be started")] = False
    public_url: Annotated[str | None, Opt("URL of a reverse proxy in front of it", "URL", is_url=True)] = None


class ServeSettings(DoorSettings, FetchSettings, RunSettings):
    state: Annotated[StrPath, Opt("Folder of snapshots and audits", "DIR")] = STATE_ROOT
    keep: Annotated[str, Opt("Snapshots to keep, or `all`", "POLICY")] = DEFAULT_RETENTION
    open: Annotated[bool, Opt("Open a browser", scope=ONE_RUN)] = False

    def faults(self) -> Iterator[tuple[str, str]]:
        yield from keep_problems(self.keep)
        if self.public_url is not None and not urlsplit(self.public_url).hostname:
            yield "public_url", f"{self.public_url!r} is not a URL like https://urlset.example.com/"


class McpSettings(SitemapFetchSettings, RunSettings):
    roots: Annotated[
        tuple[StrPath, ...],
        Opt("Folder whose files may be used", "DIR", flag="--root", exists="folder", scope=NOT_IN_FILES),
    ] = ()
    read_only: Annotated[bool, Opt("Offer no tool that writes files")] = False
    skill: Annotated[bool, Opt("Print a skill file for agents and exit", scope=ONE_RUN)] = False
    state: Annotated[StrPath, Opt("Folder of builds and snapshots", "DIR")] = STATE_ROOT
