"""Tasks → results in worker processes; a killed worker costs nothing but time, order does not depend on timing."""

from __future__ import annotations

import sys
import threading
from collections.abc import Callable, Iterator
from concurrent.futures import FIRST_COMPLETED, Future, ProcessPoolExecutor, wait
from concurrent.futures.process import BrokenProcessPool
from multiprocessing import get_context
from typing import Generic, TypeVar

Task = TypeVar("Task")
Result = TypeVar("Result")
MAX_TRIES = 3
"""a task whose worker died so often while it ran alone is given up"""


class Pool(Generic[Task, Result]):
    """Runs `work` on tasks that may lead to more tasks.

    `multiprocessing.Pool` hangs when a worker is killed; this one starts new workers and submits again.
    """

    def __init__(self, work: Callable[[Task], Result], *, jobs: int, failed: Callable[[Task, str], Result]) -> None:
        self._work = work
        self._jobs = jobs
        self._failed = failed
        self._executor: ProcessPoolExecutor | None = None
        self._waiting: dict[Future[Result], Task] = {}
        self._suspects: list[Task] = []
        """in progress when a worker died: run again one at a time, so only the guilty one is blamed"""
        self._later: list[Task] = []
        self._deaths: dict[int, int] = {}
        self._given_up: list[tuple[Task, Result]] = []

    def __enter__(self) -> Pool[Task, Result]:
        return self

    def __exit__(self, *_: object) -> None:
        if self._executor is not None:
            self._executor.shutdown(wait=False, cancel_futures=True)

    def submit(self, task: Task) -> None:
        if self._suspects:
            self._later.append(task)
        else:
            self._send(task)

    @property
    def busy(self) -> bool:
        return bool(self._waiting or self._suspects or self._later or self._given_up)

    def finished(self) -> Iterator[tuple[Task, Result]]:
        """Results as they come, until nothing is left; the caller may submit more meanwhile."""
        while self.busy:
            yield from self.some_finished()

    def some_finished(self, timeout: float | None = None) -> Iterator[tuple[Task, Result]]:
        """Those that are ready, after waiting for one at most so many seconds."""
        while self._given_up:
            yield self._given_up.pop()
        self._send_next()
        if not self._waiting:
            return
        done, _ = wait(self._waiting, timeout, return_when=FIRST_COMPLETED)
        for future in done:
            task = self._waiting.pop(future, None)
            if task is None:
                continue
            error = future.exception()
            if isinstance(error, BrokenProcessPool):
                self._mourn([task, *self._waiting.values()])
            elif error is not None:
                yield task, self._failed(task, f"{type(error).__name__}: {error}")
            else:
                yield task, future.result()

    def _send_next(self) -> None:
        if self._waiting:
            return
        if self._suspects:
            self._send(self._suspects.pop(0))
            return
        later, self._later = self._later, []
        for task in later:
            self._send(task)

    def _send(self, task: Task) -> None:
        if self._executor is None:
            self._executor = ProcessPoolExecutor(self._jobs, mp_context=get_context(_start_method()))
        try:
            self._waiting[self._executor.submit(self._work, task)] = task
        except BrokenProcessPool:
            self._mourn([task, *self._waiting.values()])

    def _mourn(self, lost: list[Task]) -> None:
        """A worker died: new ones for all that was under way."""
        self._waiting.clear()
        if self._executor is not None:
            self._executor.shutdown(wait=False, cancel_futures=True)
        self._executor = None
        if len(lost) > 1:
            self._suspects += lost
            return
        task = lost[0]
        self._deaths[id(task)] = self._deaths.get(id(task), 0) + 1
        if self._deaths[id(task)] >= MAX_TRIES:
            self._given_up.append((task, self._failed(task, "the worker process crashed on every attempt")))
        else:
            self._suspects.insert(0, task)


def _start_method() -> str:
    """Forking saves each worker a third of a second of imports; it is safe only while nothing else runs."""
    alone = threading.active_count() == 1
    return "fork" if sys.platform == "linux" and alone else "spawn"
