"""Comments that silence a rule nobody knows → findings: what was meant to be silent is told all the same."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from functools import partial

from urlset.checking.context import Context
from urlset.checking.declare import AnyRule, Rule
from urlset.checking.engine import Tally
from urlset.checking.select import matches, unknown
from urlset.checking.suppress import Suppressions
from urlset.findings.card import Card
from urlset.findings.finding import Problem
from urlset.findings.severity import Severity
from urlset.findings.verdict import Verdict
from urlset.model.document import Document

CARD = Card(
    code="T002",
    name="unknown-rule-in-comment",
    summary="A comment in the file silences a rule that does not exist.",
    rationale="It silences nothing. No search engine reads such comments, so none of them minds.",
    severities={},
    cites=(),
    fixable=False,
)


def misspelt(document: Document, every: Sequence[AnyRule], context: Context) -> Verdict:
    """`every` is all rules there are: a comment may silence one that was not chosen for this run."""
    tally = Tally(document, context, overrides={})
    rule = Rule(CARD, Document, partial(_unknown_to, every), (), ())
    for problem in rule.check(document):
        tally.add(rule, problem, None)
    return Verdict(
        findings=tuple(finding.made() for _, _, finding in tally.problems),
        counts=dict(tally.counts),
        severity_counts=dict(tally.severities),
    )


def _unknown_to(rules: Sequence[AnyRule], document: Document) -> Iterator[Problem]:
    for selector, place in Suppressions(document).named:
        if not any(matches(rule, selector) for rule in rules):
            yield Problem(place, unknown(selector, rules), severity=Severity.WARNING)
