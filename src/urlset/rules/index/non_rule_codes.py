"""Codes of family I that are not rules on one file."""

from __future__ import annotations

from urlset.rules.non_rule_codes import Handling, NonRuleCode

ACCOUNTED: tuple[NonRuleCode, ...] = (
    NonRuleCode("I019", Handling.LATER, "how many indexes a Search Console property has is known to the account only"),
    NonRuleCode(
        "I025",
        Handling.BEHAVIOUR,
        "elements of other namespaces inside <sitemap> are allowed by the schema and not reported by this family",
        "rules/test_index.py::test_other_namespaces_are_welcome_in_a_child",
    ),
)
