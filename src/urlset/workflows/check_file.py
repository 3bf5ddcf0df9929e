"""One file → its verdict and what rules across files need of it; runs here or in a worker process."""

from __future__ import annotations

import os
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from functools import cache
from typing import TYPE_CHECKING, NoReturn, Protocol

import msgspec

from urlset.checking.context import Context
from urlset.checking.declare import AnyRule
from urlset.checking.engine import check
from urlset.checking.fixability import is_other
from urlset.checking.placing import misspelt
from urlset.checking.select import matches, select, unwanted_tool_codes
from urlset.checking.tree import DocumentSummary, R, Spread, T, summarise
from urlset.execution.workers import Workers
from urlset.findings.card import Severity
from urlset.findings.verdict import NotChecked, Verdict, join
from urlset.model.document import Document, Envelope, Kind
from urlset.reading import limits
from urlset.reading.read import read
from urlset.rules.catalogue import all_rules, file_rules, may_have_media, rules_of
from urlset.spec.engines import Engine
from urlset.storage.paths import file_at

if TYPE_CHECKING:
    from urlset.execution.executor import Executor
    from urlset.storage.paths import FilePath

PARALLEL_FROM = 24 << 20
"""unpacked bytes from which starting worker processes pays: each costs a third of a second"""
PARALLEL_ROWS = 8_000_000
"""URLs in all files from which starting workers again pays"""
MAX_DEPTH = 8
Progress = Callable[[int, int], None]
"""called with the number of files checked and known"""
FOREIGN = frozenset({"L015", "L017", "L019", "I006"})
"""rules that a robots.txt on the listed host can satisfy"""
MAX_FOREIGN = 20


class Task(msgspec.Struct, frozen=True):
    """One file to read and check, with all that a worker needs to know; small, because it travels."""

    number: int
    context: Context
    path: str
    url: str | None = None
    parent: str | None = None
    row: int | None = None
    depth: int = 0
    name: str | None = None
    """what findings call it, where that is not its path"""
    cap: int = limits.LOCAL_CAP
    skipped_rules: tuple[str, ...] = ()
    """codes of rules that are not run, because how the file was sent says it better"""
    size: int = 0
    """bytes as stored, where that is known"""
    select: tuple[str, ...] = ()
    ignore: tuple[str, ...] = ()
    severity: dict[str, Severity] = {}
    hash_dir: str | None = None
    """folder for what rules across files need of each document; None for a document that is checked alone"""
    keep: bool = False
    """the result of each file is kept there too: a run that was killed resumes"""

    @property
    def engines(self) -> tuple[Engine, ...]:
        return self.context.engines

    @property
    def weight(self) -> int:
        """Bytes to be read, roughly: sitemaps shrink about tenfold."""
        return self.size * (10 if self.path.endswith(".gz") else 1)


class CheckedFile(msgspec.Struct, frozen=True):
    """What became of one file."""

    verdict: Verdict
    summary: DocumentSummary | None = None
    envelope: Envelope | None = None
    foreign: tuple[str, ...] = ()
    """addresses of the first entries on other hosts, where a rule needs them"""
    rules: tuple[str, ...] = ()
    """codes of the rules that were run; their cards are larger than most results, so they do not travel"""


def cards(ran: Iterable[CheckedFile], rules: Iterable[AnyRule]) -> Verdict:
    """The cards of the rules that were run."""
    known = {rule.code: rule.card for rule in rules}
    codes = dict.fromkeys(code for done in ran for code in done.rules)
    return Verdict(cards={code: known[code] for code in codes})


def left_to_others(rules: Iterable[AnyRule], selected: Sequence[str], *, fetched: bool) -> Verdict:
    """Rules selected by name that no checked document can satisfy: skipped is not passed."""
    if not selected:
        return Verdict()
    # loading the subjects of live checks takes longer than checking a small file
    from urlset.checking.live_page import (
        Comparison,
        DatedFile,
        Delivery,
        InspectedPage,
        LivePage,
        MediaAsset,
        SiteChange,
        SubmittedSitemap,
    )

    reasons: dict[type[object], str] = {
        LivePage: "needs the listed pages; run `urlset audit`",
        MediaAsset: "needs the listed images and videos; run `urlset audit --media`",
        Comparison: "needs a crawl; run `urlset audit --crawl`",
        SubmittedSitemap: "needs an engine's sitemap report; run `urlset engines status`",
        InspectedPage: "needs an engine's page report; run `urlset engines index`",
        DatedFile: "needs two audits or snapshots; run `urlset audit` again, or `urlset history`",
        SiteChange: "needs two snapshots; run `urlset history`",
    }
    if not fetched:
        reasons[Delivery] = "needs the sitemap as served; run `urlset check URL`"
    return Verdict(not_checked=tuple(NotChecked(rule.code, reasons[rule.on]) for rule in rules if rule.on in reasons))


