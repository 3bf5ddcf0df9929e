"""The loop: what runs when, after a sleep, a clock that is set back, a full disk, and a receiver that is killed."""

from __future__ import annotations

import json
import os
import signal
import urllib.error
import urllib.request
from collections.abc import Callable, Sequence
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import pytest

from tests.servers.process import SiteProcess
from urlset.settings.watch import WatchSettings
from urlset.testing.exchange import PageAnswer, Reply, Request
from urlset.watching.channels import AlertChannel, Webhook
from urlset.watching.store import LookResult, WatchStore
from urlset.watching.tracker import AlertKind, Condition, Measurement
from urlset.workflows import watch as module
from urlset.workflows.watch import Watch, plan, sites_of
from urlset.workflows.watch_looks import JobKind, Look
from urlset.writing.sqlite_store import StateError

START = datetime(2026, 11, 20, 12, tzinfo=UTC)
URL = "https://www.example.com/"


class Time:
    """Passes as told: `jumps` are added one by one to the end of each wait."""

    def __init__(self, until: timedelta, *jumps: timedelta) -> None:
        self.at, self._end, self._jumps = START, START + until, list(jumps)

    def now(self) -> datetime:
        return self.at

    def wait_until(self, moment: datetime) -> None:
        self.at = max(self.at, moment) + (self._jumps.pop(0) if self._jumps else timedelta(0))

    def over(self) -> bool:
        return self.at >= self._end


@pytest.fixture
def looks(monkeypatch: pytest.MonkeyPatch) -> dict[JobKind, Callable[[Look], LookResult]]:
    """What a job finds, instead of a site on the web."""
    found: dict[JobKind, Callable[[Look], LookResult]] = {}
    monkeypatch.setattr(module, "LOOKS", found)
    return found


def settings_of(state: Path, schedules: dict[str, str], **more: Any) -> WatchSettings:
    given = {"check": "off", "audit": "off", "snapshot": "off", "debounce": "0s", **schedules, **more}
    return WatchSettings(targets=(URL,), state=state, timezone="UTC", **given)


def missing(condition: Condition) -> LookResult:
    signal = Measurement(kind=AlertKind.SITEMAP_MISSING, subject=URL, condition=condition, message="404 Not Found")
    return LookResult(result="ok", signals=(signal,))


def started(store: WatchStore, kind: str) -> list[str]:
    rows = store._db.execute("SELECT started FROM runs WHERE kind = ? ORDER BY id", (kind,))
    return [row[0][8:16].replace("T", " ") for row in rows]


def run(
    clock: Time,
    state: Path,
    schedules: dict[str, str],
    *,
    channels: Sequence[AlertChannel] = (),
    complain: Callable[[str], None] = lambda _line: None,
    **more: Any,
) -> dict[str, list[str]]:
    with WatchStore(state) as store:
        settings = settings_of(state, schedules, **more)
        Watch(settings, store, clock=clock, channels=channels, complain=complain, stopped=clock.over).forever()
        return {kind: started(store, kind) for kind in schedules}


def test_jobs_run_on_their_schedules(looks: dict[JobKind, Any], tmp_path: Path) -> None:
    looks[JobKind.CHECK] = looks[JobKind.AUDIT] = lambda _ask: missing(Condition.OK)
    ran = run(Time(timedelta(hours=3)), tmp_path, {"check": "every 1h", "audit": "30 13 * * *"})
    assert ran == {"check": ["20 12:00", "20 13:00", "20 14:00"], "audit": ["20 12:00", "20 13:30"]}


def test_a_sleep_is_not_made_up_for(looks: dict[JobKind, Any], tmp_path: Path) -> None:
    looks[JobKind.CHECK] = lambda _ask: missing(Condition.OK)
    ran = run(Time(timedelta(hours=9), timedelta(0), timedelta(hours=5, minutes=20)), tmp_path, {"check": "every 1h"})
    assert ran["check"] == ["20 12:00", "20 13:00", "20 19:20", "20 20:20"]


def test_a_clock_that_is_set_back_delays_a_job_by_one_period_at_most(looks: dict[JobKind, Any], tmp_path: Path) -> None:
    looks[JobKind.CHECK] = lambda _ask: missing(Condition.OK)
    state, back = {"check": "every 1h"}, timedelta(days=30)
    with WatchStore(tmp_path) as store:
        clock = Time(timedelta(minutes=30))
        settings = settings_of(tmp_path, state)
        Watch(settings, store, clock=clock, stopped=clock.over).forever()
        due = plan(sites_of(settings), UTC, START - back, lambda site, kind: store.job(site, kind).due)
    assert [each.due for each in due] == [START - back + timedelta(hours=1)]


def test_a_change_is_confirmed_after_the_debounce_not_after_the_period(
    looks: dict[JobKind, Any], tmp_path: Path
) -> None:
    looks[JobKind.CHECK] = lambda ask: missing(Condition.BAD if ask.now > START else Condition.OK)
    ran = run(Time(timedelta(hours=3)), tmp_path, {"check": "every 1h"}, debounce="2m")
    assert ran["check"] == ["20 12:00", "20 13:00", "20 13:02", "20 14:02"]


