"""Files, folders, documents in memory and addresses → one verdict, for the command, the library and audits."""

from __future__ import annotations

import os
from collections import deque
from collections.abc import Iterator, Sequence
from contextlib import AbstractContextManager, ExitStack
from datetime import datetime
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING

import msgspec

from urlset.checking.tree import DocumentSummary, Lost, TreeView
from urlset.checking.tree_engine import check_tree
from urlset.execution.workers import Workers
from urlset.findings.verdict import Verdict, join
from urlset.model.document import Document, Kind
from urlset.reading.disk import Absent, SiteFolder
from urlset.reading.packed_copy import is_copy_of_one
from urlset.reading.read import Source, read
from urlset.reading.starts import NO_SITEMAP, Missing, expand
from urlset.reports.uri import is_address
from urlset.storage.paths import file_at, is_stored
from urlset.version import __version__
from urlset.workflows.check.options import CheckOptions
from urlset.workflows.check.task import (
    MAX_DEPTH,
    PARALLEL_FROM,
    CheckedFile,
    CheckPlan,
    Task,
    cards,
    failed,
    left_to_others,
    rules_on_all,
    size_of,
    too_deep,
    work,
    work_on,
)

if TYPE_CHECKING:
    from urlset.execution.parts import RunFolder
    from urlset.storage.paths import FilePath

Target = Source | Document
"""a path, a pattern or a folder; an http(s) address; or a document in memory: bytes, a binary file, a Document"""


def check(targets: Sequence[Target], options: CheckOptions) -> Verdict:
    """Check every target and everything its indexes list, on disk or on the web.

    The index of a file is followed below `options.root`, otherwise next to the file; the index of a document in memory
    only below `options.root`. What cannot be read is in `Verdict.troubled`. Raises UnknownSelectorError.
    """
    addresses = [target for target in targets if isinstance(target, str) and is_address(target)]
    local = [target for target in targets if not (isinstance(target, str) and is_address(target))]
    rules = options.rules(on_disk=not addresses) if options.select or options.ignore else ()
    verdicts: list[Verdict] = []
    with ExitStack() as stack:
        run = stack.enter_context(_kept_run(targets, options)) if options.parts is not None else None
        if run is not None:
            options = msgspec.structs.replace(options, now=datetime.fromisoformat(run.started))
        hash_dir = _Spill(stack, run)
        if local:
            verdicts.append(_Run(options, hash_dir).verdict(local))
        if addresses:
            from urlset.workflows.check.live import check_live  # loads asyncio, which files do not need

            folder = hash_dir.on_disk / "live"
            folder.mkdir(exist_ok=True)
            verdicts.append(check_live(addresses, options, folder))
        if run is not None and not any(verdict.troubled for verdict in verdicts):
            run.finish()
    return join([*verdicts, left_to_others(rules, options.select, fetched=bool(addresses))])


def _kept_run(targets: Sequence[Target], options: CheckOptions) -> AbstractContextManager[RunFolder]:
    """Where the results of this check are kept: all that they depend on, except the time and the files themselves."""
    from urlset.execution.parts import fingerprint_of, run_folder

    named = [str(target) if isinstance(target, (str, os.PathLike)) else "" for target in targets]
    chosen = [options.engines, options.select, options.ignore, options.severity, options.thresholds, options.policies]
    site = [str(options.root or ""), options.base_url, options.at, options.robots]
    elsewhere = all(map(is_stored, named))  # the same from every folder and machine
    home = "" if elsewhere else os.getcwd()  # noqa: PTH109 - a text is needed
    about = fingerprint_of(__version__, home, named, chosen, site)
    return run_folder(file_at(options.parts or ""), about, options.now.isoformat())


