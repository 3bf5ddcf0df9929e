"""Simulated sites with known habits → intervals that cover the truth; and what single transitions mean."""

from __future__ import annotations

import pytest

from tests.snapshots.honest_sites import coverage
from urlset.snapshots.honesty import Transition, interval, judge, worth_of


def test_intervals_cover_the_truth_on_simulated_sites() -> None:
    """150 here; `python -m bench.history --honesty` runs 1,000."""
    assert all(share >= 0.95 for share in coverage(150).values())


@pytest.mark.parametrize(
    ("successes", "trials", "low", "high"),
    [(0, 10, 0.0, 0.3085), (10, 10, 0.6915, 1.0), (5, 10, 0.1871, 0.8129), (190, 1000, 0.1661, 0.2157), (0, 0, 0, 1)],
)
def test_intervals_are_those_of_the_tables(successes: int, trials: int, low: float, high: float) -> None:
    assert interval(successes, trials) == pytest.approx((low, high), abs=1e-4)


def test_repeated_events_of_one_page_are_worth_one() -> None:
    assert worth_of(30, 30) == 30
    assert worth_of(30, 3 * 10**2) == 3


def test_a_template_change_says_nothing_about_dates() -> None:
    found = judge("s.xml", [Transition("1", "2", dated=40, known=40, silent=39)])
    assert found.changes_with_move.share is None


def test_dates_that_move_every_time() -> None:
    looks = [Transition(str(n), str(n + 1), dated=10, moved=10, stamped=10, known=10, unbacked=10) for n in range(3)]
    found = judge("s.xml", looks, worth_of(30, 90))
    assert found.follows_every_look
    assert found.stamped_share == 1.0
    assert (found.score.share, found.score.low) == (0.0, 0.0)
    assert 0.25 < found.score.high < 0.35, "ten pages, not thirty events"
