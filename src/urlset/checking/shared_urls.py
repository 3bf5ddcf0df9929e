"""URLs of many files → the ones listed in two of them, exactly, in memory bounded by the size of a part.

The two 64-bit hashes of every URL go to disk, one file per document, sorted into parts by the first hash. A task
compares a range of parts of all documents. How the parts are cut depends on the number of URLs, not on workers.
"""

from __future__ import annotations

from array import array
from bisect import bisect_right
from collections.abc import Iterable, Iterator, Sequence
from functools import partial
from hashlib import blake2b
from typing import TYPE_CHECKING

import msgspec

from urlset.execution.parts import part_range, write_part
from urlset.reading.limits import is_compiled
from urlset.storage.paths import each_file, file_at

if TYPE_CHECKING:
    from urlset.storage.paths import FilePath

PARTS = 256
"""2.5 billion URLs: 10 million per part"""
ROWS_AT_ONCE = 4_000_000
"""rows that one task holds, about 160 MB; a single part may have more"""
WORDS = 3
"""per URL: two hashes and the row"""


class SharedTask(msgspec.Struct, frozen=True):
    """Compare the parts from `low` to `high` of all documents."""

    listing: str
    """a file with the paths of their hashes, one per line: a task stays small for any number of files"""
    low: int
    high: int


def write_hashes(path: FilePath, locs: list[str | None]) -> None:
    """Hashes and row numbers, part by part, after a table of their sizes."""
    write_part(path, _hashed(locs))


def _hashed(locs: list[str | None]) -> Iterable[array[int]]:
    if is_compiled():
        from urlset.reading.compiled import hash_parts

        return hash_parts(locs, PARTS)
    parts: list[array[int]] = [array("Q") for _ in range(PARTS)]
    for row, loc in enumerate(locs):
        if loc:
            text = loc.strip().encode("utf-8", "surrogatepass")
            digest = array("Q", blake2b(text, digest_size=16).digest())
            parts[digest[0] % PARTS].extend((digest[0], digest[1], row))
    return [array("Q", [len(part) for part in parts]), *parts]


def tasks_for(hashes: Sequence[str], urls: int) -> list[SharedTask]:
    """Ranges of parts with a bounded number of rows each. Hashes spread evenly, unless one URL is listed often."""
    listing = file_at(f"{hashes[0]}.list")
    write_part(listing, ["\n".join(hashes).encode("utf-8", "surrogateescape")])
    step = max(1, PARTS * ROWS_AT_ONCE // max(urls, 1))
    return [SharedTask(str(listing), low, min(low + step, PARTS)) for low in range(0, PARTS, step)]


def shared_rows(task: SharedTask) -> bytes:
    """File and row of the first, file and row of the second, for every URL in two files; runs in a worker."""
    paths = file_at(task.listing).read_bytes().decode("utf-8", "surrogateescape").split("\n")
    rows: array[int] = array("Q")
    starts: array[int] = array("Q")
    for found in each_file(partial(part_range, parts=PARTS, low=task.low, high=task.high, size=8), paths):
        starts.append(len(rows) // WORDS)
        rows.frombytes(found)
    if is_compiled():
        from urlset.reading.compiled import shared

        return shared(rows, starts).tobytes()
    return _shared(rows, starts).tobytes()


def _shared(rows: array[int], starts: array[int]) -> array[int]:
    first: dict[tuple[int, int], int] = {}
    found: array[int] = array("Q")
    for at in range(len(rows) // WORDS):
        seen = first.setdefault((rows[WORDS * at], rows[WORDS * at + 1]), at)
        one, other = bisect_right(starts, seen) - 1, bisect_right(starts, at) - 1
        if one != other:
            found.extend((one, rows[WORDS * seen + 2], other, rows[WORDS * at + 2]))
    return found


def unpacked(result: bytes) -> Iterator[tuple[int, int, int, int]]:
    found: array[int] = array("Q", result)
    return zip(found[::4], found[1::4], found[2::4], found[3::4], strict=True)
