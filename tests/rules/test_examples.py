"""Every example of every rule is run: bad ones flagged at their marks and nowhere else, good ones silent."""

from __future__ import annotations

import pytest

from urlset.checking.declare import AnyRule, Bad, Good
from urlset.checking.engine import run
from urlset.checking.examples import build, complete, context_of, document_of, unmark
from urlset.checking.live_page import LIVE
from urlset.checking.tree import TreeView
from urlset.findings.finding import Problem
from urlset.model.document import Document
from urlset.reading.salvage import apply_edits
from urlset.rules.catalogue import all_rules

RULES = [rule for rule in all_rules() if rule.on not in (TreeView, *LIVE)]
BAD = [pytest.param(rule, example, id=f"{rule.code}-{n}") for rule in RULES for n, example in enumerate(rule.bad)]
GOOD = [pytest.param(rule, example, id=f"{rule.code}-{n}") for rule in RULES for n, example in enumerate(rule.good)]


def problems(rule: AnyRule, example: Bad | Good, document: Document) -> list[Problem]:
    tally = run(document, [rule], context_of(example, tuple(rule.card.severities)))
    assert not tally.crashes, tally.crashes
    return [problem for _, problem, _ in tally.problems]


@pytest.mark.parametrize(("rule", "example"), BAD)
def test_bad_example_is_flagged_at_its_marks(rule: AnyRule, example: Bad) -> None:
    built = build(example)
    found = problems(rule, example, document_of(example))
    assert [problem.place for problem in found] == list(built.marks), [
        (problem.place.cut(built.data), problem.message) for problem in found
    ]


@pytest.mark.parametrize(("rule", "example"), GOOD)
def test_good_example_is_silent(rule: AnyRule, example: Good) -> None:
    document = document_of(example)
    assert [problem.message for problem in problems(rule, example, document)] == []


FIXED = [
    pytest.param(rule, example, id=f"{rule.code}-{n}")
    for rule in RULES
    for n, example in enumerate(rule.bad)
    if example.fixed is not None or example.fixed_data is not None
]


@pytest.mark.parametrize(("rule", "example"), FIXED)
def test_fixing_gives_the_fixed_example(rule: AnyRule, example: Bad) -> None:
    document = document_of(example)
    edits = [edit for problem in problems(rule, example, document) if problem.fix for edit in problem.fix.edits]
    edits.sort(key=lambda edit: (edit.place.offset, edit.place.length))
    fixed = apply_edits(document.data, 0, len(document.data), tuple(edits))
    wanted = example.fixed_data if example.fixed is None else unmark(complete(example.fixed)).data
    assert fixed == wanted
    assert problems(rule, example, document_of(example, fixed)) == []
