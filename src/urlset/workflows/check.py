"""Files, folders, documents in memory and addresses → one verdict, for the command, the library and audits."""

from __future__ import annotations

import os
from collections import deque
from collections.abc import Callable, Iterator, Sequence
from contextlib import AbstractContextManager, ExitStack
from datetime import datetime
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING

import msgspec

from urlset.checking import clock
from urlset.checking.context import Context
from urlset.checking.placing import check_tree
from urlset.checking.tree import DocumentSummary, Lost, TreeView
from urlset.execution.workers import Workers
from urlset.findings.verdict import Verdict, join
from urlset.model.address import Address
from urlset.model.document import Document, Robots
from urlset.reading.disk import NO_SITEMAP, Absent, Missing, SiteFolder, expand, is_copy_of_one
from urlset.reading.read import Source, read
from urlset.settings.check import CheckSettings
from urlset.storage.paths import file_at, is_address, is_stored
from urlset.version import __version__
from urlset.web.caller import checkpoint
from urlset.workflows.check_file import (
    MAX_DEPTH,
    PARALLEL_FROM,
    CheckedFile,
    Progress,
    Task,
    cards,
    check_file,
    chosen_rules,
    failed,
    left_to_others,
    overrides,
    rules_on_all,
    size_of,
    spread,
    too_deep,
)

if TYPE_CHECKING:
    from urlset.execution.parts import RunFolder
    from urlset.storage.paths import FilePath
    from urlset.workflows.check_live import Observer

Target = Source | Document
"""a path, a pattern or a folder; an http(s) address; or a document in memory: bytes, a binary file, a Document"""


def check(
    targets: Sequence[Target],
    settings: CheckSettings,
    *,
    robots: Robots | None = None,
    workers: Workers | None = None,
    notify: Callable[[str], None] = lambda _line: None,
    observer: Observer | None = None,
    progress: Progress | None = None,
) -> Verdict:
    """Check every target and everything its indexes list, on disk or on the web.

    The index of a file is followed below `settings.root`, otherwise next to the file; the index of a document in memory
    only below `settings.root`. What cannot be read is in `Verdict.troubled`. `robots` and `workers` replace what the
    settings say about them. Raises UnknownSelectorError, and OSError for a robots.txt that cannot be read.
    """
    addresses = [target for target in targets if isinstance(target, str) and is_address(target)]
    local = [target for target in targets if not (isinstance(target, str) and is_address(target))]
    rules = chosen_rules(settings, on_disk=not addresses) if settings.select or settings.ignore else ()
    if robots is None and settings.robots:
        robots = read(settings.robots).robots
    now = settings.now or clock.now()
    context = Context(now, settings.engines, settings.thresholds, robots, settings.base_url, policies=settings.policy)
    workers, progress = workers or settings.workers, progress or (lambda _done, _known: None)
    verdicts: list[Verdict] = []
    with ExitStack() as stack:
        kept = stack.enter_context(_kept_run(targets, settings, context)) if settings.parts is not None else None
        if kept is not None:
            context = msgspec.structs.replace(context, now=datetime.fromisoformat(kept.started))
        folder = _TempHashFolder(stack, kept)
        if local:
            below_root = msgspec.structs.replace(context, robots=robots or _robots_in_root(settings))
            run = _Run(settings, below_root, workers, folder, progress)
            run.start(local)
            run.work()
            verdicts.append(run.verdict())
        if addresses:
            from urlset.workflows.check_live import check_live  # loads asyncio, which files do not need

            fetched = folder.on_disk / "live"
            fetched.mkdir(exist_ok=True)
            verdicts.append(
                check_live(addresses, settings, context, workers, progress, fetched, notify=notify, observer=observer)
            )
        if kept is not None and not any(verdict.troubled for verdict in verdicts):
            kept.finish()
    return join([*verdicts, left_to_others(rules, settings.select, fetched=bool(addresses))])


def _robots_in_root(settings: CheckSettings) -> Robots | None:
    """None where `root` is only a part of its host: robots.txt counts at the root of a host."""
    if settings.root is None or (settings.base_url and Address.parse(settings.base_url).path.strip("/")):
        return None
    try:
        found = file_at(settings.root) / "robots.txt"
        return read(found).robots if found.is_file() else None  # reading a pipe might never end
    except OSError:  # missing or unreadable: the rules that need it are reported as not checked
        return None


