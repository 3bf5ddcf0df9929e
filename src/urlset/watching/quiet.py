"""`22:00-07:00` → the time at which a message may be sent."""

from __future__ import annotations

import re
from datetime import UTC, datetime, time, timedelta, tzinfo
from typing import Self

import msgspec

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
