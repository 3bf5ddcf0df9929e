"""What people call a point in time → the end of that moment in UTC: yesterday, 7d, 2026-11-01, latest."""

from __future__ import annotations

import re
from datetime import UTC, datetime, timedelta

LATEST = "latest"
PREVIOUS = "previous"
_AGO = re.compile(r"(\d{1,5})\s*(m|min|minutes?|h|hours?|d|days?|w|weeks?)(?:\s*ago)?", re.IGNORECASE)
_UNITS = {"m": "minutes", "h": "hours", "d": "days", "w": "weeks"}
_DAYS = {"today": 0, "yesterday": 1}
HELP = "write yesterday, 7d, 12h, 2026-11-01, 2026-11-01T12:00, latest or previous"


def end_of(text: str, now: datetime) -> datetime | None:
    """The last instant that counts; None for a value that is not a time."""
    words = text.strip().lower()
    if words in _DAYS:
        return _end_of_day(now - timedelta(days=_DAYS[words]))
    found = _AGO.fullmatch(words)
    if found is not None:
        return now - timedelta(**{_UNITS[found[2][0]]: int(found[1])})
    try:
        moment = datetime.fromisoformat(text.strip())
    except ValueError:
        return None
    if moment.tzinfo is None:
        moment = moment.replace(tzinfo=UTC)
    return _end_of_day(moment) if len(text.strip()) <= 10 else moment.astimezone(UTC)


def is_moment(text: str, now: datetime) -> bool:
    return text.strip().lower() in (LATEST, PREVIOUS) or end_of(text, now) is not None


def _end_of_day(moment: datetime) -> datetime:
    return moment.astimezone(UTC).replace(hour=23, minute=59, second=59, microsecond=999_999)
