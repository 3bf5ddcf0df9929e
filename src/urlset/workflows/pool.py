"""Tasks → results in worker processes; a killed worker costs nothing but time, order does not depend on timing."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator
from concurrent.futures import FIRST_COMPLETED, Future, ProcessPoolExecutor, wait
from concurrent.futures.process import BrokenProcessPool
from multiprocessing import get_context
from typing import Generic, TypeVar

Task = TypeVar("Task")
Result = TypeVar("Result")
MAX_TRIES = 3
"""a task that was on board each time the workers died is given up"""


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
        self._tries: dict[int, int] = {}
        self._given_up: list[tuple[Task, Result]] = []

    def __enter__(self) -> Pool[Task, Result]:
        return self

    def __exit__(self, *_: object) -> None:
        if self._executor is not None:
            self._executor.shutdown(wait=False, cancel_futures=True)

    def submit(self, task: Task) -> None:
        if self._executor is None:
            self._executor = ProcessPoolExecutor(self._jobs, mp_context=get_context("spawn"))
        try:
            self._waiting[self._executor.submit(self._work, task)] = task
        except BrokenProcessPool:
            self._restart([task])

    def finished(self) -> Iterator[tuple[Task, Result]]:
        """Results as they come, until nothing is waiting; the caller may submit more meanwhile."""
        while self._waiting or self._given_up:
            while self._given_up:
                yield self._given_up.pop()
            done, _ = wait(self._waiting, return_when=FIRST_COMPLETED)
            for future in done:
                task = self._waiting.pop(future, None)
                if task is None:
                    continue
                error = future.exception()
                if isinstance(error, BrokenProcessPool):
                    self._restart([task])
                elif error is not None:
                    yield task, self._failed(task, f"{type(error).__name__}: {error}")
                else:
                    yield task, future.result()

    def _restart(self, tasks: list[Task]) -> None:
        """New workers for all that was under way when one died."""
        lost = [*tasks, *self._waiting.values()]
        self._waiting.clear()
        if self._executor is not None:
            self._executor.shutdown(wait=False, cancel_futures=True)
        self._executor = None
        for task in lost:
            self._tries[id(task)] = self._tries.get(id(task), 0) + 1
            if self._tries[id(task)] >= MAX_TRIES:
                self._given_up.append((task, self._failed(task, "the worker process died each time it was read")))
            else:
                self.submit(task)


def usable_cores() -> int:
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1
