"""Groups of pages → the files of the set, checked, packed and staged, and what the ledger remembers of them."""

from __future__ import annotations

import hashlib
import itertools
import os
import re
from array import array
from bisect import bisect_right
from collections import Counter, deque
from collections.abc import Callable, Collection, Iterator
from datetime import datetime
from functools import cache, partial
from itertools import chain
from pathlib import Path
from typing import Any

import msgspec

from urlset import __version__
from urlset.building.candidate import TAGS_OF_RULES, Corrected, EntryFault
from urlset.building.file_backed import HAS_ROW, BackedFile, pack_builds
from urlset.building.journal import PublishError
from urlset.building.known_pages import KnownPages, LedgerPage, PageGroup
from urlset.building.ledger import Recording, ShardRow
from urlset.building.manifest import FileRole, Manifest, PublishedFile
from urlset.building.pages import EntryRun, pages_module
from urlset.building.render import newest_of, still_news
from urlset.building.shards import NOWHERE, FileForm, PageRun, Shard, ShardPlan
from urlset.building.spool import HELD_BYTES, Spool
from urlset.building.staging import Staging
from urlset.checking import engine
from urlset.checking.context import Context
from urlset.checking.declare import AnyRule
from urlset.checking.select import select
from urlset.execution.executor import Executor, executor_on
from urlset.execution.workers import Where, Workers
from urlset.findings.card import Severity
from urlset.findings.finding import Finding, Problem
from urlset.model.columns import Columns
from urlset.model.document import Document, Kind
from urlset.reading.read import read, read_chunks
from urlset.rules.catalogue import may_have_media, rules_of
from urlset.storage.system import replace
from urlset.writing.gzip import compress
from urlset.writing.urlset import CLOSING, mask_of, names_in, opening

# The bytes of one sitemap → checked, packed and written next to the published ones; runs here or in a worker.

SHOWN = 20
"""findings that a build reports"""
_DATED = b"\n    <lastmod>"
_LASTMOD = re.compile(rb"\n    <lastmod>([^<]*+)")
_ENTRY_OPENS, _ENTRY_CLOSES = b"<url>", b"</url>"


class Update(msgspec.Struct, frozen=True):
    """Of a file most of which was written and checked by an earlier build."""

    excerpt: bytes
    """the same file with only the other entries, and those beside them"""
    entries: int
    """of the whole file"""
    had_dates: bool
    codes: frozenset[str]
    """of rules that found something before"""


class ShardTask(msgspec.Struct, frozen=True):
    name: str
    url: str
    target: str
    """where to write it"""
    data: bytes
    now: datetime
    newest: str | None = None
    """for a text file, which says nothing of dates; before an update, that of the files its entries were in"""
    update: Update | None = None
    is_alone: bool = True
    """the set has no other file"""
    durable: bool = True


class Opinion(msgspec.Struct, frozen=True):
    """What urlset's own rules say of a file."""

    errors: int
    count: int
    """of errors and warnings"""
    findings: tuple[Finding, ...]
    """the worst ones"""
    codes: frozenset[str] = frozenset()
    """the rules that found something"""


class ShardResult(msgspec.Struct, frozen=True):
    opinion: Opinion
    sha256: str
    bytes: int
    newest: str | None
    faults: tuple[EntryFault, ...] = ()
    """errors of entries that were corrected or omitted; the first ones"""
    fault_count: int = 0


def opinion_of(document: Document, now: datetime, only: Collection[str] = (), *, is_alone: bool = True) -> Opinion:
    """By all rules, or by some that are named by their codes; a file that is not alone is one of several."""
    rules = _rules_for(document, is_alone=is_alone)
    named = tuple(rule for rule in rules if rule.code in only)
    wanted = named if named and len(named) == len(only) else rules
    tally = engine.run(document, [_without_entries(rule) for rule in wanted], Context(now=now))
    shown = sorted(
        (finding for finding in (*tally.findings(), *tally.crashes) if finding.severity is not Severity.INFO),
        key=lambda finding: finding.severity.rank,
    )
    tally.problems.clear()  # they know the tally: the document would wait for the garbage collector
    errors = tally.severities[Severity.ERROR]
    count = len(tally.crashes) + tally.severities.total() - tally.severities[Severity.INFO]
    return Opinion(errors, count, tuple(shown[:SHOWN]), frozenset(tally.counts))


