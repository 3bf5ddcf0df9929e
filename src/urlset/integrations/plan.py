"""A section → its shards with their ranges, counts and dates; and the last plan → the next one, nothing moved.

Written once for sync and async sources: each function is a generator that yields calls and is sent their results.
`calls` has the two loops that drive it.

Three ways to cut, chosen once and kept:

- `range`: integer keys without large gaps. Shard n holds the keys from (n-1)·width to n·width-1. No state is needed:
  a key alone decides its shard, in every process and after every restart.
- `cut`: any other key. Shards are ranges between keys that were found by counting. The last one is open. A full shard
  is closed. One that overflows because rows were inserted in its middle is replaced by two with new numbers, and is
  served for a week longer, unlisted: a reader of an earlier index still finds every page, and finds it once.
- `hash`: an iterable without a key. A hash of the address decides the shard; the number of shards is a power of two.
"""

from __future__ import annotations

import inspect
import time
from collections.abc import AsyncIterable, AsyncIterator, Callable, Iterable, Iterator, Mapping
from datetime import UTC, datetime
from functools import partial
from hashlib import blake2b
from typing import Any

import msgspec

from urlset.building.entry_lines import EntryLines, Page
from urlset.building.render import newest_of
from urlset.integrations.calls import Each, Steps
from urlset.integrations.keyed import AnyKeyed, AsyncKeyedSource, Extent, Key, KeyedSource, Tally
from urlset.spec.lazy_pattern import lazy_pattern
from urlset.spec.protocol import MAX_BYTES, MAX_URLS

# What an application names as a section → a Section: an iterable, a callable that returns one, or a keyed source.

Source = Iterable[Page] | AsyncIterable[Page] | Callable[[], Any] | AnyKeyed
"""the callable may be async, and may return an iterable or an async iterable"""

_NAME = lazy_pattern(r"[A-Za-z0-9](?:[A-Za-z0-9_-]{0,62}[A-Za-z0-9])?")


class ServedSection:
    """A source under the name its files carry."""

    def __init__(self, name: str, source: Source, shard_size: int = MAX_URLS) -> None:
        if not _NAME.fullmatch(name):
            raise ValueError(f"section name {name!r}: use letters, digits, '-' and '_'")
        if isinstance(source, (str, bytes, Mapping)):
            raise TypeError(f"section {name!r}: {type(source).__name__} is not a source of pages")
        if isinstance(source, (Iterator, AsyncIterator)):
            raise TypeError(
                f"section {name!r}: a generator can be read only once; pass the function that makes it instead"
            )
        usable = callable(source) or isinstance(source, (Iterable, AsyncIterable, KeyedSource, AsyncKeyedSource))
        if not usable:
            raise TypeError(f"section {name!r}: {type(source).__name__} is not a source of pages")
        if not 1 <= shard_size <= MAX_URLS:
            raise ValueError(f"shard_size {shard_size}: a sitemap lists 1 to {MAX_URLS:,} URLs")
        self.name, self.source, self.shard_size = name, source, shard_size

    @property
    def keyed(self) -> AnyKeyed | None:
        return self.source if isinstance(self.source, (KeyedSource, AsyncKeyedSource)) else None

    @property
    def is_async(self) -> bool:
        """Known to be async before it is called; a plain function may still return something async."""
        source: Any = self.source
        if self.keyed is not None:
            return bool(self.keyed.is_async)
        if isinstance(source, AsyncIterable) and not isinstance(source, Iterable):
            return True
        return any(
            check(found)
            for check in (inspect.iscoroutinefunction, inspect.isasyncgenfunction)
            for found in (source, getattr(source, "__call__", None))  # noqa: B004 - not whether, but which
        )

    def pages(self) -> Any:
        """What the source gives: an iterable, an async iterable, or an awaitable of one."""
        source: Any = self.source
        return source() if callable(source) and not isinstance(source, Iterable) else source


def sections_of(sections: Mapping[str, Source], shard_size: int) -> dict[str, ServedSection]:
    if not sections:
        raise ValueError("no sections: name at least one source of pages")
    return {name: ServedSection(name, source, shard_size) for name, source in sections.items()}


