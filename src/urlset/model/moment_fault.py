"""The ways in which a date departs from the W3C note, each with its place in the text."""

from __future__ import annotations

from enum import StrEnum

import msgspec


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
