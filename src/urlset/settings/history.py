"""The options of the commands that look at sitemaps over time: snapshot, diff, history."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Annotated, ClassVar, Literal

from urlset.checking import clock
from urlset.findings.card import Severity
from urlset.settings.declare import ONE_RUN, Opt, Options, StrPath
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
    target: Annotated[
        str | None, Opt("Site to keep", "URL|FILE|FOLDER", positional=True, required="a URL, a file or a folder")
    ] = None
    state: Annotated[StrPath, Opt("Folder for snapshots", "DIR")] = STATE_ROOT
    keep: Annotated[str, Opt("Snapshots to keep, or `all`", "POLICY")] = DEFAULT_RETENTION
    fresh: Annotated[bool, Opt("Do not resume an interrupted snapshot", scope=ONE_RUN)] = False
    root: Annotated[StrPath | None, ROOT] = None

    def faults(self) -> Iterator[tuple[str, str]]:
        yield from keep_problems(self.keep)


def keep_problems(keep: str) -> Iterator[tuple[str, str]]:
    try:
        Retention.parse(keep)
    except ValueError as error:
        yield "keep", str(error)


class LimitSettings(Options):
    heading: ClassVar[str] = "Limits"

    exit_code: Annotated[bool, Opt("Exit with 1 if anything differs", command_only=True)] = False
    max_removed: Annotated[str | None, Opt("Fail if more URLs are removed", "N|P%")] = None
    max_added: Annotated[str | None, Opt("Fail if more URLs are added", "N|P%")] = None
    max_changed: Annotated[str | None, Opt("Fail if more URLs are changed", "N|P%")] = None
    require_all: Annotated[bool, Opt("Fail unless every URL of OLD is in NEW")] = False

    @property
    def limits(self) -> dict[str, Limit]:
        """Raises ValueError."""
        given = {"removed": self.max_removed, "added": self.max_added, "changed": self.max_changed}
        return {name: Limit.parse(text) for name, text in given.items() if text is not None}

    def faults(self) -> Iterator[tuple[str, str]]:
        for name in ("max_removed", "max_added", "max_changed"):
            text = getattr(self, name)
            try:
                Limit.parse(text or "0")
            except ValueError as error:
                yield name, str(error)


class DiffSettings(LimitSettings, LlmSettings, SitemapFetchSettings, WorkerSettings, RunSettings):
    targets: Annotated[
        tuple[str, ...],
        Opt(
            "Two states, or one target and --since",
            "OLD NEW | TARGET --since WHEN",
            positional=True,
            required="OLD and NEW, or one TARGET with --since",
        ),
    ] = ()
    since: Annotated[str | None, Opt("Compare with the snapshot of WHEN, like yesterday, 7d", "WHEN")] = None
    format: Annotated[
        Literal["text", "full", "json", "csv", "html", "xlsx", "patch", "llm"] | None,
        Opt("Output format", command_only=True, default="text, or by extension"),
    ] = None
    output: Annotated[StrPath | None, Opt("Write to FILE", "FILE", short="-o", command_only=True)] = None
    fields: Annotated[tuple[str, ...], Opt("Fields to compare", "NAMES", split=True, default="all")] = FIELDS
    ignore_host: Annotated[bool, Opt("Compare paths and queries, not hosts")] = False
    no_renames: Annotated[bool, Opt("Report renamed URLs as removed and added")] = False
    redirects: Annotated[StrPath | None, Opt("Known redirects: `OLD NEW` lines or CSV", "FILE", exists="file")] = None
    probe: Annotated[int, Opt("Request up to N removed URLs to find redirects", least=0)] = 100
    state: Annotated[StrPath, Opt("Folder of snapshots", "DIR")] = STATE_ROOT
    root: Annotated[StrPath | None, ROOT] = None

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
    target: Annotated[str | None, Opt("Target with snapshots, or a listed URL", "[TARGET|URL]", positional=True)] = None
    state: Annotated[StrPath, Opt("Folder of snapshots", "DIR")] = STATE_ROOT
    since: Annotated[str | None, Opt("Start at the snapshot of WHEN, like 30d", "WHEN")] = None
    last: Annotated[int | None, Opt("Show the newest N snapshots", least=1)] = None
    date_changes: Annotated[tuple[Facet, ...], DATE_CHANGES] = DATED_BY
    format: Annotated[
        Literal["text", "json", "csv", "html"] | None,
        Opt("Output format", command_only=True, default="text, or by extension"),
    ] = None
    output: Annotated[StrPath | None, Opt("Write to FILE", "FILE", short="-o", command_only=True)] = None
    fail_on: Annotated[Severity, Opt("Minimum severity that fails the run", command_only=True)] = Severity.ERROR

    def faults(self) -> Iterator[tuple[str, str]]:
        yield from _when("since", self.since)


def _when(name: str, text: str | None) -> Iterator[tuple[str, str]]:
    if text is not None and not is_moment(text, clock.now()):
        yield name, f"{text!r} is not a time; {MOMENT_HELP}"
