"""What time is it? The machine's clock, unless SOURCE_DATE_EPOCH fixes it for reproducible runs."""

from __future__ import annotations

import os
from datetime import UTC, datetime


def now() -> datetime:
    fixed = os.environ.get("SOURCE_DATE_EPOCH", "")
    return datetime.fromtimestamp(int(fixed), UTC) if fixed.isdigit() else datetime.now(UTC)


def set_back(now: datetime, before: str | None, what: str) -> str | None:
    """What is to be said where an earlier run is later than the clock; None where it is not.

    Every date is judged by the clock, and one that was set back makes dates that were right lie in the future.
    """
    if before is None or aware(now) >= aware(datetime.fromisoformat(before)):
        return None
    times = [aware(each).strftime("%Y-%m-%dT%H:%M:%SZ") for each in (now, datetime.fromisoformat(before))]
    return f"the clock was set back: it is {times[0]}, and the last {what} began at {times[1]}"


def aware(moment: datetime) -> datetime:
    """In UTC, which is also what a time without an offset is meant in."""
    return moment.replace(tzinfo=UTC) if moment.tzinfo is None else moment.astimezone(UTC)
