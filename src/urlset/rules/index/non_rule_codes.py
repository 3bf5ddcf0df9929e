"""Codes of family I that are not rules on one file."""

from __future__ import annotations

from urlset.rules.non_rule_codes import Handling, NonRuleCode

ACCOUNTED: tuple[NonRuleCode, ...] = (
    NonRuleCode(
        "I019", Handling.LATER, "the number of indexes in a Search Console property is only visible in the account"
    ),
    NonRuleCode(
        "I025",
        Handling.BEHAVIOUR,
        "elements of other namespaces inside <sitemap> are valid in the schema and not reported by this family",
        "rules/test_index.py::test_other_namespaces_are_welcome_in_a_child",
    ),
)
