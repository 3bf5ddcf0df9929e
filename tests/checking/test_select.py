"""Selectors → the rules that run."""

from __future__ import annotations

import pytest

from tests.checking.made_up_rules import made_up, on_every_row
from urlset.checking.select import UnknownSelectorError, matches, select
from urlset.checking.subjects import ListedPage
from urlset.findings.card import Severity
from urlset.rules.catalogue import all_rules
from urlset.spec.engines import DEFAULT_ENGINES, Engine

RULES = tuple(
    made_up(code, name, ListedPage, on_every_row, engines=engines)
    for code, name, engines in (
        ("D001", "date-wrong", DEFAULT_ENGINES),
        ("D002", "date-late", DEFAULT_ENGINES),
        ("L001", "loc-empty", DEFAULT_ENGINES),
        ("L012", "loc-odd", DEFAULT_ENGINES),
        ("L036", "loc-long", (Engine.BAIDU,)),
    )
)


def codes(
    *, chosen: tuple[str, ...] = (), ignored: tuple[str, ...] = (), engines: tuple[Engine, ...] = DEFAULT_ENGINES
) -> str:
    return " ".join(rule.code for rule in select(RULES, engines, chosen=chosen, ignored=ignored))


@pytest.mark.parametrize(
    ("chosen", "ignored", "wanted"),
    [
        ((), (), "D001 D002 L001 L012"),
        (("L001",), (), "L001"),
        (("l001",), (), "L001"),
        (("L",), (), "L001 L012"),
        (("L00",), (), "L001"),
        (("loc-odd", "D001"), (), "D001 L012"),
        ((), ("D",), "L001 L012"),
        ((), ("date-late",), "D001 L001 L012"),
        (("D", "L"), ("L",), "D001 D002 L001 L012"),
        (("D", "L"), ("L0",), "D001 D002"),
        (("L012", "D"), ("L",), "D001 D002 L012"),
        (("L",), ("L001",), "L012"),
        (("loc-empty",), ("L001",), "L001"),
        (("L",), ("loc-empty",), "L012"),
    ],
)
def test_the_more_exact_selector_wins(chosen: tuple[str, ...], ignored: tuple[str, ...], wanted: str) -> None:
    assert codes(chosen=chosen, ignored=ignored) == wanted


def test_rules_nobody_minds_do_not_run() -> None:
    assert codes(engines=(Engine.BAIDU,)) == "L036"
    assert codes(engines=(Engine.NAVER,)) == ""
    assert codes(chosen=("L036",)) == ""


@pytest.mark.parametrize(
    ("selector", "hint"),
    [
        ("loc-od", "; did you mean 'loc-odd'?"),
        ("DATE-WRONG", "; did you mean 'date-wrong'?"),
        ("loc-add", "; did you mean 'loc-odd'?"),
        ("L0012", "; did you mean 'L012'?"),
        ("d0001", "; did you mean 'D001'?"),
        ("zzz", "; run `urlset explain rules` for the list"),
    ],
)
def test_a_selector_for_nothing_is_an_error_with_a_hint(selector: str, hint: str) -> None:
    for option in ({"chosen": (selector,)}, {"ignored": (selector,)}):
        with pytest.raises(UnknownSelectorError) as caught:
            codes(**option)  # type: ignore[arg-type]
        assert str(caught.value) == f"unknown rule {selector!r}{hint}"


def test_every_rule_answers_to_code_name_and_family() -> None:
    for rule in all_rules():
        assert matches(rule, rule.code)
        assert matches(rule, rule.name)
        assert matches(rule, rule.card.family)
        assert [other.code for other in select(all_rules(), tuple(Engine), chosen=(rule.code,))] == [rule.code]


def test_the_default_engines_are_three() -> None:
    assert set(DEFAULT_ENGINES) == {Engine.PROTOCOL, Engine.GOOGLE, Engine.BING}
    chosen = select(all_rules(), DEFAULT_ENGINES)
    assert {rule.card.severity_for(DEFAULT_ENGINES) for rule in chosen} == set(Severity)
