"""Sitemap files → the result of one function on the pages of each, in the order listed, from any executor."""

from __future__ import annotations

import os
from collections import deque
from collections.abc import Callable, Iterator, Sequence
from functools import partial
from itertools import count, islice
from typing import TYPE_CHECKING, Any, Generic, TypeVar

import msgspec

from urlset.execution.executor import Executor, executor_on
from urlset.execution.workers import Workers
from urlset.reading.disk import Absent, Missing, SiteFolder, expand, is_copy_of_one
from urlset.reading.read import read
from urlset.reading.tree import MAX_INDEX_DEPTH, Start, listed
from urlset.storage.paths import file_at, is_address
from urlset.workflows.ls import Batch, ListFilter, Notice, absence, list_pages, notices, select

if TYPE_CHECKING:
    from urlset.workflows.live.tree import LiveTree

R = TypeVar("R")
_AHEAD = 64
"""files whose results may wait for their turn"""


def map_pages(
    starts: Sequence[Start],
    work: Callable[[Batch], R],
    wanted: ListFilter,
    workers: Workers,
    root: str | None = None,
    live: Callable[..., LiveTree] | None = None,
) -> Iterator[R | Notice]:
    """The same as `work` on every batch of `list_pages`. URLs, streams and a limit are worked through here."""
    named = [start for start in starts if isinstance(start, (str, os.PathLike)) and not is_address(str(start))]
    apart = len(named) == len(starts) and wanted.limit is None and workers.pays(enough=workers.jobs > 1)
    if apart:
        yield from _Walk(named, partial(_worked, wanted, work), root).run(workers)
        return
    for item in list_pages(starts, wanted, root, live):
        yield work(item) if isinstance(item, Batch) else item
        del item  # holds a whole document, and the next one is about to be read


class _FileTask(msgspec.Struct, frozen=True):
    number: int
    path: str
    url: str | None
    parent: str = ""
    depth: int = 0


class _FileResult(msgspec.Struct, frozen=True):
    name: str = ""
    value: Any = None
    has_pages: bool = False
    children: tuple[str, ...] = ()
    notices: tuple[Notice, ...] = ()
    failure: str | None = None


def _worked(wanted: ListFilter, work: Callable[[Batch], Any], task: _FileTask) -> _FileResult:
    """Runs in a worker."""
    try:
        document = read(task.path, url=task.url)
    except OSError as error:
        return _FileResult(failure=error.strerror or str(error))
    batch = select(document, wanted)
    value = work(batch) if batch else None
    return _FileResult(document.name, value, bool(batch), tuple(listed(document)), tuple(notices(document)))


class _Walk(Generic[R]):
    """Files in the order listed: those that follow are worked on while the first is waited for."""

    def __init__(
        self, starts: Sequence[str | os.PathLike[str]], function: Callable[[_FileTask], _FileResult], root: str | None
    ) -> None:
        self._function = function
        self._site_folder = SiteFolder(None if root is None else file_at(root), None)
        self._seen: set[str] = set()
        self._numbers = count()
        self._queue: deque[_FileTask | Notice] = deque()
        for start in starts:
            for found in expand(start):
                if isinstance(found, Missing):
                    self._queue.append(absence(found))
                else:
                    url = self._site_folder.address_of(found)
                    self._queue.append(_FileTask(next(self._numbers), str(found), url))

    def _is_repeated(self, task: _FileTask) -> bool:
        """Decided when it is the turn of the file: an index may list what is named later."""
        path = file_at(task.path)
        return os.path.realpath(path) in self._seen or (not task.parent and is_copy_of_one(path, self._seen))

    def run(self, workers: Workers) -> Iterator[R | Notice]:
        results: dict[int, _FileResult] = {}
        sent: set[int] = set()
        executor: Executor[_FileTask, _FileResult] = executor_on(
            workers, self._function, failed=lambda _task, reason: _FileResult(failure=reason)
        )
        with executor:
            while self._queue:
                first = self._queue[0]
                if isinstance(first, Notice):
                    yield first
                    self._queue.popleft()
                    continue
                if self._is_repeated(first):
                    self._queue.popleft()
                    continue
                for task in islice(self._queue, _AHEAD):
                    if not isinstance(task, Notice) and task.number not in sent and not self._is_repeated(task):
                        sent.add(task.number)
                        executor.submit(task)
                if first.number not in results:
                    for task, result in executor.some_finished():
                        results[task.number] = result
                    continue
                self._queue.popleft()
                self._seen.add(os.path.realpath(first.path))
                result = results.pop(first.number)
                if result.failure is not None:
                    loc = (first.url or "") if first.parent else first.path
                    yield absence(Missing(loc, first.parent, result.failure))
                    continue
                if result.has_pages:
                    yield result.value
                yield from result.notices
                self._queue.extendleft(reversed(list(self._below(first, result))))

    def _below(self, task: _FileTask, index: _FileResult) -> Iterator[_FileTask | Notice]:
        folder = file_at(task.path).parent
        for loc in index.children:
            path = self._site_folder.find(loc, folder)
            if task.depth >= MAX_INDEX_DEPTH:
                yield absence(Missing(loc, index.name, f"indexes nested more than {MAX_INDEX_DEPTH} deep"))
            elif isinstance(path, Absent):
                yield absence(Missing(loc, index.name, path.reason))
            else:
                yield _FileTask(next(self._numbers), str(path), loc, index.name, task.depth + 1)
