"""What people write about snapshots → values: which to keep, how much may differ, and points in time."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from datetime import UTC, datetime, timedelta

import msgspec

# `keep 7 daily, 4 weekly, 12 monthly`: which snapshots stay.

_PART = re.compile(r"(\d{1,6})\s+(hourly|daily|weekly|monthly|yearly|latest)")
_PERIODS: dict[str, Callable[[datetime], object]] = {
    "latest": lambda moment: moment,
    "hourly": lambda moment: (moment.date(), moment.hour),
    "daily": lambda moment: moment.date(),
    "weekly": lambda moment: moment.isocalendar()[:2],
    "monthly": lambda moment: (moment.year, moment.month),
    "yearly": lambda moment: moment.year,
}
DEFAULT_RETENTION = "keep 7 daily, 4 weekly, 12 monthly"
KEEP_ALL = "keep all"
RECENT = timedelta(days=1)


class Retention(msgspec.Struct, frozen=True):
    """How many periods of each length keep their last snapshot. Those of the last day always stay."""

    keep: tuple[tuple[str, int], ...]
    everything: bool = False

    @classmethod
    def parse(cls, text: str) -> Retention:
        """Raises ValueError."""
        words = text.strip().lower().removeprefix("keep").strip()
        if words == "all":
            return cls((), everything=True)
        parts = [_PART.fullmatch(each.strip()) for each in words.split(",")]
        keep = tuple((found[2], int(found[1])) for found in parts if found is not None)
        if not keep or len(keep) != len(parts):
            raise ValueError(f"{text!r} is not a policy like {DEFAULT_RETENTION!r} or {KEEP_ALL!r}")
        return cls(keep)

    def kept(self, moments: Sequence[datetime]) -> set[datetime]:
        """The last snapshot of each of the latest periods that have one."""
        newest_first = sorted(moments, reverse=True)
        if self.everything:
            return set(newest_first)
        kept = {moment for moment in newest_first if newest_first[0] - moment < RECENT}
        for period, count in self.keep:
            last: dict[object, datetime] = {}
            for moment in newest_first:
                last.setdefault(_PERIODS[period](moment), moment)
            kept.update(list(last.values())[:count])
        return kept


# `1%` or `25`: how many URLs may differ.

_LIMIT = re.compile(r"(\d+(?:\.\d+)?)\s*(%?)")


class Limit(msgspec.Struct, frozen=True):
    """A share of the URLs of the old state, or a number of URLs."""

    text: str
    number: float
    is_share: bool

    @classmethod
    def parse(cls, text: str) -> Limit:
        """Raises ValueError."""
        found = _LIMIT.fullmatch(text.strip())
        if found is None or (found[2] and float(found[1]) > 100) or (not found[2] and "." in found[1]):
            raise ValueError(f"{text!r} is neither a number of URLs nor a percentage like 1%")
        return cls(text.strip(), float(found[1]), bool(found[2]))

    def exceeded(self, count: int, total: int) -> bool:
        if self.is_share:
            return count * 100 > self.number * total if total else count > 0
        return count > self.number


# `yesterday`, `7d`, `2026-11-01`, `latest`: a point in time, whose end in UTC counts.

LATEST = "latest"
PREVIOUS = "previous"
_AGO = re.compile(r"(\d{1,5})\s*(m|min|minutes?|h|hours?|d|days?|w|weeks?)(?:\s*ago)?", re.IGNORECASE)
_UNITS = {"m": "minutes", "h": "hours", "d": "days", "w": "weeks"}
_DAYS = {"today": 0, "yesterday": 1}
MOMENT_HELP = "write yesterday, 7d, 12h, 2026-11-01, 2026-11-01T12:00, latest or previous"


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