def test_a_job_that_breaks_is_repeated_and_the_others_go_on(looks: dict[JobKind, Any], tmp_path: Path) -> None:
    def broken(_ask: Look) -> LookResult:
        raise RuntimeError("this is a bug")

    looks[JobKind.CHECK], looks[JobKind.AUDIT] = broken, lambda _ask: missing(Condition.OK)
    ran = run(Time(timedelta(minutes=12)), tmp_path, {"check": "every 1h", "audit": "every 10m"})
    assert ran == {"check": ["20 12:00", "20 12:05", "20 12:10"], "audit": ["20 12:00", "20 12:10"]}


def test_a_full_disk_is_waited_for(looks: dict[JobKind, Any], tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    looks[JobKind.CHECK] = lambda ask: missing(Condition.BAD if ask.now > START else Condition.OK)
    record = WatchStore.record
    said: list[str] = []

    def full(self: WatchStore, *what: Any, **more: Any) -> Any:
        if START < more["now"] < START + timedelta(hours=1, minutes=3):
            raise StateError("database or disk is full")
        return record(self, *what, **more)

    monkeypatch.setattr(WatchStore, "record", full)
    ran = run(Time(timedelta(hours=2)), tmp_path, {"check": "every 1h"}, complain=said.append)
    assert ran["check"] == ["20 12:00", "20 13:03"]
    assert said == ["database or disk is full"] * 3


def test_quiet_hours_hold_alerts_back(looks: dict[JobKind, Any], tmp_path: Path) -> None:
    looks[JobKind.CHECK] = lambda ask: missing(Condition.BAD if ask.now > START else Condition.OK)
    sent: list[datetime] = []
    clock = Time(timedelta(hours=6))

    class Inbox:
        name, together = "inbox", False

        def send(self, alerts: object) -> str:
            del alerts
            sent.append(clock.now())
            return ""

    run(clock, tmp_path, {"check": "every 1h"}, channels=(Inbox(),), quiet_hours="12:30-15:15")
    assert sent == [START + timedelta(hours=3, minutes=15)]


def test_health_and_metrics_are_served(looks: dict[JobKind, Any], tmp_path: Path) -> None:
    looks[JobKind.CHECK] = lambda _ask: missing(Condition.OK)
    clock = Time(timedelta(minutes=1))
    with WatchStore(tmp_path) as store:
        watching = Watch(settings_of(tmp_path, {"check": "every 1h"}), store, clock=clock, stopped=clock.over)
        watching.forever()
        with watching.status_server("127.0.0.1", 0) as server:
            assert json.loads(_get(server.port, "/healthz"))["status"] == "ok"
            assert f'urlset_watch_runs_total{{site="{URL}",job="check",result="ok"}} 1\n' in _get(
                server.port, "/metrics"
            )
            clock.at += timedelta(hours=2)
            with pytest.raises(urllib.error.HTTPError, match="503"):
                _get(server.port, "/healthz")
            with pytest.raises(urllib.error.HTTPError, match="403"):
                _get(server.port, "/metrics", host="www.evil.example")
        with pytest.raises(ValueError, match="not a loopback address"):
            watching.status_server("0.0.0.0", 0)


def _get(port: int, path: str, host: str = "localhost") -> str:
    request = urllib.request.Request(f"http://127.0.0.1:{port}{path}", headers={"Host": host})
    with urllib.request.urlopen(request, timeout=5) as answer:
        text: str = answer.read().decode()
        return text


def receiver(kept: str) -> Callable[[Request], Reply]:
    """On disk before it is confirmed; the first one kills the receiver instead."""
    path = Path(kept)

    def take(request: Request) -> Reply:
        first = not path.exists()
        with path.open("ab") as file:
            file.write(request.body + b"\n")
        if first:
            os.kill(os.getpid(), signal.SIGKILL)
        return PageAnswer(204)

    return take


def test_a_receiver_that_is_killed_loses_nothing(looks: dict[JobKind, Any], tmp_path: Path) -> None:
    """It dies after it stored the first alert, and comes back at the same address."""
    kept = tmp_path / "kept"
    looks[JobKind.CHECK] = lambda ask: missing(Condition.BAD if ask.now.hour == 13 else Condition.OK)
    receive = "tests.workflows.watch.test_watch:receiver"
    with SiteProcess(receive, kept=str(kept)) as first:
        hook = Webhook(first.url("/hook"), "secret")
        run(Time(timedelta(hours=1, minutes=1)), tmp_path / "state", {"check": "every 1h"}, channels=(hook,))
        assert len(kept.read_bytes().splitlines()) == 1
        with SiteProcess(receive, kept=str(kept), port=first.port):
            clock = Time(timedelta(hours=6))
            clock.at += timedelta(hours=2)
            run(clock, tmp_path / "state", {"check": "every 1h"}, channels=(hook,))
    bodies = [json.loads(line) for line in kept.read_bytes().splitlines()]
    assert [body["phase"] for body in bodies] == ["problem", "problem", "recovery"]
    assert bodies[0] == bodies[1], "the receiver can tell that it knows this one"
