"""Pages in the order of their listing → one queue for each host, so a slow host does not delay others."""

from __future__ import annotations

from collections import Counter, deque

from urlset.auditing.sections import path_shape
from urlset.auditing.store import PendingUrl
from urlset.reading.host_robots import origin_of

NO_HOST = ""


class HostQueue:
    """The pages of one scheme, host and port that come next, and how the host has been behaving."""

    __slots__ = (
        "blocked",
        "blocked_shapes",
        "closed",
        "failed_again",
        "given",
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
        self.queue: deque[PendingUrl] = deque()
        self.running = 0
        self.given = 0
        """pages handed out in this run"""
        self.is_ready = False
        self.blocked = 0
        """requests in a row by which the host blocked the crawler"""
        self.blocked_shapes: set[str] = set()
        """the shapes of their paths"""
        self.closed: set[str] = set()
        """shapes of paths that are no longer requested: a part of the site that keeps us out"""
        self.was_blocked = False
        """it blocked the crawler at least once"""
        self.failed_again: Counter[str] = Counter()
        """by how they failed first: pages in a row for which a second try did not help"""
        self.tried = 0
        self.shut = False
        """it is not asked any more"""

    @property
    def is_free(self) -> bool:
        return bool(self.queue) and self.running < self.limit


class HostQueues:
    """Hands out pages, to no host more at a time than its limit; hosts take turns."""

    def __init__(self, limit: int, budget: int | None = None) -> None:
        self._limit, self._budget = limit, budget
        self.over_budget = False
        """pages are left of a host that had all its budget allows"""
        self._queues: dict[str, HostQueue] = {}
        self._ready: deque[HostQueue] = deque()
        self.queued = 0
        self.running = 0

    @property
    def ready(self) -> bool:
        """Some host may be asked now."""
        return bool(self._ready)

    def queue_of(self, url: str) -> HostQueue:
        origin = origin_of(url) or NO_HOST
        host_queue = self._queues.get(origin)
        if host_queue is None:
            host_queue = self._queues[origin] = HostQueue(origin, self._limit)
        return host_queue

    def add(self, page: PendingUrl) -> bool:
        """False where the host, or that part of it, gets no more requests."""
        host_queue = self.queue_of(page.url)
        if host_queue.shut or (host_queue.closed and path_shape(page.url) in host_queue.closed):
            return False
        if self._budget is not None and host_queue.given + len(host_queue.queue) >= self._budget:
            self.over_budget = True
            return False
        host_queue.queue.append(page)
        self.queued += 1
        self._offer(host_queue)
        return True

    def take(self) -> tuple[HostQueue, PendingUrl] | None:
        """None when there is nothing, or every host is busy."""
        while self._ready:
            host_queue = self._ready.popleft()
            host_queue.is_ready = False
            if not host_queue.is_free:
                continue
            page = host_queue.queue.popleft()
            host_queue.given += 1
            host_queue.running += 1
            self.queued -= 1
            self.running += 1
            self._offer(host_queue)
            return host_queue, page
        return None

    def done(self, host_queue: HostQueue) -> None:
        host_queue.running -= 1
        self.running -= 1
        self._offer(host_queue)

    def shut(self, host_queue: HostQueue) -> None:
        """What was queued for the host is let go: the store still knows it."""
        host_queue.shut = True
        self.queued -= len(host_queue.queue)
        host_queue.queue.clear()

    def close(self, host_queue: HostQueue, shape: str) -> None:
        """The same for a part of a host."""
        host_queue.closed.add(shape)
        left = [page for page in host_queue.queue if path_shape(page.url) != shape]
        self.queued -= len(host_queue.queue) - len(left)
        host_queue.queue = deque(left)

    def reopen(self) -> list[str]:
        """Every host gets another chance, those that blocked one request at a time; the origins that were shut."""
        shut = [host_queue.origin for host_queue in self._queues.values() if host_queue.shut]
        for host_queue in self._queues.values():
            if host_queue.was_blocked:
                host_queue.limit = 1
            host_queue.shut = False
            host_queue.blocked = 0
            host_queue.blocked_shapes.clear()
            host_queue.closed.clear()
            host_queue.tried = 0
        return shut

    def _offer(self, host_queue: HostQueue) -> None:
        if not host_queue.is_ready and host_queue.is_free:
            host_queue.is_ready = True
            self._ready.append(host_queue)
