"""House rules for rules: the list is complete, every code is accounted for, names and prose are in style."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

import urlset.rules
from docs.catalog_codes import FAMILIES, NON_RULE_CODES, Handling, NonRuleCode, catalogue_codes
from tests.house.source_tree import ROOT
from urlset.checking.declare import AnyRule
from urlset.checking.live_page import LIVE
from urlset.rules.catalogue import MODULES, all_rules, file_rules, find
from urlset.spec.citations import CITATIONS

RULES = [pytest.param(rule, id=rule.code) for rule in all_rules()]
FOLDER = Path(urlset.rules.__file__).parent
TOO_LARGE_TO_SHOW = {"I003", "Q003", "S008"}
"""an example would have to be megabytes long; tests with lowered limits stand in for it"""
NAMES_THE_CURE = re.compile(r"^(?:avoid|use|prefer|do-not|no|must|should|add|remove|check)-|-used$")


def test_every_module_is_listed() -> None:
    found = {
        ".".join(("urlset.rules", *path.relative_to(FOLDER).with_suffix("").parts))
        for path in FOLDER.rglob("*.py")
        if path.name != "__init__.py" and re.search(r"^@(?:bad|good)\(", path.read_text(), re.MULTILINE)
    }
    assert found == set(MODULES)


def test_the_rules_for_files_are_those_that_need_no_answer() -> None:
    assert file_rules() == tuple(rule for rule in all_rules() if rule.on not in LIVE)


def test_codes_and_names_are_unique() -> None:
    codes = [rule.code for rule in all_rules()]
    names = [rule.name for rule in all_rules()]
    assert len(set(codes)) == len(codes)
    assert len(set(names)) == len(names)


def test_every_code_is_one_thing() -> None:
    codes = catalogue_codes()
    assert sorted(code for code in set(codes) if codes.count(code) > 1) == []


def test_no_published_code_disappears() -> None:
    table = (ROOT / "docs" / "coverage.md").read_text(encoding="utf-8")
    published = set(re.findall(r"^\| \[?([A-Z]\d{3})", table, re.MULTILINE))
    assert published
    assert sorted(published - set(catalogue_codes())) == []


@pytest.mark.parametrize("rule", RULES)
def test_declaration_is_in_style(rule: AnyRule) -> None:
    card = rule.card
    assert card.family in FAMILIES
    assert re.fullmatch(r"[a-z0-9]+(?:-[a-z0-9]+)*", card.name)
    assert not NAMES_THE_CURE.search(card.name)
    assert card.summary.endswith(".")
    assert len(card.summary) <= 80
    assert card.rationale.endswith(".")
    assert card.severities
    assert card.cites
    assert set(card.cites) <= set(CITATIONS)
    assert rule.bad or card.code in TOO_LARGE_TO_SHOW
    assert rule.good
    assert find(card.code) is rule
    assert find(card.name) is rule


@pytest.mark.parametrize("item", [pytest.param(item, id=item.code) for item in NON_RULE_CODES])
def test_account_is_honest(item: NonRuleCode) -> None:
    assert item.what
    if item.how is Handling.BEHAVIOUR:
        assert item.test is not None
        file, _, name = item.test.partition("::")
        assert f"def {name.partition('[')[0]}(" in (ROOT / "tests" / file).read_text()
