"""Tasks → results in this process, one at a time."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator
from itertools import count
from typing import Any

from urlset.execution.backend import Failed, Finished, LostTask, described


class InProcess:
    """Runs a call when its result is waited for."""

    slots = 1
    ahead = 0
    shared_fate = False
    dashboard: str | None = None

    def __init__(self, function: Callable[[Any], Any]) -> None:
        self._function = function
        self._tasks: dict[object, object] = {}
        self._numbers = count()

    def send(self, task: object) -> object:
        handle = next(self._numbers)
        self._tasks[handle] = task
        return handle

    def wait(
        self, handles: Collection[object], timeout: float | None
    ) -> Iterator[tuple[object, Finished | Failed | LostTask]]:
        del timeout
        for handle in list(handles):
            task = self._tasks.pop(handle)
            try:
                yield handle, Finished(self._function(task))
            except Exception as error:  # noqa: BLE001 - as in a worker: an exception costs one task
                yield handle, Failed(described(error))

    def close(self, *, unfinished: bool) -> None:
        del unfinished
        self._tasks.clear()
