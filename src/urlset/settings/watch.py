"""The options of `urlset watch`."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Annotated, ClassVar, Literal
from zoneinfo import ZoneInfo

import msgspec

from urlset.model.frames import NotInstalledError
from urlset.settings.declare import NOT_IN_FILES, ONE_RUN, ONLY_IN_FILES, Opt, Options, StrPath
from urlset.settings.groups import RuleSettings, RunSettings, SitemapFetchSettings, TextOrJson
from urlset.settings.history import keep_problems
from urlset.snapshots.expressions import DEFAULT_RETENTION, Limit
from urlset.watching.schedule import QuietHours, Schedule, parse_duration
from urlset.watching.tracker import AlertKind
from urlset.writing.files import STATE_ROOT

SCHEDULES = {"check": "every 15m", "audit": "daily", "snapshot": "daily", "engine_reports": "off"}
"""what counts where nothing is set"""
LINKED_CHANNELS = ("webhook", "slack", "teams")
"""channels whose URL is a secret, and is read from the variable that a file names"""


class SiteTable(msgspec.Struct, frozen=True, forbid_unknown_fields=True, rename="kebab"):
    """One site in a settings file; what it leaves out is as for all sites."""

    url: str
    check: str | None = None
    audit: str | None = None
    snapshot: str | None = None
    engine_reports: str | None = None
    pages_per_day: int | None = None
    property: str | None = None


class ScheduleSettings(Options):
    heading: ClassVar[str] = "Schedules"

    check: Annotated[str | None, Opt("When to check", "SCHEDULE", default=SCHEDULES["check"])] = None
    audit: Annotated[str | None, Opt("When to audit pages", "SCHEDULE", default=SCHEDULES["audit"])] = None
    snapshot: Annotated[str | None, Opt("When to take snapshots", "SCHEDULE", default=SCHEDULES["snapshot"])] = None
    engine_reports: Annotated[
        str | None, Opt("When to read engine reports", "SCHEDULE", default=SCHEDULES["engine_reports"])
    ] = None
    pages_per_day: Annotated[int, Opt("Pages to request per site and day", least=0)] = 1_000
    keep: Annotated[str, Opt("Snapshots to keep, or `all`", "POLICY")] = DEFAULT_RETENTION
    timezone: Annotated[str | None, Opt("Time zone of schedules", "NAME", default="of the system")] = None

    def faults(self) -> Iterator[tuple[str, str]]:
        for name in SCHEDULES:
            yield from _schedule(name, getattr(self, name))
        if self.timezone is not None:
            try:
                ZoneInfo(self.timezone)
            except (KeyError, OSError, ValueError):
                yield "timezone", f"{self.timezone!r} is not a time zone like Europe/Berlin"
        yield from keep_problems(self.keep)


class AlertSettings(Options):
    heading: ClassVar[str] = "Alerts"

    debounce: Annotated[
        str | None, Opt("Report a change that lasts this long", "TIME", default="2m, with --once 0")
    ] = None
    max_fall: Annotated[str, Opt("Report a fall in URLs of more than P%", "P%")] = "10%"
    quiet_hours: Annotated[str | None, Opt("Hold alerts back, like 22:00-07:00", "HOURS")] = None
    mute: Annotated[tuple[AlertKind, ...], Opt("Kinds of alerts to leave out", "KINDS", split=True)] = ()

    def faults(self) -> Iterator[tuple[str, str]]:
        readers = {"debounce": parse_duration, "quiet_hours": QuietHours.parse, "max_fall": _percent}
        for name, read in readers.items():
            try:
                text = getattr(self, name)
                if text is not None:
                    read(text)
            except ValueError as error:
                yield name, str(error)

    @property
    def fall(self) -> float:
        return _percent(self.max_fall)


class ChannelSettings(Options):
    heading: ClassVar[str] = "Channels"

    webhook: Annotated[tuple[str, ...], Opt("Send signed JSON to URL", "URL", secret=True, scope=NOT_IN_FILES)] = ()
    slack: Annotated[tuple[str, ...], Opt("Send to a Slack webhook", "URL", secret=True, scope=NOT_IN_FILES)] = ()
    teams: Annotated[tuple[str, ...], Opt("Send to a Teams webhook", "URL", secret=True, scope=NOT_IN_FILES)] = ()
    mail: Annotated[tuple[str, ...], Opt("Send mail to ADDRESS", "ADDRESS")] = ()
    mail_from: Annotated[str | None, Opt("Sender of mail", "ADDRESS", default="the first recipient")] = None
    smtp: Annotated[str, Opt("Mail server", "[USER@]HOST[:PORT]")] = "localhost:25"
    command: Annotated[tuple[str, ...], Opt("Run with the JSON on its input", "COMMAND", scope=NOT_IN_FILES)] = ()
    channels: Annotated[tuple[str, ...], Opt("Channels by KIND:VARIABLE", "LIST", scope=ONLY_IN_FILES)] = ()

    def faults(self) -> Iterator[tuple[str, str]]:
        for name in LINKED_CHANNELS:
            for url in getattr(self, name):
                if not url.lower().startswith(("http://", "https://")):
                    yield name, "expected a URL that starts with https:// or http://"
        for text in self.channels:
            kind, _, variable = text.partition(":")
            if kind not in LINKED_CHANNELS or not variable:
                yield "channels", f"{text!r} is not of the form {'|'.join(LINKED_CHANNELS)}:VARIABLE"


class WatchSettings(
    ScheduleSettings, AlertSettings, ChannelSettings, RuleSettings, TextOrJson, SitemapFetchSettings, RunSettings
):
    targets: Annotated[tuple[str, ...], Opt("Sites or sitemaps to watch", "[URL]...", positional=True)] = ()
    sites: Annotated[tuple[SiteTable, ...], Opt("Settings of single sites", "TABLE", scope=ONLY_IN_FILES)] = ()
    once: Annotated[bool, Opt("Run what is due, send alerts, exit", scope=ONE_RUN)] = False
    dry_run: Annotated[bool, Opt("Print what would run when", scope=ONE_RUN)] = False
    state: Annotated[StrPath, Opt("Folder for state", "DIR")] = STATE_ROOT
    listen: Annotated[str | None, Opt("Serve /healthz and /metrics on loopback", "[HOST:]PORT")] = None
    format: Annotated[Literal["text", "json"], Opt("Format of alerts on standard output")] = "text"

    def faults(self) -> Iterator[tuple[str, str]]:
        for site in self.sites:
            for name in SCHEDULES:
                yield from _schedule("sites", getattr(site, name))


def _schedule(name: str, text: str | None) -> Iterator[tuple[str, str]]:
    try:
        if text is not None:
            Schedule.parse(text)
    except (ValueError, NotInstalledError) as error:
        yield name, str(error)


def _percent(text: str) -> float:
    """`10%` → 0.1; raises ValueError."""
    limit = Limit.parse(text)
    if not limit.is_share or not 0 < limit.number < 100:
        raise ValueError(f"{text!r} is not a percentage like 10%")
    return limit.number / 100