class _Spill:
    """A folder for what rules across files need of each; made when there is a second file, removed with `stack`."""

    def __init__(self, stack: ExitStack, run: RunFolder | None) -> None:
        self._stack, self._run = stack, run

    @cached_property
    def folder(self) -> FilePath:
        return self._run.parts if self._run is not None else self.on_disk

    @cached_property
    def on_disk(self) -> Path:
        from urlset.writing.files import work_folder

        kept = self._run.parts if self._run is not None else None
        return kept if isinstance(kept, Path) else self._stack.enter_context(work_folder())


class _Run:
    """One run: hands out files, follows indexes, puts results in the order listed."""

    def __init__(self, options: CheckOptions, hash_dir: _Spill) -> None:
        self._options = options
        self._context = options.context(on_disk=True)
        self._hash_dir = hash_dir
        self._shelf = SiteFolder(file_at(options.root) if options.root else None, options.base_url)
        self._seen: set[str] = set()
        self._started: set[str] = set()
        self._tasks: list[Task] = []
        self._plans: dict[int, CheckPlan] = {}
        self._waiting = 0
        self._children: dict[int, list[int]] = {}
        self._done: dict[int, CheckedFile] = {}
        self._alone = False
        self._in_memory: set[int] = set()
        """tasks without a file: nothing lies next to them"""
        self._lost: list[Lost] = []
        self._troubled: list[str] = []
        self._empty: list[str] = []

    def verdict(self, targets: Sequence[Target]) -> Verdict:
        starts = [start for target in targets for start in self._starts(target)]
        self._alone = len(starts) == 1
        first = [task.number for task in map(self._start, starts) if task is not None]
        self._work()
        ordered = [self._done[number] for start in first for number in self._walk(start)]
        leaves = [done.leaf for done in ordered if done.leaf is not None]
        options = self._options
        rules = rules_on_all(leaves, options)
        verdicts = [cards(ordered, rules), *(done.verdict for done in ordered)]
        view = TreeView(leaves, self._lost, self._context, root_known=options.root is not None)
        if len(leaves) > 1:
            from urlset.workflows.check.across import spread  # one file is not spread

            view.spread = spread(options.workers, sum(leaf.entries for leaf in leaves))
        verdicts.append(check_tree(view, rules, overrides=options.overrides))
        return join([*verdicts, Verdict(troubled=tuple(self._troubled), empty=tuple(self._empty))])

    def _starts(self, target: Target) -> Iterator[FilePath | Target]:
        """The files that match a path, a pattern or a folder; in-memory documents are returned as they are."""
        if not isinstance(target, (str, os.PathLike)):
            yield target
            return
        for found in expand(target):
            if isinstance(found, Missing):
                lines = self._empty if found.reason == NO_SITEMAP else self._troubled
                lines.append(f"{found.loc}: {found.reason}")
            else:
                yield found

    def _start(self, start: FilePath | Target) -> Task | None:
        if isinstance(start, os.PathLike):
            path = file_at(start)
            return self._task(path, url=self._options.at or self._shelf.address_of(path))
        return self._check_in_memory(start)

    def _check_in_memory(self, target: Target) -> Task:
        """At once: a stream can be read only once, and a document would have to travel to a worker."""
        at = self._options.at
        if not isinstance(target, Document):
            document = read(target, url=at)
        else:
            document = msgspec.structs.replace(target, url=at) if at is not None else target
        task = self._new_task(document.name, document.url)
        self._in_memory.add(task.number)
        self._take(task, work_on(task, document))
        return task

    def _task(
        self, path: FilePath, *, url: str | None, parent: Task | None = None, row: int | None = None
    ) -> Task | None:
        identity = os.path.realpath(path)
        # what an index lists in both forms is listed twice; what a folder holds in both forms is one sitemap
        if identity in self._seen or is_copy_of_one(path, self._started if parent else self._seen):
            return None
        self._seen.add(identity)
        if parent is None:
            self._started.add(identity)
        return self._new_task(str(path), url, parent, row, size_of(path))

    def _new_task(
        self, path: str, url: str | None, parent: Task | None = None, row: int | None = None, size: int = 0
    ) -> Task:
        depth = parent.depth + 1 if parent else 0
        plan = self._plan_below(parent) if parent else self._plan
        task = Task(len(self._tasks), plan, path, url, parent.path if parent else None, row, depth, size=size)
        self._tasks.append(task)
        self._waiting += task.weight
        self._children[task.number] = []
        if parent is not None:
            self._children[parent.number].append(task.number)
        return task

    @cached_property
    def _plan(self) -> CheckPlan:
        """For the files that were named: of a single one, rules across files need nothing, unless it is an index."""
        alone = self._alone and self._options.parts is None
        return self._options.plan(self._context, None if alone else self._hash_dir.folder)

    def _plan_below(self, index: Task) -> CheckPlan:
        """For the children of an index: what led to them matters to rules that look at robots.txt."""
        plan = self._plans.get(index.number)
        if plan is None:
            context = index.plan.context
            above = (index.url, *context.lineage) if index.url else context.lineage
            context = msgspec.structs.replace(context, lineage=above)
            plan = self._options.plan(context, self._hash_dir.folder)
            self._plans[index.number] = plan
        return plan

    def _work(self) -> None:
        """In this process, until enough is waiting to make worker processes pay; the order is the same everywhere."""
        workers = self._options.workers
        for at, task in enumerate(self._tasks):  # it grows meanwhile
            enough = len(self._tasks) - at > 1 and self._waiting >= PARALLEL_FROM
            if workers.pays(enough=enough):
                self._work_elsewhere([task for task in self._tasks[at:] if task.number not in self._done], workers)
                return
            if task.number not in self._done:
                self._take(task, _work_here(task))

    def _work_elsewhere(self, tasks: list[Task], workers: Workers) -> None:
        """Results are taken in the order of their tasks, so what they lead to has the same number in every run."""
        from urlset.execution.executor import executor_on  # most runs stay in this process

        waiting: deque[Task] = deque(tasks)
        ready: dict[int, CheckedFile] = {}
        with executor_on(workers, work, failed=failed) as executor:
            for task in tasks:
                executor.submit(task)
            for finished, done in executor.finished():
                ready[finished.number] = done
                while waiting and waiting[0].number in ready:
                    task = waiting.popleft()
                    for child in self._take(task, ready.pop(task.number)):
                        waiting.append(child)
                        executor.submit(child)
                self._options.report(len(self._done) + len(ready), len(self._tasks))

    def _take(self, task: Task, done: CheckedFile) -> list[Task]:
        """Keep a result and find the files it leads to."""
        self._done[task.number] = done
        self._waiting -= task.weight
        children: list[Task] = []
        if done.leaf is not None and done.leaf.kind is Kind.SITEMAPINDEX:
            children = list(self._follow(task, done.leaf))
        self._options.report(len(self._done), len(self._tasks))
        return children

    def _follow(self, task: Task, leaf: DocumentSummary) -> Iterator[Task]:
        unseen = 0
        folder = None if task.number in self._in_memory else file_at(task.path).parent
        for row, loc in enumerate(leaf.listed):
            if not loc:
                continue
            path = self._shelf.find(loc, folder)
            if isinstance(path, Absent):
                self._lost.append(Lost(leaf.source, row, loc, path.reason))
            elif task.depth >= MAX_DEPTH:
                unseen += os.path.realpath(path) not in self._seen
            elif (child := self._task(path, url=loc, parent=task, row=row)) is not None:
                yield child
        if unseen:
            self._troubled.append(too_deep(leaf.source, unseen))

    def _walk(self, number: int) -> Iterator[int]:
        yield number
        for child in sorted(self._children[number]):
            yield from self._walk(child)


def _work_here(task: Task) -> CheckedFile:
    try:
        return work(task)
    except Exception as error:  # noqa: BLE001 - as in a worker: an exception costs one file
        from urlset.execution.backend import described

        return failed(task, described(error))
