"""Codes of family F that are not rules."""

from __future__ import annotations

from urlset.rules.non_rule_codes import Handling, NonRuleCode

ACCOUNTED: tuple[NonRuleCode, ...] = (
    NonRuleCode(
        "F007",
        Handling.BEHAVIOUR,
        "all decimal notations the schema accepts, such as .5, +0.5, 1, and 1.00, pass",
        "rules/test_hints.py::test_every_spelling_of_a_decimal_passes",
    ),
    NonRuleCode(
        "F011",
        Handling.BEHAVIOUR,
        "changefreq and priority are not reported as ignored for Yandex, which documents both",
        "rules/test_hints.py::test_hints_are_not_called_useless_for_yandex",
    ),
)
