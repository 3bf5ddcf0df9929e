"""Run by test_three_days.py in a process of its own: three simulated days of `urlset watch`, killed ten times.

    python -m tests.workflows.watch.simulation FOLDER SEED

Every child process is a watch on the state that the killed one left. It is killed with SIGKILL from outside at a
random moment, or from inside: before a run is recorded, after that, or between a delivery and its note. Prints one
JSON object: what was planted, what was received, the kills.
"""

from __future__ import annotations

import json
import os
import random
import signal
import sys
import time
from collections import Counter
from collections.abc import Mapping, Sequence
from datetime import datetime
from pathlib import Path
from typing import Any

from tests.servers.process import SiteProcess
from tests.workflows.watch.simulated import HOURS, START, Clock, Event, Story
from urlset.settings.watch import WatchSettings
from urlset.watching.channels import Webhook
from urlset.watching.store import LookResult, WatchStore
from urlset.watching.tracker import Alert
from urlset.web.options import WebOptions
from urlset.workflows.watch import Watch

KILLS = 10
WAYS = ("outside", "outside", "before recording", "after recording", "after sending")


class Mortal(WatchStore):
    """Kills its process at one point, once the hour has come."""

    def __init__(self, folder: Path, clock: Clock, way: str, hour: float) -> None:
        super().__init__(folder)
        self._clock, self._way, self._hour = clock, way, hour

    def _die(self, way: str) -> None:
        if way == self._way and self._clock.hour >= self._hour:
            os.kill(os.getpid(), signal.SIGKILL)

    def record(self, site: str, kind: str, outcome: LookResult, **more: Any) -> list[Alert]:
        self._die("before recording")
        alerts = super().record(site, kind, outcome, **more)
        self._die("after recording")
        return alerts

    def delivered(self, channel: str, numbers: Sequence[int], now: datetime) -> None:
        self._die("after sending")
        super().delivered(channel, numbers, now)


def watch(folder: Path, origin: str, clock: Clock, way: str, hour: float) -> None:
    web = WebOptions(allow_addresses=frozenset({"127.0.0.1"}), tries=1, backoff=0.0, patience=0.0)
    settings = WatchSettings(
        targets=(f"{origin}/",),
        check="every 1h",
        audit="every 8h",
        snapshot="off",
        state=folder / "state",
        timezone="UTC",
        debounce="5m",
        web=web,
        max_files=100,
    )
    end = hour + HOURS if way == "lives" else HOURS * 2
    with Mortal(folder / "state", clock, way, hour) as store:
        hook = Webhook(f"{origin}/hook", "secret")
        over = min(end, HOURS)
        Watch(settings, store, clock=clock, channels=(hook,), stopped=lambda: clock.hour >= over).forever()


def simulate(folder: Path, seed: int) -> dict[str, Any]:
    clock, story, chance = Clock(folder / "hour"), Story.of(seed), random.Random(seed + 1)
    killed: Counter[str] = Counter()
    began = time.monotonic()
    with SiteProcess("tests.workflows.watch.simulated:routes", folder=str(folder), seed=seed) as site:
        while True:
            lives = killed.total() >= KILLS
            way = "lives" if lives else chance.choice(WAYS if killed.total() < KILLS - 3 else WAYS[:1])
            hour = (killed.total() + chance.random()) * HOURS / (KILLS + 1)
            if _died(folder, site.origin, clock, way, hour):
                killed[way] += 1
            elif clock.hour >= HOURS:
                break
        counted = os.times()
    received = [json.loads(line) for line in (folder / "received").read_bytes().splitlines()]
    return {
        "expected": sorted(_expected(story, site.origin)),
        "received": sorted({each["id"]: _short(each) for each in received}.values()),
        "repeated": len(received) - len({each["id"] for each in received}),
        "killed": dict(killed),
        "seconds": round(time.monotonic() - began, 1),
        "cpu": round(counted.children_user + counted.children_system, 1),
    }


def _died(folder: Path, origin: str, clock: Clock, way: str, hour: float) -> bool:
    child = os.fork()
    if child == 0:
        try:
            watch(folder, origin, clock, way, hour)
            os._exit(0)
        except BaseException as error:  # noqa: BLE001 - reported, then the parent fails
            sys.stderr.write(f"{type(error).__name__}: {error}\n")
            os._exit(1)
    while way == "outside":
        done, status = os.waitpid(child, os.WNOHANG)
        if done:
            return os.WIFSIGNALED(status)
        if clock.hour >= hour:
            time.sleep(random.Random(hour).uniform(0, 0.05))
            os.kill(child, signal.SIGKILL)
            os.waitpid(child, 0)
            return True
        time.sleep(0.002)
    _, status = os.waitpid(child, 0)
    if not os.WIFSIGNALED(status) and os.WEXITSTATUS(status):
        raise RuntimeError("the watch failed")
    return os.WIFSIGNALED(status)


def _expected(story: Story, origin: str) -> list[tuple[str, str, str]]:
    return [alert for event in story.events for alert in _alerts(event, origin)]


def _alerts(event: Event, origin: str) -> list[tuple[str, str, str]]:
    kinds = {
        "missing": ("sitemap-missing", f"{origin}/s{event.what}.xml"),
        "fell": ("urls-fell", f"{origin}/"),
        "noindex": ("noindex", f"{origin}/"),
        "error": ("new-errors", event.what),
        "date": ("dates", event.what),
        "robots": ("robots-changed", f"{origin}/robots.txt"),
    }
    phases = ("change",) if event.kind == "robots" else ("problem", "recovery")
    return [(*kinds[event.kind], phase) for phase in phases]


def _short(body: Mapping[str, str]) -> tuple[str, str, str]:
    return body["kind"], body["subject"], body["phase"]


if __name__ == "__main__":
    os.environ["SOURCE_DATE_EPOCH"] = str(int(START.timestamp()))
    sys.stdout.write(json.dumps(simulate(Path(sys.argv[1]), int(sys.argv[2]))) + "\n")
