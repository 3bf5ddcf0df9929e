"""Codes of family D that are not rules."""

from __future__ import annotations

from urlset.rules.accounted import Accounted, How

ACCOUNTED: tuple[Accounted, ...] = (
    Accounted(
        "D011",
        How.BEHAVIOUR,
        "fractional seconds with any number of digits are accepted",
        "rules/test_lastmod.py::test_fractions_of_a_second_are_no_fault",
    ),
    Accounted(
        "D027",
        How.BEHAVIOUR,
        "a date without a time covers the whole day in all comparisons",
        "rules/test_lastmod.py::test_a_date_covers_its_whole_day",
    ),
)