def _without_entries(rule: AnyRule) -> AnyRule:
    """The same, but a problem of many entries does not list them: a build reports its line and message."""

    def problems(subject: Any) -> Iterator[Problem]:
        for problem in rule.check(subject):
            several = problem.count > 1 and (problem.rows or problem.places)
            yield msgspec.structs.replace(problem, rows=(), places=()) if several else problem

    return msgspec.structs.replace(rule, check=problems)


def _rules_for(document: Document, *, is_alone: bool) -> tuple[AnyRule, ...]:
    """Without those about media whose namespace the file does not declare."""
    rules = _rules(document.kind, media=may_have_media(document), is_alone=is_alone)
    root = document.data[: document.data.find(b"<url>")]
    absent = tuple(letter for letter, prefix in TAGS_OF_RULES.items() if b" xmlns:%b=" % prefix[:-1] not in root)
    return tuple(rule for rule in rules if not rule.code.startswith(absent))


@cache
def _rules(kind: Kind, *, media: bool, is_alone: bool) -> tuple[AnyRule, ...]:
    """Without those that only inform, since a build reports warnings and errors."""
    engines = Context().engines
    selected = select(rules_of(kind, media=media), engines)
    return tuple(
        rule for rule in selected if rule.can_be_more_than(Severity.INFO, engines) and (is_alone or not rule.alone)
    )


def load_rules(form: FileForm, *, media: bool, is_alone: bool) -> None:
    """What every worker needs: those that are forked from this process do not load it again."""
    _rules(Kind.TEXT if form is FileForm.TEXT else Kind.URLSET, media=media, is_alone=is_alone)


def write_shard(task: ShardTask) -> ShardResult | str:
    """A text where it could not be written. Under a temporary name first, so a second try finds no half of it."""
    is_text = task.name.removesuffix(".gz").endswith(".txt")
    update = task.update
    document = _read(task, task.data if update is None else update.excerpt)
    newest = None if is_text else newest_of(document.columns.different("lastmods"))
    judged = partial(opinion_of, now=task.now, is_alone=task.is_alone)
    opinion = judged(document)
    # what a rule says of a part need not be true of the file
    if update is not None and (codes := opinion.codes | update.codes):
        document = _as_looked_at(document, task, codes) or _read(task, task.data)
        opinion = judged(document, only=codes)
    newest = _newest(task, newest)
    corrected = Corrected(task.data)
    if opinion.errors and not is_text:
        from urlset.workflows.build.entry_faults import without_faults  # brings fixes along

        rules = _rules_for(document, is_alone=task.is_alone)
        corrected = without_faults(task.data, partial(_read, task), rules, Context(now=task.now))
        document = _read(task, corrected.data)
        opinion = judged(document)
        newest = newest_of(document.columns.different("lastmods"))
    data = corrected.data
    del document
    digest, size = hashlib.sha256(), 0
    target = Path(task.target)
    unfinished = target.with_name(f".{target.name}.{os.getpid()}")
    try:
        with unfinished.open("wb") as file:
            for chunk in compress([data]) if task.name.endswith(".gz") else (data,):
                file.write(chunk)
                size += len(chunk)
                digest.update(chunk)
            if task.durable:
                file.flush()
                os.fsync(file.fileno())
        replace(unfinished, target)
    except OSError as error:
        unfinished.unlink(missing_ok=True)
        return error.strerror or str(error)
    return ShardResult(opinion, digest.hexdigest(), size, newest, corrected.faults, corrected.count)