def _kept_run(
    targets: Sequence[Target], settings: CheckSettings, context: Context
) -> AbstractContextManager[RunFolder]:
    """Where the results of this check are kept: all that they depend on, except the time and the files themselves."""
    from urlset.execution.parts import fingerprint_of, run_folder

    named = [str(target) if isinstance(target, (str, os.PathLike)) else "" for target in targets]
    chosen = [settings.select, settings.ignore, settings.severity, str(settings.root or ""), settings.at]
    context_parts = [context.engines, context.thresholds, context.policies, context.base_url, context.robots]
    elsewhere = all(map(is_stored, named))  # the same from every folder and machine
    home = "" if elsewhere else os.getcwd()  # noqa: PTH109 - a text is needed
    about = fingerprint_of(__version__, home, named, chosen, context_parts)
    return run_folder(file_at(settings.parts or ""), about, context.now.isoformat())


class _TempHashFolder:
    """A folder for what rules across files need of each; made when there is a second file, removed with `stack`."""

    def __init__(self, stack: ExitStack, kept: RunFolder | None) -> None:
        self._stack, self._kept = stack, kept

    @cached_property
    def folder(self) -> FilePath:
        return self._kept.parts if self._kept is not None else self.on_disk

    @cached_property
    def on_disk(self) -> Path:
        from urlset.writing.files import work_folder

        kept = self._kept.parts if self._kept is not None else None
        return kept if isinstance(kept, Path) else self._stack.enter_context(work_folder())


