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
RULES = [
    rule
    for rule in all_rules()
    if set(rule.card.severities) != {Engine.XSD_STRICT}
    and rule.on not in OUTSIDE_THE_NORMS
    and not (rule.on is LivePage and rule.when == PageSignal.RENDERED)  # nor do they cover what scripts change
    and rule.card.family != "P"  # policies are the site's own
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


def test_severities_are_those_of_the_norms(norms: dict[str, Any]) -> None:
    judged = [rule for rule in RULES if rule.code in norms]
    assert len(judged) > 250
    assert [rule.code for rule in judged if differs(rule, norms[rule.code]) > (rule.code in SEVERITY_REASONS)] == []


@pytest.mark.parametrize("code", SEVERITY_REASONS)
def test_no_reason_is_out_of_date(code: str, norms: dict[str, Any]) -> None:
    rule = find(code)
    assert rule is not None
    assert differs(rule, norms[code]) or " / " in norms[code]
