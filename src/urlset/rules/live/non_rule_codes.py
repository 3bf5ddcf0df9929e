"""Codes of family A (live pages) that are not rules."""

from __future__ import annotations

from urlset.rules.non_rule_codes import Handling, NonRuleCode

_TESTS = "rules/live/test_live_behaviours.py"
ACCOUNTED = (
    NonRuleCode(
        "A037",
        Handling.BEHAVIOUR,
        "the audit asks for robots.txt and obeys it, keeps its distance between requests, and judges by GET",
        "rules/live/test_live_manners.py::test_visits_are_polite",
    ),
    NonRuleCode(
        "A038",
        Handling.BEHAVIOUR,
        "what one engine is told is not held against the others: pages are judged for each chosen engine",
        f"{_TESTS}::test_engines_are_judged_apart",
    ),
)
