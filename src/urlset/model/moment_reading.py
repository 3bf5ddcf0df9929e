"""A date or time as numbers → its W3C spelling, and the stretch of time it covers."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from enum import StrEnum

import msgspec

EARLIEST = datetime.min.replace(tzinfo=UTC)
LATEST = datetime.max.replace(tzinfo=UTC)

Interval = tuple[datetime, datetime]


class DateForm(StrEnum):
    """The six forms of the W3C note, by the last thing written, and everything else."""

    YEAR = "year"
    MONTH = "month"
    DAY = "day"
    MINUTE = "minute"
    SECOND = "second"
    FRACTION = "fraction"
    ILLEGAL = "illegal"


class DateReading(msgspec.Struct, frozen=True):
    """What a text was understood to say, at its precision; fields beyond the precision are None.

    `zone` is `Z` or `±hh:mm`; None for a date, and for a time whose offset is not known.
    """

    year: int
    month: int | None = None
    day: int | None = None
    hour: int | None = None
    minute: int | None = None
    second: int | None = None
    fraction: str | None = None
    zone: str | None = None

    @property
    def form(self) -> DateForm:
        if self.fraction is not None:
            return DateForm.FRACTION
        if self.second is not None:
            return DateForm.SECOND
        if self.hour is not None:
            return DateForm.MINUTE
        if self.day is not None:
            return DateForm.DAY
        return DateForm.YEAR if self.month is None else DateForm.MONTH

    @property
    def has_time(self) -> bool:
        return self.hour is not None

    @property
    def lacks_zone(self) -> bool:
        return self.has_time and self.zone is None

    def spell(self) -> str:
        """The W3C spelling; a time without a known offset is spelled without one, which is not legal."""
        text = f"{self.year:04d}"
        if self.month is not None:
            text += f"-{self.month:02d}"
        if self.day is not None:
            text += f"-{self.day:02d}"
        if self.hour is not None:
            text += f"T{self.hour:02d}:{self.minute or 0:02d}"
        if self.second is not None:
            text += f":{self.second:02d}"
        if self.fraction is not None:
            text += f".{self.fraction}"
        return text + (self.zone or "")

    def interval(self) -> Interval | None:
        """From the first instant it covers to the first it no longer covers; None before the year 1.

        Without a zone the numbers are taken as UTC. Ends beyond the calendar of `datetime` are cut to it.
        """
        if self.year == 0:
            return None
        microsecond = int(((self.fraction or "") + "000000")[:6])
        clock = (self.hour or 0, self.minute or 0, self.second or 0, microsecond)
        start = datetime(self.year, self.month or 1, self.day or 1, *clock, tzinfo=UTC)
        shift = timedelta(minutes=-(offset_of(self.zone) if self.zone else 0))
        return moved(start, shift), moved(self._end(start), shift)

    def _end(self, start: datetime) -> datetime:
        match self.form:
            case DateForm.YEAR:
                return LATEST if start.year == LATEST.year else start.replace(year=start.year + 1)
            case DateForm.MONTH:
                return moved(start, timedelta(days=days_in_month(start.year, start.month)))
            case DateForm.DAY:
                return moved(start, timedelta(days=1))
            case DateForm.MINUTE:
                return moved(start, timedelta(minutes=1))
            case DateForm.SECOND:
                return moved(start, timedelta(seconds=1))
        digits = min(len(self.fraction or ""), 6)
        return moved(start, timedelta(microseconds=10 ** (6 - digits)))


def moved(instant: datetime, by: timedelta) -> datetime:
    """The instant moved, or the end of the calendar it would have left."""
    try:
        return instant + by
    except OverflowError:
        return LATEST if by > timedelta(0) else EARLIEST


def offset_of(zone: str) -> int:
    """Minutes east of UTC of `Z` or `±hh:mm`."""
    if zone == "Z":
        return 0
    minutes = int(zone[1:3]) * 60 + int(zone[4:6])
    return -minutes if zone[0] == "-" else minutes


def days_in_month(year: int, month: int) -> int:
    """In the Gregorian calendar carried back without end, so for any year; month is 1 to 12."""
    if month == 2:
        return 29 if year % 4 == 0 and (year % 100 != 0 or year % 400 == 0) else 28
    return 30 if month in {4, 6, 9, 11} else 31


def is_day(year: int, month: int, day: int) -> bool:
    return 1 <= month <= 12 and 1 <= day <= days_in_month(year, month)


# The ways in which a date departs from the W3C note, each with its place in the text.


class Fault(StrEnum):
    EMPTY = "empty"
    WHITESPACE = "whitespace"
    NO_TIMEZONE = "no-timezone"
    OFFSET_WITHOUT_COLON = "offset-without-colon"
    OFFSET_HOUR_ONLY = "offset-hour-only"
    OFFSET_RANGE = "offset-range"
    ZONE_NAME = "zone-name"
    SPACE_FOR_T = "space-for-t"
    LOWER_CASE = "lower-case"
    HOUR_ONLY = "hour-only"
    COMMA_FRACTION = "comma-fraction"
    MISSING_ZERO = "missing-zero"
    DATE_WITH_TIMEZONE = "date-with-timezone"
    IMPOSSIBLE_DATE = "impossible-date"
    IMPOSSIBLE_TIME = "impossible-time"
    HOUR_24 = "hour-24"
    SECOND_60 = "second-60"
    YEAR_RANGE = "year-range"
    SLASHES = "slashes"
    DOTS = "dots"
    DAY_MONTH_AMBIGUOUS = "day-month-ambiguous"
    YEAR_LAST = "year-last"
    TWO_DIGIT_YEAR = "two-digit-year"
    RFC822 = "rfc822"
    UNIX_TIMESTAMP = "unix-timestamp"
    BASIC_ISO = "basic-iso"
    WEEK_DATE = "week-date"
    ORDINAL_DATE = "ordinal-date"
    LOCALE_WORDS = "locale-words"
    OTHER = "other"


class FaultAt(msgspec.Struct, frozen=True):
    """One fault and the characters of the text it concerns, from start up to end."""

    fault: Fault
    start: int
    end: int

    def shifted(self, by: int) -> FaultAt:
        return FaultAt(self.fault, self.start + by, self.end + by)
