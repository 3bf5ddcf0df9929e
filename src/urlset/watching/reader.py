"""A state folder → sites, runs, problems and alerts over time; read-only, also while `urlset watch` is running."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from datetime import datetime, timedelta
from pathlib import Path

import msgspec

from urlset.watching.store import FILE_NAME, STATE, alert_in
from urlset.watching.tracker import Alert, moment
from urlset.writing.sqlite_store import StateError, StateStore, columns, struct_of


class SiteSummary(msgspec.Struct, frozen=True, kw_only=True):
    site: str
    urls: int | None
    """entries of all sitemaps at the last check"""
    sitemaps: int | None
    checked: str | None
    """when it was last looked at, UTC"""
    result: str | None
    """of that look: `ok`, `unknown`, `failed`"""
    problems: int
    """open ones"""
    alerts: int


class WatchRun(msgspec.Struct, frozen=True, kw_only=True):
    id: int
    site: str
    kind: str
    """`check`, `audit`, `snapshot`, `engines`"""
    started: str
    finished: str
    result: str
    message: str
    requests: int
    urls: int | None
    sitemaps: int | None
    findings: dict[str, int]
    """by code of the rule"""
    states: dict[str, int]
    """of an audit: pages by state"""


class JobState(msgspec.Struct, frozen=True, kw_only=True):
    site: str
    kind: str
    due: str | None
    started: str | None
    finished: str | None


class OpenProblem(msgspec.Struct, frozen=True, kw_only=True):
    """A condition that is bad now."""

    site: str
    kind: str
    subject: str
    since: str
    message: str


class StoredAlert(msgspec.Struct, frozen=True):
    number: int
    alert: Alert
    deliveries: dict[str, str | None]
    """channel → when it was delivered; None while it waits"""


class ChannelState(msgspec.Struct, frozen=True, kw_only=True):
    channel: str
    waiting: int
    delivered: int
    failed_tries: int
    error: str
    """of the last failed delivery that still waits"""


class WatchReader(StateStore):
    """One connection, for one thread; raises StateError where the state cannot be read."""

    def __init__(self, folder: Path) -> None:
        super().__init__(STATE, folder / FILE_NAME, read_only=True)

    @staticmethod
    def exists(folder: Path) -> bool:
        return (folder / FILE_NAME).is_file()

    def sites(self) -> list[SiteSummary]:
        return list(self._structs(SiteSummary, _SITES))

    def jobs(self, site: str | None = None) -> list[JobState]:
        sql = f"SELECT {columns(JobState)} FROM jobs WHERE ? IS NULL OR site = ? ORDER BY site, kind"
        return list(self._structs(JobState, sql, (site, site)))

    def runs(self, site: str | None = None, *, limit: int = 100) -> list[WatchRun]:
        """The newest first: what was counted at each run, for trends."""
        sql = f"SELECT {columns(WatchRun)} FROM runs WHERE ? IS NULL OR site = ? ORDER BY id DESC LIMIT ?"
        return [
            struct_of(WatchRun, (*values, msgspec.json.decode(findings), msgspec.json.decode(states)))
            for *values, findings, states in self._rows(sql, (site, site, limit))
        ]

    def problems(self, site: str | None = None) -> list[OpenProblem]:
        """What is wrong now, the newest first."""
        sql = (
            f"SELECT {columns(OpenProblem)} FROM conditions WHERE state = 'bad' AND (? IS NULL OR site = ?)"
            " ORDER BY since DESC, kind, subject"
        )
        return list(self._structs(OpenProblem, sql, (site, site)))

    def alerts(self, site: str | None = None, *, limit: int = 100) -> list[StoredAlert]:
        """The newest first."""
        sql = f"SELECT number, {columns(Alert)} FROM alerts WHERE ? IS NULL OR site = ? ORDER BY number DESC LIMIT ?"
        sent = "SELECT channel, delivered FROM outbox WHERE alert = ? ORDER BY channel"
        return [
            StoredAlert(number, alert_in(values), dict(self._rows(sent, (number,))))
            for number, *values in list(self._rows(sql, (site, site, limit)))
        ]

    def channels(self) -> list[ChannelState]:
        return list(self._structs(ChannelState, _CHANNELS))

    def run_counts(self) -> dict[tuple[str, str, str], int]:
        """Site, kind of job and result → runs so far."""
        return self._counts("SELECT site, kind, result, count(*) FROM runs GROUP BY 1, 2, 3 ORDER BY 1, 2, 3")

    def alert_counts(self) -> dict[tuple[str, str, str], int]:
        """Site, kind and phase → alerts so far."""
        return self._counts("SELECT site, kind, phase, count(*) FROM alerts GROUP BY 1, 2, 3 ORDER BY 1, 2, 3")

    def _counts(self, sql: str) -> dict[tuple[str, str, str], int]:
        return {(site, kind, how): count for site, kind, how, count in self._rows(sql)}


_SITES = """
SELECT j.site AS site, r.urls AS urls, r.sitemaps AS sitemaps, l.finished AS checked, l.result AS result,
    (SELECT count(*) FROM conditions c WHERE c.site = j.site AND c.state = 'bad') AS problems,
    (SELECT count(*) FROM alerts a WHERE a.site = j.site) AS alerts
