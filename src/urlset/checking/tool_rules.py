"""Findings about the check itself: a rule that crashed, a comment that suppresses nothing.

No engine runs them as rules; they can be selected, ignored and explained like rules.
"""

from __future__ import annotations

from collections.abc import Iterator

from urlset.checking.declare import AnyRule, Rule
from urlset.findings.card import Card
from urlset.findings.finding import Problem
from urlset.findings.severity import Severity
from urlset.spec.engines import Engine

CRASH = Card(
    code="T001",
    name="rule-crashed",
    summary="A rule crashed because of a bug in urlset.",
    rationale="The rest of the run continued; the findings of this rule are unknown. Please report the bug.",
    severities=dict.fromkeys(Engine, Severity.WARNING),
    cites=(),
    fixable=False,
)
UNKNOWN_RULE = Card(
    code="T002",
    name="unknown-rule-in-comment",
    summary="A suppression comment has an unknown rule.",
    rationale="It suppresses nothing. Search engines do not read such comments, so no engine is affected.",
    severities={},
    cites=(),
    fixable=False,
)


class _Check:
    """The subject: the check itself."""


def _nothing(_check: _Check) -> Iterator[Problem]:
    return iter(())


TOOL_RULES: tuple[AnyRule, ...] = tuple(Rule(card, _Check, _nothing, (), ()) for card in (CRASH, UNKNOWN_RULE))
