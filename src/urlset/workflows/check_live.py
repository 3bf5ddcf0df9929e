"""Addresses of sites and sitemaps → one verdict: discovered, fetched and checked at the same time."""

from __future__ import annotations

from collections import Counter, deque
from collections.abc import Callable, Iterator, Sequence
from contextlib import ExitStack
from email.utils import parsedate_to_datetime
from pathlib import Path

import msgspec

from urlset.checking.context import Context
from urlset.checking.live_engine import Deliveries
from urlset.checking.live_page import Delivery
from urlset.checking.placing import check_tree
from urlset.checking.tree import DocumentSummary, Lost, TreeView, summarise
from urlset.execution.executor import Executor, executor_on
from urlset.execution.workers import Workers
from urlset.findings.verdict import Verdict, join
from urlset.model.address import key_of
from urlset.model.answer import Answer, FailureKind
from urlset.model.document import Document
from urlset.reading.host_robots import Access, HostRobots, origin_of
from urlset.reading.limits import REMOTE_CAP
from urlset.reading.read import read
from urlset.rules.fetch_state import FetchState, challenged, outcome_of
from urlset.settings.check import CheckSettings
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
    judge,
    overrides,
    size_of,
    spread,
    too_deep,
)
from urlset.workflows.live.discover import (
    Discovery,
    Lead,
    Vouching,
    complete,
    discover,
    robots_address,
    robots_document,
    why_not,
)
from urlset.workflows.live.harvest import Arrival, Harvest

AHEAD = 24
"""files requested or waiting to be checked: bounds what lies on disk unread"""
_SENT_PACKED = ("X017", "Q003")
"""a file sent with Content-Encoding: what its name and size ask for is settled by that"""
_POLL = 0.05
_SHOWN_ALIKE = 5
_NO_YEAR = 2000
"""files from images and archives without dates claim 1970 or 1980"""
_HOLLOW = read(b"")
"""replaces a document whose bytes were released"""


class Observer:
    """Told what a check meets on the way; does nothing unless a subclass does."""

    def robots(self, robots: HostRobots) -> None:
        """The robots.txt of a target's host, however it was answered."""

    def listed(self, url: str, lastmod: str | None) -> None:
        """An index lists this sitemap."""

    def arrived(self, url: str, answer: Answer) -> None:
        """The answer to a request for a sitemap."""

    def still_valid(self, url: str) -> bool:
        """Whether the copy of a sitemap in the cache is used without a request."""
        del url
        return False


def check_live(
    targets: Sequence[str],
    settings: CheckSettings,
    context: Context,
    workers: Workers,
    progress: Progress,
    folder: Path,
    *,
    notify: Callable[[str], None],
    observer: Observer | None = None,
) -> Verdict:
    """Check every target and everything it leads to; the fetched files go to `folder`, which the caller removes."""
    observer = observer or Observer()
    with Harvest(settings.fetching, folder / "files", named=targets, still_valid=observer.still_valid) as harvest:
        run = _LiveRun(settings, context, workers, notify, observer, harvest, folder, progress)
        for target in targets:
            progress(0, 0)
            run.begin(discover(harvest, target))
        run.work()
        verdict = run.verdict()
        for line in harvest.notices:
            notify(line)
    return verdict


class _Ready(msgspec.Struct, frozen=True):
    """A file that has arrived and waits to be checked."""

    node: QueuedSitemap
    arrival: Arrival
    task: Task


