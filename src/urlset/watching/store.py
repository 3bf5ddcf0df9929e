"""What was seen, what is due, what has to be sent → SQLite rows; everything one run found is one transaction."""

from __future__ import annotations

import hashlib
import uuid
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import ExitStack
from datetime import datetime, timedelta
from difflib import unified_diff
from pathlib import Path
from typing import Any

import msgspec

from urlset.watching.tracker import Alert, AlertKind, KnownCondition, Measurement, Phase, Rules, moment, stamp, step
from urlset.writing.files import LockBusy, locked_file, make_state_folder
from urlset.writing.sqlite_store import META, Migration, StateFile, StateStore, columns, marks

_KNOWN = columns(KnownCondition)
_MOST_LINES, _LONGEST_LINE = 12, 200


class Job(msgspec.Struct, frozen=True):
    """When one kind of look at one site ran and is to run."""

    due: str | None = None
    started: str | None = None
    finished: str | None = None
    has_baseline: bool = False


class SitemapRow(msgspec.Struct, frozen=True, kw_only=True):
    """What is known of one sitemap from the last time it was read."""

    url: str
    state: str
    entries: int = 0
    sha256: str = ""
    listed_lastmod: str | None = None
    """as its index said when it was read"""
    read: str | None = None


class LookResult(msgspec.Struct, frozen=True, kw_only=True):
    """What one look found out."""

    result: str
    """`ok`, `unknown` where the site could not be looked at, `failed` where urlset could not"""
    signals: tuple[Measurement, ...] = ()
    message: str = ""
    requests: int = 0
    urls: int | None = None
    findings: dict[str, int] = {}
    """by code"""
    states: dict[str, int] = {}
    """pages by the state that an audit found them in"""
    sitemaps: tuple[SitemapRow, ...] | None = None
    """None leaves what is known"""
    page_requests: int = 0
    """counted against the daily budget"""


class Pending(msgspec.Struct, frozen=True):
    """One alert that a channel has not taken."""

    number: int
    alert: Alert
    run: int
    tries: int


