"""The time and waiting for it, in one value, which tests replace to run three days in seconds."""

from __future__ import annotations

import threading
from datetime import UTC, datetime
from typing import Protocol


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
