"""Examples of rules on deliveries: each is a transcript of what was asked and answered."""

from __future__ import annotations

import pytest

from tests.checking.transcripts import subject_of
from urlset.checking.declare import AnyRule, Bad, Good
from urlset.checking.live_page import Delivery
from urlset.rules.catalogue import all_rules

RULES = [rule for rule in all_rules() if rule.on is Delivery]
BAD = [pytest.param(rule, example, id=f"{rule.code}-{n}") for rule in RULES for n, example in enumerate(rule.bad)]
GOOD = [pytest.param(rule, example, id=f"{rule.code}-{n}") for rule in RULES for n, example in enumerate(rule.good)]


def messages(rule: AnyRule, example: Bad | Good, *judging: AnyRule) -> list[str]:
    subject = subject_of(rule, example, tuple(rule.card.severities))
    return [problem.message for each in judging or (rule,) for problem in each.check(subject)]


@pytest.mark.parametrize(("rule", "example"), BAD)
def test_bad_delivery_is_told_once(rule: AnyRule, example: Bad) -> None:
    assert len(messages(rule, example)) == 1


@pytest.mark.parametrize(("rule", "example"), GOOD)
def test_good_delivery_is_silent(rule: AnyRule, example: Good) -> None:
    assert messages(rule, example) == []


@pytest.mark.parametrize(("rule", "example"), BAD)
def test_one_fault_is_told_by_one_rule(rule: AnyRule, example: Bad) -> None:
    """Validators aside: examples leave out headers that do not matter to them."""
    others = [other for other in RULES if other is not rule and other.code != "R027"]
    assert messages(rule, example, *others) == []