class WatchStore(StateStore):
    """The only writer of one state folder; raises StateBusy where another process is."""

    def __init__(self, folder: Path) -> None:
        make_state_folder(folder)
        self._lock = ExitStack()
        try:
            self._lock.enter_context(locked_file(folder / LOCK_NAME))
            super().__init__(STATE, folder / FILE_NAME)
        except LockBusy as error:
            raise STATE.busy(folder) from error
        except BaseException:
            self._lock.close()
            raise
        with self._transaction() as db:  # makes the ids of alerts differ from those of any other state
            db.execute("INSERT OR IGNORE INTO meta VALUES ('instance', ?)", (uuid.uuid4().hex,))
        self.instance = self.meta("instance") or ""

    def close(self) -> None:
        with self._lock:
            super().close()

    # jobs

    def job(self, site: str, kind: str) -> Job:
        row = self._row(f"SELECT {columns(Job)} FROM jobs WHERE site = ? AND kind = ?", (site, kind))
        return Job() if row is None else Job(row[0], row[1], row[2], bool(row[3]))

    def put_off(self, site: str, kind: str, due: datetime) -> None:
        """Set the next time without a run."""
        with self._transaction() as db:
            db.execute(
                "INSERT INTO jobs (site, kind, due) VALUES (?, ?, ?)"
                " ON CONFLICT (site, kind) DO UPDATE SET due = excluded.due",
                (site, kind, stamp(due)),
            )

    # what is known

    def known(self, site: str, job: str, kind: AlertKind, subject: str) -> KnownCondition | None:
        sql = f"SELECT {_KNOWN} FROM conditions WHERE site = ? AND job = ? AND kind = ? AND subject = ?"
        return next(self._structs(KnownCondition, sql, (site, job, kind.value, subject)), None)

    def subjects(self, site: str, job: str, kind: AlertKind) -> list[str]:
        sql = "SELECT subject FROM conditions WHERE site = ? AND job = ? AND kind = ?"
        return [subject for (subject,) in self._rows(sql, (site, job, kind.value))]

    def sitemaps(self, site: str) -> dict[str, SitemapRow]:
        sql = f"SELECT {columns(SitemapRow)} FROM sitemaps WHERE site = ?"
        return {row.url: row for row in self._structs(SitemapRow, sql, (site,))}

    def last_states(self, site: str) -> dict[str, int]:
        """Pages by state, of the last audit that looked at the site."""
        sql = "SELECT states FROM runs WHERE site = ? AND kind = 'audit' AND result = 'ok' ORDER BY id DESC LIMIT 1"
        return msgspec.json.decode(self._value(sql, (site,)) or "{}", type=dict[str, int])

    def pages_used(self, site: str, day: str) -> int:
        return int(self._value("SELECT used FROM budgets WHERE site = ? AND day = ?", (site, day)) or 0)

    # runs

    def record(
        self,
        site: str,
        kind: str,
        outcome: LookResult,
        *,
        started: datetime,
        now: datetime,
        due: datetime | None,
        rules: Rules,
        channels: Mapping[str, datetime],
    ) -> list[Alert]:
        """One run with all that follows from it: the new state, its alerts, and a row for each channel.

        `channels` says from when on each may be used. Raises StateError, and then nothing is recorded.
        """
        job = self.job(site, kind)
        rules = msgspec.structs.replace(rules, baseline=not job.has_baseline)
        has_baseline = job.has_baseline or outcome.result == "ok"
        with self._transaction() as db:
            run = db.execute(
                "INSERT INTO runs (site, kind, started, finished, result, message, requests, urls, sitemaps, findings,"
                " states) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)",
                (
                    *(site, kind, stamp(started), stamp(now), outcome.result, outcome.message, outcome.requests),
                    *(outcome.urls, None if outcome.sitemaps is None else len(outcome.sitemaps)),
                    *(msgspec.json.encode(each).decode() for each in (outcome.findings, outcome.states)),
                ),
            ).lastrowid
            assert run is not None
            alerts = list(self._tracked(site, kind, outcome.signals, now, rules))
            for alert in alerts:
                fields = msgspec.structs.asdict(alert) | {"details": msgspec.json.encode(alert.details).decode()}
                values = (*map(str, fields.values()), run)
                added = db.execute(f"INSERT INTO alerts ({columns(Alert)}, run) VALUES ({marks(len(values))})", values)
                db.executemany(
                    "INSERT INTO outbox (alert, channel, not_before) VALUES (?, ?, ?)",
                    ((added.lastrowid, channel, stamp(not_before)) for channel, not_before in channels.items()),
                )
            if outcome.sitemaps is not None:
                db.execute("DELETE FROM sitemaps WHERE site = ?", (site,))
                db.executemany(
                    "INSERT OR REPLACE INTO sitemaps VALUES (?, ?, ?, ?, ?, ?, ?)",
                    ((site, *msgspec.structs.astuple(row)) for row in outcome.sitemaps),
                )
            if outcome.page_requests:
                db.execute(
                    "INSERT INTO budgets VALUES (?, ?, ?) ON CONFLICT (site, day) DO UPDATE SET used = used + ?",
                    (site, stamp(started)[:10], outcome.page_requests, outcome.page_requests),
                )
            db.execute(
                "INSERT OR REPLACE INTO jobs VALUES (?, ?, ?, ?, ?, ?)",
                (site, kind, self._due(site, kind, due, now, rules.debounce), stamp(started), stamp(now), has_baseline),
            )
        return alerts

    def _due(self, site: str, kind: str, due: datetime | None, now: datetime, debounce: timedelta) -> str | None:
        """The given time, or earlier the time at which a change that waits can be confirmed."""
        waiting = self._value(
            "SELECT min(pending_since) FROM conditions WHERE site = ? AND job = ? AND pending_since > ?",
            (site, kind, stamp(now - debounce)),
        )
        confirmed = None if waiting is None else moment(waiting) + debounce
        times = [each for each in (due, confirmed) if each is not None]
        return stamp(min(times)) if times else None

    def _tracked(
        self, site: str, job: str, signals: Iterable[Measurement], now: datetime, rules: Rules
    ) -> Iterator[Alert]:
        for signal in signals:
            before = self.known(site, job, signal.kind, signal.subject)
            after, change = step(before, signal, now, rules)
            if after is None:
                continue
            if after != before:
                row = (site, job, signal.kind.value, signal.subject, *msgspec.structs.astuple(after))
                into = f"conditions (site, job, kind, subject, {_KNOWN})"
                self._db.execute(f"INSERT OR REPLACE INTO {into} VALUES ({marks(len(row))})", row)
            if change is not None:
                before = before if signal.digest is not None else None
                identity = "\n".join((self.instance, site, job, signal.kind, signal.subject, str(after.sequence)))
                yield Alert(
                    id=hashlib.sha256(identity.encode("utf-8", "replace")).hexdigest()[:32],
                    site=site,
                    kind=signal.kind,
                    phase=change.phase,
                    severity=signal.severity,
                    subject=signal.subject,
                    message=(signal.recovered or "solved") if change.phase is Phase.RECOVERY else signal.message,
                    at=stamp(now),
                    since=change.since,
                    details=signal.details
                    if before is None
                    else signal.details | lines_changed(before.content, signal.content),
                )

    # outbox

    def pending(self, channel: str, now: datetime, *, eager: bool = False) -> list[Pending]:
        """In the order of the alerts; held back ones hold back all later ones.

        `eager`: also what failed a moment ago and would be tried again later.
        """
        rows = self._rows(
            f"SELECT a.number, a.run, o.tries, o.not_before, o.again, {columns(Alert, of='a.')}"
            " FROM outbox o JOIN alerts a ON a.number = o.alert"
            " WHERE o.channel = ? AND o.delivered IS NULL ORDER BY o.alert",
            (channel,),
        )
        found: list[Pending] = []
        for number, run, tries, not_before, again, *values in rows:
            if max(not_before, (again or "") if not eager else "") > stamp(now):
                break
            found.append(Pending(number, alert_in(values), run, tries))
        return found

    def next_delivery(self, channels: Sequence[str]) -> str | None:
        """The earliest time at which something may be sent."""
        first: str | None = self._value(
            "SELECT min(first) FROM (SELECT max(not_before, coalesce(again, '')) AS first, min(alert) FROM outbox"
            f" WHERE delivered IS NULL AND channel IN ({marks(len(channels))}) GROUP BY channel)",
            channels,
        )
        return first

    def failing(self, channels: Sequence[str]) -> int:
        """Alerts that were tried and not taken, and those behind them."""
        sql = (
            f"SELECT count(*) FROM outbox WHERE delivered IS NULL AND channel IN ({marks(len(channels))}) AND channel"
            " IN (SELECT channel FROM outbox WHERE delivered IS NULL AND again IS NOT NULL)"
        )
        return int(self._value(sql, channels))

    def claim(self, channel: str, numbers: Sequence[int], now: datetime) -> None:
        """Written before anything is sent: what cannot be written down is not sent."""
        self._outbox("tries = tries + 1, tried = ?", channel, numbers, (stamp(now),))

    def delivered(self, channel: str, numbers: Sequence[int], now: datetime) -> None:
        self._outbox("delivered = ?, error = ''", channel, numbers, (stamp(now),))

    def refused(self, channel: str, numbers: Sequence[int], error: str, again: datetime) -> None:
        self._outbox("error = ?, again = ?", channel, numbers, (error, stamp(again)))

    def _outbox(self, change: str, channel: str, numbers: Sequence[int], values: tuple[str, ...]) -> None:
        with self._transaction() as db:
            for number in numbers:
                db.execute(f"UPDATE outbox SET {change} WHERE channel = ? AND alert = ?", (*values, channel, number))


