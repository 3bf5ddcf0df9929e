"""The stretch of time a date covers, and what can be said of two of them."""

from __future__ import annotations

from datetime import UTC, date, datetime, timedelta

import pytest
from hypothesis import given
from hypothesis import strategies as st

from urlset.model.moment import Moment


def utc(*fields: int) -> datetime:
    year, month, day, *clock = fields
    hour, minute, second, microsecond = (*clock, 0, 0, 0, 0)[:4]
    return datetime(year, month, day, hour, minute, second, microsecond, tzinfo=UTC)


FIRST, LAST = datetime.min.replace(tzinfo=UTC), datetime.max.replace(tzinfo=UTC)

# A row: the text, the first instant it covers, the first it no longer covers.
INTERVALS = [
    ("2026", utc(2026, 1, 1), utc(2027, 1, 1)),
    ("2026-11", utc(2026, 11, 1), utc(2026, 12, 1)),
    ("2026-12", utc(2026, 12, 1), utc(2027, 1, 1)),
    ("2024-02", utc(2024, 2, 1), utc(2024, 3, 1)),
    ("2026-11-15", utc(2026, 11, 15), utc(2026, 11, 16)),
    ("2026-11-15T10:00Z", utc(2026, 11, 15, 10), utc(2026, 11, 15, 10, 1)),
    ("2026-11-15T10:00:00+02:00", utc(2026, 11, 15, 8), utc(2026, 11, 15, 8, 0, 1)),
    ("2026-11-15T23:30:00-01:00", utc(2026, 11, 16, 0, 30), utc(2026, 11, 16, 0, 30, 1)),
    ("2026-11-15T10:00:00.5Z", utc(2026, 11, 15, 10, 0, 0, 500000), utc(2026, 11, 15, 10, 0, 0, 600000)),
    (
        "2026-11-15T10:00:00.1234567Z",
        utc(2026, 11, 15, 10, 0, 0, 123456),
        utc(2026, 11, 15, 10, 0, 0, 123457),
    ),
    ("2026-11-15 10:00:00 UTC", utc(2026, 11, 15, 10), utc(2026, 11, 15, 10, 0, 1)),
    ("2026-11-15T10:00:00", utc(2026, 11, 15, 10), utc(2026, 11, 15, 10, 0, 1)),
    ("9999", utc(9999, 1, 1), LAST),
    ("9999-12", utc(9999, 12, 1), LAST),
    ("9999-12-31", utc(9999, 12, 31), LAST),
    ("0001-01-01T00:00:00+14:00", FIRST, FIRST),
]


@pytest.mark.parametrize(("raw", "start", "end"), INTERVALS)
def test_interval(raw: str, start: datetime, end: datetime) -> None:
    assert Moment.parse(raw).interval() == (start, end)


@pytest.mark.parametrize("raw", ["", "2026-02-30", "03/04/2026", "12026-01-01", "0000", "0000-01-01T00:00:00Z"])
def test_no_certain_meaning_no_interval(raw: str) -> None:
    moment = Moment.parse(raw)
    assert moment.interval() is None
    assert moment.certain_interval() is None
    assert not moment.is_after(FIRST)
    assert not moment.newer_than(Moment.parse("1999"))
    assert not Moment.parse("2026").newer_than(moment)


def test_without_a_zone_it_could_be_anywhere() -> None:
    wide = (utc(2026, 11, 14, 10), utc(2026, 11, 16, 14))
    assert Moment.parse("2026-11-15").certain_interval() == wide
    assert Moment.parse("2026-11-15T00:00").certain_interval() == (wide[0], utc(2026, 11, 15, 14, 1))
    known = Moment.parse("2026-11-15T00:00Z")
    assert known.certain_interval() == known.interval()
    assert Moment.parse("0001").certain_interval() == (FIRST, utc(2, 1, 1, 14))


@pytest.mark.parametrize(
    ("raw", "instant", "expected"),
    [
        ("2026-11-15T10:00:00Z", utc(2026, 11, 15, 9, 59, 59), True),
        ("2026-11-15T10:00:00Z", utc(2026, 11, 15, 10), False),
        ("2026-11-15T10:00:00+02:00", utc(2026, 11, 15, 9), False),
        ("2026-11-15", utc(2026, 11, 14, 9), True),
        ("2026-11-15", utc(2026, 11, 14, 12), False),
        ("2026", utc(2026, 11, 15), False),
        ("2027", utc(2026, 11, 15), True),
    ],
)
def test_is_after(raw: str, instant: datetime, expected: bool) -> None:
    moment = Moment.parse(raw)
    assert moment.is_after(instant) is expected
    assert moment.is_after(instant.replace(tzinfo=None)) is expected


@pytest.mark.parametrize(
    ("left", "right", "expected"),
    [
        ("2026-11-16", "2026-11-15", True),
        ("2026-11-15", "2026-11-15", False),
        ("2026-11-15", "2026-11-16", False),
        ("2026-12", "2026-11-15", True),
        ("2026-11", "2026-11-15", False),
        ("2026-11-16", "2026-11-15T12:00:00Z", False),
        ("2026-11-17", "2026-11-15T12:00:00Z", True),
        ("2026-11-15T12:00:01Z", "2026-11-15T12:00:00Z", True),
        ("2026-11-15T12:00:00Z", "2026-11-15T13:00:00+02:00", True),
        ("2026-11-15T12:00:00Z", "2026-11-15", False),
        ("2026-11-15T10:00:01", "2026-11-15T10:00:00", True),
    ],
)
def test_newer_than(left: str, right: str, expected: bool) -> None:
    assert Moment.parse(left).newer_than(Moment.parse(right)) is expected


@given(st.datetimes(), st.integers(-14 * 60, 14 * 60))
def test_the_interval_holds_the_instant_it_was_written_for(wall: datetime, offset: int) -> None:
    sign, minutes = ("-" if offset < 0 else "+"), abs(offset)
    raw = f"{wall.isoformat(timespec='microseconds')}{sign}{minutes // 60:02d}:{minutes % 60:02d}"
    try:
        instant = wall.replace(tzinfo=UTC) - timedelta(minutes=offset)
    except OverflowError:
        instant = FIRST if offset > 0 else LAST
    found = Moment.parse(raw).interval()
    assert found is not None
    assert found[0] == instant


@given(st.dates(), st.dates())
def test_dates_are_ordered_as_the_calendar_orders_them(left: date, right: date) -> None:
    assert Moment.parse(left.isoformat()).newer_than(Moment.parse(right.isoformat())) is (left > right)
