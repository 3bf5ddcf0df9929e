"""Options → where tasks run and how many at once."""

from __future__ import annotations

import os
from collections.abc import Callable
from enum import StrEnum

import msgspec


class Where(StrEnum):
    AUTO = "auto"
    """in this process, or in worker processes when there is enough to do"""
    LOCAL = "local"
    PROCESS = "process"
    RAY = "ray"


class BusyWorker(msgspec.Struct, frozen=True):
    """A worker and the task it has."""

    task: str
    seconds: float


class StageProgress(msgspec.Struct, frozen=True):
    """How far the tasks of one stage are."""

    what: str
    """its tasks, as a plural"""
    done: int
    known: int
    """tasks in all, as far as they are known"""
    busy: tuple[BusyWorker, ...] = ()
    workers: int = 1
    retried: int = 0
    set_aside: int = 0
    dashboard: str | None = None
    """the URL of a page about the cluster"""


class Workers(msgspec.Struct, frozen=True):
    """Where tasks run. Results never depend on it."""

    where: Where = Where.AUTO
    jobs: int = 1
    """tasks at the same time; 0 is one per core"""
    address: str | None = None
    """of a running Ray cluster; without it a cluster is started on this machine"""
    watch: Callable[[StageProgress], None] | None = None
    """called when something changed, in the process that started the tasks"""

    @property
    def count(self) -> int:
        return 1 if self.where is Where.LOCAL else self.jobs or usable_cores()

    def pays(self, *, enough: bool) -> bool:
        """Whether to leave this process, where `enough` says that worker processes are worth their start."""
        if self.where is Where.AUTO:
            return enough and self.count > 1
        return self.where is not Where.LOCAL


# The machine → how many processes it is worth starting at once.


def usable_cores() -> int:
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1
