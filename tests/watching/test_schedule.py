"""Texts in settings → times: schedules, durations, quiet hours."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from zoneinfo import ZoneInfo

import pytest

from urlset.watching.schedule import QuietHours, Schedule, parse_duration

NOW = datetime(2026, 3, 28, 12, 0, tzinfo=UTC)
BERLIN = ZoneInfo("Europe/Berlin")


def hours(count: float) -> timedelta:
    return timedelta(hours=count)


@pytest.mark.parametrize(
    ("text", "last", "expected"),
    [
        ("every 15m", None, hours(0)),
        ("every 15m", NOW - hours(0.1), hours(0.15)),
        ("every 6h", NOW - hours(50), hours(4)),
        ("daily", NOW, hours(24)),
        ("every 1h30m", NOW, hours(1.5)),
        ("every 15m", NOW + hours(5), hours(0)),
        ("0 6 * * *", NOW - hours(2), hours(16)),
        ("30 14 * * 1-5", None, hours(48.5)),
    ],
)
def test_the_next_time(text: str, last: datetime | None, expected: timedelta) -> None:
    """The night after `NOW` has one hour less in Berlin."""
    assert Schedule.parse(text).next_after(last, NOW, BERLIN) == NOW + expected


@pytest.mark.parametrize("text", ["", "off", "OFF"])
def test_a_job_can_be_off(text: str) -> None:
    assert Schedule.parse(text).is_off


@pytest.mark.parametrize("text", ["every", "every 5s", "every day or so", "sometimes", "61 * * * *", "* * * *", "15m"])
def test_what_is_not_a_schedule(text: str) -> None:
    with pytest.raises(ValueError, match=r"schedule|time like|too often|cron"):
        Schedule.parse(text)


@pytest.mark.parametrize("text", ["", "m", "5", "5x", "-5m", "9" * 30 + "w"])
def test_what_is_not_a_duration(text: str) -> None:
    with pytest.raises(ValueError, match=r"not a time|too long"):
        parse_duration(text)


@pytest.mark.parametrize(
    ("text", "at", "expected"),
    [
        ("22:00-07:00", "2026-11-20T21:59:00+01:00", "2026-11-20T21:59:00+01:00"),
        ("22:00-07:00", "2026-11-20T22:00:00+01:00", "2026-11-21T07:00:00+01:00"),
        ("22:00-07:00", "2026-11-21T06:59:00+01:00", "2026-11-21T07:00:00+01:00"),
        ("12:00-13:00", "2026-11-21T12:30:00+01:00", "2026-11-21T13:00:00+01:00"),
        ("22:00-07:00", "2026-03-28T23:00:00+01:00", "2026-03-29T07:00:00+02:00"),
    ],
)
def test_quiet_hours_end(text: str, at: str, expected: str) -> None:
    ended = QuietHours.parse(text).end_of(datetime.fromisoformat(at).astimezone(UTC), BERLIN)
    assert ended == datetime.fromisoformat(expected)


@pytest.mark.parametrize("text", ["22-7", "25:00-07:00", "22:00", "07:00-07:00", ""])
def test_what_are_not_quiet_hours(text: str) -> None:
    with pytest.raises(ValueError, match=r"span of time|whole day"):
        QuietHours.parse(text)
