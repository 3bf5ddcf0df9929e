"""Tasks → results in worker processes of this machine; a killed worker costs nothing but time.

`multiprocessing.Pool` hangs when a worker is killed; here all workers are replaced and the calls reported as lost.
"""

from __future__ import annotations

import os
import sys
import threading
from collections.abc import Callable, Collection, Iterator
from concurrent.futures import FIRST_COMPLETED, Future, ProcessPoolExecutor, wait
from concurrent.futures.process import BrokenProcessPool
from multiprocessing import connection, get_context, parent_process
from typing import Any, cast

from urlset.execution.workers import Failed, Finished, LostTask, described

_PATIENCE = 5.0
"""seconds for a killed worker to be gone"""
_DIED = LostTask("the worker process crashed on every attempt")


class Processes:
    shared_fate = True
    dashboard: str | None = None

    def __init__(self, function: Callable[[Any], Any], jobs: int) -> None:
        self._function = function
        self.slots = jobs
        self.ahead = jobs
        self._pool: ProcessPoolExecutor | None = None

    def send(self, task: object) -> object:
        if self._pool is None:
            # forking saves each worker a third of a second of imports; it is safe only while nothing else runs,
            # and obstore has threads that Python cannot count
            alone = threading.active_count() == 1 and "obstore" not in sys.modules
            method = "fork" if sys.platform == "linux" and alone else "spawn"
            self._pool = ProcessPoolExecutor(self.slots, mp_context=get_context(method), initializer=end_with_parent)
        try:
            return self._pool.submit(self._function, task)
        except BrokenProcessPool as error:
            broken: Future[Any] = Future()
            broken.set_exception(error)
            return broken

    def wait(
        self, handles: Collection[object], timeout: float | None
    ) -> Iterator[tuple[object, Finished | Failed | LostTask]]:
        futures = [cast("Future[Any]", handle) for handle in handles]
        done, _ = wait(futures, timeout, return_when=FIRST_COMPLETED)
        ended = {future: future.exception() for future in done}
        if any(isinstance(error, BrokenProcessPool) for error in ended.values()):
            # a broken pool fails every call, some a moment later than others
            ended = {future: future.exception() for future in futures}
            self.close(unfinished=True)
        for future, error in ended.items():
            if isinstance(error, BrokenProcessPool):
                yield future, _DIED
            elif error is not None:
                yield future, Failed(described(error))
            else:
                yield future, Finished(future.result())

    def close(self, *, unfinished: bool) -> None:
        pool, self._pool = self._pool, None
        if pool is None:
            return
        processes = list((pool._processes or {}).values())  # noqa: SLF001 - no public way before Python 3.14
        # a forked worker holds what this process has locked, so the next stage begins when all have ended
        pool.shutdown(wait=not unfinished, cancel_futures=True)
        if unfinished:  # a worker that hangs would keep this process from ending
            for process in processes:
                process.kill()
            for process in processes:
                process.join(_PATIENCE)


def end_with_parent() -> None:
    """Runs in a worker: one whose parent was killed would wait for tasks for ever."""
    parent = parent_process()
    if parent is None:
        return

    def outlive() -> None:
        connection.wait([parent.sentinel])
        os._exit(1)

    threading.Thread(target=outlive, daemon=True).start()
