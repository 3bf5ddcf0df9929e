"""Settings, a state and a clock → each job of each site run when it is due, its alerts recorded and sent."""

from __future__ import annotations

import os
import secrets
import shlex
from collections.abc import Callable, Sequence
from datetime import datetime, timedelta, tzinfo
from pathlib import Path
from zoneinfo import ZoneInfo

import msgspec

from urlset.model.frames import NotInstalledError
from urlset.settings.convert import with_scheme
from urlset.settings.watch import SCHEDULES, SiteTable, WatchSettings
from urlset.snapshots.parquet import require
from urlset.submitting.engine import find_secret
from urlset.watching.channels import AlertChannel, Chat, CommandChannel, Mail, Outbox, Stdout, Webhook
from urlset.watching.reader import TYPE, health, metrics
from urlset.watching.schedule import Clock, QuietHours, Schedule, parse_duration
from urlset.watching.store import LookResult, WatchStore
from urlset.watching.tracker import Alert, Rules, moment
from urlset.web.api import Mailbox
from urlset.web.status_server import Answered, StatusServer
from urlset.workflows.watch_looks import LOOKS, JobKind, Look, WatchedSite
from urlset.writing.files import make_state_folder
from urlset.writing.sqlite_store import StateError

_AGAIN = {"failed": timedelta(minutes=5), "unknown": timedelta(hours=1)}
"""by result: a run without one is repeated earlier than its schedule says"""
_FULL_DISK = timedelta(minutes=1)
_EARLY = 0.1
"""share of its period by which a job of --once may be early: timers are not exact"""


class Planned(msgspec.Struct, frozen=True, order=True):
    """A job and its time."""

    due: datetime
    order: int
    site: WatchedSite
    kind: JobKind


def plan(
    sites: Sequence[WatchedSite], zone: tzinfo, now: datetime, due: Callable[[str, JobKind], str | None]
) -> list[Planned]:
    """Every job with the time of its next run, the next one first; `due` knows what is stored.

    A job that never ran runs now. None is later than one period from now: a clock may have been set back.
    """
    found = []
    for site in sites:
        for order, kind in enumerate(JobKind):
            schedule, stored = site.schedules[kind], due(site.url, kind)
            if not schedule.is_off:
                at = now if stored is None else min(moment(stored), schedule.next_after(now, now, zone))
                found.append(Planned(at, order, site, kind))
    return sorted(found, key=lambda each: (each.due, each.order, each.site.url))


class Watch:
    """One process, one state folder."""

    def __init__(
        self,
        settings: WatchSettings,
        store: WatchStore,
        *,
        clock: Clock,
        channels: Sequence[AlertChannel] = (),
        complain: Callable[[str], None] = lambda _line: None,
        finished: Callable[[WatchedSite, JobKind, LookResult, Sequence[Alert]], None] = lambda *_what: None,
        stopped: Callable[[], bool] = lambda: False,
    ) -> None:
        """`finished` is called with every run."""
        self._settings, self._store, self._clock, self._channels = settings, store, clock, channels
        self._complain, self._finished, self._stopped = complain, finished, stopped
        self._sites, self._zone = sites_of(settings), zone_of(settings)
        usual = timedelta(0) if settings.once else _DEBOUNCE
        debounce = usual if settings.debounce is None else parse_duration(settings.debounce)
        self._rules = Rules(debounce=debounce, fall=settings.fall)
        self._quiet = QuietHours.parse(settings.quiet_hours) if settings.quiet_hours else None
        self.outbox = Outbox(store, channels, complain)
        self.alerts: list[Alert] = []
        """of this process"""
        self.failed = 0
        self.blind = 0
        """runs that could not look at their site"""
        self.busy = False
        """a job is running"""

    def _plan(self, now: datetime) -> list[Planned]:
        return plan(self._sites, self._zone, now, lambda site, kind: self._store.job(site, kind).due)

    def once(self) -> int:
        """Run what is due, send what waits; gives the number of alerts that a channel did not take."""
        self.outbox.deliver(self._clock.now(), eager=True)  # who calls again decides when to try again
        for job in sorted(self._plan(self._clock.now()), key=lambda each: each.order):
            every = job.site.schedules[job.kind].every or timedelta(0)
            if job.kind in job.site.always or job.due - every * _EARLY <= self._clock.now():
                self._run(job)
                self.outbox.deliver(self._clock.now())
        return self._store.failing(self.outbox.names)

    def forever(self) -> None:
        while not self._stopped():
            now = self._clock.now()
            try:
                self.outbox.deliver(now)
                job = next((each for each in self._plan(now) if each.due <= now), None)
                if job is not None:
                    self._run(job)
                    continue
            except StateError as error:  # a full disk, most likely
                self._complain(str(error))
                self._clock.wait_until(now + _FULL_DISK)
                continue
            times = [each.due for each in self._plan(now)]
            delivery = self.outbox.next_time()
            times += [max(moment(delivery), now + timedelta(seconds=1))] if delivery is not None else []
            self._clock.wait_until(min(times, default=now + timedelta(hours=1)))

    def status_server(self, host: str, port: int) -> StatusServer:
        """Raises ValueError and OSError for an address that cannot be used."""
        return StatusServer(host, port, {"/healthz": self._health, "/metrics": self._metrics})

    def _health(self) -> Answered:
        status, body = health(Path(self._settings.state), self._clock.now(), busy=self.busy)
        return status, "application/json", body

    def _metrics(self) -> Answered:
        try:
            return 200, TYPE, metrics(Path(self._settings.state), self._clock.now())
        except StateError as error:
            return 503, "text/plain; charset=utf-8", f"{error}\n"

    def _run(self, job: Planned) -> None:
        site = job.site
        started = self._clock.now()
        self.busy = True
        try:
            outcome = LOOKS[job.kind](Look(site, job.kind, self._store, self._settings, started))
        except Exception as error:  # noqa: BLE001 - one job that breaks must not end the watch
            outcome = LookResult(result="failed", message=f"{type(error).__name__}: {error}"[:500])
        finally:
            self.busy = False
        wanted = tuple(signal for signal in outcome.signals if signal.kind not in self._settings.mute)
        outcome = msgspec.structs.replace(outcome, signals=wanted)
        now = self._clock.now()
        due = site.schedules[job.kind].next_after(started, now, self._zone)
        again = _AGAIN.get(outcome.result)
        # from when on each channel may be used; standard output is a log and never waits
        end = now if self._quiet is None else self._quiet.end_of(now, self._zone)
        alerts = self._store.record(
            site.url,
            job.kind,
            outcome,
            started=started,
            now=now,
            due=due if again is None else min(due, now + again),
            rules=self._rules,
            channels={channel.name: now if channel.name == "stdout" else end for channel in self._channels},
        )
        self.alerts += alerts
        self.failed += outcome.result == "failed"
        self.blind += outcome.result == "unknown"
        self._finished(site, job.kind, outcome, alerts)