FROM (SELECT DISTINCT site FROM jobs) j
LEFT JOIN runs r ON r.id = (SELECT max(id) FROM runs WHERE site = j.site AND kind = 'check' AND urls IS NOT NULL)
LEFT JOIN runs l ON l.id = (SELECT max(id) FROM runs WHERE site = j.site)
ORDER BY j.site"""
_CHANNELS = """
SELECT channel, sum(delivered IS NULL) AS waiting, sum(delivered IS NOT NULL) AS delivered,
    sum(tries - (delivered IS NOT NULL)) AS failed_tries,
    coalesce(max(CASE WHEN delivered IS NULL THEN error END), '') AS error
FROM outbox GROUP BY channel ORDER BY channel"""


# The state of a watch → Prometheus metrics, and whether it is healthy.

TYPE = "text/plain; version=0.0.4; charset=utf-8"
_LATE = timedelta(minutes=15)
"""how long after its time a job may start before the watch counts as stuck: another job may run for long"""

Sample = tuple[Mapping[str, str], float]


def metrics(folder: Path, now: datetime) -> str:
    """Raises StateError."""
    with WatchReader(folder) as reader:
        return "".join(line + "\n" for line in _lines(reader, now))


def health(folder: Path, now: datetime, *, busy: bool) -> tuple[int, str]:
    """200 or 503, and why as JSON; `busy`: a job is running now."""
    problems: list[str] = []
    try:
        with WatchReader(folder) as reader:
            late = [job for job in reader.jobs() if job.due is not None and now - moment(job.due) > _LATE]
            waiting = sum(channel.waiting for channel in reader.channels())
            problems += [f"{job.kind} of {job.site} was due at {job.due}" for job in late if not busy]
    except StateError as error:
        return 503, msgspec.json.encode({"status": "error", "problems": [str(error)]}).decode()
    body = {"status": "late" if problems else "ok", "problems": problems, "alerts_waiting": waiting}
    return (503 if problems else 200), msgspec.json.encode(body).decode()


def _lines(reader: WatchReader, now: datetime) -> Iterator[str]:
    sites = reader.sites()
    urls = [({"site": each.site}, each.urls) for each in sites if each.urls is not None]
    yield from _metric("urls", "gauge", "Entries of all sitemaps", urls)
    files = [({"site": each.site}, each.sitemaps) for each in sites if each.sitemaps is not None]
    yield from _metric("sitemaps", "gauge", "Sitemaps of the site", files)
    problems = Counter((each.site, each.kind) for each in reader.problems())
    rows: list[Sample] = [({"site": site, "kind": kind}, count) for (site, kind), count in problems.items()]
    rows += [({"site": site.site, "kind": ""}, 0) for site in sites if not site.problems]
    yield from _metric("problems", "gauge", "Open problems", rows)
    jobs = reader.jobs()
    ended = [({"site": job.site, "job": job.kind}, moment(job.finished).timestamp()) for job in jobs if job.finished]
    yield from _metric("last_run_timestamp_seconds", "gauge", "When a job last ended", ended)
    late = [
        ({"site": job.site, "job": job.kind}, max(0.0, (now - moment(job.due)).total_seconds()))
        for job in jobs
        if job.due
    ]
    yield from _metric("late_seconds", "gauge", "How long ago a job was due", late)
    runs = [({"site": s, "job": k, "result": r}, count) for (s, k, r), count in reader.run_counts().items()]
    yield from _metric("runs_total", "counter", "Runs by result", runs)
    alerts = [({"site": s, "kind": k, "phase": p}, count) for (s, k, p), count in reader.alert_counts().items()]
    yield from _metric("alerts_total", "counter", "Alerts by kind", alerts)
    channels = reader.channels()
    for name, form, text in (
        ("waiting", "gauge", "Alerts that a channel has not taken"),
        ("delivered", "counter", "Alerts that a channel has taken"),
        ("failed_tries", "counter", "Deliveries that failed"),
    ):
        samples = [({"channel": each.channel}, float(getattr(each, name))) for each in channels]
        yield from _metric(f"outbox_{name}{'_total' if form == 'counter' else ''}", form, text, samples)


def _metric(name: str, form: str, text: str, samples: Iterable[Sample]) -> Iterator[str]:
    yield f"# HELP urlset_watch_{name} {text}"
    yield f"# TYPE urlset_watch_{name} {form}"
    for labels, value in samples:
        escaped = {ord("\\"): "\\\\", ord("\n"): "\\n", ord('"'): '\\"'}
        inside = ",".join(f'{key}="{label.translate(escaped)}"' for key, label in labels.items())
        yield f"urlset_watch_{name}{{{inside}}} {value:.15g}"