class _LiveRun:
    """One run over the web: asks, checks, follows, and puts the results in the order listed."""

    def __init__(
        self,
        settings: CheckSettings,
        context: Context,
        workers: Workers,
        notify: Callable[[str], None],
        observer: Observer,
        harvest: Harvest,
        folder: Path,
        progress: Progress,
    ) -> None:
        self._settings, self._context, self._workers = settings, context, workers
        self._notify, self._observer, self._progress = notify, observer, progress
        self._harvest, self._folder = harvest, folder
        self._rules = chosen_rules(settings, on_disk=False)
        self._overrides = overrides(settings.severity)
        self._frontier = SitemapQueue(settings.max_files)
        self._deliveries = Deliveries(self._rules, self._context, overrides=self._overrides)
        self._vouching = Vouching(harvest)
        self._spools = Spools()
        self._asked: dict[int, QueuedSitemap] = {}
        self._ready: deque[_Ready] = deque()
        self._checking: dict[int, _Ready] = {}
        self._heads: list[tuple[Verdict, DocumentSummary]] = []
        self._robots_seen: set[str] = set()
        self._done: dict[int, CheckedFile] = {}
        self._settled = 0
        """checked, or known not to be readable"""
        self._lost: list[Lost] = []
        self._unreadable: list[str] = []
        self._alike: Counter[tuple[str, str]] = Counter()
        self._without_robots: dict[str, str] = {}
        self._note_for: set[str] = set()
        """origins already reported as unreachable"""
        self._empty: list[str] = []
        self._too_deep: dict[str, int] = {}
        """indexes whose children were not followed, and how many that are"""

    def begin(self, found: Discovery) -> None:
        """One target: its robots.txt is a separate document, its sitemaps go to the frontier."""
        self._check_robots(found.robots)
        if not found.leads and found.note:
            lines = self._empty if found.reached else self._unreadable
            lines.append(f"{found.target}: {found.note}")
            if not found.reached:
                self._note_for.add(found.robots.origin)
        elif found.note:
            self._notify(f"{found.target}: {found.note}")
        for lead in found.leads:
            self._frontier.add(lead)

    def _check_robots(self, robots: HostRobots) -> None:
        if robots.origin in self._robots_seen or robots.answer is None:
            return
        self._robots_seen.add(robots.origin)
        self._observer.robots(robots)
        if challenged(robots.answer) is not None:
            self._without_robots[robots.origin] = f"{robots_address(robots)}: {why_not(robots.answer)}"
            return
        document = robots_document(robots)
        if document is not None:
            verdict = judge(document, self._rules, self._context, overrides=self._overrides)
            summary = summarise(document)
            self._heads.append((verdict, summary))
            self._deliveries.read(summary)
            self._spools.documents[document.name] = document
        elif robots.access is Access.NOTHING and not _covered_by_a_rule(robots.answer):
            self._without_robots[robots.origin] = f"{robots_address(robots)}: {why_not(robots.answer)}"
        self._deliveries.judge_delivery(Delivery(robots.answer, self._context, document=document, is_robots=True))

    def work(self) -> None:
        """Until nothing is left to ask for, to wait for or to check."""
        workers = self._workers
        with ExitStack() as stack:
            executor: Executor[Task, CheckedFile] | None = None
            while self._frontier or self._harvest.outstanding or self._ready or self._checking:
                checkpoint()
                while self._frontier and self._harvest.outstanding + len(self._ready) + len(self._checking) < AHEAD:
                    node = self._frontier.next()
                    if node.arrival is not None:
                        self._arrived(node, node.arrival)
                    else:
                        self._asked[self._harvest.request(node.url)] = node
                for arrival in self._harvest.take(wait=not self._ready and not self._checking):
                    self._arrived(self._asked.pop(arrival.number), arrival)
                # arriving faster than one process can check: enough is waiting for workers to be worth their start
                enough = len(self._ready) > 1 and sum(each.task.weight for each in self._ready) >= PARALLEL_FROM
                if executor is None and self._ready and workers.pays(enough=enough):
                    executor = stack.enter_context(executor_on(workers, check_file, failed=failed))
                if executor is None:
                    if self._ready:
                        ready = self._ready.popleft()
                        self._checked(ready, check_file(ready.task))
                else:
                    while self._ready:
                        taken = self._ready.popleft()
                        self._checking[taken.task.number] = taken
                        executor.submit(taken.task)
                    for task, done in executor.some_finished(
                        _POLL if self._harvest.outstanding or self._frontier else None
                    ):
                        self._checked(self._checking.pop(task.number), done)
                self._progress(self._settled, self._frontier.count)

    def _arrived(self, node: QueuedSitemap, arrival: Arrival) -> None:
        answer = arrival.answer
        self._observer.arrived(node.url, answer)
        if outcome_of(answer) is FetchState.READ:
            if self._frontier.ends_anew(answer.final_url or node.url):
                self._ready.append(_Ready(node, arrival, self._task(node, arrival)))
                return
        else:
            # a missing file is a finding if a target or file names it; any other failure prevents a verdict
            outcome, words = outcome_of(arrival.answer), why_not(arrival.answer)
            if outcome is FetchState.MISSING and node.index is not None:
                self._lost.append(Lost(node.index.url, node.row or 0, node.url, words))
            elif outcome is not FetchState.LOCKED and (outcome is not FetchState.MISSING or node.robots_txt is None):
                # each by its name, but of many that fell short alike only the first few
                alike = (node.parent or node.url, words)
                self._alike[alike] += 1
                if self._alike[alike] <= _SHOWN_ALIKE:
                    listed = f" (named in {node.parent})" if node.parent else ""
                    self._unreadable.append(f"{node.url}{listed}: {words}")
                self._note_for.add(origin_of(node.url) or "")
        self._settled += 1
        arrival.discard()
        self._judge(node, arrival, None)

    def _task(self, node: QueuedSitemap, arrival: Arrival) -> Task:
        """With the robots.txt of the host, unless one was given, and what led to the file."""
        given, robots = self._context.robots, arrival.robots
        context = msgspec.structs.replace(
            self._context,
            robots=given or robots.robots,
            robots_origin=robots.origin if given is None else None,
            lineage=tuple(node.lineage()),
        )
        packed = bool((arrival.answer.header("content-encoding") or "identity").strip().lower() != "identity")
        return Task(
            node.number,
            context,
            str(arrival.path),
            arrival.answer.final_url or node.url,
            node.index.url if node.index is not None else None,
            node.row if node.index is not None else None,
            node.depth,
            node.url,
            REMOTE_CAP,
            _SENT_PACKED if packed else (),
            size_of(arrival.path),
            self._settings.select,
            self._settings.ignore,
            self._settings.severity,
            str(self._folder),
            keep=self._settings.parts is not None,
        )

    def _checked(self, ready: _Ready, done: CheckedFile) -> None:
        node, arrival = ready.node, ready.arrival
        if done.foreign:
            vouched = self._vouching.sites(done.foreign, [*node.lineage(), arrival.answer.final_url])
            if vouched - ready.task.context.vouched:
                context = msgspec.structs.replace(ready.task.context, vouched=vouched)
                task = msgspec.structs.replace(ready.task, context=context)
                self._ready.append(msgspec.structs.replace(ready, task=task))
                return
        self._settled += 1
        if done.summary is not None:
            summary = msgspec.structs.replace(done.summary, served=_last_change(arrival.answer))
            done = msgspec.structs.replace(done, summary=summary)
            self._deliveries.read(summary)
        self._done[node.number] = done
        self._judge(node, arrival, done)
        index = done.summary is not None and done.summary.kind.lists_sitemaps
        self._spools.keep(node.url, arrival.path, ready.task.url or node.url, always=index)
        if index and done.summary is not None:
            index_read = done.summary
            for row, loc in enumerate(index_read.listed):
                url = complete(loc, index_read.url or node.url) if loc else None
                if url is None:
                    continue  # not an address: a rule says so
                self._observer.listed(url, index_read.lastmods[row])
                if node.depth < MAX_DEPTH:
                    self._frontier.add(Lead(url, row=row), node)
                elif not self._frontier.knows(url):
                    self._too_deep[index_read.source] = self._too_deep.get(index_read.source, 0) + 1

    def _judge(self, node: QueuedSitemap, arrival: Arrival, done: CheckedFile | None) -> None:
        """By the rules on deliveries, with as much of the document as they ask for."""
        document = None
        if done is not None and done.summary is not None and done.envelope is not None:
            document = msgspec.structs.replace(
                _HOLLOW, name=node.url, kind=done.summary.kind, envelope=done.envelope, url=done.summary.url
            )
        delivery = Delivery(
            arrival.answer, self._context, document=document, parent=node.parent, row=node.row, robots=arrival.robots
        )
        self._deliveries.judge_delivery(delivery)

    def verdict(self) -> Verdict:
        ordered = [self._done[number] for number in self._frontier.in_order() if number in self._done]
        summaries = [summary for _, summary in self._heads] + [
            done.summary for done in ordered if done.summary is not None
        ]
        for (parent, words), count in self._alike.items():
            if count > _SHOWN_ALIKE:
                self._unreadable.append(f"{count - _SHOWN_ALIKE:,} more sitemaps named in {parent}: {words}")
        self._unreadable += map(too_deep, self._too_deep, self._too_deep.values())
        if self._frontier.beyond:
            more = f"{self._frontier.beyond:,} more sitemaps listed"
            self._unreadable.append(f"stopped after {self._frontier.count:,} files, {more}: raise --max-files")
        for origin, line in self._without_robots.items():
            if origin not in self._note_for:
                self._unreadable.append(line)
        view = TreeView(
            summaries,
            self._lost,
            self._context,
            root_known=True,
            spread=spread(self._workers, sum(summary.entries for summary in summaries)),
            reopen=self._spools.reopen,
        )
        across = check_tree(view, self._rules, overrides=self._overrides)
        return join(
            [
                cards(ordered, self._rules),
                *(verdict for verdict, _ in self._heads),
                *(done.verdict for done in ordered),
                self._deliveries.conclude(summaries, self._spools.reopen),
                across,
                Verdict(troubled=tuple(self._unreadable), empty=tuple(self._empty)),
            ]
        )


