"""The text of a date in any notation → its form, its faults, the stretch of time it covers, and its right spelling."""

from __future__ import annotations

import re
from datetime import UTC, date, datetime, timedelta
from enum import StrEnum
from typing import TYPE_CHECKING

import msgspec

from urlset.model.cached import cached_property_unlocked
from urlset.model.shown import Shown
from urlset.spec.lazy_pattern import lazy_pattern

if TYPE_CHECKING:
    from collections.abc import Callable


# A date that may be misspelled → what it means, and everything that is wrong with how it is written.


class DateDiagnosis(msgspec.Struct, frozen=True):
    """Faults in the order of the text; the reading is None where the text has no single sane meaning."""

    faults: tuple[FaultAt, ...]
    reading: DateReading | None


_YEAR_FIRST = lazy_pattern(
    r"""
    (?P<date>
        (?P<year> [+-]? [0-9]{4,} )
        (?: (?P<dash> [-/.] ) (?P<month> [0-9]{1,2} ) (?: (?P=dash) (?P<day> [0-9]{1,2} ) )? )?
    )
    (?:
        (?P<gap_t> \s* ) (?P<t> [Tt] | (?<=\s) ) (?: (?<=[Tt]) \s* )?
        (?P<time>
            (?P<hour> [0-9]{1,2} )
            (?: : (?P<minute> [0-9]{1,2} )
                (?: : (?P<second> [0-9]{1,2} ) (?: (?P<point> [.,] ) (?P<fraction> [0-9]+ ) )? )? )?
        )
    )?
    (?: (?P<gap> \s* ) (?P<zone> [Zz] | [+-][0-9]{1,2} (?: :?[0-9]{2} )? | [A-Z]{2,5} | (?i:utc|gmt) ) )?
    (?P<region> \[ [A-Za-z0-9_+/\-]{1,60} \] )?
    """,
    re.VERBOSE,
)
_UTC_NAMES = frozenset({"UTC", "GMT", "UT"})
_HALVES_OF_DAY = frozenset({"AM", "PM"})
# No clock on earth is further from UTC, and xsd:dateTime allows no more.
LARGEST_OFFSET = 14 * 60


def diagnose_year_first(text: str) -> DateDiagnosis | None:
    """Texts that run year, month, day, hour … as the W3C note does; None for any other order."""
    match = _YEAR_FIRST.fullmatch(text)
    if match is None:
        return None
    if match["day"] is None and (match["time"] or match["zone"] or match["region"]):
        return None
    if match["day"] is None and (match["dash"] or "-") != "-":
        return None
    if match["month"] is None and len(match["year"].lstrip("+-")) > 5:
        return None  # a bare number this long is a timestamp, not a year
    if match["zone"] and not _is_zone(match["zone"], after_date=match["time"] is None):
        return None
    date_faults, date = _read_date(match)
    time_faults, reading = _read_time(match, date)
    zone_faults, zone = _read_zone(match)
    faults = (*date_faults, *time_faults, *zone_faults)
    if reading is not None and match["time"]:
        reading = msgspec.structs.replace(reading, zone=zone)
    return DateDiagnosis(tuple(sorted(faults, key=lambda each: (each.start, each.end))), reading)


def _is_zone(written: str, *, after_date: bool) -> bool:
    """A word or a number after a bare date may be anything; after a time it is a zone, unless AM or PM."""
    if written.isalpha():
        return written.upper() in {"Z", *_UTC_NAMES} if after_date else written not in _HALVES_OF_DAY
    return not after_date or written[0] == "+" or ":" in written


def _at(match: re.Match[str], group: str, fault: Fault) -> FaultAt:
    return FaultAt(fault, *match.span(group))


def _read_date(match: re.Match[str]) -> tuple[list[FaultAt], DateReading | None]:
    faults = [_at(match, group, Fault.MISSING_ZERO) for group in ("month", "day") if len(match[group] or "00") < 2]
    if match["dash"] == "/":
        faults.append(_at(match, "date", Fault.SLASHES))
    if match["dash"] == ".":
        faults.append(_at(match, "date", Fault.DOTS))
    if len(match["year"]) != 4:
        return [*faults, _at(match, "year", Fault.YEAR_RANGE)], None
    year = int(match["year"])
    month = int(match["month"]) if match["month"] else None
    day = int(match["day"]) if match["day"] else None
    if not is_day(year, 1 if month is None else month, 1 if day is None else day):
        return [*faults, _at(match, "date", Fault.IMPOSSIBLE_DATE)], None
    return faults, DateReading(year, month, day)


