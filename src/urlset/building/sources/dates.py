"""A date as a source gives it → a legal lastmod that says no more than the source did."""

from __future__ import annotations

from datetime import UTC, date, datetime

from urlset.model.moment import Fault, Moment
from urlset.spec.lazy_pattern import lazy_pattern

# The two usual shapes, quickly; days that not every month has are left to Moment.
_USUAL = lazy_pattern(
    r"[0-9]{4}-(?:0[1-9]|1[0-2])-(?:0[1-9]|1[0-9]|2[0-8])"
    r"(?:T(?:[01][0-9]|2[0-3]):[0-5][0-9]:[0-5][0-9](?:\.[0-9]{1,9})?(?:Z|\+(?:0[0-9]|1[0-3]):[0-5][0-9]))?"
)
_SECONDS = range(10**8, 10**10)
_MILLISECONDS = range(10**11, 10**13)


class DateError(ValueError):
    """A value that is not a date, or is ambiguous."""


def to_lastmod(value: object, timezone: str | None = None) -> str | None:
    """None for nothing. A time without a zone gets `timezone`, or is kept to the day. Raises DateError."""
    if isinstance(value, str):
        return value if _USUAL.fullmatch(value) else _from_text(value, timezone)
    if value is None:
        return None
    if isinstance(value, datetime):
        if value.tzinfo is None:
            return f"{value.isoformat(timespec='seconds')}{timezone}" if timezone else value.date().isoformat()
        return value.isoformat(timespec="seconds").replace("+00:00", "Z")
    if isinstance(value, date):
        return value.isoformat()
    if isinstance(value, (int, float)) and not isinstance(value, bool):
        return _from_number(value)
    raise DateError(f"{value!r} is not a date")


def _from_text(value: str, timezone: str | None) -> str | None:
    text = value.strip()
    if not text:
        return None
    moment = Moment.parse(text)
    if moment.w3c_valid and not moment.faults:
        return text
    found = moment.suggestion or (moment.with_timezone(timezone) if timezone else None)
    if found is None and moment.reading is not None and moment.reading.lacks_zone:
        found = moment.reading.spell()[:10]
    if found is None:
        ambiguous = moment.has(Fault.DAY_MONTH_AMBIGUOUS) or moment.has(Fault.TWO_DIGIT_YEAR)
        raise DateError(f"{text[:80]!r} is {'an ambiguous' if ambiguous else 'not a'} date")
    return found


def _from_number(value: float) -> str:
    whole = int(value) if value == value and abs(value) < 10**15 else 0  # noqa: PLR0124 - not NaN
    if whole in _MILLISECONDS:
        whole //= 1000
    if whole not in _SECONDS:
        raise DateError(f"{value!r} is not a date: a number must be a Unix time in seconds or milliseconds")
    return datetime.fromtimestamp(whole, UTC).strftime("%Y-%m-%dT%H:%M:%SZ")
