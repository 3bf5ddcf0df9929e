"""`every 15m`, a cron expression or `off` → when a job runs next."""

from __future__ import annotations

import re
import threading
from collections.abc import Iterator
from datetime import UTC, datetime, time, timedelta, tzinfo
from typing import Protocol, Self

import msgspec

from urlset.model.frames import library

OFF = "off"
_UNITS = {"s": 1, "m": 60, "h": 3_600, "d": 86_400, "w": 604_800}
_PART = re.compile(r"(\d+)\s*([smhdw])[a-z]*\s*", re.IGNORECASE)
_LEAST = timedelta(seconds=30)
HELP = "write `every 15m`, `every 6h`, `daily`, a cron expression such as `0 6 * * *`, or `off`"
_NAMES = {"hourly": "every 1h", "daily": "every 1d", "weekly": "every 7d"}


def parse_duration(text: str) -> timedelta:
    """`90s`, `15m`, `1h30m`, `7d`; raises ValueError."""
    found = _PART.findall(text)
    if text.strip() == "0":
        return timedelta(0)
    if not found or _PART.sub("", text).strip():
        raise ValueError(f"{text!r} is not a time like 90s, 15m, 6h or 7d")
    try:
        return sum((timedelta(seconds=int(number) * _UNITS[unit.lower()]) for number, unit in found), timedelta(0))
    except OverflowError:
        raise ValueError(f"{text!r} is too long") from None


class Schedule(msgspec.Struct, frozen=True):
    text: str
    every: timedelta | None = None
    cron: str | None = None

    @classmethod
    def parse(cls, text: str) -> Self:
        """Raises ValueError, and NotInstalledError for cron syntax without its library."""
        words = _NAMES.get(text.strip().lower(), text.strip())
        if words.lower() in (OFF, ""):
            return cls(OFF)
        if words.lower().startswith("every "):
            every = parse_duration(words[6:])
            if every < _LEAST:
                raise ValueError(f"{text!r} is too often: at least {_LEAST.seconds} seconds")
            return cls(words, every=every)
        if len(words.split()) not in (5, 6):
            raise ValueError(f"{text!r} is not a schedule; {HELP}")
        _cron(words, datetime.now(UTC))
        return cls(words, cron=words)

    @property
    def is_off(self) -> bool:
        return self.every is None and self.cron is None

    def next_after(self, last: datetime | None, now: datetime, zone: tzinfo) -> datetime:
        """Never before `now`: what was missed while the machine slept runs once, not once for each time."""
        if self.cron is not None:
            return next(_cron(self.cron, now.astimezone(zone))).astimezone(UTC)
        assert self.every is not None
        if last is None or last > now:
            return now
        missed = (now - last) // self.every
        return last + self.every * (missed + 1)


def _cron(expression: str, start: datetime) -> Iterator[datetime]:
    cronsim = library("cronsim", "seo", "a cron expression")
    try:
        times: Iterator[datetime] = cronsim.CronSim(expression, start)
        return times
    except cronsim.CronSimError as error:
        raise ValueError(f"{expression!r} is not a cron expression: {str(error).lower()}") from None


# `22:00-07:00` → the time at which a message may be sent.

_HOURS = re.compile(r"\s*(\d{1,2}):(\d{2})\s*-\s*(\d{1,2}):(\d{2})\s*")


class QuietHours(msgspec.Struct, frozen=True):
    start: time
    end: time

    @classmethod
    def parse(cls, text: str) -> Self:
        """Raises ValueError."""
        found = _HOURS.fullmatch(text)
        try:
            if found is None:
                raise ValueError  # noqa: TRY301 - one message for all that is wrong
            hours = [int(part) for part in found.groups()]
            start, end = time(hours[0], hours[1]), time(hours[2], hours[3])
        except ValueError:
            raise ValueError(f"{text!r} is not a span of time like 22:00-07:00") from None
        if start == end:
            raise ValueError(f"{text!r} is a whole day: no alert would ever be sent")
        return cls(start, end)

    def end_of(self, now: datetime, zone: tzinfo) -> datetime:
        """`now`, or the end of the quiet hours it falls into."""
        local = now.astimezone(zone)
        at = local.time()
        inside = self.start <= at < self.end if self.start < self.end else at >= self.start or at < self.end
        if not inside:
            return now
        end = datetime.combine(local.date(), self.end, zone)
        if end <= local:
            end = datetime.combine(local.date() + timedelta(days=1), self.end, zone)
        return end.astimezone(UTC)


# The time and waiting for it, in one value, which tests replace to run three days in seconds.


class Clock(Protocol):
    def now(self) -> datetime:
        """In UTC."""

    def wait_until(self, moment: datetime) -> None:
        """Return at that time, or earlier when there is a reason to look again."""


class SystemClock:
    """Waits in short pieces: after the machine slept or its clock was set, the new time counts at once."""

    longest = 30.0

    def __init__(self) -> None:
        self._stop = threading.Event()

    def now(self) -> datetime:
        return datetime.now(UTC)

    def wait_until(self, moment: datetime) -> None:
        seconds = (moment - self.now()).total_seconds()
        self._stop.wait(min(max(seconds, 0.0), self.longest))

    def stop(self) -> None:
        """Wake up now; for signal handlers."""
        self._stop.set()

    @property
    def stopped(self) -> bool:
        return self._stop.is_set()
