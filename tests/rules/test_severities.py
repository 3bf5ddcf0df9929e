"""Severities are those of the catalogue of norms, or docs/coverage.md says why not."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any

import pytest

from docs.catalog_codes import SEVERITY_REASONS
from urlset.checking.declare import AnyRule
from urlset.checking.live_page import DatedFile, InspectedPage, LivePage, SubmittedSitemap
from urlset.rules.catalogue import all_rules, find
from urlset.spec.engines import DEFAULT_ENGINES, Engine
from urlset.spec.signals import PageSignal

ROOT = Path(__file__).resolve().parents[2]
NORMS = ROOT.parent / "shared" / "norms" / "rules.json"
OUTSIDE_THE_NORMS = (SubmittedSitemap, InspectedPage, DatedFile)
"""subjects of rules on engine reports and snapshots, which the norms do not cover"""
LATER_THAN_THE_NORMS = (
    *("F014", "H033", "I026", "L040", "N022", "R029", "R030", "S037", "S038", "X031", "X032"),
    *(f"A{number:03}" for number in range(43, 59)),
)
"""codes that the norms do not have"""
RULES = [
    rule
    for rule in all_rules()
    if set(rule.card.severities) != {Engine.XSD_STRICT}
    and rule.on not in OUTSIDE_THE_NORMS
    and not (rule.on is LivePage and rule.when == PageSignal.RENDERED)  # nor do they cover what scripts change
    and rule.card.family != "P"  # policies are the site's own
    and rule.code not in LATER_THAN_THE_NORMS
]
"""a problem that only the schema reports is an error, see docs/catalog_codes.py"""


@pytest.fixture(scope="module")
def norms() -> dict[str, Any]:
    if not NORMS.exists():
        pytest.skip("no norms: ../shared/norms/rules.json is absent")
    return {norm["code"]: norm["severity"] for norm in json.loads(NORMS.read_text(encoding="utf-8"))}


def differs(rule: AnyRule, norm: str) -> bool:
    """A norm may name several severities: `error (protocol) / warning`."""
    allowed = set(re.findall(r"error|warning|info", norm))
    own = {level.value for engine, level in rule.card.severities.items() if engine is not Engine.XSD_STRICT}
    by_default = rule.card.severity_for(DEFAULT_ENGINES)
    return not own <= allowed or (by_default is not None and by_default.value not in allowed)


@pytest.mark.parametrize("rule", [pytest.param(rule, id=rule.code) for rule in RULES])
def test_severity_is_that_of_the_norm(rule: AnyRule, norms: dict[str, Any]) -> None:
    assert differs(rule, norms[rule.code]) <= (rule.code in SEVERITY_REASONS)


@pytest.mark.parametrize("code", SEVERITY_REASONS)
def test_no_reason_is_out_of_date(code: str, norms: dict[str, Any]) -> None:
    rule = find(code)
    assert rule is not None
    assert differs(rule, norms[code]) or " / " in norms[code]


def test_the_norms_have_none_of_the_later_codes(norms: dict[str, Any]) -> None:
    assert not norms.keys() & set(LATER_THAN_THE_NORMS)
    assert all(find(code) is not None for code in LATER_THAN_THE_NORMS)