def _as_looked_at(excerpt: Document, task: ShardTask, codes: Collection[str]) -> Document | None:
    """A file without dates for rules that only count its entries; None where rules look at more."""
    by_dates = {rule.code for rule in _rules(excerpt.kind, media=False, is_alone=task.is_alone) if rule.by_dates}
    update = task.update
    if update is None or update.had_dates or _DATED in update.excerpt or not by_dates.issuperset(codes):
        return None
    columns, entries = Columns(), update.entries
    first = task.data.find(_ENTRY_OPENS)
    end = task.data.find(_ENTRY_CLOSES, first) + len(_ENTRY_CLOSES)
    columns.starts, columns.ends = array("Q", (first,)) * entries, array("Q", (end,)) * entries
    columns.marks, columns.lastmods = bytearray(entries), [None] * entries
    columns.usual_ranges = [(first, len(task.data))]
    return msgspec.structs.replace(excerpt, data=task.data, columns=columns)


def _newest(task: ShardTask, found: str | None) -> str | None:
    """The newest date in the file, where `found` is that of all entries or of the excerpt."""
    newest = newest_of((found, task.newest))
    if task.update is None or newest in (None, found) or b"<lastmod>%b</lastmod>" % newest.encode() in task.data:
        return newest
    return newest_of(each.decode() for each in _LASTMOD.findall(task.data))


def _read(task: ShardTask, data: bytes) -> Document:
    return read_chunks([data], name=task.name.removesuffix(".gz"), url=task.url.removesuffix(".gz"))


def not_written(task: ShardTask, reason: str) -> ShardResult | str:
    del task
    return reason


# A staged set → the findings of urlset's own rules, before it is published.


class BuildChecker:
    """Counts errors and findings, and keeps the first findings."""

    def __init__(self, now: datetime) -> None:
        self._now = now
        self._judged: set[str] = set()
        self._shown: list[tuple[str, Finding]] = []
        self.errors = self.count = 0

    def take(self, name: str, opinion: Opinion) -> None:
        """What the rules say of one file, under the name it will have."""
        self.errors += opinion.errors
        self.count += opinion.count
        self._shown += [(name, finding) for finding in opinion.findings]
        self._shown.sort(key=lambda shown: shown[1].severity.rank)
        del self._shown[SHOWN:]
        self._judged.add(name)

    def judge_files(self, staging: Staging, proposed: Manifest) -> None:
        """Every file that would be touched and was not judged yet; the others were judged in an earlier build."""
        files = {file.name: file for file in proposed.files}
        for name in staging.changes().touched:
            file = files.get(name)
            if file is not None and file.role is not FileRole.EXTRA and name not in self._judged:
                document = read(staging.path(name), name=name, url=proposed.url_of(name))
                self.take(name, opinion_of(document, self._now, is_alone=len(proposed.shards) == 1))

    @property
    def findings(self) -> tuple[str, ...]:
        """In words, errors first."""
        return tuple(
            f"{name}:{finding.line}: {finding.severity}[{finding.code}] {finding.message}"
            for name, finding in self._shown
        )


_HELD_IN_ALL = 16 << 20
PARALLEL_FROM = 8
"""files from which starting worker processes pays"""
HERE = Where.LOCAL
_UNPROVEN = 0.05
"""of the entries of a file may have been written since all of them were judged together"""
_NEWS = mask_of(("news",))
_MARKS = {"xhtml": b"<xhtml:", "image": b"<image:", "video": b"<video:", "news": b"<news:", "pagemap": b"<pagemap:"}


class _File(msgspec.Struct):
    """One file on its way to the set, in its turn."""

    shard: Shard
    backed: BackedFile
    task: ShardTask | None = None
    kept: bool = False
    sent: bool = False