def _read_time(match: re.Match[str], date: DateReading | None) -> tuple[list[FaultAt], DateReading | None]:
    if match["time"] is None:
        return [], date
    faults = [
        _at(match, group, Fault.MISSING_ZERO) for group in ("hour", "minute", "second") if len(match[group] or "00") < 2
    ]
    before_t, after_t = match.end("date"), match.start("time")
    if match["t"] == "":
        faults.append(FaultAt(Fault.SPACE_FOR_T, before_t, after_t))
    elif after_t - before_t > 1:
        faults.append(FaultAt(Fault.WHITESPACE, before_t, after_t))
    if match["t"] == "t":
        faults.append(_at(match, "t", Fault.LOWER_CASE))
    if match["point"] == ",":
        faults.append(_at(match, "point", Fault.COMMA_FRACTION))
    if match["minute"] is None:
        faults.append(_at(match, "time", Fault.HOUR_ONLY))
    hour, minute, second = (int(match[group] or 0) for group in ("hour", "minute", "second"))
    is_midnight = not (minute or second or (match["fraction"] or "").strip("0"))
    if hour > 24 or minute > 59 or second > 60 or (hour == 24 and not is_midnight):
        return [*faults, _at(match, "time", Fault.IMPOSSIBLE_TIME)], None
    if hour == 24:
        faults.append(_at(match, "hour", Fault.HOUR_24))
    if second == 60:
        faults.append(_at(match, "second", Fault.SECOND_60))
    if date is None:
        return faults, None
    seconds = second if match["second"] else None
    return faults, with_clock(date, hour, minute, seconds, match["fraction"])


def with_clock(
    date: DateReading, hour: int, minute: int, second: int | None, fraction: str | None = None
) -> DateReading | None:
    """The day with a time on it; hour 24 and second 60 roll over, unless that leaves the calendar."""
    if hour < 24 and (second is None or second < 60):
        return DateReading(date.year, date.month, date.day, hour, minute, second, fraction)
    try:
        instant = datetime(date.year, date.month or 1, date.day or 1)  # noqa: DTZ001 - wall clock, zone apart
        instant += timedelta(hours=hour, minutes=minute, seconds=second or 0)
    except (ValueError, OverflowError):
        return None
    rolled = None if second is None else instant.second
    return DateReading(instant.year, instant.month, instant.day, instant.hour, instant.minute, rolled, fraction)


def _read_zone(match: re.Match[str]) -> tuple[list[FaultAt], str | None]:
    written = match["zone"]
    has_time = match["time"] is not None
    if written is None and match["region"] is None:
        return ([_at(match, "time", Fault.NO_TIMEZONE)] if has_time else []), None
    faults = [_at(match, "gap", Fault.WHITESPACE)] if match["gap"] else []
    if not has_time:
        faults.append(FaultAt(Fault.DATE_WITH_TIMEZONE, match.end("date"), match.end()))
    if match["region"] is not None:
        faults.append(_at(match, "region", Fault.ZONE_NAME))
    if written is None:
        return faults, None
    fault, zone = read_offset(written)
    if fault:
        faults.append(_at(match, "zone", fault))
    if zone == "-00:00" or (zone and abs(offset_of(zone)) > LARGEST_OFFSET):
        faults.append(_at(match, "zone", Fault.OFFSET_RANGE))
    return faults, zone


def read_offset(written: str) -> tuple[Fault | None, str | None]:
    """What is wrong with an offset as written, and its right spelling if it has one."""
    if written == "Z":
        return None, "Z"
    if written == "z":
        return Fault.LOWER_CASE, "Z"
    if written[0] not in "+-":
        return Fault.ZONE_NAME, ("Z" if written.upper() in _UTC_NAMES else None)
    sign, digits = written[0], written[1:].replace(":", "")
    fault: Fault | None = None
    if len(digits) <= 2:
        fault, digits = Fault.OFFSET_HOUR_ONLY, f"{digits:0>2}00"
    elif ":" not in written:
        fault = Fault.OFFSET_WITHOUT_COLON
    elif len(digits) == 3:
        fault = Fault.MISSING_ZERO
    digits = f"{digits:0>4}"
    if int(digits[2:]) > 59:
        return Fault.OFFSET_RANGE, None
    return fault, f"{sign}{digits[:2]}:{digits[2:]}"


