"""Problems of rules across files and of misspelled suppressions → findings at their places."""

from __future__ import annotations

import gc
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from functools import partial

import msgspec

from urlset.checking.context import Context
from urlset.checking.declare import AnyRule
from urlset.checking.engine import CAP, FindingCollector, crash_of
from urlset.checking.select import CRASH, TOOL_RULES, UNKNOWN_RULE, Suppressions, matches, unknown
from urlset.checking.subjects import Child, ListedPage, Sitemap
from urlset.checking.tree import DocumentSummary, TreeView
from urlset.findings.card import Severity
from urlset.findings.finding import Finding, Problem
from urlset.findings.verdict import NotChecked, Suppressed, Verdict
from urlset.model.document import Document
from urlset.model.place import Place

SHOWN = 50
"""findings per rule with a line and an excerpt: each affected file has to be read again"""
SHOWN_HERE = 200
"""the same per rule and document, if it is read again for others"""

_HELD = 32 << 20
"""bytes of documents that were read again, after which memory is given back"""

Kept = tuple[AnyRule, Problem]
Watch = Callable[[AnyRule, Problem, Severity], None]


class ProblemCollector:
    """Collects findings on things outside the documents: counts are exact, problems are kept up to a cap."""

    def __init__(
        self,
        context: Context,
        summaries: Mapping[str, DocumentSummary],
        overrides: dict[str, Severity],
        *,
        by_source: bool = False,
        watch: Watch | None = None,
    ) -> None:
        self._context, self._summaries, self._overrides = context, summaries, overrides
        self._watch = watch
        """called with every problem, also past the cap"""
        self._by_source = by_source
        """whether the cap is per rule and document, or per rule"""
        self._shown_here = SHOWN_HERE if by_source else 0
        self.counts: Counter[str] = Counter()
        self.severities: Counter[str] = Counter()
        self._suppressed: Counter[tuple[str, str]] = Counter()
        self._so_many: Counter[tuple[str, str]] = Counter()
        self._kept: list[Kept] = []
        self._crashes: dict[str, Finding] = {}
        self._held = 0

    def judge(self, rule: AnyRule, problems: Callable[[], Iterable[Problem]], source: str = "") -> int:
        """The number of reported problems; an exception only affects that rule on that subject."""
        reported = 0
        try:
            for problem in problems():
                reported += self.add(rule, problem)
        except Exception as error:  # a bug in a rule must not end the run
            # Not a bug of the rule: what it compares could not be read, or a part of it was lost.
            from urlset.execution.workers import ExecutionError
            from urlset.storage.store import StorageError  # only after an exception

            if isinstance(error, (ExecutionError, StorageError)):
                raise
            if rule.code not in self._crashes:
                self._crashes[rule.code] = crash_of(rule, error, source, self._context.engines)
                self.counts[CRASH.code] += 1
                self.severities[Severity.WARNING] += 1
        return reported

    def add(self, rule: AnyRule, problem: Problem) -> bool:
        """False if a comment in the document suppresses it."""
        summary = self._summaries.get(problem.source or "")
        if summary is not None and (summary.silenced or summary.silenced_rows):
            row = -1 if problem.row is None else problem.row
            if any(matches(rule, each) for each in (*summary.silenced, *summary.silenced_rows.get(row, ()))):
                self._suppressed[rule.code, summary.source] += 1
                return False
        self.counts[rule.code] += 1
        severity = self._severity(rule, problem)
        self.severities[severity] += 1
        if self._watch is not None:
            self._watch(rule, problem, severity)
        share = (rule.code, problem.source or "" if self._by_source else "")
        self._so_many[share] += 1
        if self._so_many[share] <= CAP:
            self._kept.append((rule, problem))
        return True

    def verdict(
        self, rules: Sequence[AnyRule], reopen: Callable[[str], Document], not_checked: tuple[NotChecked, ...] = ()
    ) -> Verdict:
        """`rules` are those that were run."""
        return Verdict(
            findings=(*self._findings(reopen), *self._crashes.values()),
            counts=dict(sorted(self.counts.items())),
            severity_counts=dict(self.severities),
            not_checked=not_checked,
            suppressed=tuple(
                Suppressed(code, source, count, "a comment in the file")
                for (code, source), count in self._suppressed.items()
            ),
            cards={rule.code: rule.card for rule in rules} | ({CRASH.code: CRASH} if self._crashes else {}),
        )

    def _severity(self, rule: AnyRule, problem: Problem) -> Severity:
        if rule.code in self._overrides:
            return self._overrides[rule.code]
        return problem.severity or rule.card.severity_for(self._context.engines) or rule.card.severity

    def _findings(self, reopen: Callable[[str], Document]) -> list[Finding]:
        by_source: dict[str, list[Kept]] = {}
        shown: Counter[str] = Counter()
        found: list[Finding] = []
        for rule, problem in self._kept:
            # if a document is read again anyway, more of its findings get their place
            here = f"{rule.code} {problem.source}"
            wanted = shown[rule.code] < SHOWN or (problem.source in by_source and shown[here] < self._shown_here)
            if problem.source is not None and wanted and problem.source in self._summaries:
                shown.update((rule.code, here))
                by_source.setdefault(problem.source, []).append((rule, problem))
            else:
                found.append(self._placeless(rule, problem))
        for source, problems in by_source.items():
            found += self._placed(source, problems, reopen)
        order = {source: number for number, source in enumerate(self._summaries)}
        # those without a place come after the others of their document
        return sorted(
            found,
            key=lambda finding: (
                order.get(finding.source, -1),
                self._by_source and finding.offset is None,
                finding.offset or 0,
                finding.code,
            ),
        )

    def _placed(self, source: str, problems: list[Kept], reopen: Callable[[str], Document]) -> list[Finding]:
        try:
            document = reopen(source)
        except OSError:  # it existed a moment ago
            return [self._placeless(rule, problem) for rule, problem in problems]
        tally = FindingCollector(document, self._context, overrides=self._overrides)
        sitemap = Sitemap(document, self._context)
        for rule, problem in problems:
            place = self._place(problem, sitemap)
            tally.add(rule, msgspec.structs.replace(problem, where=place, source=None, row=None), problem.row)
        made = [finding.made() for _, _, finding in tally.problems]
        self._held += len(document.data)
        if self._held > _HELD:  # a document and what looks at it refer to each other, so they outlive this call
            del document, tally, sitemap
            gc.collect()
            self._held = 0
        return made

    def _place(self, problem: Problem, sitemap: Sitemap) -> Place:
        """The URL of the entry, or the open tag of the root."""
        if problem.row is None or problem.row >= len(sitemap.columns):
            return sitemap.root_tag
        row_class = Child if sitemap.kind.lists_sitemaps else ListedPage
        return row_class(sitemap, problem.row).locate_whole()

    def _placeless(self, rule: AnyRule, problem: Problem) -> Finding:
        return Finding(
            code=rule.code,
            name=rule.name,
            severity=self._severity(rule, problem),
            engines=rule.card.minded_by(self._context.engines),
            message=problem.message,
            source=problem.source or problem.subject or "",  # without a document, the URL itself is the source
            subject=problem.subject,
            count=problem.count,
        )


