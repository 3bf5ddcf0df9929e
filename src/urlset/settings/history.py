"""The options of the commands that look at sitemaps over time: snapshot, diff, history."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Literal

from urlset.checking import clock
from urlset.findings.card import Severity
from urlset.settings.declare import ONE_RUN, Options, StrPath, argument, opt, refused
from urlset.settings.groups import (
    DATE_CHANGES,
    ROOT,
    LlmSettings,
    RunSettings,
    SitemapFetchSettings,
    TextOrJson,
    WorkerSettings,
)
from urlset.snapshots.expressions import DEFAULT_RETENTION, MOMENT_HELP, Limit, Retention, is_moment
from urlset.snapshots.parquet import FIELDS
from urlset.spec.page_facets import DATED_BY, Facet
from urlset.writing.files import STATE_ROOT


class SnapshotSettings(TextOrJson, SitemapFetchSettings, WorkerSettings, RunSettings):
    target: str | None = argument(None, "Site to keep", "URL|FILE|FOLDER", "a URL, a file or a folder")
    state: StrPath = opt(STATE_ROOT, "Folder for snapshots", "DIR")
    keep: str = opt(DEFAULT_RETENTION, "Snapshots to keep, or `all`", "POLICY")
    fresh: bool = opt(False, "Do not resume an interrupted snapshot", scope=ONE_RUN)
    root: StrPath | None = opt(None, ROOT)

    def faults(self) -> Iterator[tuple[str, str]]:
        yield from refused("keep", Retention.parse, self.keep)


class LimitSettings(Options, heading="Limits"):
    exit_code: bool = opt(False, "Exit with 1 if anything differs", command_only=True)
    max_removed: str | None = opt(None, "Fail if more URLs are removed", "N|P%")
    max_added: str | None = opt(None, "Fail if more URLs are added", "N|P%")
    max_changed: str | None = opt(None, "Fail if more URLs are changed", "N|P%")
    require_all: bool = opt(False, "Fail unless every URL of OLD is in NEW")

    @property
    def limits(self) -> dict[str, Limit]:
        """Raises ValueError."""
        given = {"removed": self.max_removed, "added": self.max_added, "changed": self.max_changed}
        return {name: Limit.parse(text) for name, text in given.items() if text is not None}

    def faults(self) -> Iterator[tuple[str, str]]:
        for name in ("max_removed", "max_added", "max_changed"):
            yield from refused(name, Limit.parse, getattr(self, name) or "0")


class DiffSettings(LimitSettings, LlmSettings, SitemapFetchSettings, WorkerSettings, RunSettings):
    targets: tuple[str, ...] = argument(
        (),
        "Two states, or one target and --since",
        "OLD NEW | TARGET --since WHEN",
        "OLD and NEW, or one TARGET with --since",
    )
    since: str | None = opt(None, "Compare with the snapshot of WHEN, like yesterday, 7d", "WHEN")
    format: Literal["text", "full", "json", "csv", "html", "xlsx", "patch", "llm"] | None = opt(
        None, "Output format", command_only=True, default="text, or by extension"
    )
    output: StrPath | None = opt(None, "Write to FILE", "FILE", short="-o", command_only=True)
    fields: tuple[str, ...] = opt(FIELDS, "Fields to compare", "NAMES", split=True, default="all")
    ignore_host: bool = opt(False, "Compare paths and queries, not hosts")
    no_renames: bool = opt(False, "Report renamed URLs as removed and added")
    redirects: StrPath | None = opt(None, "Known redirects: `OLD NEW` lines or CSV", "FILE", exists="file")
    probe: int = opt(100, "Request up to N removed URLs to find redirects", least=0)
    state: StrPath = opt(STATE_ROOT, "Folder of snapshots", "DIR")
    root: StrPath | None = opt(None, ROOT)

    @property
    def old(self) -> str:
        return self.targets[0] if self.since is None else f"{self.targets[0]}@{self.since}"

    @property
    def new(self) -> str:
        return self.targets[-1]

    def faults(self) -> Iterator[tuple[str, str]]:
        yield from _when("since", self.since)
        for name in self.fields:
            if name not in FIELDS:
                yield "fields", f"unknown field {name!r}; known: {', '.join(FIELDS)}"


class HistorySettings(RunSettings):
    target: str | None = argument(None, "Target with snapshots, or a listed URL", "[TARGET|URL]")
    state: StrPath = opt(STATE_ROOT, "Folder of snapshots", "DIR")
    since: str | None = opt(None, "Start at the snapshot of WHEN, like 30d", "WHEN")
    last: int | None = opt(None, "Show the newest N snapshots", least=1)
    date_changes: tuple[Facet, ...] = opt(DATED_BY, DATE_CHANGES)
    format: Literal["text", "json", "csv", "html"] | None = opt(
        None, "Output format", command_only=True, default="text, or by extension"
    )
    output: StrPath | None = opt(None, "Write to FILE", "FILE", short="-o", command_only=True)
    fail_on: Severity = opt(Severity.ERROR, "Minimum severity that fails the run", command_only=True)

    def faults(self) -> Iterator[tuple[str, str]]:
        yield from _when("since", self.since)


def _when(name: str, text: str | None) -> Iterator[tuple[str, str]]:
    if text is not None and not is_moment(text, clock.now()):
        yield name, f"{text!r} is not a time; {MOMENT_HELP}"
