"""Someone who awaits a verb → the event loop that requests run on, and where the work stops after a cancellation.

A verb is ordinary code in a thread; what it waits for (`web/loop.py:run`) runs as tasks on the loop of the caller, next
to the caller's own. Loads no asyncio: most checks are of files and never wait.
"""

from __future__ import annotations

from contextvars import ContextVar
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    import asyncio


class CallCancelled(BaseException):
    """The caller has cancelled; ends the work from inside, past everything that handles errors."""


class Caller:
    """One call that is awaited. Everything but `checkpoint` happens on its loop."""

    def __init__(self, loop: asyncio.AbstractEventLoop) -> None:
        self.loop = loop
        self.is_cancelled = False
        self.tasks: set[asyncio.Task[Any]] = set()

    def cancel(self) -> None:
        """End what runs on the loop, and stop the thread at its next checkpoint."""
        self.is_cancelled = True
        for task in self.tasks:
            task.cancel()


CALLER: ContextVar[Caller | None] = ContextVar("urlset_caller", default=None)


def checkpoint() -> None:
    """Between two files, blocks or pages: raises CallCancelled where the caller no longer waits."""
    caller = CALLER.get()
    if caller is not None and caller.is_cancelled:
        raise CallCancelled