class Files:
    """One plan, carried out."""

    def __init__(
        self,
        known: KnownPages,
        groups: list[PageGroup],
        plan: ShardPlan,
        form: FileForm,
        temporary: Path,
        now: datetime,
        workers: Workers,
        entry_fault: Callable[[str, str, int], None],
    ) -> None:
        """`entry_fault` takes an address, what is wrong with its entry, and how many entries that is about."""
        self._workers, self._entry_fault = workers, entry_fault
        self._queue: deque[_File] = deque()
        self._results: dict[str, ShardResult | str] = {}
        self._known, self._groups, self._plan, self._form, self._now = known, groups, plan, form, now
        self._temporary = temporary
        self._runs: dict[int, list[PageRun]] = {}
        self._runs_of_group: dict[int, list[PageRun]] = {}
        for run in plan.runs:
            self._runs.setdefault(run.place, []).append(run)
            self._runs_of_group.setdefault(run.group, []).append(run)
        self._homes: dict[int, list[PageGroup]] = {}
        for number, place in plan.homes.items():
            self._homes.setdefault(place, []).append(groups[number])
        self._rows: dict[int, Spool[LedgerPage]] = {}
        self._backed: list[BackedFile] = []
        self._former = {file.name: file for file in reversed(known.backed)}
        self._before: dict[str, ShardRow] = {}
        """the files of the last build"""
        self.news_end: datetime | None = None
        """the earliest end of the dates of news that are listed; None for no news"""
        self.with_too_many_news: list[str] = []

    def write(self, shards: list[ShardRow], recording: Recording, staging: Staging, judge: BuildChecker) -> int:
        """Every file, in the order of the plan; gives the number of file-backed pages that are listed no more."""
        self._before = before = {row.name: row for row in shards}
        staying = self._rows_by_place(recording)
        where = self._workers if self._workers.pays(enough=len(self._plan.shards) >= PARALLEL_FROM) else Workers(HERE)
        with executor_on(where, write_shard, failed=not_written) as executor:
            executor.expected = len(self._plan.shards)
            for place, shard in enumerate(self._plan.shards):
                file = self._untouched(place, shard, before.get(shard.name), staying[place], staging)
                if file is None:
                    self._queue.append(self._prepared(place, shard, recording, staging))
                else:
                    origin = self._known.origin or file.origin
                    self._queue.append(_File(shard, msgspec.structs.replace(file, origin=origin), kept=True))
                    executor.expected -= 1
                self._settle(executor, staging, judge, wait=executor.is_full)
            self._settle(executor, staging, judge, wait=True, all_of_them=True)
        removed = self._known.note_removed()
        recording.set_backed(self._backed)
        return removed

    def _settle(
        self,
        executor: Executor[ShardTask, ShardResult | str],
        staging: Staging,
        judge: BuildChecker,
        *,
        wait: bool,
        all_of_them: bool = False,
    ) -> None:
        """Enter what is finished, in the order of the plan: the index lists it in that order."""
        while True:
            for file in self._queue:
                if file.task is not None and not file.sent:
                    executor.submit(file.task)
                    file.sent = True
            for task, result in executor.some_finished(None if wait else 0):
                self._results[task.name] = result
            while self._queue and (self._queue[0].kept or self._queue[0].shard.name in self._results):
                self._enter(self._queue.popleft(), staging, judge)
            if not (all_of_them and self._queue) and not executor.is_full:
                return
            wait = True

    def _enter(self, file: _File, staging: Staging, judge: BuildChecker) -> None:
        name, section, backed = file.shard.name, file.shard.section, file.backed
        if file.kept:
            staging.keep(name)
        else:
            result = self._results.pop(name)
            if isinstance(result, str):
                raise PublishError(f"cannot write {name}: {result}; the published set is unchanged")
            judge.take(name, result.opinion)
            for number, fault in enumerate(result.faults, 1):
                more = result.fault_count - number if number == len(result.faults) else 0
                self._entry_fault(fault.loc, fault.reason, 1 + more)
            entries = file.shard.entries
            staging.written(PublishedFile(name, result.sha256, result.bytes, entries, section, result.newest))
            backed = msgspec.structs.replace(
                backed,
                sha256=result.sha256,
                judged=" ".join((__version__, *sorted(result.opinion.codes))),
            )
        if backed.count:
            self._backed.append(backed)

    # pages with rows in the ledger

    def _rows_by_place(self, recording: Recording) -> Counter[int]:
        """Deal the pages with rows to their files. How many stay as they were in each."""
        staying: Counter[int] = Counter()
        held = max(1 << 14, min(HELD_BYTES, _HELD_IN_ALL // len(self._plan.shards)))
        for number, group in enumerate(self._groups):
            if not len(group.rows):
                continue
            runs = iter(self._runs_of_group[number])
            run = next(runs)
            stays = bytearray()
            for at, kept, raw in zip(group.row_at, group.row_kept, group.rows.raw(), strict=True):
                while at >= run.high:
                    run = next(runs)
                name = self._plan.shards[run.place].name if run.place != NOWHERE else None
                stays.append(kept != 0 and name == group.former)
                staying[run.place] += stays[-1]
                if run.place not in self._rows:
                    path = self._temporary / f"rows-{run.place}"
                    self._rows[run.place] = Spool(path, LedgerPage, held_bytes=held)
                self._rows[run.place].append_raw(raw)
            recording.keep(itertools.compress(group.row_kept, stays))
        return staying

    def _untouched(
        self, place: int, shard: Shard, row: ShardRow | None, staying: int, staging: Staging
    ) -> BackedFile | None:
        """What is remembered of a file that lists the same pages, saying the same, and lies there as published."""
        homes, runs = self._homes.get(place, []), self._runs.get(place, [])
        if row is None or row.section != shard.section or sum(run.high - run.low for run in runs) != staying:
            return None
        if len(homes) > 1 or any(group.former != shard.name for group in homes):
            return None
        number = homes[0].file if homes else -1
        if homes and (number in self._known.with_news or not self._known.is_complete(number)):
            return None
        if any(self._groups[run.group].masks(run.low, run.high) & _NEWS for run in runs):
            return None
        published = staging.as_published(shard.name)
        # after a rollback the set published is not the one remembered
        if published is None or published.sha256 != row.sha256 or shard.entries != row.count:
            return None
        if homes:
            return self._known.backed[number]
        return BackedFile(shard.name, shard.section, row.sha256, "", 0, b"")

    # files

    def _prepared(self, place: int, shard: Shard, recording: Recording, staging: Staging) -> _File:
        """The bytes of a file, and what will be remembered of it; kept where they are those of the published one."""
        runs = self._runs.get(place, [])
        rows = list(self._rows[place]) if place in self._rows else []
        parts: list[EntryRun] = []
        owners: list[PageGroup] = []
        mask = 0
        for run in runs:
            group = self._groups[run.group]
            parts += group.cut(run.low, run.high)
            owners += [group] * (len(parts) - len(owners))
            mask |= group.masks(run.low, run.high)
        homes = self._homes.get(place, [])
        fresh = sum(len(part.ends) for part in parts)
        for group in homes:
            part = group.kept_part()
            mask |= _mask_in(part, self._known.declared.get(group.file, b""))
            parts.append(part)
        if mask & _NEWS:
            mask &= ~_NEWS | _NEWS * self._drop_old_news(shard.name, parts, [*owners, *homes])
        files = [self._known.backed[group.file] for group in homes]
        unproven = fresh + sum(file.unproven for file in files)
        is_proven = unproven <= shard.entries * _UNPROVEN and not mask & _NEWS
        is_proven = is_proven and all(file.judged.split()[:1] == [__version__] for file in files)
        data, first_seen, changed, excerpt = self._arranged(parts, names_in(mask), max(fresh, 1) if is_proven else 0)
        is_published = self._is_published(shard, data, homes, parts[len(owners) :], staging)
        parts.clear()  # together they are as large as the file
        recording.put(
            msgspec.structs.replace(page.row, shard=shard.name)
            for page in rows
            if not page.kept or page.row.shard != shard.name
        )
        if place in self._rows:
            self._rows[place].forget()
        count = len(first_seen) - first_seen.count(HAS_ROW)
        builds = pack_builds(first_seen, changed) if count else b""
        backed = BackedFile(
            shard.name, shard.section, "", self._known.origin, count, builds, "", unproven if excerpt else 0
        )
        if is_published:
            known = self._former[shard.name]
            same = msgspec.structs.replace(known, origin=backed.origin, count=count, builds=builds)
            return _File(shard, same, kept=True)
        newest = newest_of(page.row.lastmod for page in rows) if self._form is FileForm.TEXT else None
        update = None
        if excerpt:
            former = [self._before.get(file.name) for file in files]
            newest = newest_of(row.newest for row in former if row is not None)
            had_dates = any(row is None or row.newest is not None for row in former)
            codes = frozenset(code for file in files for code in file.judged.split()[1:])
            update = Update(excerpt, shard.entries, had_dates, codes)
        return _File(shard, backed, self._task(shard, data, newest, update, staging, media=bool(mask)))

    def _task(
        self, shard: Shard, data: bytes, newest: str | None, update: Update | None, staging: Staging, *, media: bool
    ) -> ShardTask:
        is_alone = len(self._plan.shards) == 1
        load_rules(self._form, media=media, is_alone=is_alone)
        return ShardTask(
            shard.name,
            staging.url_of(shard.name),
            str(staging.place_for(shard.name)),
            data,
            self._now,
            newest,
            update,
            is_alone,
            durable=not staging.dry_run,
        )

    def _is_published(
        self, shard: Shard, data: bytes, homes: list[PageGroup], parts: list[EntryRun], staging: Staging
    ) -> bool:
        """Whether the published file has just these bytes; `parts` hold the files that its entries were in before."""
        former = self._former.get(shard.name)
        if former is None or former.section != shard.section:
            return False
        whole = [
            group.former == former.name and part.starts is not None for group, part in zip(homes, parts, strict=True)
        ]
        held = next((part.entries for part in itertools.compress(parts, whole)), None)
        if data != (held or self._known.data_of(former)):
            return False
        published = staging.as_published(shard.name)
        return published is not None and published.sha256 == former.sha256

    def _arranged(
        self, parts: list[EntryRun], extensions: frozenset[str], fresh: int
    ) -> tuple[bytes, array[int], array[int], bytes]:
        """The file, its entries by address, the builds each was met first and written last in, and an excerpt.

        The excerpt has the first so many entries of the parts, and those before and behind each.
        """
        if self._form is FileForm.XML:
            return pages_module().in_order(parts, opening(extensions), CLOSING, fresh)
        lines = sorted(chain.from_iterable(part.pieces() for part in parts))
        have_rows = array("I", (HAS_ROW,)) * len(lines)
        return b"".join(lines), have_rows, have_rows, b""

    # news

    def _drop_old_news(self, name: str, parts: list[EntryRun], groups: list[PageGroup]) -> bool:
        """Take the news from entries where they are none any more; whether any are left."""
        parts[:], dropped, ends, are_too_many = still_news([part.packed() for part in parts], self._now)
        if are_too_many:
            self.with_too_many_news.append(name)
        if ends is not None:
            self.news_end = min(ends, self.news_end or ends)
        for number, entries in dropped.items():
            part, build = parts[number], self._known.build
            anew = [at for at in entries if part.changed[at] == build != part.first_seen[at]]
            written = self._known.last_written(groups[number].file) if anew else {}
            for at in anew:  # the source says what it said before, and so does the file
                start = part.ends[at - 1] if at else 0
                part.changed[at] = written.get(bytes(part.load()[start : part.ends[at]]), build)
        return ends is not None


def _mask_in(part: EntryRun, root: bytes) -> int:
    """The extensions that written entries use, of those that the root declares: most files have none to look for."""
    found = mask_of(
        tuple(name for name, mark in _MARKS.items() if b" xmlns:%b=" % mark[1:-1] in root and _has(part, mark))
    )
    if b" xmlns:mobile=" in root and _has(part, b"<mobile:"):
        found |= mask_of(("baidu-mobile" if _has(part, b"<mobile:mobile type") else "mobile",))
    return found


def _has(part: EntryRun, mark: bytes) -> bool:
    """Whether one of the entries has the mark, in a file that may have others too."""
    data = bytes(part.load())
    at = data.find(mark)
    while at >= 0:
        number = bisect_right(part.ends, at)
        if number == len(part.ends) or part.starts is None or at >= part.starts[number]:
            return number < len(part.ends)
        at = data.find(mark, part.starts[number])
    return False