def _last_change(answer: Answer) -> str | None:
    """Last-Modified as a separate date; not that of a copy, and not an implausible one."""
    written, age = answer.header("last-modified"), answer.header("age") or "0"
    if written is None or age.strip() != "0":
        return None
    try:
        moment = parsedate_to_datetime(written)
    except ValueError:
        return None
    return moment.isoformat() if moment.tzinfo is not None and moment.year > _NO_YEAR else None


def _covered_by_a_rule(answer: Answer) -> bool:
    """robots.txt that fails for everyone: R007 or R009 says so."""
    if answer.failure is not None:
        return answer.failure.kind in (FailureKind.REDIRECT_LOOP, FailureKind.TOO_MANY_REDIRECTS)
    return (answer.status or 0) >= 500


# Addresses of sitemaps as they are met → each one once, in the order listed, up to a limit.


class QueuedSitemap(msgspec.Struct, frozen=True):
    """One sitemap to be fetched, and who named it."""

    number: int
    url: str
    index: QueuedSitemap | None = None
    """the index that lists it"""
    robots_txt: str | None = None
    """the robots.txt that names it"""
    row: int | None = None
    arrival: Arrival | None = None
    """where it was fetched already, to find out what it is"""

    @property
    def depth(self) -> int:
        return 0 if self.index is None else self.index.depth + 1

    @property
    def parent(self) -> str | None:
        """By the name findings use."""
        return self.index.url if self.index is not None else self.robots_txt

    def lineage(self) -> Iterator[str]:
        """Its own address and those of the indexes above it."""
        node: QueuedSitemap | None = self
        while node is not None:
            yield node.url
            node = node.index