def bucket_of(line: bytes, buckets: int) -> int:
    """The shard of an entry without a key: by its address alone, so other entries cannot move it."""
    return 0 if buckets == 1 else hash_of_loc(line) & (buckets - 1)


def hash_of_loc(line: bytes) -> int:
    loc = line[line.find(b"<loc>") : line.find(b"</loc>")]
    return int.from_bytes(blake2b(loc, digest_size=8).digest())


SAMPLE = 500
SPARSE = 4
"""ranges are used while there are at most this many times as many keys as rows"""
_ROOM = 0.8
"""how full a shard is made whose keys may be inserted anywhere, or whose pages are dealt by a hash: none is even"""
_SPLIT = 0.95
SERVED_LONGER = 7 * 86_400.0
"""seconds for which a shard is served after it was replaced"""


class PlannedShard(msgspec.Struct, frozen=True):
    number: int
    after: Key | None = None
    upto: Key | None = None
    tally: Tally = Tally(0)
    modified: float = 0.0
    """when the last change of its content was seen, or the date of its newest page"""
    retired: float = 0.0
    """when it was replaced by others; 0 while it is listed"""


class ServingPlan(msgspec.Struct, frozen=True):
    mode: str
    width: int
    """keys in a range, rows up to a cut, or the number of hash buckets"""
    shards: tuple[PlannedShard, ...]
    made: float = 0.0

    def shard(self, number: int) -> PlannedShard | None:
        return next((shard for shard in self.shards if shard.number == number), None)

    @property
    def listed(self) -> list[PlannedShard]:
        """Those that have pages, in the order of their numbers."""
        named = (shard for shard in self.shards if shard.tally.count and not shard.retired)
        return sorted(named, key=lambda shard: shard.number)

    def most_rows(self, shard: PlannedShard) -> int:
        """One that was replaced may still grow, and must not lose the pages at its end."""
        return max(MAX_URLS, self.width) if shard.retired else self.width


def keyed_plan(
    section: ServedSection, base_url: str, last: ServingPlan | None, now: Callable[[], float] = time.time
) -> Steps:
    source = section.keyed
    assert source is not None
    if last is None or last.mode == "hash":
        width = yield from _width(section, source, base_url)
        extent: Extent = yield source.extent
        low, high = extent.low, extent.high
        is_dense = False
        if isinstance(low, int) and isinstance(high, int) and low >= 0:
            is_dense = high // width - low // width + 1 <= SPARSE * (extent.count // width + 1)
        if is_dense:
            plan = ServingPlan("range", width, ())
        else:
            plan = yield from _first_cuts(source, width, extent)
    else:
        plan = last
    if plan.mode == "range":
        shards = yield from _ranges(source, plan.width)
    else:
        shards = yield from _recut(source, plan, now())
    return _renewed(plan, shards, now())


