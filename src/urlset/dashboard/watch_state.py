"""The state of `urlset watch` in a folder → open problems, alerts and planned runs of one site or of all."""

from __future__ import annotations

from pathlib import Path

import msgspec

from urlset.watching.reader import JobState, OpenProblem, StoredAlert, WatchReader, WatchRun
from urlset.writing.state_file import StateError

_ALERTS, _RUNS = 50, 50


class WatchState(msgspec.Struct, frozen=True):
    """`is_used` is False where no watch has run with this folder."""

    is_used: bool = False
    problems: tuple[OpenProblem, ...] = ()
    alerts: tuple[StoredAlert, ...] = ()
    jobs: tuple[JobState, ...] = ()
    runs: tuple[WatchRun, ...] = ()
    trouble: str = ""


def watch_state(state: Path, site: str | None = None) -> WatchState:
    """`site` is the target of a site, as it was given to `urlset watch`."""
    if not WatchReader.exists(state):
        return WatchState()
    try:
        with WatchReader(state) as reader:
            return WatchState(
                is_used=True,
                problems=tuple(reader.problems(site)),
                alerts=tuple(reader.alerts(site, limit=_ALERTS)),
                jobs=tuple(reader.jobs(site)),
                runs=tuple(reader.runs(site, limit=_RUNS)),
            )
    except StateError as error:
        return WatchState(is_used=True, trouble=str(error))
