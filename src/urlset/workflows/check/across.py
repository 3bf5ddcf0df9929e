"""Where a check runs → how the rules across files run their parts: here, in workers, on a cluster."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from typing import NoReturn

from urlset.checking.tree import R, Spread, T
from urlset.execution.backend import ExecutionError
from urlset.execution.executor import Executor, executor_on
from urlset.execution.workers import Workers

PARALLEL_ROWS = 8_000_000
"""URLs in all files from which starting workers again pays"""


def spread(workers: Workers, rows: int) -> Spread:
    return _Spread(workers) if workers.pays(enough=rows >= PARALLEL_ROWS) else map


class _Spread:
    def __init__(self, workers: Workers) -> None:
        self._workers = workers

    def __call__(self, function: Callable[[T], R], tasks: Iterable[T], /) -> Iterator[R]:
        """In order. A part that cannot be computed fails the rule: a count that lacks a part would be wrong."""
        given = list(tasks)
        if len(given) < 2:
            yield from map(function, given)
            return
        results: dict[int, R] = {}
        places = {id(task): place for place, task in enumerate(given)}
        following = 0
        executor: Executor[T, R] = executor_on(self._workers, function, failed=_fail, what="comparisons")
        with executor:
            for task in given:
                executor.submit(task)
            for task, result in executor.finished():
                results[places[id(task)]] = result
                while following in results:
                    yield results.pop(following)
                    following += 1


class PartLostError(ExecutionError):
    """A part of a rule across files could not be computed."""


def _fail(task: object, reason: str) -> NoReturn:
    del task
    raise PartLostError(f"files could not be compared: {reason}")
