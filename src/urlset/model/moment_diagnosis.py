"""A date that may be misspelled → what it means, and everything that is wrong with how it is written."""

from __future__ import annotations

import re
from datetime import datetime, timedelta

import msgspec

from urlset.model.moment_fault import Fault, FaultAt
from urlset.model.moment_reading import DateReading, is_day, offset_of
from urlset.spec.lazy_pattern import lazy_pattern


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
