"""Alerts that wait → sent once on each channel, in their order; what fails waits longer each time."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from datetime import datetime, timedelta
from itertools import groupby

from urlset.watching.channels import AlertChannel
from urlset.watching.store import Pending, WatchStore

_FIRST_WAIT = timedelta(seconds=30)
_LONGEST_WAIT = timedelta(hours=1)


class Outbox:
    """Written before and after each delivery: a kill in between repeats that one delivery, with the same id."""

    def __init__(
        self, store: WatchStore, channels: Sequence[AlertChannel], complain: Callable[[str], None] = lambda _line: None
    ) -> None:
        self._store, self._channels, self._complain = store, channels, complain
        self._taken: dict[str, set[int]] = {}
        """delivered by this process, where the disk was too full to note it"""

    @property
    def names(self) -> list[str]:
        return [channel.name for channel in self._channels]

    def deliver(self, now: datetime, *, eager: bool = False) -> int:
        """Send what may be sent; gives the number of alerts that were not taken. Raises StateError.

        `eager`: also what failed a moment ago.
        """
        return sum(self._drain(channel, now, eager=eager) for channel in self._channels)

    def next_time(self) -> str | None:
        return self._store.next_delivery(self.names)

    def _drain(self, channel: AlertChannel, now: datetime, *, eager: bool) -> int:
        waiting = self._store.pending(channel.name, now, eager=eager)
        sent = 0
        for batch in _batches(waiting, together=channel.together):
            numbers = [each.number for each in batch]
            if not self._send(channel, batch, now):
                again = now + min(_FIRST_WAIT * 2 ** min(batch[0].tries, 10), _LONGEST_WAIT)
                self._store.refused(channel.name, numbers, self._error, again)
                self._complain(f"{channel.name}: not delivered, tried again later: {self._error}")
                break  # later ones would overtake it
            sent += len(batch)
        return len(waiting) - sent

    def _send(self, channel: AlertChannel, batch: Sequence[Pending], now: datetime) -> bool:
        numbers = [each.number for each in batch]
        taken = self._taken.setdefault(channel.name, set())
        self._error = ""
        if not taken.issuperset(numbers):
            self._store.claim(channel.name, numbers, now)
            self._error = channel.send([each.alert for each in batch])
            if self._error:
                return False
            taken.update(numbers)
        self._store.delivered(channel.name, numbers, now)
        taken.difference_update(numbers)
        return True


def _batches(waiting: Sequence[Pending], *, together: bool) -> Iterator[list[Pending]]:
    if not together:
        yield from ([each] for each in waiting)
        return
    for _, batch in groupby(waiting, key=lambda each: each.run):
        yield list(batch)
