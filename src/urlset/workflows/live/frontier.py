"""Addresses of sitemaps as they are met → each one once, in the order listed, up to a limit."""

from __future__ import annotations

from collections import deque
from collections.abc import Iterator

import msgspec

from urlset.model.address_key import key_of
from urlset.workflows.live.discover import Lead
from urlset.workflows.live.harvest import Arrival


class QueuedSitemap(msgspec.Struct, frozen=True):
    """One sitemap to be fetched, and who named it."""

    number: int
    url: str
    index: QueuedSitemap | None = None
    """the index that lists it"""
    robots_txt: str | None = None
    """the robots.txt that names it"""
    row: int | None = None
    arrival: Arrival | None = None
    """where it was fetched already, to find out what it is"""

    @property
    def depth(self) -> int:
        return 0 if self.index is None else self.index.depth + 1

    @property
    def parent(self) -> str | None:
        """By the name findings use."""
        return self.index.url if self.index is not None else self.robots_txt

    def lineage(self) -> Iterator[str]:
        """Its own address and those of the indexes above it."""
        node: QueuedSitemap | None = self
        while node is not None:
            yield node.url
            node = node.index


class SitemapQueue:
    """What is still to be fetched, and what was met before."""

    def __init__(self, most: int) -> None:
        self._most = most
        self._asked: set[str] = set()
        self._ended_at: set[str] = set()
        self._children: dict[int, list[int]] = {}
        self._starts: list[int] = []
        self._waiting: deque[QueuedSitemap] = deque()
        self.count = 0
        self.beyond = 0
        """addresses left out because there are too many"""

    def __len__(self) -> int:
        return len(self._waiting)

    def start(self, lead: Lead) -> None:
        self._add(lead.url, None, lead.robots_txt, lead.row, lead.arrival)

    def child(self, url: str, index: QueuedSitemap, row: int) -> None:
        self._add(url, index, None, row, None)

    def _add(
        self, url: str, index: QueuedSitemap | None, robots_txt: str | None, row: int | None, arrival: Arrival | None
    ) -> None:
        key = key_of(url)
        if key in self._asked:
            return
        if self.count >= self._most:
            self.beyond += 1
            return
        self._asked.add(key)
        node = QueuedSitemap(self.count, url, index, robots_txt, row, arrival)
        self.count += 1
        self._children[node.number] = []
        (self._starts if index is None else self._children[index.number]).append(node.number)
        self._waiting.append(node)

    def knows(self, url: str) -> bool:
        """Whether it was met before."""
        return key_of(url) in self._asked

    def next(self) -> QueuedSitemap:
        return self._waiting.popleft()

    def ends_anew(self, final_url: str) -> bool:
        """Whether no other address led to this one before: redirects can make a circle or a copy."""
        key = key_of(final_url)
        if key in self._ended_at:
            return False
        self._ended_at.add(key)
        return True

    def in_order(self) -> Iterator[int]:
        """All numbers, an index before its children."""
        stack = self._starts[::-1]
        while stack:
            number = stack.pop()
            yield number
            stack += self._children[number][::-1]
