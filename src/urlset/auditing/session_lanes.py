"""Pages in the order of their listing → one queue for each host, so that a slow host holds up no other."""

from __future__ import annotations

from collections import deque

from urlset.auditing.store import Waiting
from urlset.reading.host_robots import origin_of

NO_HOST = ""


class Lane:
    """The pages of one scheme, host and port that come next, and how the host has been behaving."""

    __slots__ = ("blocked", "is_ready", "limit", "origin", "queue", "running", "shut", "tried")

    def __init__(self, origin: str, limit: int) -> None:
        self.origin = origin
        self.limit = limit
        self.queue: deque[Waiting] = deque()
        self.running = 0
        self.is_ready = False
        self.blocked = 0
        """answers in a row by which the host kept us out"""
        self.tried = 0
        self.shut = False
        """it is not asked any more"""

    @property
    def is_free(self) -> bool:
        return bool(self.queue) and self.running < self.limit


class Lanes:
    """Hands out pages, to no host more at a time than its limit; hosts take turns."""

    def __init__(self, limit: int) -> None:
        self._limit = limit
        self._lanes: dict[str, Lane] = {}
        self._ready: deque[Lane] = deque()
        self.queued = 0
        self.running = 0

    def lane_of(self, url: str) -> Lane:
        origin = origin_of(url) or NO_HOST
        lane = self._lanes.get(origin)
        if lane is None:
            lane = self._lanes[origin] = Lane(origin, self._limit)
        return lane

    def add(self, page: Waiting) -> bool:
        """False where the host is not asked any more."""
        lane = self.lane_of(page.url)
        if lane.shut:
            return False
        lane.queue.append(page)
        self.queued += 1
        self._offer(lane)
        return True

    def take(self) -> tuple[Lane, Waiting] | None:
        """None when there is nothing, or every host is busy."""
        while self._ready:
            lane = self._ready.popleft()
            lane.is_ready = False
            if not lane.is_free:
                continue
            page = lane.queue.popleft()
            lane.running += 1
            self.queued -= 1
            self.running += 1
            self._offer(lane)
            return lane, page
        return None

    def done(self, lane: Lane) -> None:
        lane.running -= 1
        self.running -= 1
        self._offer(lane)

    def shut(self, lane: Lane) -> None:
        """What was queued for the host is let go: the store still knows it."""
        lane.shut = True
        self.queued -= len(lane.queue)
        lane.queue.clear()

    def reopen(self) -> list[str]:
        """Every host gets another chance, one request at a time; the origins of those that were shut."""
        shut = [lane.origin for lane in self._lanes.values() if lane.shut]
        for lane in self._lanes.values():
            lane.shut = False
            lane.blocked = 0
            lane.tried = 0
        return shut

    def _offer(self, lane: Lane) -> None:
        if not lane.is_ready and lane.is_free:
            lane.is_ready = True
            self._ready.append(lane)
