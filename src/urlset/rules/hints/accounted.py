"""Codes of family F that are not rules."""

from __future__ import annotations

from urlset.rules.accounted import Accounted, How

ACCOUNTED: tuple[Accounted, ...] = (
    Accounted(
        "F007",
        How.BEHAVIOUR,
        "all decimal notations the schema accepts, such as .5, +0.5, 1, and 1.00, pass",
        "rules/test_hints.py::test_every_spelling_of_a_decimal_passes",
    ),
    Accounted(
        "F011",
        How.BEHAVIOUR,
        "changefreq and priority are not reported as ignored for Yandex, which documents both",
        "rules/test_hints.py::test_hints_are_not_called_useless_for_yandex",
    ),
)
