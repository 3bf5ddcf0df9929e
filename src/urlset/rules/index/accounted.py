"""Codes of family I that are not rules on one file."""

from __future__ import annotations

from urlset.rules.accounted import Accounted, How

ACCOUNTED: tuple[Accounted, ...] = (
    Accounted("I019", How.LATER, "the number of indexes in a Search Console property is only visible in the account"),
    Accounted(
        "I025",
        How.BEHAVIOUR,
        "elements of other namespaces inside <sitemap> are valid in the schema and not reported by this family",
        "rules/test_index.py::test_other_namespaces_are_welcome_in_a_child",
    ),
)
