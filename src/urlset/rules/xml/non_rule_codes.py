"""Codes of family X that are not rules, and their status."""

from __future__ import annotations

from urlset.rules.non_rule_codes import Handling, NonRuleCode

ACCOUNTED: tuple[NonRuleCode, ...] = (
    NonRuleCode(
        "X026",
        Handling.BEHAVIOUR,
        "CDATA is read as text in all values and not reported",
        "rules/test_xml_behaviours.py::test_cdata_is_no_finding",
    ),
    NonRuleCode(
        "X027",
        Handling.BEHAVIOUR,
        "a stylesheet instruction is recorded, never fetched, and not reported",
        "rules/test_xml_behaviours.py::test_a_stylesheet_is_no_finding_and_is_not_fetched",
    ),
)