class SitemapQueue:
    """What is still to be fetched, and what was met before."""

    def __init__(self, most: int) -> None:
        self._most = most
        self._asked: set[str] = set()
        self._ended_at: set[str] = set()
        self._children: dict[int, list[int]] = {}
        self._starts: list[int] = []
        self._waiting: deque[QueuedSitemap] = deque()
        self.count = 0
        self.beyond = 0
        """addresses left out because there are too many"""

    def __len__(self) -> int:
        return len(self._waiting)

    def add(self, lead: Lead, index: QueuedSitemap | None = None) -> None:
        """Unless it was met before, or there are too many."""
        key = key_of(lead.url)
        if key in self._asked:
            return
        if self.count >= self._most:
            self.beyond += 1
            return
        self._asked.add(key)
        node = QueuedSitemap(self.count, lead.url, index, lead.robots_txt, lead.row, lead.arrival)
        self.count += 1
        self._children[node.number] = []
        (self._starts if index is None else self._children[index.number]).append(node.number)
        self._waiting.append(node)

    def knows(self, url: str) -> bool:
        """Whether it was met before."""
        return key_of(url) in self._asked

    def next(self) -> QueuedSitemap:
        return self._waiting.popleft()

    def ends_anew(self, final_url: str) -> bool:
        """Whether no other address led to this one before: redirects can make a circle or a copy."""
        key = key_of(final_url)
        if key in self._ended_at:
            return False
        self._ended_at.add(key)
        return True

    def in_order(self) -> Iterator[int]:
        """All numbers, an index before its children."""
        stack = self._starts[::-1]
        while stack:
            number = stack.pop()
            yield number
            stack += self._children[number][::-1]


# Fetched files, kept on disk to show places in them later, as far as there is room.

ROOM = 256 << 20
"""bytes of fetched files that are kept until the end; indexes, which have most cross-file findings, are extra"""


class Spools:
    """Opens a document again by the name that findings use."""

    def __init__(self, room: int = ROOM) -> None:
        self._room = room
        self._used = 0
        self._files: dict[str, tuple[Path, str]] = {}
        self._oldest: deque[str] = deque()
        self.documents: dict[str, Document] = {}
        """robots.txt files, which are small and at hand anyway"""

    def keep(self, name: str, path: Path, url: str, *, always: bool) -> None:
        self._files[name] = (path, url)
        if always:
            return
        self._oldest.append(name)
        self._used += size_of(path)
        while self._used > self._room:
            file, _ = self._files.pop(self._oldest.popleft())
            self._used -= size_of(file)
            file.unlink(missing_ok=True)

    def reopen(self, name: str) -> Document:
        """Raises FileNotFoundError for one that was let go of."""
        if name in self.documents:
            return self.documents[name]
        if name not in self._files:
            raise FileNotFoundError(name)
        path, url = self._files[name]
        return read(path, name=name, url=url, cap=REMOTE_CAP)