def _width(section: ServedSection, source: AnyKeyed, base_url: str) -> Steps:
    """Fewer rows a shard where pages with many images or long addresses would make it larger than 50 MiB."""
    lines = EntryLines(base_url)
    yield Each(partial(source.rows, None, None, SAMPLE), lines.feed)
    most = MAX_BYTES // 2 * max(1, lines.entries) // max(1, lines.size)
    return min(section.shard_size, max(100, most // 100 * 100))


def _ranges(source: AnyKeyed, width: int) -> Steps:
    extent: Extent = yield source.extent
    if not isinstance(extent.low, int) or not isinstance(extent.high, int):
        return []
    shards = []
    for bucket in range(extent.low // width, extent.high // width + 1):
        after, upto = bucket * width - 1, (bucket + 1) * width - 1
        tally = yield partial(source.tally, after, upto)
        shards.append(PlannedShard(bucket + 1, after, upto, tally))
    return shards


def _first_cuts(source: AnyKeyed, width: int, extent: Extent) -> Steps:
    fill = _fill(width, extent.high)
    shards: list[PlannedShard] = []
    after: Key | None = None
    while True:
        upto = yield partial(source.cut, after, fill)
        if upto is None:
            return ServingPlan("cut", width, (*shards, PlannedShard(len(shards) + 1, after, None)))
        shards.append(PlannedShard(len(shards) + 1, after, upto))
        after = upto


def _recut(source: AnyKeyed, plan: ServingPlan, seen: float) -> Steps:
    """Fresh tallies; full shards are closed, overfull ones replaced by two."""
    found: list[PlannedShard] = []
    served = {shard.number for shard in plan.shards}
    waiting = [shard for shard in plan.shards if seen - shard.retired < SERVED_LONGER or not shard.retired]
    number = max(shard.number for shard in plan.shards)
    while waiting:
        shard = waiting.pop(0)
        tally: Tally = yield partial(source.tally, shard.after, shard.upto)
        shard = msgspec.structs.replace(shard, tally=tally)
        rows = _rows_to_keep(shard, plan.width) if not shard.retired else None
        upto = None
        if rows is not None:
            upto = yield partial(source.cut, shard.after, rows)
        if upto is None or upto == shard.upto:
            found.append(shard)
            continue
        if shard.upto is None and (isinstance(upto, int) or tally.count <= plan.width):
            number += 1  # every row that was listed in it stays in it
            waiting[:0] = [msgspec.structs.replace(shard, upto=upto), PlannedShard(number, upto, None)]
            continue
        waiting[:0] = [PlannedShard(number + 1, shard.after, upto), PlannedShard(number + 2, upto, shard.upto)]
        number += 2
        if shard.number in served:
            last = shard.upto
            if last is None:  # keys to come are not in the index that listed it
                last = yield partial(source.cut, shard.after, tally.count)
            found.append(msgspec.structs.replace(shard, upto=last, retired=seen))
    return found


def _rows_to_keep(shard: PlannedShard, width: int) -> int | None:
    """How many rows a shard keeps that is to be closed or split; None when it is left as it is."""
    count = shard.tally.count
    if shard.upto is None:  # keep every row that was listed in it
        return min(count, width) if count > _fill(width, shard.after) else None
    return count // 2 if count > max(1, int(width * _SPLIT)) and count > _fill(width, shard.upto) else None


def _fill(width: int, key: Key | None) -> int:
    """Integers grow, so a full shard stays as it is; other keys may come anywhere, so room is left for them."""
    return width if key is None or isinstance(key, int) else max(1, int(width * _ROOM))


def _renewed(plan: ServingPlan, shards: Iterable[PlannedShard], seen: float) -> ServingPlan:
    """With these shards, and when each of them changed since the plan."""
    before = {shard.number: shard for shard in plan.shards}
    dated = tuple(_with_modified(shard, before.get(shard.number), seen) for shard in shards)
    return msgspec.structs.replace(plan, shards=dated, made=seen)


def _with_modified(shard: PlannedShard, before: PlannedShard | None, now: float) -> PlannedShard:
    """A page that goes does not move the newest date, so the time at which that was seen counts."""
    newest = timestamp(shard.tally.latest)
    if before is None:
        modified = newest
    elif before.tally == shard.tally:
        modified = before.modified
    else:
        grown = shard.tally.count >= before.tally.count and newest > before.modified
        modified = newest if grown else now
    return msgspec.structs.replace(shard, modified=modified)


def timestamp(lastmod: str | None) -> float:
    """Of a W3C date; 0 for none."""
    if lastmod is None:
        return 0.0
    try:
        moment = datetime.fromisoformat(lastmod)
        return (moment if moment.tzinfo else moment.replace(tzinfo=UTC)).timestamp()
    except (ValueError, OverflowError):
        return 0.0


# An iterable without a key → its shards: one, or a power of two chosen by a hash of each address.


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
        start = line.find(b"<lastmod>") + 9
        lastmod = line[start : line.find(b"<", start)].decode() if start > 8 else self.latest
        if lastmod != self.latest:
            self.latest = newest_of((lastmod, self.latest))

    def tally(self) -> Tally:
        return Tally(self.count, self.latest, f"{self.digest & (1 << 128) - 1:032x}")


class _Pass:
    """One time through all pages."""

    def __init__(self, base_url: str, buckets: int) -> None:
        self._lines = EntryLines(base_url)
        self.buckets = [_Bucket() for _ in range(buckets)]

    def take(self, pages: list[Page]) -> None:
        for line in self._lines.elements(pages):
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
    shards = (PlannedShard(number + 1, tally=bucket.tally()) for number, bucket in enumerate(found.buckets))
    return _renewed(ServingPlan("hash", buckets, () if last is None else last.shards), shards, now())