class RuleChoice(Protocol):
    """The settings of a command, or one file to check."""

    @property
    def engines(self) -> tuple[Engine, ...]: ...

    @property
    def select(self) -> tuple[str, ...]: ...

    @property
    def ignore(self) -> tuple[str, ...]: ...


def chosen_rules(choice: RuleChoice, *, on_disk: bool = False) -> tuple[AnyRule, ...]:
    """Raises UnknownSelectorError. `on_disk` leaves out the rules that only an answer from the web can break."""
    return _chosen(choice.engines, choice.select, choice.ignore, on_disk=on_disk)


def rules_on(kind: Kind, choice: RuleChoice, *, media: bool) -> tuple[AnyRule, ...]:
    """Those of them that can say anything of one document from a file."""
    if choice.select or choice.ignore:
        return chosen_rules(choice)
    return _able(kind, choice.engines, media=media)


def rules_on_all(summaries: Sequence[DocumentSummary], choice: RuleChoice) -> tuple[AnyRule, ...]:
    """Those that can say anything of these files. A single one is not compared with others."""
    if len(summaries) == 1 and not summaries[0].kind.lists_sitemaps:
        return rules_on(summaries[0].kind, choice, media=summaries[0].media)
    return chosen_rules(choice, on_disk=True)


@cache
def _able(kind: Kind, engines: tuple[Engine, ...], *, media: bool) -> tuple[AnyRule, ...]:
    return select(rules_of(kind, media=media), engines)


@cache
def _chosen(
    engines: tuple[Engine, ...], chosen: tuple[str, ...], ignored: tuple[str, ...], *, on_disk: bool
) -> tuple[AnyRule, ...]:
    """The same for every file of a run, and with small files most of the work."""
    if on_disk and not (chosen or ignored):  # a selector may name any rule; without one, half of them need no loading
        return select(file_rules(), engines)
    return select(all_rules(), engines, chosen=chosen, ignored=ignored)


def check_file(task: Task, document: Document | None = None) -> CheckedFile:
    """Read and check one file, or check a document that is in memory; runs here or in a worker.

    Where results are kept, a finished one is not computed again.
    """
    kept = _kept_result(task) if document is None and task.keep else None
    if kept is not None:
        from urlset.execution.parts import get_result, put_result  # most runs keep nothing

        if (packed := get_result(kept)) is not None:
            return msgspec.msgpack.decode(packed, type=CheckedFile)
    if document is None:
        try:
            document = read(task.path, name=task.name, url=task.url, cap=task.cap)
        except OSError as error:
            return failed(task, error.strerror or str(error))
    media = may_have_media(document)
    rules = [
        rule
        for rule in rules_on(document.kind, task, media=media)
        if rule.code not in task.skipped_rules and not (rule.alone and task.hash_dir is not None)
    ]
    verdict = judge(document, rules, task.context, overrides=overrides(task.severity))
    if task.select or task.ignore:
        verdict = _without(verdict, unwanted_tool_codes(task.select, task.ignore))
    codes = {rule.code for rule in rules}
    others = {code: card for code, card in verdict.cards.items() if code not in codes}
    done = CheckedFile(
        msgspec.structs.replace(verdict, cards=others),
        _summary(task, document, media=media),
        document.envelope,
        foreign=_foreign(document) if not FOREIGN.isdisjoint(verdict.counts) else (),
        rules=tuple(code for code in verdict.cards if code in codes),
    )
    if kept is not None:
        put_result(kept, msgspec.msgpack.encode(done))
    return done


def judge(
    document: Document, rules: Sequence[AnyRule], context: Context, *, overrides: Mapping[str, Severity] | None = None
) -> Verdict:
    """Run `rules` and report suppression comments that name an unknown rule; every check judges a document here.

    `overrides` maps codes to severities. Rules on deliveries, live pages and trees of files are not run on a single
    document; callers may leave them out of `rules`.
    """
    verdict = check(document, rules, context, overrides=dict(overrides or {}))
    return join([verdict, misspelt(document, all_rules, context)])


