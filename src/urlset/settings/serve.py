"""The options of the commands that serve others: serve and mcp."""

from __future__ import annotations

from collections.abc import Iterator
from urllib.parse import urlsplit

from urlset.settings.declare import NOT_IN_FILES, ONE_RUN, Options, StrPath, opt, refused
from urlset.settings.groups import FetchSettings, RunSettings, SitemapFetchSettings
from urlset.snapshots.expressions import DEFAULT_RETENTION, Retention
from urlset.writing.files import STATE_ROOT

PORT = 8710


class DoorSettings(Options, heading="Access", in_library=False):
    host: str = opt("127.0.0.1", "Address to listen on", "ADDRESS")
    port: int = opt(PORT, "Port to listen on; 0 for any", least=0, most=65_535)
    token: str | None = opt(None, "Token that opens the dashboard", "TOKEN", scope=NOT_IN_FILES, secret=True)
    password_prompt: bool = opt(
        False, "Ask for a password, save its hash, and exit", flag="--set-password", scope=ONE_RUN
    )
    read_only: bool = opt(False, "Allow no runs to be started")
    public_url: str | None = opt(None, "URL of a reverse proxy in front of it", "URL", is_url=True)


class ServeSettings(DoorSettings, FetchSettings, RunSettings):
    state: StrPath = opt(STATE_ROOT, "Folder of snapshots and audits", "DIR")
    keep: str = opt(DEFAULT_RETENTION, "Snapshots to keep, or `all`", "POLICY")
    open: bool = opt(False, "Open a browser", scope=ONE_RUN)

    def faults(self) -> Iterator[tuple[str, str]]:
        yield from refused("keep", Retention.parse, self.keep)
        if self.public_url is not None and not urlsplit(self.public_url).hostname:
            yield "public_url", f"{self.public_url!r} is not a URL like https://urlset.example.com/"


class McpSettings(SitemapFetchSettings, RunSettings):
    roots: tuple[StrPath, ...] = opt(
        (), "Folder whose files may be used", "DIR", flag="--root", exists="folder", scope=NOT_IN_FILES
    )
    read_only: bool = opt(False, "Offer no tool that writes files")
    skill: bool = opt(False, "Print a skill file for agents and exit", scope=ONE_RUN)
    state: StrPath = opt(STATE_ROOT, "Folder of builds and snapshots", "DIR")
