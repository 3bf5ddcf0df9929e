"""Watched sites, a state and a clock → each job run when it is due, its alerts recorded and sent."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from datetime import datetime, timedelta, tzinfo
from pathlib import Path

import msgspec

from urlset.watching.channels import AlertChannel, Outbox
from urlset.watching.reader import TYPE, health, metrics
from urlset.watching.schedule import Clock, QuietHours
from urlset.watching.signals import Alert, moment
from urlset.watching.store import LookResult, WatchStore
from urlset.watching.tracker import Rules
from urlset.web.status_server import Answered, StatusServer
from urlset.workflows.watch.site import JobKind, Look, WatchedSite, look_at
from urlset.writing.sqlite_store import StateError

_AGAIN = {"failed": timedelta(minutes=5), "unknown": timedelta(hours=1)}
"""by result: a run without one is repeated earlier than its schedule says"""
_FULL_DISK = timedelta(minutes=1)
_EARLY = 0.1
"""share of its period by which a job of --once may be early: timers are not exact"""


class WatchOptions(msgspec.Struct, frozen=True, kw_only=True):
    sites: tuple[WatchedSite, ...]
    state: Path
    clock: Clock
    zone: tzinfo
    channels: tuple[AlertChannel, ...] = ()
    rules: Rules = Rules()
    quiet: QuietHours | None = None
    muted: frozenset[str] = frozenset()
    """kinds of alerts that are not wanted"""
    complain: Callable[[str], None] = lambda _line: None
    finished: Callable[[WatchedSite, JobKind, LookResult, Sequence[Alert]], None] = lambda *_what: None
    """called with every run"""
    stop: Callable[[], None] = lambda: None
    stopped: Callable[[], bool] = lambda: False


class Planned(msgspec.Struct, frozen=True, order=True):
    """A job and its time."""

    due: datetime
    order: int
    site: WatchedSite
    kind: JobKind


def plan(options: WatchOptions, now: datetime, due: Callable[[str, JobKind], str | None]) -> list[Planned]:
    """Every job with the time of its next run, the next one first; `due` knows what is stored.

    A job that never ran runs now. None is later than one period from now: a clock may have been set back.
    """
    found = []
    for site in options.sites:
        for order, kind in enumerate(JobKind):
            schedule, stored = site.schedules[kind], due(site.url, kind)
            if not schedule.is_off:
                at = now if stored is None else min(moment(stored), schedule.next_after(now, now, options.zone))
                found.append(Planned(at, order, site, kind))
    return sorted(found, key=lambda each: (each.due, each.order, each.site.url))


class Watch:
    """One process, one state folder."""

    def __init__(self, options: WatchOptions, store: WatchStore) -> None:
        self._options, self._store = options, store
        self._clock = options.clock
        self.outbox = Outbox(store, options.channels, options.complain)
        self.alerts: list[Alert] = []
        """of this process"""
        self.failed = 0
        self.blind = 0
        """runs that could not look at their site"""
        self.busy = False
        """a job is running"""

    def _plan(self, now: datetime) -> list[Planned]:
        return plan(self._options, now, lambda site, kind: self._store.job(site, kind).due)

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
        while not self._options.stopped():
            now = self._clock.now()
            try:
                self.outbox.deliver(now)
                job = next((each for each in self._plan(now) if each.due <= now), None)
                if job is not None:
                    self._run(job)
                    continue
            except StateError as error:  # a full disk, most likely
                self._options.complain(str(error))
                self._clock.wait_until(now + _FULL_DISK)
                continue
            self._clock.wait_until(self._next(now))

    def status_server(self, host: str, port: int) -> StatusServer:
        """Raises ValueError and OSError for an address that cannot be used."""
        return StatusServer(host, port, {"/healthz": self._health, "/metrics": self._metrics})

    def _health(self) -> Answered:
        status, body = health(self._options.state, self._clock.now(), busy=self.busy)
        return status, "application/json", body

    def _metrics(self) -> Answered:
        try:
            return 200, TYPE, metrics(self._options.state, self._clock.now())
        except StateError as error:
            return 503, "text/plain; charset=utf-8", f"{error}\n"

    def _next(self, now: datetime) -> datetime:
        times = [each.due for each in self._plan(now)]
        delivery = self.outbox.next_time()
        times += [max(moment(delivery), now + timedelta(seconds=1))] if delivery is not None else []
        return min(times, default=now + timedelta(hours=1))

    def _run(self, job: Planned) -> None:
        options, site = self._options, job.site
        started = self._clock.now()
        self.busy = True
        try:
            outcome = self._looked(job, started)
        finally:
            self.busy = False
        now = self._clock.now()
        due = site.schedules[job.kind].next_after(started, now, options.zone)
        again = _AGAIN.get(outcome.result)
        alerts = self._store.record(
            site.url,
            job.kind,
            outcome,
            started=started,
            now=now,
            due=due if again is None else min(due, now + again),
            rules=options.rules,
            channels=self._times(now),
        )
        self.alerts += alerts
        self.failed += outcome.result == "failed"
        self.blind += outcome.result == "unknown"
        options.finished(site, job.kind, outcome, alerts)

    def _looked(self, job: Planned, started: datetime) -> LookResult:
        try:
            outcome = look_at(job.kind, Look(job.site, job.kind, self._store, self._options.state, started))
        except Exception as error:  # noqa: BLE001 - one job that breaks must not end the watch
            return LookResult(result="failed", message=f"{type(error).__name__}: {error}"[:500])
        wanted = tuple(signal for signal in outcome.signals if signal.kind not in self._options.muted)
        return msgspec.structs.replace(outcome, signals=wanted)

    def _times(self, now: datetime) -> Mapping[str, datetime]:
        """From when on each channel may be used; standard output is a log and never waits."""
        quiet = self._options.quiet
        end = now if quiet is None else quiet.end_of(now, self._options.zone)
        return {channel.name: now if channel.name == "stdout" else end for channel in self._options.channels}
