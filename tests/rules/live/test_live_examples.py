"""Every transcript of every live rule is run: bad ones flagged once, good ones not at all."""

from __future__ import annotations

import pytest

from tests.checking.transcripts import subject_of
from urlset.checking.declare import AnyRule, Bad, Good
from urlset.checking.live_page import LIVE
from urlset.findings.finding import Problem
from urlset.rules.catalogue import all_rules

RULES = [pytest.param(rule, id=rule.code) for rule in all_rules() if rule.on in LIVE]


def problems(rule: AnyRule, example: Bad | Good) -> list[Problem]:
    return list(rule.check(subject_of(rule, example, tuple(rule.card.severities))))


@pytest.mark.parametrize("rule", RULES)
def test_bad_examples_are_flagged_once_and_good_ones_are_not(rule: AnyRule) -> None:
    for bad in rule.bad:
        found = problems(rule, bad)
        assert len(found) == 1, bad.text
        message = found[0].message
        assert message == message.strip()
        assert message.isprintable()
        assert not message.endswith(".")
    for good in rule.good:
        assert [problem.message for problem in problems(rule, good)] == [], good.text


@pytest.mark.parametrize("rule", RULES)
def test_examples_differ(rule: AnyRule) -> None:
    texts = [*(example.text for example in rule.bad), *(example.text for example in rule.good)]
    assert len(set(texts)) == len(texts)
