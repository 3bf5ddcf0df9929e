"""The current time: the system clock, unless `fixed` or SOURCE_DATE_EPOCH says another for a simulated run."""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from datetime import UTC, datetime

_fixed: ContextVar[datetime | None] = ContextVar("fixed", default=None)


@contextmanager
def fixed(moment: datetime) -> Iterator[None]:
    """`now` returns this moment inside the block."""
    token = _fixed.set(moment)
    try:
        yield
    finally:
        _fixed.reset(token)


def now() -> datetime:
    chosen = _fixed.get()
    if chosen is not None:
        return chosen
    fixed = os.environ.get("SOURCE_DATE_EPOCH", "")
    return datetime.fromtimestamp(int(fixed), UTC) if fixed.isdigit() else datetime.now(UTC)


def set_back(now: datetime, before: str | None, what: str) -> str | None:
    """A message if an earlier run is later than the clock; None otherwise.

    All dates are compared with the clock. If it was set back, correct dates appear to be in the future.
    """
    if before is None or aware(now) >= aware(datetime.fromisoformat(before)):
        return None
    times = [aware(each).strftime("%Y-%m-%dT%H:%M:%SZ") for each in (now, datetime.fromisoformat(before))]
    return f"the clock was set back: it is {times[0]}, but the last {what} started at {times[1]}"


def aware(moment: datetime) -> datetime:
    """In UTC, which is also assumed for a time without an offset."""
    return moment.replace(tzinfo=UTC) if moment.tzinfo is None else moment.astimezone(UTC)
