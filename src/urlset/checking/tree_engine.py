"""Rules on a tree → verdict; documents are read again only to show the places of what was found."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Sequence

from urlset.checking.declare import AnyRule
from urlset.checking.engine import CAP, CRASH, Tally, crash_of
from urlset.checking.select import matches
from urlset.checking.subjects import Child, Listed, Sitemap
from urlset.checking.tree import TreeView
from urlset.findings.finding import Finding, Problem
from urlset.findings.severity import Severity
from urlset.findings.verdict import Suppressed, Verdict
from urlset.model.document import Document, Kind
from urlset.reading.read import read

SHOWN = 50
"""findings per rule that get a line and an excerpt: each file concerned has to be read again"""


def check_tree(
    view: TreeView,
    rules: Sequence[AnyRule],
    *,
    overrides: dict[str, Severity] | None = None,
    reopen: Callable[[str], Document] = read,
) -> Verdict:
    """What can only be seen across files."""
    able = [rule for rule in rules if rule.on is TreeView or rule.across is not None]
    tally = _TreeTally(view, overrides or {})
    for rule in able:
        tally.judge(rule)
    findings = [*_findings(tally.kept, view, overrides or {}, reopen), *tally.crashes]
    return Verdict(
        findings=tuple(findings),
        counts=dict(sorted(tally.counts.items())),
        severity_counts=dict(tally.severities),
        suppressed=tuple(
            Suppressed(code, source, count, "a comment in the file")
            for (code, source), count in tally.suppressed.items()
        ),
        cards={rule.code: rule.card for rule in able} | ({CRASH.code: CRASH} if tally.crashes else {}),
    )


class _TreeTally:
    """Counts what rules say of a tree, and keeps it up to the cap."""

    def __init__(self, view: TreeView, overrides: dict[str, Severity]) -> None:
        self._view = view
        self._overrides = overrides
        self.counts: Counter[str] = Counter()
        self.severities: Counter[str] = Counter()
        self.suppressed: Counter[tuple[str, str]] = Counter()
        self.kept: list[tuple[AnyRule, Problem]] = []
        self.crashes: list[Finding] = []

    def judge(self, rule: AnyRule) -> None:
        judge = rule.check if rule.on is TreeView else rule.across
        try:
            for problem in judge(self._view) if judge is not None else ():
                self._add(rule, problem)
        except Exception as error:  # noqa: BLE001 - whatever a rule does wrong must not end the run
            self.crashes.append(crash_of(rule, error, "", self._view.context.engines))
            self.counts[CRASH.code] += 1
            self.severities[Severity.WARNING] += 1

    def _add(self, rule: AnyRule, problem: Problem) -> None:
        leaf = self._view.by_source.get(problem.source or "")
        if leaf is not None:
            selectors = (*leaf.silenced, *leaf.silenced_rows.get(-1 if problem.row is None else problem.row, ()))
            if any(matches(rule, selector) for selector in selectors):
                self.suppressed[rule.code, leaf.source] += 1
                return
        self.counts[rule.code] += 1
        self.severities[_severity(rule, problem, self._view, self._overrides)] += 1
        if self.counts[rule.code] <= CAP:
            self.kept.append((rule, problem))


def _severity(rule: AnyRule, problem: Problem, view: TreeView, overrides: dict[str, Severity]) -> Severity:
    if rule.code in overrides:
        return overrides[rule.code]
    return problem.severity or rule.card.severity_for(view.context.engines) or rule.card.severity


def _findings(
    kept: list[tuple[AnyRule, Problem]],
    view: TreeView,
    overrides: dict[str, Severity],
    reopen: Callable[[str], Document],
) -> list[Finding]:
    by_source: dict[str, list[tuple[AnyRule, Problem]]] = {}
    shown: Counter[str] = Counter()
    found: list[Finding] = []
    for rule, problem in kept:
        if problem.source is not None and shown[rule.code] < SHOWN and problem.source in view.by_source:
            shown[rule.code] += 1
            by_source.setdefault(problem.source, []).append((rule, problem))
        else:
            found.append(_placeless(rule, problem, view, overrides))
    for source, problems in by_source.items():
        found += _placed(source, problems, view, overrides, reopen)
    order = {leaf.source: number for number, leaf in enumerate(view.leaves)}
    return sorted(found, key=lambda finding: (order.get(finding.source, -1), finding.offset or 0, finding.code))


def _placed(
    source: str,
    problems: list[tuple[AnyRule, Problem]],
    view: TreeView,
    overrides: dict[str, Severity],
    reopen: Callable[[str], Document],
) -> list[Finding]:
    try:
        document = reopen(source)
    except OSError:  # it was there a moment ago
        return [_placeless(rule, problem, view, overrides) for rule, problem in problems]
    tally = Tally(document, view.context, overrides=overrides)
    sitemap = Sitemap(document, view.context)
    for rule, problem in problems:
        tally.add(rule, _with_place(problem, sitemap), problem.row)
    return [finding for _, _, finding in tally.problems]


def _with_place(problem: Problem, sitemap: Sitemap) -> Problem:
    if problem.row is None or problem.row >= len(sitemap.columns):
        place = sitemap.root_tag
    else:
        row_class = Child if sitemap.kind is Kind.SITEMAPINDEX else Listed
        place = row_class(sitemap, problem.row).whole()
    return Problem(place, problem.message, problem.fix, problem.subject, problem.count, problem.severity)


def _placeless(rule: AnyRule, problem: Problem, view: TreeView, overrides: dict[str, Severity]) -> Finding:
    return Finding(
        code=rule.code,
        name=rule.name,
        severity=_severity(rule, problem, view, overrides),
        engines=rule.card.minded_by(view.context.engines),
        message=problem.message,
        source=problem.source or "",
        subject=problem.subject,
        count=problem.count,
    )
