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

import time
from collections.abc import Callable
from datetime import UTC, datetime
from functools import partial

import msgspec

from urlset.building.entry_lines import EntryLines
from urlset.integrations.calls import Each, Steps
from urlset.integrations.keyed import AnyKeyed, Extent, Key, Tally
from urlset.integrations.sections import ServedSection
from urlset.spec.protocol import MAX_BYTES, MAX_URLS

SAMPLE = 500
SPARSE = 4
"""ranges are used while there are at most this many times as many keys as rows"""
_GROWING = (int,)
_ROOM = 0.8
"""how full a shard is made whose keys may be inserted anywhere"""
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
        if _is_dense(extent, width):
            plan = ServingPlan("range", width, ())
        else:
            plan = yield from _first_cuts(source, width, extent)
    else:
        plan = last
    if plan.mode == "range":
        shards = yield from _ranges(source, plan.width)
    else:
        shards = yield from _recut(source, plan, now())
    before = {shard.number: shard for shard in plan.shards}
    seen = now()
    dated = tuple(with_modified(shard, before.get(shard.number), seen) for shard in shards)
    return msgspec.structs.replace(plan, shards=dated, made=seen)


def _width(section: ServedSection, source: AnyKeyed, base_url: str) -> Steps:
    """Fewer rows a shard where pages with many images or long addresses would make it larger than 50 MiB."""
    lines = EntryLines(base_url)
    yield Each(partial(source.rows, None, None, SAMPLE), lines.feed)
    most = MAX_BYTES // 2 * max(1, lines.entries) // max(1, lines.size)
    return min(section.shard_size, max(100, most // 100 * 100))


def _is_dense(extent: Extent, width: int) -> bool:
    low, high = extent.low, extent.high
    if not isinstance(low, int) or not isinstance(high, int) or low < 0:
        return False
    return high // width - low // width + 1 <= SPARSE * (extent.count // width + 1)


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
        if shard.upto is None and (isinstance(upto, _GROWING) or tally.count <= plan.width):
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
    return width if key is None or isinstance(key, _GROWING) else max(1, int(width * _ROOM))


def with_modified(shard: PlannedShard, before: PlannedShard | None, now: float) -> PlannedShard:
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