# Settings and the environment → the sites to watch, their schedules, and the channels of their alerts.

SECRET = "URLSET_WEBHOOK_SECRET"
PASSWORD = "URLSET_SMTP_PASSWORD"
_KEY_FILE = "webhook.key"
_JOBS = {
    "check": JobKind.CHECK,
    "audit": JobKind.AUDIT,
    "snapshot": JobKind.SNAPSHOT,
    "engine_reports": JobKind.ENGINES,
}
_DEBOUNCE = timedelta(minutes=2)
_SMTP_PORT = 25


def zone_of(settings: WatchSettings) -> tzinfo:
    local = datetime.now().astimezone().tzinfo
    assert local is not None
    return ZoneInfo(settings.timezone) if settings.timezone else local


def sites_of(settings: WatchSettings) -> tuple[WatchedSite, ...]:
    """Those of the command line, or else all of the settings file."""
    tables = {with_scheme(table.url): table for table in settings.sites}
    urls = [with_scheme(target) for target in settings.targets] or list(tables)
    found = []
    for url in dict.fromkeys(urls):
        table = tables.get(url, SiteTable(url))
        given = {name: getattr(table, name) or getattr(settings, name) for name in SCHEDULES}
        found.append(
            WatchedSite(
                url=url,
                schedules={_JOBS[name]: _schedule(name, given[name]) for name in SCHEDULES},
                pages_per_day=settings.pages_per_day if table.pages_per_day is None else table.pages_per_day,
                property=table.property,
                always=frozenset(_JOBS[name] for name in ("check", "audit") if given[name] is None),
            )
        )
    return tuple(found)


def _schedule(name: str, text: str | None) -> Schedule:
    if name == "snapshot" and text is None:
        try:
            require("snapshots")
        except NotInstalledError:
            return Schedule.parse("off")
    return Schedule.parse(text or SCHEDULES[name])


def channels_of(settings: WatchSettings, show: Callable[[Alert], None]) -> tuple[AlertChannel, ...]:
    """Raises SecretError and OSError."""
    links = [(kind, url) for kind in ("webhook", "slack", "teams") for url in getattr(settings, kind)]
    for text in settings.channels:
        kind, _, variable = text.partition(":")
        found = find_secret(variable, os.environ)
        if found is not None:
            links.append((kind, found.reveal()))
    channels: list[AlertChannel] = [Stdout(show)]
    for kind, url in dict.fromkeys(links):
        channels.append(Webhook(url, _signing_key(settings)) if kind == "webhook" else Chat(kind, url))
    if settings.mail:
        user, _, server = settings.smtp.rpartition("@")
        host, _, port = server.partition(":")
        password = find_secret(PASSWORD, os.environ)
        secret = password.reveal() if password is not None else ""
        sender = settings.mail_from or settings.mail[0]
        mailbox = Mailbox(host, int(port) if port.isdigit() else _SMTP_PORT, sender, user, secret)
        channels += [Mail(mailbox, address) for address in dict.fromkeys(settings.mail)]
    return (*channels, *(CommandChannel(shlex.split(text)) for text in dict.fromkeys(settings.command)))


def _signing_key(settings: WatchSettings) -> str:
    """As given, or made once: receivers can check every request."""
    given = find_secret(SECRET, os.environ)
    if given is not None:
        return given.reveal()
    path = Path(settings.state) / _KEY_FILE
    make_state_folder(path.parent)
    if not path.is_file():
        descriptor = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
        with os.fdopen(descriptor, "w") as file:
            file.write(secrets.token_hex(32))
    return path.read_text(encoding="ascii").strip()
