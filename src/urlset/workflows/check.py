"""Files, folders, trees of sitemaps and addresses → one verdict."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator, Sequence
from datetime import datetime
from pathlib import Path
from typing import BinaryIO

import msgspec

from urlset.checking import clock
from urlset.checking.baseline import Baseline
from urlset.checking.context import Context
from urlset.checking.summary import summarise
from urlset.checking.tree import Leaf, Lost, TreeView
from urlset.checking.tree_engine import check_tree
from urlset.findings.verdict import Verdict, join
from urlset.model.address import Address
from urlset.model.document import Kind
from urlset.model.robots import Robots
from urlset.reading.disk import Absent, Shelf
from urlset.reading.read import read
from urlset.reading.starts import NO_SITEMAP, Missing, expand
from urlset.reports.uri import is_address
from urlset.settings.options import Settings
from urlset.workflows.check_task import (
    MAX_DEPTH,
    PARALLEL_FROM,
    Done,
    Live,
    Plan,
    Task,
    chosen_rules,
    failed,
    judged,
    left_to_others,
    overrides,
    too_deep,
    weight,
    work,
)
from urlset.workflows.cores import usable_cores
from urlset.writing.work_folder import work_folder

__all__ = ["Done", "Live", "Task", "check_targets", "chosen_rules", "overrides", "work"]

_STDIN = "<stdin>"


def check_targets(
    targets: Sequence[str],
    settings: Settings,
    *,
    at: str | None = None,
    stdin: BinaryIO | None = None,
    now: datetime | None = None,
    progress: Callable[[int, int], None] | None = None,
    live: Live | None = None,
) -> Verdict:
    """Check every target and what its indexes list, on disk or on the web. Raises UnknownSelectorError."""
    rules = chosen_rules(settings)
    robots = read(settings.robots).robots if settings.robots else None
    context = Context(now or clock.now(), settings.engines, settings.thresholds, robots, settings.base_url)
    with work_folder() as spill:
        addresses = [target for target in targets if is_address(target)]
        files = [target for target in targets if not is_address(target)]
        verdicts: list[Verdict] = []
        if files:
            on_disk = msgspec.structs.replace(context, robots=robots or _robots_below(settings))
            run = _Run(settings, on_disk, Path(spill), at=at, stdin=stdin, progress=progress)
            verdicts.append(run.verdict(files))
        if addresses:
            from urlset.workflows.check_live import check_live  # brings asyncio along, which files do not need

            folder = Path(spill) / "live"
            folder.mkdir()
            verdicts.append(check_live(addresses, settings, context, live or Live(), folder=folder, progress=progress))
        verdict = join([*verdicts, left_to_others(rules, settings.select, fetched=bool(addresses))])
    if settings.baseline and Path(settings.baseline).is_file():
        verdict = Baseline.load(Path(settings.baseline)).apply(verdict, context.now)
    return verdict


class _Run:
    """One run: hands out files, follows indexes, puts results in the order listed."""

    def __init__(
        self,
        settings: Settings,
        context: Context,
        spill: Path,
        *,
        at: str | None,
        stdin: BinaryIO | None,
        progress: Callable[[int, int], None] | None,
    ) -> None:
        self._settings = settings
        self._plan = Plan(
            tuple(settings.engines), settings.select, settings.ignore, settings.severity, context, str(spill)
        )
        self._context = context
        self._at = at
        self._stdin = stdin
        self._progress = progress or (lambda _done, _all: None)
        self._shelf = Shelf(Path(settings.root) if settings.root else None, settings.base_url)
        self._seen: set[str] = set()
        self._tasks: list[Task] = []
        self._plans: dict[int, Plan] = {}
        self._waiting = 0
        self._children: dict[int, list[int]] = {}
        self._done: dict[int, Done] = {}
        self._lost: list[Lost] = []
        self._troubled: list[str] = []
        self._empty: list[str] = []

    def verdict(self, targets: Sequence[str]) -> Verdict:
        first: list[int] = []
        for target in targets:
            if target == "-":
                first += self._check_stdin()
                continue
            for found in expand(target):
                if isinstance(found, Missing):
                    lines = self._empty if found.reason == NO_SITEMAP else self._troubled
                    lines.append(f"{found.loc}: {found.reason}")
                elif (task := self._task(found, url=self._at or self._shelf.address_of(found))) is not None:
                    first.append(task.number)
        self._work()
        ordered = [self._done[number] for start in first for number in self._walk(start)]
        leaves = [done.leaf for done in ordered if done.leaf is not None]
        verdicts = [done.verdict for done in ordered]
        view = TreeView(leaves, self._lost, self._context, root_known=self._settings.root is not None)
        verdicts.append(check_tree(view, chosen_rules(self._settings), overrides=overrides(self._settings.severity)))
        return join([*verdicts, Verdict(troubled=tuple(self._troubled), empty=tuple(self._empty))])

    def _check_stdin(self) -> list[int]:
        """It can be read only once, here; the sitemaps that an index in it lists are looked for below --root."""
        if _STDIN in self._seen:
            return []
        self._seen.add(_STDIN)
        assert self._stdin is not None
        document = read(self._stdin, name=_STDIN, url=self._at)
        verdict = judged(document, chosen_rules(self._settings), self._plan)
        task = self._new_task(_STDIN, self._at)
        self._take(task, Done(verdict, summarise(document)))
        return [task.number]

    def _task(self, path: Path, *, url: str | None, parent: Task | None = None, row: int | None = None) -> Task | None:
        identity = os.path.realpath(path)
        if identity in self._seen:
            return None
        self._seen.add(identity)
        return self._new_task(str(path), url, parent, row)

    def _new_task(self, path: str, url: str | None, parent: Task | None = None, row: int | None = None) -> Task:
        depth = parent.depth + 1 if parent else 0
        plan = self._plan_below(parent) if parent else self._plan
        task = Task(len(self._tasks), plan, path, url, parent.path if parent else None, row, depth)
        self._tasks.append(task)
        self._waiting += weight(task.path)
        self._children[task.number] = []
        if parent is not None:
            self._children[parent.number].append(task.number)
        return task

    def _plan_below(self, index: Task) -> Plan:
        """For the children of an index: what led to them matters to rules that look at robots.txt."""
        plan = self._plans.get(index.number)
        if plan is None:
            context = index.plan.context
            above = (index.url, *context.lineage) if index.url else context.lineage
            plan = msgspec.structs.replace(self._plan, context=msgspec.structs.replace(context, lineage=above))
            self._plans[index.number] = plan
        return plan

    def _work(self) -> None:
        """Here, one after another, until enough is waiting to make worker processes pay."""
        jobs = self._settings.jobs or usable_cores()
        at = 0
        while at < len(self._tasks):
            if jobs > 1 and len(self._tasks) - at > 1 and self._waiting >= PARALLEL_FROM:
                self._work_in_pool([task for task in self._tasks[at:] if task.number not in self._done], jobs)
                return
            task = self._tasks[at]  # the list grows while children are found
            if task.number not in self._done:
                self._take(task, work(task))
            at += 1

    def _work_in_pool(self, tasks: list[Task], jobs: int) -> None:
        from urlset.workflows.pool import Pool  # brings multiprocessing along

        with Pool(work, jobs=jobs, failed=failed) as pool:
            for task in tasks:
                pool.submit(task)
            for task, done in pool.finished():
                for child in self._take(task, done):
                    pool.submit(child)

    def _take(self, task: Task, done: Done) -> list[Task]:
        """Keep a result and find the files it leads to."""
        self._done[task.number] = done
        self._waiting -= weight(task.path)
        children: list[Task] = []
        if done.leaf is not None and done.leaf.kind is Kind.SITEMAPINDEX:
            children = list(self._follow(task, done.leaf))
        self._progress(len(self._done), len(self._tasks))
        return children

    def _follow(self, task: Task, leaf: Leaf) -> Iterator[Task]:
        unseen = 0
        folder = None if task.path == _STDIN else Path(task.path).parent
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


def _robots_below(settings: Settings) -> Robots | None:
    """The robots.txt in the folder of the site; where that folder is only a part of a host, it is not the host's."""
    if settings.root is None or (settings.base_url and Address.parse(settings.base_url).path.strip("/")):
        return None
    try:
        return read(Path(settings.root) / "robots.txt").robots
    except OSError:  # not there, or not to be read: the rules that need it are told as not checked
        return None
