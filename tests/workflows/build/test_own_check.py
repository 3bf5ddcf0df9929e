"""What a build says of its own files: warnings and errors, by the rules that may give some."""

from __future__ import annotations

import pytest

from urlset.checking.context import Context
from urlset.checking.declare import AnyRule, Bad
from urlset.checking.examples import document_of, problems
from urlset.checking.live_page import LIVE
from urlset.checking.select import select
from urlset.checking.tree import TreeView
from urlset.findings.card import Severity
from urlset.model.document import Kind
from urlset.rules.catalogue import all_rules, rules_of
from urlset.workflows.build.files import _rules

ENGINES = Context().engines


@pytest.mark.parametrize("kind", [Kind.URLSET, Kind.SITEMAPINDEX, Kind.TEXT])
def test_rules_that_only_inform_are_not_run(kind: Kind) -> None:
    every = select(rules_of(kind, media=True), ENGINES)
    left = {rule.code for rule in every} - {rule.code for rule in _rules(kind, media=True, is_alone=True)}
    assert {"F009", "Q014"} & {rule.code for rule in every} <= left
    assert all(rule.card.severity_for(ENGINES) is Severity.INFO for rule in every if rule.code in left)


EXAMPLES = [
    pytest.param(rule, example, id=f"{rule.code}-{number}")
    for rule in all_rules()
    if rule.on not in (TreeView, *LIVE) and not rule.can_be_more_than(Severity.INFO, ENGINES)
    for number, example in enumerate(rule.bad)
]


@pytest.mark.parametrize(("rule", "example"), EXAMPLES)
def test_rules_that_only_inform_never_say_more(rule: AnyRule, example: Bad) -> None:
    found = problems(rule, example, document_of(example))
    assert {problem.severity for problem in found} <= {None, Severity.INFO}
