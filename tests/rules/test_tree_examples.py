"""Examples of rules across files: each builds a small site in a folder and marks the entry to be found."""

from __future__ import annotations

from datetime import datetime
from pathlib import Path

import pytest

from urlset.checking.declare import AnyRule, Bad, Good
from urlset.checking.examples import unmark
from urlset.checking.tree import TreeView
from urlset.model.place import Place
from urlset.rules.catalogue import all_rules
from urlset.settings.check import CheckSettings
from urlset.workflows.check import check as check_targets

RULES = [rule for rule in all_rules() if rule.on is TreeView]
BAD = [pytest.param(rule, example, id=f"{rule.code}-{n}") for rule in RULES for n, example in enumerate(rule.bad)]
GOOD = [pytest.param(rule, example, id=f"{rule.code}-{n}") for rule in RULES for n, example in enumerate(rule.good)]


def found(rule: AnyRule, example: Bad | Good, folder: Path) -> tuple[list[tuple[str, Place]], list[tuple[str, Place]]]:
    wanted: list[tuple[str, Place]] = []
    for name, text in example.files.items():
        built = unmark(text)
        (folder / name).write_bytes(built.data)
        wanted += [(name, mark) for mark in built.marks]
    settings = CheckSettings(
        now=datetime.fromisoformat(example.now),
        engines=tuple(rule.card.severities),
        select=(rule.code,),
        root=str(folder),
        base_url="https://example.com/",
        policy=example.policies,
    )
    start = str(folder / next(iter(example.files)))
    verdict = check_targets([start], settings)
    assert verdict.troubled == ()
    places = [(Path(each.source).name, Place(each.offset or 0, each.length)) for each in verdict.findings]
    return places, wanted


@pytest.mark.parametrize(("rule", "example"), BAD)
def test_bad_tree_is_flagged_at_its_marks(rule: AnyRule, example: Bad, tmp_path: Path) -> None:
    places, wanted = found(rule, example, tmp_path)
    assert places == wanted


@pytest.mark.parametrize(("rule", "example"), GOOD)
def test_good_tree_is_silent(rule: AnyRule, example: Good, tmp_path: Path) -> None:
    places, _ = found(rule, example, tmp_path)
    assert places == []
