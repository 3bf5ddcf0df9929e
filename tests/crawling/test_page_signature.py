"""Pages of a row → whether one shows anything that the page before it did not show."""

from __future__ import annotations

from datetime import date

import pytest

from urlset.crawling.find import signature_of

DIARY = (
    "Today we went up to the {} and stayed there until the sun went down, then we walked home through the quiet woods."
)
CELLS = ("{} 2026", "Mon", "Tue", "1", "2", "No events in {}")


def test_a_diary_has_no_days_to_come() -> None:
    texts = [DIARY.format("lake")], [DIARY.format("hut")]
    days = ((year, shown) for year in (2026, 2031) for shown in texts)
    past, other, future, later = (
        signature_of(f"https://example.com/{year}/01/03/", "A day", (), shown.copy, today=date(2027, 1, 1))
        for year, shown in days
    )
    assert past != other
    assert future == later


@pytest.mark.parametrize(
    ("form", "one", "other", "alike"),
    [
        ("/2026/01/{:02}/", [DIARY.format("lake")], [DIARY.format("hut")], False),
        ("/2026/01/{:02}/", [DIARY.format("lake")], [DIARY.format("lake")], True),
        ("/cal/2026/{:02}", [each.format("March") for each in CELLS], [each.format("April") for each in CELLS], True),
        ("/item/10{:02}", ["A red lamp"], ["A blue bell"], False),
        ("/item/10{:02}", ["Lamp 1"], ["Lamp 2"], True),
    ],
)
def test_what_differs(form: str, one: list[str], other: list[str], alike: bool) -> None:
    first, second = (
        signature_of(f"https://example.com{form.format(number)}", f"Page {number}", (), shown.copy)
        for number, shown in ((3, one), (4, other))
    )
    assert (first == second) is alike