_MONTHS = ("jan", "feb", "mar", "apr", "may", "jun", "jul", "aug", "sep", "oct", "nov", "dec")
_WEEKDAYS = ("mon", "tue", "wed", "thu", "fri", "sat", "sun")
# RFC 822 section 5 gives these names a fixed offset; other names mean different things to different people.
_RFC822_ZONES = {
    "EST": "-05:00",
    "EDT": "-04:00",
    "CST": "-06:00",
    "CDT": "-05:00",
    "MST": "-07:00",
    "MDT": "-06:00",
    "PST": "-08:00",
    "PDT": "-07:00",
}
# A bare number is taken for a timestamp only where it lands between the first web page and the year 2100.
_FIRST_SECOND, _LAST_SECOND = 662_688_000, 4_102_444_800

_RFC822 = lazy_pattern(
    r"(?:(?P<weekday>[A-Za-z]{3})[A-Za-z]{0,6},?\s+)?"
    r"(?P<day>[0-9]{1,2})[\s-](?P<month>[A-Za-z]{3})[\s-](?P<year>[0-9]{2}|[0-9]{4})\s+"
    r"(?P<hour>[0-9]{1,2}):(?P<minute>[0-9]{2})(?::(?P<second>[0-9]{2}))?"
    r"(?:\s*(?P<zone>[+-][0-9]{2}:?[0-9]{2}|[A-Za-z]{1,4}))?"
)
_MONTH_NAMES = (
    *("january", "february", "march", "april", "may", "june", "july", "august", "september", "october", "november"),
    "december",
)
_MONTH_NAMED = lazy_pattern(
    r"(?:(?P<weekday>[A-Za-z]{3})[A-Za-z]{0,6},?\s+)?"
    r"(?:(?P<first>[A-Za-z]{3,9})\.?\s+(?P<day>[0-9]{1,2})(?:st|nd|rd|th)?,?"
    r"|(?P<day_first>[0-9]{1,2})(?:st|nd|rd|th)?\.?\s+(?P<second>[A-Za-z]{3,9})\.?,?)\s+(?P<year>[0-9]{4})"
)
_NUMBER = lazy_pattern(r"([0-9]{1,17})(?:\.([0-9]{1,9}))?")
_BASIC = lazy_pattern(
    r"([0-9]{4})([0-9]{2})([0-9]{2})"
    r"(?:[Tt ]?([0-9]{2})([0-9]{2})([0-9]{2})?(?:[.,]([0-9]+))?\s*([Zz]|[+-][0-9]{2}(?::?[0-9]{2})?)?)?"
)
_WEEK = lazy_pattern(r"([0-9]{4})-?[Ww]([0-9]{2})(?:-?([1-7]))?")
_ORDINAL = lazy_pattern(r"([0-9]{4})-?([0-9]{3})")
_DAY_AND_MONTH_FIRST = lazy_pattern(
    r"([0-9]{1,2})([-/.])\s?([0-9]{1,2})\2\s?([0-9]{4}|[0-9]{2})(?:,?[\sT].*)?", re.DOTALL
)
_WORD = lazy_pattern(r"[^\W\d_]{2,}")


def diagnose(text: str) -> DateDiagnosis:
    """Everything that is wrong with a text, and what it means where only one meaning is sane."""
    if not text:
        return DateDiagnosis((FaultAt(Fault.EMPTY, 0, 0),), None)
    for notation in _NOTATIONS:
        found = notation(text)
        if found is not None:
            return found
    return _whole(text, Fault.LOCALE_WORDS if _WORD.search(text) else Fault.OTHER)


def _whole(text: str, fault: Fault, reading: DateReading | None = None, *others: Fault) -> DateDiagnosis:
    return DateDiagnosis(tuple(FaultAt(each, 0, len(text)) for each in (fault, *others)), reading)


