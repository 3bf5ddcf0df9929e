"""Files, folders and trees of sitemaps → one verdict."""

from __future__ import annotations

import os
import tempfile
from collections.abc import Callable, Iterator, Sequence
from datetime import datetime
from pathlib import Path
from typing import BinaryIO

import msgspec

from urlset.checking import clock
from urlset.checking.baseline import Baseline
from urlset.checking.context import Context
from urlset.checking.declare import AnyRule
from urlset.checking.engine import check as check_document
from urlset.checking.select import matches, select
from urlset.checking.summary import summarise
from urlset.checking.tree import Leaf, Lost, TreeView
from urlset.checking.tree_engine import check_tree
from urlset.findings.severity import Severity
from urlset.findings.verdict import Verdict, join
from urlset.model.document import Kind
from urlset.model.robots import Robots
from urlset.reading.disk import Absent, Shelf
from urlset.reading.read import read
from urlset.reading.starts import NO_SITEMAP, Missing, expand
from urlset.rules.catalogue import all_rules
from urlset.rules.hreflang.across import write_links
from urlset.settings.options import Settings
from urlset.workflows.pool import Pool, usable_cores

PARALLEL_FROM = 24 << 20
"""unpacked bytes from which starting worker processes pays: each costs a third of a second"""
MAX_DEPTH = 8


class Plan(msgspec.Struct, frozen=True):
    """All that a worker needs to know; small, because it travels with every task."""

    engines: tuple[str, ...]
    select: tuple[str, ...]
    ignore: tuple[str, ...]
    severity: dict[str, Severity]
    context: Context
    spill: str | None = None


class Task(msgspec.Struct, frozen=True):
    """One file to read and check."""

    number: int
    plan: Plan
    path: str
    url: str | None = None
    parent: str | None = None
    row: int | None = None
    depth: int = 0


class Done(msgspec.Struct, frozen=True):
    """What became of one file."""

    verdict: Verdict
    leaf: Leaf | None = None


def chosen_rules(settings: Settings) -> tuple[AnyRule, ...]:
    return select(all_rules(), settings.engines, chosen=settings.select, ignored=settings.ignore)


