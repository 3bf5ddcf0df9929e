"""The requests a test server saw → how many were under way at once, and the gaps between them."""

from __future__ import annotations

import time
from collections import Counter
from collections.abc import Iterable, Sequence

from urlset.testing.exchange import Request


def most_at_once(requests: Iterable[Request]) -> int:
    """The largest number of requests that were under way at one moment."""
    now = time.monotonic()
    # an end sorts before a start of the same moment: they did not overlap
    changes = sorted(
        change
        for request in list(requests)
        for change in ((request.started, 1), (now if request.ended is None else request.ended, -1))
    )
    most = under_way = 0
    for _, step in changes:
        under_way += step
        most = max(most, under_way)
    return most


def gaps(requests: Iterable[Request]) -> list[float]:
    """Seconds from the end of everything earlier to the start of each next request; below 0 where they overlap."""
    now = time.monotonic()
    found: list[float] = []
    latest: float | None = None
    for request in sorted(requests, key=lambda each: each.started):
        if latest is not None:
            found.append(request.started - latest)
        ended = now if request.ended is None else request.ended
        latest = ended if latest is None else max(latest, ended)
    return found


class Logged:
    """What can be asked of a log, wherever it is kept."""

    log: Sequence[Request]

    @property
    def most_at_once(self) -> int:
        return most_at_once(self.log)

    def gaps(self, host: str | None = None) -> list[float]:
        """Of all requests, or of those to one host."""
        return gaps(self.seen(host=host))

    def seen(self, path: str | None = None, host: str | None = None) -> list[Request]:
        return [
            each
            for each in list(self.log)
            if (path is None or each.path == path) and (host is None or each.host == host)
        ]

    def paths(self) -> list[str]:
        """Every requested path, in order, with its query."""
        return [each.target for each in list(self.log)]

    def counts(self) -> Counter[str]:
        """How often each target was requested."""
        return Counter(self.paths())