def _rfc822(text: str) -> DateDiagnosis | None:
    match = _RFC822.fullmatch(text)
    if match is None or match["month"].lower() not in _MONTHS:
        return None
    year, month, day = int(match["year"]), _MONTHS.index(match["month"].lower()) + 1, int(match["day"])
    others: tuple[Fault, ...] = ()
    if len(match["year"]) == 2:
        others = (Fault.TWO_DIGIT_YEAR,)
        year += 2000 if year < 50 else 1900  # RFC 5322, 4.3
    if year == 0 or not is_day(year, month, day):
        return _whole(text, Fault.RFC822, None, *others, Fault.IMPOSSIBLE_DATE)
    weekday = (match["weekday"] or "").lower()
    if weekday and weekday != _WEEKDAYS[date(year, month, day).weekday()]:
        return _whole(text, Fault.RFC822, None, *others)  # it names two different days
    hour, minute = int(match["hour"]), int(match["minute"])
    second = int(match["second"]) if match["second"] else None
    if hour > 23 or minute > 59 or (second or 0) > 60:
        return _whole(text, Fault.RFC822, None, *others, Fault.IMPOSSIBLE_TIME)
    written = match["zone"]
    zone = written and (_RFC822_ZONES.get(written.upper()) or read_offset(written)[1])
    if zone and abs(offset_of(zone)) > LARGEST_OFFSET:
        return _whole(text, Fault.RFC822, None, *others, Fault.OFFSET_RANGE)
    zone = "Z" if zone == "-00:00" else zone  # mail's way to say UTC, sender's own zone not told
    timed = with_clock(DateReading(year, month, day), hour, minute, second)
    reading = timed and msgspec.structs.replace(timed, zone=zone)
    return _whole(text, Fault.RFC822, reading, *others, *(() if zone else (Fault.NO_TIMEZONE,)))


def _month_named(text: str) -> DateDiagnosis | None:
    """`Feb 12, 2026` or `12 February 2026`: the name leaves no doubt about which number is the day."""
    match = _MONTH_NAMED.fullmatch(text)
    name = match and (match["first"] or match["second"]).lower()
    if match is None or not name or name[:3] not in _MONTHS or name not in (name[:3], "sept", *_MONTH_NAMES):
        return None
    year, month, day = int(match["year"]), _MONTHS.index(name[:3]) + 1, int(match["day"] or match["day_first"])
    if year == 0 or not is_day(year, month, day):
        return _whole(text, Fault.LOCALE_WORDS, None, Fault.IMPOSSIBLE_DATE)
    weekday = (match["weekday"] or "").lower()
    if weekday and weekday != _WEEKDAYS[date(year, month, day).weekday()]:
        return _whole(text, Fault.LOCALE_WORDS)
    return _whole(text, Fault.LOCALE_WORDS, DateReading(year, month, day))


def _number(text: str) -> DateDiagnosis | None:
    match = _NUMBER.fullmatch(text)
    if match is None:
        return None
    number, digits, fraction = int(match[1]), len(match[1]), match[2]
    if digits in {4, 5, 6, 7, 8, 14} or (digits == 12 and match[1][:2] in {"19", "20"}):
        return None
    if fraction is None and digits in {12, 13} and _FIRST_SECOND <= number // 1000 < _LAST_SECOND:
        number, millis = divmod(number, 1000)
        fraction = f"{millis:03d}" if millis else None
    elif not _FIRST_SECOND <= number < _LAST_SECOND:
        return _whole(text, Fault.UNIX_TIMESTAMP)
    at = datetime(1970, 1, 1, tzinfo=UTC) + timedelta(seconds=number)
    reading = DateReading(at.year, at.month, at.day, at.hour, at.minute, at.second, fraction, "Z")
    return _whole(text, Fault.UNIX_TIMESTAMP, reading)


def _basic(text: str) -> DateDiagnosis | None:
    """ISO 8601 without punctuation: put the punctuation in and look at that."""
    match = _BASIC.fullmatch(text)
    if match is None or (match[7] and not match[6]):
        return None
    year, month, day, hour, minute, second, fraction, zone = match.groups()
    extended = f"{year}-{month}-{day}"
    if hour:
        extended += f"T{hour}:{minute}" + (f":{second}" if second else "") + (f".{fraction}" if fraction else "")
        extended += (read_offset(zone)[1] or zone) if zone else ""
    found = diagnose_year_first(extended)
    if found is None:
        return _whole(text, Fault.BASIC_ISO)
    return _whole(text, Fault.BASIC_ISO, found.reading, *dict.fromkeys(each.fault for each in found.faults))


def _week(text: str) -> DateDiagnosis | None:
    match = _WEEK.fullmatch(text)
    if match is None:
        return None
    if match[3] is None:
        return _whole(text, Fault.WEEK_DATE)  # seven days, and the note has no form for that
    try:
        day = date.fromisocalendar(int(match[1]), int(match[2]), int(match[3]))
    except ValueError:
        return _whole(text, Fault.WEEK_DATE, None, Fault.IMPOSSIBLE_DATE)
    return _whole(text, Fault.WEEK_DATE, DateReading(day.year, day.month, day.day))