def check_targets(
    targets: Sequence[str],
    settings: Settings,
    *,
    at: str | None = None,
    stdin: BinaryIO | None = None,
    now: datetime | None = None,
    progress: Callable[[int, int], None] | None = None,
) -> Verdict:
    """Check every target and what its indexes list on disk. Raises UnknownSelectorError for a bad selector."""
    chosen_rules(settings)
    robots = _robots(settings.robots)
    context = Context(now or clock.now(), settings.engines, settings.thresholds, robots, settings.base_url)
    with tempfile.TemporaryDirectory(prefix="urlset-") as spill:
        run = _Run(settings, context, Path(spill), at=at, stdin=stdin, progress=progress)
        verdict = run.verdict(targets)
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
                self._check_stdin()
                continue
            for found in expand(target):
                if isinstance(found, Missing):
                    lines = self._empty if found.reason == NO_SITEMAP else self._troubled
                    lines.append(f"{found.loc}: {found.reason}")
                elif (task := self._task(found, url=self._at or self._shelf.address_of(found))) is not None:
                    first.append(task.number)
        self._work()
        ordered = [self._done[number] for start in first for number in self._walk(start)]
        ordered = [*self._from_stdin, *ordered]
        leaves = [done.leaf for done in ordered if done.leaf is not None]
        verdicts = [done.verdict for done in ordered]
        view = TreeView(leaves, self._lost, self._context, root_known=self._settings.root is not None)
        verdicts.append(check_tree(view, chosen_rules(self._settings), overrides=overrides(self._settings.severity)))
        return join([*verdicts, Verdict(troubled=tuple(self._troubled), empty=tuple(self._empty))])

    _from_stdin: tuple[Done, ...] = ()

    def _check_stdin(self) -> None:
        assert self._stdin is not None
        document = read(self._stdin, name="<stdin>", url=self._at)
        verdict = check_document(
            document, chosen_rules(self._settings), self._context, overrides=overrides(self._settings.severity)
        )
        self._from_stdin = (Done(verdict, summarise(document)),)

    def _task(self, path: Path, *, url: str | None, parent: Task | None = None, row: int | None = None) -> Task | None:
        identity = os.path.realpath(path)
        if identity in self._seen:
            return None
        self._seen.add(identity)
        depth = parent.depth + 1 if parent else 0
        task = Task(len(self._tasks), self._plan, str(path), url, parent.path if parent else None, row, depth)
        self._tasks.append(task)
        self._waiting += _weight(task.path)
        self._children[task.number] = []
        if parent is not None:
            self._children[parent.number].append(task.number)
        return task

    def _work(self) -> None:
        """Here, one after another, until enough is waiting to make worker processes pay."""
        jobs = self._settings.jobs or usable_cores()
        at = 0
        while at < len(self._tasks):
            if jobs > 1 and len(self._tasks) - at > 1 and self._waiting >= PARALLEL_FROM:
                self._work_in_pool(self._tasks[at:], jobs)
                return
            task = self._tasks[at]  # the list grows while children are found
            self._take(task, work(task))
            at += 1

    def _work_in_pool(self, tasks: list[Task], jobs: int) -> None:
        with Pool(work, jobs=jobs, failed=_failed) as pool:
            for task in tasks:
                pool.submit(task)
            for task, done in pool.finished():
                for child in self._take(task, done):
                    pool.submit(child)

    def _take(self, task: Task, done: Done) -> list[Task]:
        """Keep a result and find the files it leads to."""
        self._done[task.number] = done
        self._waiting -= _weight(task.path)
        children: list[Task] = []
        if done.leaf is not None and done.leaf.kind is Kind.SITEMAPINDEX:
            children = list(self._follow(task, done.leaf))
        self._progress(len(self._done), len(self._tasks))
        return children

    def _follow(self, task: Task, leaf: Leaf) -> Iterator[Task]:
        for row, loc in enumerate(leaf.listed):
            if not loc:
                continue
            path = self._shelf.find(loc, Path(task.path).parent)
            if isinstance(path, Absent):
                self._lost.append(Lost(leaf.source, row, loc, path.reason))
            elif task.depth >= MAX_DEPTH:
                self._lost.append(Lost(leaf.source, row, loc, f"indexes nested more than {MAX_DEPTH} deep"))
            elif (child := self._task(path, url=loc, parent=task, row=row)) is not None:
                yield child

    def _walk(self, number: int) -> Iterator[int]:
        yield number
        for child in sorted(self._children[number]):
            yield from self._walk(child)


def work(task: Task) -> Done:
    """Read and check one file; runs in a worker."""
    plan = task.plan
    rules = select(all_rules(), plan.context.engines, chosen=plan.select, ignored=plan.ignore)
    try:
        document = read(task.path, url=task.url)
    except OSError as error:
        return _failed(task, error.strerror or str(error))
    verdict = check_document(document, rules, plan.context, overrides=overrides(plan.severity))
    if plan.spill is None:
        return Done(verdict, summarise(document, parent=task.parent, row=task.row))
    folder = Path(plan.spill)
    leaf = summarise(document, parent=task.parent, row=task.row, spill=folder / f"{task.number}.hashes")
    links = write_links(folder / f"{task.number}.links", document, task.number)
    return Done(verdict, msgspec.structs.replace(leaf, links=links, number=task.number))


def _failed(task: Task, reason: str) -> Done:
    return Done(Verdict(troubled=(f"{task.path}: cannot be read: {reason}",)))


def overrides(severity: dict[str, Severity]) -> dict[str, Severity]:
    """Severities by code, from selectors that may be names or families."""
    return {rule.code: level for selector, level in severity.items() for rule in all_rules() if matches(rule, selector)}


def _robots(path: str | None) -> Robots | None:
    return read(path).robots if path else None


def _weight(path: str) -> int:
    """Bytes to be read, roughly: sitemaps shrink about tenfold."""
    try:
        return os.path.getsize(path) * (10 if path.endswith(".gz") else 1)  # noqa: PTH202 - a string is at hand
    except OSError:
        return 0
