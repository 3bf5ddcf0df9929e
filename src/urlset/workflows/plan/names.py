"""A number of files → their names, and those of their indexes."""

from __future__ import annotations

from urlset.building.shards import index_name
from urlset.spec.protocol import MAX_INDEX_ENTRIES


def index_names(files: int) -> tuple[str, ...]:
    """One index lists at most 50,000 files; further ones are next to it, never in it."""
    return tuple(index_name(number) for number in range(1, -(-files // MAX_INDEX_ENTRIES) + 1))


def shard_digits(files: int) -> int:
    """Digits of all numbers from 1 to `files`."""
    total, low, digits = 0, 1, 1
    while low <= files:
        total += (min(files, 10 * low - 1) - low + 1) * digits
        low, digits = 10 * low, digits + 1
    return total
