"""Codes of family X that are not rules, and their status."""

from __future__ import annotations

from urlset.rules.accounted import Accounted, How

ACCOUNTED: tuple[Accounted, ...] = (
    Accounted(
        "X026",
        How.BEHAVIOUR,
        "CDATA is read as text in all values and not reported",
        "rules/test_xml_behaviours.py::test_cdata_is_no_finding",
    ),
    Accounted(
        "X027",
        How.BEHAVIOUR,
        "a stylesheet instruction is recorded, never fetched, and not reported",
        "rules/test_xml_behaviours.py::test_a_stylesheet_is_no_finding_and_is_not_fetched",
    ),
)
