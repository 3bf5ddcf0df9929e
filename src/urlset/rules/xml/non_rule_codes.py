"""Codes of family X that are not rules, and what became of them."""

from __future__ import annotations

from urlset.rules.non_rule_codes import Handling, NonRuleCode

ACCOUNTED: tuple[NonRuleCode, ...] = (
    NonRuleCode(
        "X026",
        Handling.BEHAVIOUR,
        "CDATA is read as the text it stands for, in any value, and is no finding",
        "rules/test_xml_behaviours.py::test_cdata_is_no_finding",
    ),
    NonRuleCode(
        "X027",
        Handling.BEHAVIOUR,
        "a stylesheet instruction is noted, never fetched, and is no finding",
        "rules/test_xml_behaviours.py::test_a_stylesheet_is_no_finding_and_is_not_fetched",
    ),
)