class _Run:
    """One run over files: hands them out, follows indexes, puts results in the order listed."""

    def __init__(
        self, settings: CheckSettings, context: Context, workers: Workers, hash_dir: _TempHashFolder, progress: Progress
    ) -> None:
        self._settings, self._context, self._workers = settings, context, workers
        self._hash_dir, self._progress = hash_dir, progress
        self._site_folder = SiteFolder(file_at(settings.root) if settings.root else None, settings.base_url)
        self._seen: set[str] = set()
        self._started: set[str] = set()
        self._first: list[int] = []
        """numbers of the tasks for what was named"""
        self._tasks: list[Task] = []
        self._contexts: dict[int, Context] = {}
        """by the number of an index: what rules may know about its children"""
        self._waiting = 0
        self._children: dict[int, list[int]] = {}
        self._done: dict[int, CheckedFile] = {}
        self._alone = False
        """a single file was named: rules across files need nothing of it, unless it is an index"""
        self._in_memory: set[int] = set()
        """tasks without a file: nothing lies next to them"""
        self._lost: list[Lost] = []
        self._unreadable: list[str] = []
        self._empty_folders: list[str] = []

    def start(self, targets: Sequence[Target]) -> None:
        starts: list[FilePath | Target] = []
        for target in targets:
            # the files that match a path, a pattern or a folder; in-memory documents as they are
            for found in expand(target) if isinstance(target, (str, os.PathLike)) else [target]:
                if isinstance(found, Missing):
                    lines = self._empty_folders if found.reason == NO_SITEMAP else self._unreadable
                    lines.append(f"{found.loc}: {found.reason}")
                else:
                    starts.append(found)
        self._alone = len(starts) == 1 and self._settings.parts is None
        self._first = [task.number for task in map(self._start, starts) if task is not None]

    def _start(self, start: FilePath | Target) -> Task | None:
        if isinstance(start, os.PathLike):
            path = file_at(start)
            return self._task(path, url=self._settings.at or self._site_folder.address_of(path))
        at = self._settings.at
        # at once: a stream can be read only once, and a document would have to travel to a worker
        if not isinstance(start, Document):
            document = read(start, url=at)
        else:
            document = msgspec.structs.replace(start, url=at) if at is not None else start
        task = self._new_task(document.name, document.url)
        self._in_memory.add(task.number)
        self._take(task, check_file(task, document))
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
        settings = self._settings
        task = Task(
            len(self._tasks),
            self._context_below(parent) if parent else self._context,
            path,
            url,
            parent.path if parent else None,
            row,
            parent.depth + 1 if parent else 0,
            size=size,
            select=settings.select,
            ignore=settings.ignore,
            severity=settings.severity,
            hash_dir=None if self._alone and parent is None else str(self._hash_dir.folder),
            keep=settings.parts is not None,
        )
        self._tasks.append(task)
        self._waiting += task.weight
        self._children[task.number] = []
        if parent is not None:
            self._children[parent.number].append(task.number)
        return task

    def _context_below(self, index: Task) -> Context:
        """For the children of an index: what led to them matters to rules that look at robots.txt."""
        if index.number not in self._contexts:
            lineage = index.context.lineage
            above = (index.url, *lineage) if index.url else lineage
            self._contexts[index.number] = msgspec.structs.replace(index.context, lineage=above)
        return self._contexts[index.number]

    def work(self) -> None:
        """In this process, until enough is waiting to make worker processes pay; the order is the same everywhere."""
        for at, task in enumerate(self._tasks):  # it grows meanwhile
            checkpoint()
            enough = len(self._tasks) - at > 1 and self._waiting >= PARALLEL_FROM
            if self._workers.pays(enough=enough):
                self._work_elsewhere([task for task in self._tasks[at:] if task.number not in self._done])
                return
            if task.number in self._done:
                continue
            try:
                done = check_file(task)
            except Exception as error:  # noqa: BLE001 - as in a worker: an exception costs one file
                from urlset.execution.workers import described

                done = failed(task, described(error))
            self._take(task, done)

    def _work_elsewhere(self, tasks: list[Task]) -> None:
        """Results are taken in the order of their tasks, so what they lead to has the same number in every run."""
        from urlset.execution.executor import executor_on  # most runs stay in this process

        waiting: deque[Task] = deque(tasks)
        ready: dict[int, CheckedFile] = {}
        with executor_on(self._workers, check_file, failed=failed) as executor:
            for task in tasks:
                executor.submit(task)
            for finished, done in executor.finished():
                checkpoint()
                ready[finished.number] = done
                while waiting and waiting[0].number in ready:
                    task = waiting.popleft()
                    for child in self._take(task, ready.pop(task.number)):
                        waiting.append(child)
                        executor.submit(child)
                self._progress(len(self._done) + len(ready), len(self._tasks))

    def _take(self, task: Task, done: CheckedFile) -> list[Task]:
        """Keep a result and find the files it leads to."""
        self._done[task.number] = done
        self._waiting -= task.weight
        children: list[Task] = []
        if done.summary is not None and done.summary.kind.lists_sitemaps:
            children = list(self._follow(task, done.summary))
        self._progress(len(self._done), len(self._tasks))
        return children

    def _follow(self, task: Task, index: DocumentSummary) -> Iterator[Task]:
        unseen = 0
        folder = None if task.number in self._in_memory else file_at(task.path).parent
        for row, loc in enumerate(index.listed):
            if not loc:
                continue
            path = self._site_folder.find(loc, folder)
            if isinstance(path, Absent):
                self._lost.append(Lost(index.source, row, loc, path.reason))
            elif task.depth >= MAX_DEPTH:
                unseen += os.path.realpath(path) not in self._seen
            elif (child := self._task(path, url=loc, parent=task, row=row)) is not None:
                yield child
        if unseen:
            self._unreadable.append(too_deep(index.source, unseen))

    def _walk(self, number: int) -> Iterator[int]:
        yield number
        for child in sorted(self._children[number]):
            yield from self._walk(child)

    def verdict(self) -> Verdict:
        settings = self._settings
        ordered = [self._done[number] for start in self._first for number in self._walk(start)]
        summaries = [done.summary for done in ordered if done.summary is not None]
        rules = rules_on_all(summaries, settings)
        view = TreeView(summaries, self._lost, self._context, root_known=settings.root is not None)
        if len(summaries) > 1:
            view.spread = spread(self._workers, sum(summary.entries for summary in summaries))
        return join(
            [
                cards(ordered, rules),
                *(done.verdict for done in ordered),
                check_tree(view, rules, overrides=overrides(settings.severity)),
                Verdict(troubled=tuple(self._unreadable), empty=tuple(self._empty_folders)),
            ]
        )
