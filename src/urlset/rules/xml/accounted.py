"""Codes of family X that are not rules, and what became of them."""

from __future__ import annotations

from urlset.rules.accounted import Accounted, How

ACCOUNTED: tuple[Accounted, ...] = (
    Accounted(
        "X026",
        How.BEHAVIOUR,
        "CDATA is read as the text it stands for, in any value, and is no finding",
        "rules/test_xml_behaviours.py::test_cdata_is_no_finding",
    ),
    Accounted(
        "X027",
        How.BEHAVIOUR,
        "a stylesheet instruction is noted, never fetched, and is no finding",
        "rules/test_xml_behaviours.py::test_a_stylesheet_is_no_finding_and_is_not_fetched",
    ),
)