def _summary(task: Task, document: Document, *, media: bool) -> DocumentSummary:
    """What rules across files need of this one; the long columns go to files in `hash_dir`."""
    folder = file_at(task.hash_dir) if task.hash_dir is not None and not is_other(document) else None
    hashes = folder / f"{task.number}.hashes" if folder is not None else None
    policies = task.context.policies
    summary = summarise(document, parent=task.parent, row=task.row, hash_dir=hashes, policies=policies)
    links = None
    if folder is not None:
        from urlset.rules.hreflang.clusters import write_links  # needed only where there are several files

        links = write_links(folder / f"{task.number}.links", document, task.number)
    return msgspec.structs.replace(summary, links=links, number=task.number, media=media)


def _kept_result(task: Task) -> FilePath | None:
    """The part of a task: another one when the file changes, or what led to it."""
    if task.hash_dir is None:
        return None
    try:
        state = _version_of(file_at(task.path))
    except OSError:
        return None
    from urlset.execution.parts import fingerprint_of

    known = (task.path, *state, task.url, task.parent, task.row, task.context.lineage)
    return file_at(task.hash_dir) / f"{task.number}-{fingerprint_of(*known)[:12]}.result"


def _version_of(file: FilePath) -> tuple[int, int | str]:
    """Another one when the file changes."""
    state = file.stat()
    return (state.st_size, state.st_mtime_ns) if isinstance(state, os.stat_result) else (state.size, state.tag)


def _without(verdict: Verdict, codes: frozenset[str]) -> Verdict:
    gone = [finding for finding in verdict.findings if finding.code in codes]
    if not gone:
        return verdict
    severities = Counter(verdict.severity_counts)
    severities.subtract(finding.severity for finding in gone)
    return msgspec.structs.replace(
        verdict,
        findings=tuple(finding for finding in verdict.findings if finding.code not in codes),
        counts={code: count for code, count in verdict.counts.items() if code not in codes},
        severity_counts=dict(+severities),
    )


def _foreign(document: Document) -> tuple[str, ...]:
    """The first address on each host but the document's own."""
    from urlset.reading.host_robots import origin_of

    own = origin_of(document.url or "")
    found: dict[str, str] = {}
    for loc in document.columns.locs:
        head = "/".join((loc or "").strip().split("/", 3)[:3])
        if head and head not in found:
            found[head] = (loc or "").strip()
            if len(found) > MAX_FOREIGN:
                break
    return tuple(loc for loc in found.values() if origin_of(loc) not in (None, own))


def failed(task: Task, reason: str) -> CheckedFile:
    return CheckedFile(Verdict(troubled=(f"{task.name or task.path}: cannot be read: {reason}",)))


def too_deep(index: str, count: int) -> str:
    """Reported for an index whose children were not read: not read is not missing."""
    children = "its child was" if count == 1 else f"its {count:,} children were"
    return f"{index}: {children} not read: indexes nested more than {MAX_DEPTH} deep"


def overrides(severity: dict[str, Severity]) -> dict[str, Severity]:
    """Severities by code, from selectors that may be names or families."""
    return {rule.code: level for selector, level in severity.items() for rule in all_rules() if matches(rule, selector)}


def size_of(path: FilePath) -> int:
    try:
        return _version_of(path)[0]
    except OSError:
        return 0


# Rules across files: their parts run here, in workers or on a cluster.


def spread(workers: Workers, rows: int) -> Spread:
    """How parts are computed, in order. One that cannot be fails the rule: a count that lacks a part would be wrong."""

    def apart(function: Callable[[T], R], tasks: Iterable[T], /) -> Iterator[R]:
        from urlset.execution.executor import executor_on

        given = list(tasks)
        if len(given) < 2:
            yield from map(function, given)
            return
        results: dict[int, R] = {}
        places = {id(task): place for place, task in enumerate(given)}
        following = 0
        executor: Executor[T, R] = executor_on(workers, function, failed=_fail, what="comparisons")
        with executor:
            for task in given:
                executor.submit(task)
            for task, result in executor.finished():
                results[places[id(task)]] = result
                while following in results:
                    yield results.pop(following)
                    following += 1

    return apart if workers.pays(enough=rows >= PARALLEL_ROWS) else map


def _fail(task: object, reason: str) -> NoReturn:
    from urlset.execution.workers import ExecutionError

    del task
    raise ExecutionError(f"files could not be compared: {reason}")
