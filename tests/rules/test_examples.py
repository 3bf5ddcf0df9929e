"""Every example of every rule: bad ones flagged at their marks and nowhere else, fixed as stated; good ones silent."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from urlset.checking.declare import AnyRule, Bad, rule
from urlset.checking.examples import example_failures
from urlset.checking.live_page import LIVE
from urlset.checking.subjects import ListedPage
from urlset.checking.tree import TreeView
from urlset.findings.card import Severity
from urlset.findings.finding import Problem
from urlset.rules.catalogue import all_rules
from urlset.spec.signals import Signal

RULES = [rule for rule in all_rules() if rule.on not in (TreeView, *LIVE)]


@pytest.mark.parametrize("rule", RULES, ids=lambda rule: rule.code)
def test_examples_are_flagged_fixed_or_silent(rule: AnyRule) -> None:
    assert list(example_failures(rule)) == []


def finds_guides(bad: Bad | str, *, when: int | None = None, good: str = "<loc>https://example.com/</loc>") -> AnyRule:
    @rule("ZZ001", "guide", severity=Severity.INFO, cites=(), bad=(bad,), good=(good,), when=when)
    def guide(listed: ListedPage) -> Iterator[Problem]:
        """A guide."""
        at = listed.loc.find("guide")
        if at >= 0:
            yield Problem(listed.part(at, at + 5), "a guide")

    return guide


LOC = "<loc>https://example.com/{}</loc>"


@pytest.mark.parametrize(
    ("wrong", "advice"),
    [
        (finds_guides(LOC.format("«lamp»")), "the rule yields no Problem for this example"),
        (finds_guides(LOC.format("«a-guide»")), "move the «marks», or the place that the rule yields"),
        (finds_guides(LOC.format("guide")), "put «marks» around the bytes"),
        (
            finds_guides(LOC.format("«guide»"), when=Signal.FRAGMENT),
            "`when=` keeps the rule from looking at the entry, which raises OTHER_HEAD",
        ),
        (finds_guides(LOC.format("«guide»"), good=LOC.format("guide")), "move the example to `bad`"),
        (finds_guides(Bad(LOC.format("«guide»"), fixed=LOC.format("x"))), "yield a Problem with a Fix"),
    ],
)
def test_a_failing_example_says_what_to_do_next(wrong: AnyRule, advice: str) -> None:
    [failure] = example_failures(wrong)
    assert failure.startswith("ZZ001, ")
    assert advice in failure
    assert "next: " in failure


def test_sound_examples_say_nothing() -> None:
    assert list(example_failures(finds_guides(LOC.format("«guide»")))) == []


def test_a_rule_without_a_subject_is_not_declared() -> None:
    declare = rule("ZZ002", "anything", severity=Severity.INFO, cites=(), bad=(), good=())
    with pytest.raises(TypeError, match="rule ZZ002: annotate the parameter"):
        declare(lambda _: iter(()))
