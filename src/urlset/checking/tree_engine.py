"""Rules on a tree → verdict; documents are read again only to show the places of what was found."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Sequence

from urlset.checking.declare import AnyRule
from urlset.checking.engine import CAP, Tally
from urlset.checking.subjects import Child, Listed, Sitemap
from urlset.checking.tree import TreeView
from urlset.findings.finding import Finding, Problem
from urlset.findings.severity import Severity
from urlset.findings.verdict import Verdict
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
    counts: Counter[str] = Counter()
    severities: Counter[str] = Counter()
    kept: list[tuple[AnyRule, Problem]] = []
    for rule in able:
        judge = rule.check if rule.on is TreeView else rule.across
        for number, problem in enumerate(judge(view) if judge is not None else ()):
            severity = _severity(rule, problem, view, overrides or {})
            counts[rule.code] += 1
            severities[severity] += 1
            if number < CAP:
                kept.append((rule, problem))
    return Verdict(
        findings=tuple(_findings(kept, view, overrides or {}, reopen)),
        counts=dict(sorted(counts.items())),
        severity_counts=dict(severities),
        cards={rule.code: rule.card for rule in able},
    )


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
        tally.take(rule, [_with_place(problem, sitemap)], problem.row)
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