def _ordinal(text: str) -> DateDiagnosis | None:
    match = _ORDINAL.fullmatch(text)
    if match is None:
        return None
    year, number = int(match[1]), int(match[2])
    length = 366 if is_day(year, 2, 29) else 365
    if year == 0 or not 1 <= number <= length:
        return _whole(text, Fault.ORDINAL_DATE, None, Fault.IMPOSSIBLE_DATE)
    day = date.fromordinal(date(year, 1, 1).toordinal() + number - 1)
    return _whole(text, Fault.ORDINAL_DATE, DateReading(day.year, day.month, day.day))


def _day_and_month_first(text: str) -> DateDiagnosis | None:
    """Never read: whether the day or the month comes first depends on who wrote it."""
    match = _DAY_AND_MONTH_FIRST.fullmatch(text)
    if match is None:
        return None
    date_end = match.end(4)
    if len(match[4]) == 2:
        fault = Fault.TWO_DIGIT_YEAR
    elif int(match[1]) <= 12 and int(match[3]) <= 12:
        fault = Fault.DAY_MONTH_AMBIGUOUS
    else:
        fault = Fault.YEAR_LAST
    return DateDiagnosis((FaultAt(fault, 0, date_end),), None)


_NOTATIONS: tuple[Callable[[str], DateDiagnosis | None], ...] = (
    _number,
    diagnose_year_first,
    _basic,
    _week,
    _ordinal,
    _day_and_month_first,
    _rfc822,
    _month_named,
)


# A date or time as numbers → its W3C spelling, and the stretch of time it covers.

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


__all__ = ["DateForm", "DateReading", "Fault", "FaultAt", "Interval", "Moment"]

_PADDING = " \t\r\n"
# The six forms of the W3C note with every range but the length of the month, which needs the year.
_W3C = lazy_pattern(
    r"([0-9]{4})(?:-(0[1-9]|1[0-2])(?:-(0[1-9]|[12][0-9]|3[01])"
    r"(?:T(?:[01][0-9]|2[0-3]):[0-5][0-9](:[0-5][0-9](\.[0-9]+)?)?(Z|[+-][0-9]{2}:[0-5][0-9]))?)?)?"
)
_XSD = lazy_pattern(
    r"-?(?!0000-)([1-9][0-9]{4,}|[0-9]{4})-(0[1-9]|1[0-2])-(0[1-9]|[12][0-9]|3[01])"
    r"(?:T(?:(?:[01][0-9]|2[0-3]):[0-5][0-9]:[0-5][0-9](?:\.[0-9]+)?|24:00:00(?:\.0+)?))?"
    r"(?:Z|[+-](?:(?:0[0-9]|1[0-3]):[0-5][0-9]|14:00))?"
)
_GRAMMATICAL = frozenset({Fault.OFFSET_RANGE})
_OFFSET = lazy_pattern(r"Z|[+-](?:0[0-9]|1[0-4]):[0-5][0-9]")
# xsd:dateTime compares values without a zone as if it could be anywhere within this much of UTC.
_ANYWHERE = timedelta(minutes=LARGEST_OFFSET)


