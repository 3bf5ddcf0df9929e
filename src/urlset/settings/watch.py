"""The options of `urlset watch`."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Literal
from zoneinfo import ZoneInfo

import msgspec

from urlset.settings.declare import NOT_IN_FILES, ONE_RUN, ONLY_IN_FILES, Options, StrPath, argument, opt, refused
from urlset.settings.groups import RuleSettings, RunSettings, SitemapFetchSettings, TextOrJson
from urlset.snapshots.expressions import DEFAULT_RETENTION, Limit, Retention
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


class ScheduleSettings(Options, heading="Schedules"):
    check: str | None = opt(None, "When to check", "SCHEDULE", default=SCHEDULES["check"])
    audit: str | None = opt(None, "When to audit pages", "SCHEDULE", default=SCHEDULES["audit"])
    snapshot: str | None = opt(None, "When to take snapshots", "SCHEDULE", default=SCHEDULES["snapshot"])
    engine_reports: str | None = opt(
        None, "When to read engine reports", "SCHEDULE", default=SCHEDULES["engine_reports"]
    )
    pages_per_day: int = opt(1_000, "Pages to request per site and day", least=0)
    keep: str = opt(DEFAULT_RETENTION, "Snapshots to keep, or `all`", "POLICY")
    timezone: str | None = opt(None, "Time zone of schedules", "NAME", default="of the system")

    def faults(self) -> Iterator[tuple[str, str]]:
        for name in SCHEDULES:
            yield from refused(name, Schedule.parse, getattr(self, name))
        if self.timezone is not None:
            try:
                ZoneInfo(self.timezone)
            except (KeyError, OSError, ValueError):
                yield "timezone", f"{self.timezone!r} is not a time zone like Europe/Berlin"
        yield from refused("keep", Retention.parse, self.keep)


class AlertSettings(Options, heading="Alerts"):
    debounce: str | None = opt(None, "Report a change that lasts this long", "TIME", default="2m, with --once 0")
    max_fall: str = opt("10%", "Report a fall in URLs of more than P%", "P%")
    quiet_hours: str | None = opt(None, "Hold alerts back, like 22:00-07:00", "HOURS")
    mute: tuple[AlertKind, ...] = opt((), "Kinds of alerts to leave out", "KINDS", split=True)

    def faults(self) -> Iterator[tuple[str, str]]:
        yield from refused("debounce", parse_duration, self.debounce)
        yield from refused("quiet_hours", QuietHours.parse, self.quiet_hours)
        yield from refused("max_fall", _percent, self.max_fall)

    @property
    def fall(self) -> float:
        return _percent(self.max_fall)


class ChannelSettings(Options, heading="Channels"):
    webhook: tuple[str, ...] = opt((), "Send signed JSON to URL", "URL", secret=True, scope=NOT_IN_FILES)
    slack: tuple[str, ...] = opt((), "Send to a Slack webhook", "URL", secret=True, scope=NOT_IN_FILES)
    teams: tuple[str, ...] = opt((), "Send to a Teams webhook", "URL", secret=True, scope=NOT_IN_FILES)
    mail: tuple[str, ...] = opt((), "Send mail to ADDRESS", "ADDRESS")
    mail_from: str | None = opt(None, "Sender of mail", "ADDRESS", default="the first recipient")
    smtp: str = opt("localhost:25", "Mail server", "[USER@]HOST[:PORT]")
    command: tuple[str, ...] = opt((), "Run with the JSON on its input", "COMMAND", scope=NOT_IN_FILES)
    channels: tuple[str, ...] = opt((), "Channels by KIND:VARIABLE", "LIST", scope=ONLY_IN_FILES)

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
    targets: tuple[str, ...] = argument((), "Sites or sitemaps to watch", "[URL]...")
    sites: tuple[SiteTable, ...] = opt((), "Settings of single sites", "TABLE", scope=ONLY_IN_FILES)
    once: bool = opt(False, "Run what is due, send alerts, exit", scope=ONE_RUN)
    dry_run: bool = opt(False, "Print what would run when", scope=ONE_RUN)
    state: StrPath = opt(STATE_ROOT, "Folder for state", "DIR")
    listen: str | None = opt(None, "Serve /healthz and /metrics on loopback", "[HOST:]PORT")
    format: Literal["text", "json"] = opt("text", "Format of alerts on standard output")

    def faults(self) -> Iterator[tuple[str, str]]:
        for site in self.sites:
            for name in SCHEDULES:
                yield from refused("sites", Schedule.parse, getattr(site, name))


def _percent(text: str) -> float:
    """`10%` → 0.1; raises ValueError."""
    limit = Limit.parse(text)
    if not limit.is_share or not 0 < limit.number < 100:
        raise ValueError(f"{text!r} is not a percentage like 10%")
    return limit.number / 100