def lines_changed(old: str | None, new: str | None) -> dict[str, list[str]]:
    """The first lines that were removed and added."""
    if old is None or new is None:
        return {}
    lines = unified_diff(old.splitlines(), new.splitlines(), n=0, lineterm="")
    changed = [line[:_LONGEST_LINE] for line in lines if line[:1] in "+-" and line[:3] not in ("+++", "---")]
    return {"lines": changed[:_MOST_LINES]}


def alert_in(values: Sequence[Any]) -> Alert:
    fields = dict(zip(Alert.__struct_fields__, values, strict=True))
    return msgspec.convert(fields | {"details": msgspec.json.decode(fields["details"])}, Alert)


# The tables of `urlset watch`. Times are ISO 8601 in UTC with seconds, so they sort as texts.

FILE_NAME = "watch.sqlite"
LOCK_NAME = "watch.lock"

_TABLES = (
    META,
    """
CREATE TABLE jobs (
    site TEXT NOT NULL, kind TEXT NOT NULL, due TEXT, started TEXT, finished TEXT,
    has_baseline INTEGER NOT NULL DEFAULT 0, PRIMARY KEY (site, kind)
) WITHOUT ROWID""",
    """
CREATE TABLE runs (
    id INTEGER PRIMARY KEY, site TEXT NOT NULL, kind TEXT NOT NULL, started TEXT NOT NULL, finished TEXT NOT NULL,
    result TEXT NOT NULL, message TEXT NOT NULL, requests INTEGER NOT NULL, urls INTEGER, sitemaps INTEGER,
    findings TEXT NOT NULL, states TEXT NOT NULL
)""",
    "CREATE INDEX runs_by_site ON runs (site, kind, started)",
    """
CREATE TABLE sitemaps (
    site TEXT NOT NULL, url TEXT NOT NULL, state TEXT NOT NULL, entries INTEGER NOT NULL, sha256 TEXT NOT NULL,
    listed_lastmod TEXT, read TEXT, PRIMARY KEY (site, url)
) WITHOUT ROWID""",
    """
CREATE TABLE conditions (
    site TEXT NOT NULL, job TEXT NOT NULL, kind TEXT NOT NULL, subject TEXT NOT NULL, state TEXT NOT NULL,
    since TEXT NOT NULL, seen TEXT NOT NULL, pending TEXT, pending_since TEXT, level INTEGER, level_at TEXT,
    sequence INTEGER NOT NULL DEFAULT 0, alerted INTEGER NOT NULL DEFAULT 0, message TEXT NOT NULL DEFAULT '',
    content TEXT, PRIMARY KEY (site, job, kind, subject)
) WITHOUT ROWID""",
    """
CREATE TABLE alerts (
    number INTEGER PRIMARY KEY, id TEXT NOT NULL UNIQUE, site TEXT NOT NULL, kind TEXT NOT NULL, phase TEXT NOT NULL,
    severity TEXT NOT NULL, subject TEXT NOT NULL, message TEXT NOT NULL, at TEXT NOT NULL, since TEXT NOT NULL,
    details TEXT NOT NULL, run INTEGER NOT NULL
)""",
    "CREATE INDEX alerts_by_site ON alerts (site, at)",
    """
CREATE TABLE outbox (
    alert INTEGER NOT NULL, channel TEXT NOT NULL, not_before TEXT NOT NULL, tries INTEGER NOT NULL DEFAULT 0,
    tried TEXT, again TEXT, delivered TEXT, error TEXT NOT NULL DEFAULT '', PRIMARY KEY (channel, alert)
) WITHOUT ROWID""",
    "CREATE INDEX outbox_pending ON outbox (channel, alert) WHERE delivered IS NULL",
    """
CREATE TABLE budgets (
    site TEXT NOT NULL, day TEXT NOT NULL, used INTEGER NOT NULL, PRIMARY KEY (site, day)
) WITHOUT ROWID""",
)

STATE = StateFile(
    holder="another `urlset watch` with this state",
    application_id=0x75726C77,  # "urlw" in ASCII
    migrations=(Migration(1, _TABLES),),
    shared=True,
)
