"""Policies and times → which snapshots stay; words for times → instants."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta

import pytest

from urlset.snapshots.expressions import Retention, end_of, is_moment

NOW = datetime(2026, 11, 15, 12, 0, tzinfo=UTC)


def test_the_default_policy_keeps_days_weeks_and_months() -> None:
    twice_a_day = [NOW - timedelta(hours=12 * number) for number in range(800)]
    kept = sorted(Retention.parse("keep 7 daily, 4 weekly, 12 monthly").kept(twice_a_day), reverse=True)
    assert kept[:3] == [NOW, NOW - timedelta(hours=12), NOW - timedelta(hours=24)], "the last day stays whole"
    assert len({moment.date() for moment in kept if NOW - moment < timedelta(days=7)}) == 7
    assert len({(moment.year, moment.month) for moment in kept}) == 12
    assert len(kept) <= 7 + 4 + 12 + 2


def test_a_gap_does_not_use_up_the_policy() -> None:
    """Periods without a snapshot do not count: seven daily ones stay however far they are apart."""
    yearly = [NOW - timedelta(days=365 * number) for number in range(9)]
    assert len(Retention.parse("7 daily").kept(yearly)) == 7


@pytest.mark.parametrize("text", ["", "keep", "seven daily", "7 daily 4 weekly", "7 fortnightly", "-1 daily"])
def test_what_is_no_policy_is_refused(text: str) -> None:
    with pytest.raises(ValueError, match="is not a policy"):
        Retention.parse(text)


def test_everything_can_be_kept() -> None:
    moments = [NOW - timedelta(minutes=number) for number in range(5)]
    assert Retention.parse("all").kept(moments) == set(moments)


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("yesterday", "2026-11-14T23:59:59.999999+00:00"),
        ("today", "2026-11-15T23:59:59.999999+00:00"),
        ("7d", "2026-11-08T12:00:00+00:00"),
        ("2 weeks ago", "2026-11-01T12:00:00+00:00"),
        ("90m", "2026-11-15T10:30:00+00:00"),
        ("2026-11-01", "2026-11-01T23:59:59.999999+00:00"),
        ("2026-11-01T10:00+02:00", "2026-11-01T08:00:00+00:00"),
    ],
)
def test_words_for_times(text: str, expected: str) -> None:
    found = end_of(text, NOW)
    assert found is not None
    assert found.isoformat() == expected


@pytest.mark.parametrize("text", ["", "example.com", "soon", "2026-13-01", "7"])
def test_what_is_no_time(text: str) -> None:
    assert not is_moment(text, NOW)
