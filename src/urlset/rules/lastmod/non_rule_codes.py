"""Codes of family D that are not rules."""

from __future__ import annotations

from urlset.rules.non_rule_codes import Handling, NonRuleCode

ACCOUNTED: tuple[NonRuleCode, ...] = (
    NonRuleCode(
        "D011",
        Handling.BEHAVIOUR,
        "fractional seconds with any number of digits are accepted",
        "rules/test_lastmod.py::test_fractions_of_a_second_are_no_fault",
    ),
    NonRuleCode(
        "D027",
        Handling.BEHAVIOUR,
        "a date without a time covers the whole day in all comparisons",
        "rules/test_lastmod.py::test_a_date_covers_its_whole_day",
    ),
)
