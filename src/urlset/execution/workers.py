"""Options → where tasks run and how many at once."""

from __future__ import annotations

import os
from collections.abc import Callable, Collection, Iterator
from enum import StrEnum
from typing import Protocol, TypeVar

import msgspec

from urlset.model.errors import UrlsetError


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


def usable_cores() -> int:
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1


# What an executor needs of the place where tasks run.

Task = TypeVar("Task")
Result = TypeVar("Result")


class ExecutionError(UrlsetError):
    """Tasks cannot be run or kept; the message says why and what to do."""


class Failed(msgspec.Struct, frozen=True):
    """The function raised an exception: trying again gives the same."""

    reason: str


class LostTask(msgspec.Struct, frozen=True):
    """The worker or its machine is gone: the task may be innocent."""

    reason: str


class Finished(msgspec.Struct, frozen=True):
    value: object


class Backend(Protocol):
    """Starts calls and reports how they ended. Handles are opaque and hashable."""

    slots: int
    """calls that run at the same time"""
    ahead: int
    """calls to hand over beyond that, to keep workers busy"""
    shared_fate: bool
    """when one worker dies, every call under way is lost, and which one was to blame is unknown"""
    dashboard: str | None
    """the URL of a page about the cluster"""

    def send(self, task: object) -> object: ...

    def wait(
        self, handles: Collection[object], timeout: float | None
    ) -> Iterator[tuple[object, Finished | Failed | LostTask]]:
        """Those that ended, after waiting for the first at most so many seconds."""
        ...

    def close(self, *, unfinished: bool) -> None:
        """`unfinished` is true where calls are still under way and their results are not wanted."""
        ...


Function = Callable[[Task], Result]


def described(error: BaseException) -> str:
    return f"{type(error).__name__}: {error}"
