"""Pages in the order of their listing → one queue for each host, so that a slow host holds up no other."""

from __future__ import annotations

from collections import Counter, deque

from urlset.auditing.path_shape import path_shape
from urlset.auditing.store import Waiting
from urlset.reading.host_robots import origin_of

NO_HOST = ""


class Lane:
    """The pages of one scheme, host and port that come next, and how the host has been behaving."""

    __slots__ = (
        "blocked",
        "blocked_shapes",
        "closed",
        "failed_again",
        "is_ready",
        "limit",
        "origin",
        "queue",
        "running",
        "shut",
        "tried",
        "was_blocked",
    )

    def __init__(self, origin: str, limit: int) -> None:
        self.origin = origin
        self.limit = limit
        self.queue: deque[Waiting] = deque()
        self.running = 0
        self.is_ready = False
        self.blocked = 0
        """requests in a row by which the host kept us out"""
        self.blocked_shapes: set[str] = set()
        """the shapes of their paths"""
        self.closed: set[str] = set()
        """shapes of paths that are not asked for any more: a part of the site that keeps us out"""
        self.was_blocked = False
        """it kept us out at least once"""
        self.failed_again: Counter[str] = Counter()
        """by how they failed first: pages in a row for which a second try did not help"""
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

    @property
    def ready(self) -> bool:
        """Some host may be asked now."""
        return bool(self._ready)

    def lane_of(self, url: str) -> Lane:
        origin = origin_of(url) or NO_HOST
        lane = self._lanes.get(origin)
        if lane is None:
            lane = self._lanes[origin] = Lane(origin, self._limit)
        return lane

    def add(self, page: Waiting) -> bool:
        """False where the host, or that part of it, is not asked any more."""
        lane = self.lane_of(page.url)
        if lane.shut or (lane.closed and path_shape(page.url) in lane.closed):
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

    def close(self, lane: Lane, shape: str) -> None:
        """The same for a part of a host."""
        lane.closed.add(shape)
        left = [page for page in lane.queue if path_shape(page.url) != shape]
        self.queued -= len(lane.queue) - len(left)
        lane.queue = deque(left)

    def reopen(self) -> list[str]:
        """Every host gets another chance, those that blocked one request at a time; the origins that were shut."""
        shut = [lane.origin for lane in self._lanes.values() if lane.shut]
        for lane in self._lanes.values():
            if lane.was_blocked:
                lane.limit = 1
            lane.shut = False
            lane.blocked = 0
            lane.blocked_shapes.clear()
            lane.closed.clear()
            lane.tried = 0
        return shut

    def _offer(self, lane: Lane) -> None:
        if not lane.is_ready and lane.is_free:
            lane.is_ready = True
            self._ready.append(lane)
