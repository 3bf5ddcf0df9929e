"""An iterable without a key → its shards: one, or a power of two chosen by a hash of each address."""

from __future__ import annotations

import time
from collections.abc import Callable
from hashlib import blake2b

import msgspec

from urlset.building.entry_lines import EntryLines, Page
from urlset.building.render import newest_of
from urlset.integrations.calls import Each, Steps
from urlset.integrations.keyed import Tally
from urlset.integrations.plan import PlannedShard, ServingPlan, with_modified
from urlset.integrations.sections import ServedSection, bucket_of
from urlset.spec.protocol import MAX_BYTES

_ROOM = 0.8
"""how full shards are made: no hash is perfectly even, and more pages will come"""


class _Bucket:
    """What is known of one shard while the pages pass by."""

    def __init__(self) -> None:
        self.count = self.size = self.digest = 0
        self.latest: str | None = None

    def add(self, line: bytes) -> None:
        self.count += 1
        self.size += len(line)
        # order does not matter: a database without ORDER BY gives the same rows in another one
        self.digest += int.from_bytes(blake2b(line, digest_size=16).digest())
        lastmod = _lastmod(line)
        if lastmod is not None and lastmod != self.latest:
            self.latest = newest_of((lastmod, self.latest))

    def tally(self) -> Tally:
        return Tally(self.count, self.latest, f"{self.digest & (1 << 128) - 1:032x}")


class _Pass:
    """One time through all pages."""

    def __init__(self, base_url: str, buckets: int) -> None:
        self._lines = EntryLines(base_url)
        self.buckets = [_Bucket() for _ in range(buckets)]

    def take(self, pages: list[Page]) -> None:
        for page in pages:
            line = self._lines.line_of(page)
            if line is not None:
                self.buckets[bucket_of(line, len(self.buckets))].add(line)

    def wanted(self, most: int) -> int:
        """As many buckets as there are, or more when they are too full."""
        count = sum(bucket.count for bucket in self.buckets)
        size = sum(bucket.size for bucket in self.buckets)
        buckets = len(self.buckets)
        if all(bucket.count <= most and bucket.size <= MAX_BYTES * _ROOM for bucket in self.buckets):
            return buckets
        while count / buckets > most * _ROOM or size / buckets > MAX_BYTES * _ROOM:
            buckets *= 2
        return buckets if buckets > len(self.buckets) else buckets * 2


def hashed_plan(
    section: ServedSection, base_url: str, last: ServingPlan | None, now: Callable[[], float] = time.time
) -> Steps:
    """The number of shards never falls, and when it doubles, one half of each shard stays where it is."""
    buckets = last.width if last is not None and last.mode == "hash" else 1
    while True:
        found = _Pass(base_url, buckets)
        yield Each(section.pages, found.take)
        wanted = found.wanted(section.shard_size)
        if wanted == buckets:
            break
        buckets = wanted
    before = {} if last is None else {shard.number: shard for shard in last.shards}
    seen = now()
    shards = (PlannedShard(number + 1, tally=bucket.tally()) for number, bucket in enumerate(found.buckets))
    dated = tuple(with_modified(shard, before.get(shard.number), seen) for shard in shards)
    return msgspec.structs.replace(ServingPlan("hash", buckets, dated), made=seen)


def _lastmod(line: bytes) -> str | None:
    start = line.find(b"<lastmod>")
    return None if start < 0 else line[start + 9 : line.find(b"<", start + 9)].decode()