class Moment(Shown, msgspec.Struct, frozen=True, dict=True):
    """A date as written, at the precision written.

    `faults` lists every departure from the W3C note in the order of the text. An offset beyond ±14:00 and
    -00:00 are faults of a text that the note's grammar accepts, so `w3c_valid` holds for them; any other
    fault makes the form illegal. Whitespace around the text is a fact (`padded`), not a fault.
    """

    raw: str
    form: DateForm
    offset_minutes: int | None = None
    faults: tuple[FaultAt, ...] = ()

    @classmethod
    def parse(cls, raw: str) -> Moment:
        match = _W3C.fullmatch(raw)
        if match is None:
            return cls._parse_slowly(raw)
        year, month, day, seconds, fraction, zone = match.groups()
        if zone is None:
            if day is None:
                return cls(raw, DateForm.YEAR if month is None else DateForm.MONTH)
            form, offset = DateForm.DAY, None
        else:
            offset = 0 if zone == "Z" else offset_of(zone)
            if zone == "-00:00" or not -LARGEST_OFFSET <= offset <= LARGEST_OFFSET:
                return cls._parse_slowly(raw)
            form = DateForm.MINUTE if seconds is None else DateForm.SECOND if fraction is None else DateForm.FRACTION
        if day > "28" and int(day) > days_in_month(int(year), int(month)):
            return cls._parse_slowly(raw)
        return cls(raw, form, offset)

    @classmethod
    def _parse_slowly(cls, raw: str) -> Moment:
        text = raw.strip(_PADDING)
        found = diagnose(text)
        before = len(raw) - len(raw.lstrip(_PADDING)) if text else 0
        faults = tuple(each.shifted(before) for each in found.faults)
        zone = found.reading.zone if found.reading else None
        form = DateForm.ILLEGAL
        if found.reading and not found.reading.lacks_zone and {each.fault for each in faults} <= _GRAMMATICAL:
            form = found.reading.form
        return cls(raw, form, offset_of(zone) if zone else None, faults)

    def __str__(self) -> str:
        return self.raw

    def to_datetime(self) -> datetime | None:
        """The start of `interval`, in UTC; None where the meaning is not certain."""
        interval = self.interval()
        return None if interval is None else interval[0]

    @property
    def text(self) -> str:
        """What is written, without the whitespace around it."""
        return self.raw.strip(_PADDING)

    @property
    def padded(self) -> bool:
        return self.text != self.raw

    # legality

    @property
    def w3c_valid(self) -> bool:
        return self.form is not DateForm.ILLEGAL

    @property
    def xsd_valid(self) -> bool:
        """Accepted by the official schema, whose type is xsd:date or xsd:dateTime."""
        match = _XSD.fullmatch(self.text)
        if match is None:
            return False
        # leap years repeat every 400 years, so the last four digits decide for a year of any length
        year, month, day = int(match[1][-4:]), int(match[2]), int(match[3])
        return day <= days_in_month(year, month)

    @property
    def fault(self) -> Fault | None:
        """The first fault in the text."""
        return self.faults[0].fault if self.faults else None

    def has(self, fault: Fault) -> FaultAt | None:
        """The first place of the given fault."""
        return next((each for each in self.faults if each.fault is fault), None)

    # meaning

    @cached_property_unlocked
    def reading(self) -> DateReading | None:
        """What the text says, also where it says it in a wrong spelling; None where that is not certain."""
        if self.form is DateForm.DAY and len(self.raw) == len("2026-11-16") and not self.faults:
            return DateReading(int(self.raw[:4]), int(self.raw[5:7]), int(self.raw[8:]))
        return diagnose(self.text).reading

    @property
    def precision(self) -> DateForm | None:
        """How finely it tells the time, also where the spelling is wrong."""
        return self.reading.form if self.reading else None

    @property
    def timezone_known(self) -> bool:
        return self.offset_minutes is not None

    @property
    def suggestion(self) -> str | None:
        """The right spelling of an illegal text whose meaning is certain."""
        reading = self.reading
        if self.w3c_valid or reading is None or reading.lacks_zone or self.has(Fault.OFFSET_RANGE):
            return None
        return reading.spell()

    def with_timezone(self, offset: str) -> str | None:
        """The correct form once the offset is known; None if that is not what is missing."""
        if not _OFFSET.fullmatch(offset) or abs(offset_of(offset)) > LARGEST_OFFSET or offset == "-00:00":
            raise ValueError(f"{offset!r} is not a UTC offset: write Z, or a sign and hh:mm up to 14:00")
        if self.reading is None or not self.reading.lacks_zone or self.has(Fault.OFFSET_RANGE):
            return None
        return msgspec.structs.replace(self.reading, zone=offset).spell()

    def interval(self) -> Interval | None:
        """The half-open stretch of UTC it covers: a date is its whole day, a month its whole month.

        Where no zone is written the calendar is UTC's. None where the meaning is not certain.
        """
        return self.reading.interval() if self.reading else None

    def certain_interval(self) -> Interval | None:
        """Like `interval`, but where no zone is written widened by 14 hours each way to hold anywhere."""
        found = self.interval()
        if found is None or self.timezone_known:
            return found
        return moved(found[0], -_ANYWHERE), moved(found[1], _ANYWHERE)

    def is_after(self, instant: datetime) -> bool:
        """All it can mean lies after the instant (naive: UTC); False where the meaning is not certain."""
        found = self.certain_interval()
        if instant.tzinfo is None:
            instant = instant.replace(tzinfo=UTC)
        return found is not None and found[0] > instant

    def newer_than(self, other: Moment) -> bool:
        """No instant of this one lies before the end of the other.

        Two texts without a zone are taken to share one; against a text with a zone they could be anywhere.
        """
        same_clock = not (self.timezone_known or other.timezone_known)
        mine = self.interval() if same_clock else self.certain_interval()
        others = other.interval() if same_clock else other.certain_interval()
        return mine is not None and others is not None and mine[0] >= others[1]
