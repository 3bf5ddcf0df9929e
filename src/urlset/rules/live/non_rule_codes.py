"""Codes of family A (live pages) that are not rules."""

from __future__ import annotations

from urlset.rules.non_rule_codes import Handling, NonRuleCode

_TESTS = "rules/live/test_live_behaviours.py"
ACCOUNTED = (
    NonRuleCode(
        "A037",
        Handling.BEHAVIOUR,
        "the audit fetches and obeys robots.txt, rate-limits its requests, and judges by GET",
        "rules/live/test_live_manners.py::test_visits_are_polite",
    ),
    NonRuleCode(
        "A038",
        Handling.BEHAVIOUR,
        "directives for one engine do not affect the others: pages are judged for each selected engine",
        f"{_TESTS}::test_engines_are_judged_apart",
    ),
)
