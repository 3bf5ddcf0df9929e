"""Every transcript of every live rule is run: bad ones flagged once, good ones not at all."""

from __future__ import annotations

import pytest

from tests.checking.transcripts import subject_of
from urlset.checking.declare import AnyRule, Bad, Good
from urlset.checking.live_page import LIVE
from urlset.findings.finding import Problem
from urlset.rules.catalogue import all_rules

RULES = [rule for rule in all_rules() if rule.on in LIVE]
BAD = [pytest.param(rule, example, id=f"{rule.code}-{n}") for rule in RULES for n, example in enumerate(rule.bad)]
GOOD = [pytest.param(rule, example, id=f"{rule.code}-{n}") for rule in RULES for n, example in enumerate(rule.good)]


def problems(rule: AnyRule, example: Bad | Good) -> list[Problem]:
    return list(rule.check(subject_of(rule, example, tuple(rule.card.severities))))


@pytest.mark.parametrize(("rule", "example"), BAD)
def test_bad_example_is_flagged_once(rule: AnyRule, example: Bad) -> None:
    (problem,) = problems(rule, example)
    assert problem.message == problem.message.strip()
    assert problem.message.isprintable()
    assert not problem.message.endswith(".")


@pytest.mark.parametrize(("rule", "example"), GOOD)
def test_good_example_is_silent(rule: AnyRule, example: Good) -> None:
    assert [problem.message for problem in problems(rule, example)] == []


@pytest.mark.parametrize("rule", [pytest.param(rule, id=rule.code) for rule in RULES])
def test_examples_differ(rule: AnyRule) -> None:
    texts = [*(example.text for example in rule.bad), *(example.text for example in rule.good)]
    assert len(set(texts)) == len(texts)
