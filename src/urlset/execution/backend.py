"""What an executor needs of the place where tasks run."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator
from typing import Protocol, TypeVar

import msgspec

Task = TypeVar("Task")
Result = TypeVar("Result")


class ExecutionError(Exception):
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
