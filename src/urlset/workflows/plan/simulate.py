"""A plan → every task of it, run on metadata with failures: names, indexes, parts and retries are the real ones."""

from __future__ import annotations

import random
import time
from collections.abc import Callable, Collection, Iterator
from operator import itemgetter
from typing import Any

import msgspec

from urlset.building.shards import LIMITS, FileForm, ShardLimits, assign, index_name
from urlset.execution.backend import Failed, Finished, LostTask
from urlset.execution.executor import Executor
from urlset.execution.plan import in_order
from urlset.spec.protocol import MAX_INDEX_ENTRIES
from urlset.workflows.plan.plan import SetPlan

_SEED = 19


class Simulation(msgspec.Struct, frozen=True):
    tasks: int
    parts: int
    """distinct results: each task has one, regardless of retries"""
    names: int
    indexes: int
    listed: int
    """files named by the indexes"""
    failures: int
    set_aside: int
    seconds: float


class _Pages:
    """The pages of a site as the planner of `urlset build` sees them: a number and one size."""

    section = ""
    former: str | None = None
    kept = kept_bytes = 0

    def __init__(self, count: int, size: int) -> None:
        self._count, self._size = count, size

    def __len__(self) -> int:
        return self._count

    def fitting(self, low: int, entries: int, size: int) -> int:
        return min(self._count, low + max(0, min(entries, size // self._size)))

    def size_of(self, low: int, high: int) -> int:
        return (high - low) * self._size

    def expand(self) -> None:
        return


class Unreliable:
    """Runs calls here, and loses some of them as a worker or node would."""

    shared_fate = False
    dashboard: str | None = None
    slots, ahead = 1, 999

    def __init__(self, function: Callable[[Any], Any], rate: float) -> None:
        self._function, self._rate, self._chance = function, rate, random.Random(_SEED)  # noqa: S311 - no secret
        self._number = 0
        self._tasks: dict[object, object] = {}
        self.failures = 0

    def send(self, task: object) -> object:
        self._number += 1
        self._tasks[self._number] = task
        return self._number

    def wait(
        self, handles: Collection[object], timeout: float | None
    ) -> Iterator[tuple[object, Finished | Failed | LostTask]]:
        del timeout
        for handle in handles:
            task = self._tasks.pop(handle)
            if self._chance.random() < self._rate:
                self.failures += 1
                yield handle, LostTask("simulated")
            else:
                yield handle, Finished(self._function(task))

    def close(self, *, unfinished: bool) -> None:
        del unfinished


def simulate(found: SetPlan, rate: float) -> Simulation:
    """Place the pages, write the names into indexes, check each file, compare each partition."""
    began = time.monotonic()
    fill = min(found.per_file, LIMITS.most_entries)
    limits = ShardLimits(fill_entries=fill, fill_bytes=LIMITS.most_bytes)
    placed = assign([_Pages(found.urls, found.url_bytes)], limits=limits, form=FileForm.XML, gzip=True)
    names = [shard.name for shard in placed.shards]
    indexes = {
        index_name(number + 1): names[low : low + MAX_INDEX_ENTRIES]
        for number, low in enumerate(range(0, len(names), MAX_INDEX_ENTRIES))
    }
    parts: set[str] = set()
    failures = set_aside = 0
    stages = in_order(found.stages)
    for stage in stages:
        backend = Unreliable(itemgetter(1), rate)
        executor: Executor[tuple[str, str], str] = Executor(backend, failed=_given_up)
        with executor:
            for task in stage.tasks():
                executor.submit(task)
            parts.update(f"{stage.name}/{part}" for _, part in executor.finished() if part)
            set_aside += executor.set_aside
        failures += backend.failures
    return Simulation(
        tasks=sum(stage.count for stage in stages),
        parts=len(parts),
        names=len(set(names)),
        indexes=len(indexes),
        listed=sum(map(len, indexes.values())),
        failures=failures,
        set_aside=set_aside,
        seconds=round(time.monotonic() - began, 2),
    )


def _given_up(task: tuple[str, str], reason: str) -> str:
    del task, reason
    return ""
