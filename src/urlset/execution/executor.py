"""Tasks → results, the same on every backend: retries, second copies of stragglers, poison tasks set aside."""

from __future__ import annotations

import time
from collections import Counter, deque
from collections.abc import Callable, Collection, Iterator
from functools import partial
from typing import Any, Generic, Self, cast

from urlset.execution.workers import (
    Backend,
    BusyWorker,
    Failed,
    Finished,
    Function,
    LostTask,
    Result,
    StageProgress,
    Task,
    Where,
    Workers,
    described,
)

TRIES = 5
"""a task whose worker died so often is set aside; where workers die together, it ran alone each time"""
STRAGGLER_SECONDS = 60.0
STRAGGLER_TIMES = 10.0
"""a task that takes this many times the median, and at least so long, is started once more"""
COPIES = 3
_POLL, _SHOWN = 5.0, 1.0
"""seconds between looks at tasks that take long; shorter where someone watches"""


class Executor(Generic[Task, Result]):
    """Runs tasks that may lead to more tasks. The same task may run twice, so it must be idempotent."""

    def __init__(
        self,
        backend: Backend,
        *,
        failed: Callable[[Task, str], Result],
        what: str = "tasks",
        watch: Callable[[StageProgress], None] | None = None,
        copies: bool = True,
    ) -> None:
        """`copies`: a task that takes much longer than the others is started on a second worker."""
        self._backend, self._failed, self._what, self._watch, self._copies = backend, failed, what, watch, copies
        self._queue: deque[Task] = deque()
        self._under_way: dict[object, tuple[Task, float]] = {}
        """what each handle is for, and since when"""
        self._suspects: deque[Task] = deque()
        """under way when a worker died: run again one at a time, so only the guilty one is blamed"""
        self._deaths: dict[int, int] = {}
        self._settled: list[tuple[Task, Result]] = []
        self._seconds: deque[float] = deque(maxlen=999)
        self._abandoned = False
        """whether a call may still be running whose result is not wanted any more"""
        self._submitted = 0
        self._given_back = 0
        self.expected = 0
        """tasks in all, where more will be submitted than were so far"""
        self.retried = 0
        self.set_aside = 0

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_error: object) -> None:
        self._backend.close(unfinished=self._abandoned or bool(self._under_way))

    def submit(self, task: Task) -> None:
        self._queue.append(task)
        self._submitted += 1

    @property
    def busy(self) -> bool:
        return bool(self._queue or self._suspects or self._under_way or self._settled)

    @property
    def is_full(self) -> bool:
        """Whether enough tasks wait to keep every worker busy."""
        return (
            len(self._queue) + len(self._under_way) + len(self._suspects) >= self._backend.slots + self._backend.ahead
        )

    def finished(self) -> Iterator[tuple[Task, Result]]:
        """Results as they come, until nothing is left; the caller may submit more meanwhile."""
        while self.busy:
            yield from self.some_finished()

    def some_finished(self, timeout: float | None = None) -> Iterator[tuple[Task, Result]]:
        """Those that are ready, after waiting for one at most so many seconds."""
        self._send()
        if self._under_way and not self._settled:
            copied = self._copies and self._backend.slots > 1
            poll = _POLL if self._watch is None else _SHOWN
            patience = min(timeout if timeout is not None else poll, poll) if copied else timeout
            self._take(list(self._backend.wait(list(self._under_way), patience)))
            if copied:
                self._start_copies()
        settled, self._settled = self._settled, []
        self._given_back += len(settled)
        if self._watch is not None:
            self._watch(self.progress)
        yield from settled

    @property
    def progress(self) -> StageProgress:
        # calls are started in turn, so those beyond the number of workers wait
        now = time.monotonic()
        busy = [BusyWorker(_name_of(task), now - since) for task, since in self._under_way.values()]
        slots = self._backend.slots
        return StageProgress(
            self._what,
            self._given_back,
            max(self._submitted, self.expected),
            tuple(busy[:slots]),
            slots,
            self.retried,
            self.set_aside,
            self._backend.dashboard,
        )

    def _send(self) -> None:
        if self._suspects:
            if not self._under_way:
                self._start(self._suspects.popleft())
            return
        room = self._backend.slots + self._backend.ahead
        while self._queue and len(self._under_way) < room:
            self._start(self._queue.popleft())

    def _start(self, task: Task) -> None:
        self._under_way[self._backend.send(task)] = task, time.monotonic()

    def _take(self, ended: list[tuple[object, Finished | Failed | LostTask]]) -> None:
        lost: list[tuple[Task, str]] = []
        for handle, how in ended:
            if handle not in self._under_way:  # a copy of it was faster
                continue
            task, since = self._under_way.pop(handle)
            if isinstance(how, LostTask):
                lost.append((task, how.reason))
                continue
            self._forget_copies(task)
            if isinstance(how, Failed):
                self._give_up(task, how.reason)
            else:
                self._seconds.append(time.monotonic() - since)
                self._settled.append((task, cast("Result", how.value)))
        if self._backend.shared_fate and len(lost) > 1:
            self.retried += len(lost)
            self._suspects += (task for task, _ in lost)
            return
        for task, reason in lost:
            self._retry(task, reason)

    def _retry(self, task: Task, reason: str) -> None:
        self._deaths[id(task)] = self._deaths.get(id(task), 0) + 1
        if any(each is task for each, _ in self._under_way.values()):
            return  # a copy of it is still running
        if self._deaths[id(task)] >= TRIES:
            self._give_up(task, reason)
        else:
            self.retried += 1
            self._suspects.appendleft(task) if self._backend.shared_fate else self._queue.appendleft(task)

    def _give_up(self, task: Task, reason: str) -> None:
        self.set_aside += 1
        self._settled.append((task, self._failed(task, reason)))

    # stragglers

    def _start_copies(self) -> None:
        """Where workers are idle, a task that takes much longer than the others is started on one of them."""
        if self._queue or self._suspects or not self._seconds:
            return
        limit = max(STRAGGLER_SECONDS, STRAGGLER_TIMES * sorted(self._seconds)[len(self._seconds) // 2])
        latest = {id(task): (task, since) for task, since in self._under_way.values()}
        copies = Counter(id(task) for task, _ in self._under_way.values())
        for key, (task, since) in latest.items():
            seconds = time.monotonic() - since
            if seconds < limit:
                continue
            if copies[key] >= min(COPIES, self._backend.slots):
                self._forget_copies(task)
                self._give_up(task, f"no result after {seconds:.0f} seconds, {copies[key]} times")
            elif len(self._under_way) < self._backend.slots:
                self.retried += 1
                self._start(task)

    def _forget_copies(self, task: Task) -> None:
        for handle in [handle for handle, (each, _) in self._under_way.items() if each is task]:
            del self._under_way[handle]
            self._abandoned = True


def _name_of(task: object) -> str:
    """A file without its folder, or whatever a task calls itself."""
    found = getattr(task, "name", None) or getattr(task, "path", None) or ""
    return str(found).replace("\\", "/").rpartition("/")[2]


def executor_on(
    workers: Workers,
    function: Function[Task, Result],
    *,
    failed: Callable[[Task, str], Result],
    what: str = "files",
    copies: bool = True,
) -> Executor[Task, Result]:
    """`what` names the tasks for people, as a plural."""
    backend: Backend
    # each is loaded when it is used: multiprocessing takes a while, Ray seconds
    if workers.where is Where.RAY:
        from urlset.execution.on_ray import OnRay

        backend = OnRay(function, workers)
    elif workers.where is Where.LOCAL:
        backend = InProcess(function)
    else:
        from urlset.execution.processes import Processes

        backend = Processes(function, workers.count)
    return Executor(backend, failed=failed, what=what, watch=workers.watch, copies=copies)


# Tasks → results in this process, one at a time.


class InProcess:
    """Runs a call when its result is waited for."""

    slots = 1
    ahead = 0
    shared_fate = False
    dashboard: str | None = None

    def __init__(self, function: Callable[[Any], Any]) -> None:
        self._function = function

    def send(self, task: object) -> object:
        return partial(self._function, task)

    def wait(
        self, handles: Collection[object], timeout: float | None
    ) -> Iterator[tuple[object, Finished | Failed | LostTask]]:
        del timeout
        for handle in cast("Collection[partial[Any]]", handles):
            try:
                yield handle, Finished(handle())
            except Exception as error:  # noqa: BLE001 - as in a worker: an exception costs one task
                yield handle, Failed(described(error))

    def close(self, *, unfinished: bool) -> None:
        """Nothing runs that could be unfinished."""
