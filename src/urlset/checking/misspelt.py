"""Comments that suppress an unknown rule → findings, because they suppress nothing."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from functools import partial

from urlset.checking.context import Context
from urlset.checking.declare import AnyRule, Rule
from urlset.checking.engine import FindingCollector
from urlset.checking.select import matches, unknown
from urlset.checking.suppress import Suppressions
from urlset.checking.tool_rules import TOOL_RULES, UNKNOWN_RULE
from urlset.findings.finding import Problem
from urlset.findings.severity import Severity
from urlset.findings.verdict import Verdict
from urlset.model.document import Document
from urlset.model.place import Place


def misspelt(document: Document, every: Callable[[], Sequence[AnyRule]], context: Context) -> Verdict:
    """`every` returns all rules, because a comment may suppress an unselected one; only called when needed."""
    named = Suppressions(document).named
    if not named:
        return Verdict()
    tally = FindingCollector(document, context, overrides={})
    rule = Rule(UNKNOWN_RULE, Document, partial(_unknown_to, every(), named), (), ())
    for problem in rule.check(document):
        tally.add(rule, problem, None)
    return Verdict(
        findings=tuple(finding.made() for _, _, finding in tally.problems),
        counts=dict(tally.counts),
        severity_counts=dict(tally.severities),
    )


def _unknown_to(rules: Sequence[AnyRule], named: Sequence[tuple[str, Place]], _document: Document) -> Iterator[Problem]:
    for selector, place in named:
        if not any(matches(rule, selector) for rule in (*rules, *TOOL_RULES)):
            yield Problem(place, unknown(selector, rules), severity=Severity.WARNING)