# Rules on a tree → verdict; documents are read again only to show the places of findings.

__all__ = ["SHOWN", "check_tree"]

_MISSING_CHILD = "I010"


def check_tree(view: TreeView, rules: Sequence[AnyRule], *, overrides: dict[str, Severity] | None = None) -> Verdict:
    """Problems that are only visible across files."""
    gathering = ProblemCollector(view.context, view.by_source, overrides or {})
    able = [rule for rule in rules if rule.on is TreeView or rule.across is not None]
    for rule in able:
        judge = rule.check if rule.on is TreeView else rule.across
        if judge is not None:
            gathering.judge(rule, partial(judge, view))
    return gathering.verdict(able, view.reopen, tuple(_not_looked_at(view, able)))


def _not_looked_at(view: TreeView, rules: Sequence[AnyRule]) -> Iterator[NotChecked]:
    """Without a folder for the whole site, it is unknown whether a child without a file is missing."""
    if view.root_known or not view.lost or all(rule.code != _MISSING_CHILD for rule in rules):
        return
    parents = {lost.parent for lost in view.lost}
    many = f"{len(view.lost):,} listed sitemaps were"
    message = f"{many if len(view.lost) > 1 else '1 listed sitemap was'} not found on disk"
    yield NotChecked(_MISSING_CHILD, f"{message} (set --root DIR)", parents.pop() if len(parents) == 1 else None)


# Comments that suppress an unknown rule → findings, because they suppress nothing.


def misspelt(document: Document, every: Callable[[], Sequence[AnyRule]], context: Context) -> Verdict:
    """`every` returns all rules, because a comment may suppress an unselected one; only called when needed."""
    named = Suppressions(document).named
    if not named:
        return Verdict()
    tally = FindingCollector(document, context, overrides={})
    rules = every()
    rule = next(rule for rule in TOOL_RULES if rule.card is UNKNOWN_RULE)
    for selector, place in named:
        if not any(matches(each, selector) for each in (*rules, *TOOL_RULES)):
            tally.add(rule, Problem(place, unknown(selector, rules), severity=Severity.WARNING), None)
    return Verdict(
        findings=tuple(finding.made() for _, _, finding in tally.problems),
        counts=dict(tally.counts),
        severity_counts=dict(tally.severities),
    )
