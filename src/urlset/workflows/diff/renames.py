"""Removed and added URLs → renames; very many are searched in parts to bound memory.

A part holds the URLs whose last path segment has the same hash, so every rename which keeps that segment stays
inside one part. A removed URL whose redirect or canonical is known goes to the part of its target.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path
from zlib import crc32

import msgspec

from urlset.snapshots.delta import Delta, Loose, RenamedUrl
from urlset.snapshots.renames import find_renames, parts_of
from urlset.writing.files import work_folder

AT_ONCE = 60_000
"""removed or added URLs that are searched together; about 100 MB"""
_BATCH = 2_000
_decode = msgspec.msgpack.Decoder(list[Loose]).decode
_encode = msgspec.msgpack.Encoder().encode


def renames_of(delta: Delta, redirects: Mapping[str, str]) -> tuple[list[RenamedUrl], str | None]:
    """The renames, and what should be said about the search."""
    counts = delta.counts
    if not counts.added or not counts.removed:
        return [], None
    parts = -(-max(counts.added, counts.removed) // AT_ONCE)
    if parts == 1:
        return find_renames(list(delta.removed()), list(delta.added()), redirects), None
    with work_folder() as folder:
        removed = _Parts(folder, "removed", parts)
        removed.add(
            (redirects.get(each.loc) or each.final_url or each.canonical or each.loc, each) for each in delta.removed()
        )
        added = _Parts(folder, "added", parts)
        added.add((each.loc, each) for each in delta.added())
        found = [each for part in range(parts) for each in find_renames(removed[part], added[part], redirects)]
    found.sort(key=lambda each: each.old)
    return found, "renames were searched in parts: an edited last path segment is found only within one"


class _Parts:
    def __init__(self, folder: Path, name: str, count: int) -> None:
        self._files = [(folder / f"{name}-{part}").open("w+b") for part in range(count)]

    def add(self, items: Iterable[tuple[str, Loose]]) -> None:
        """Each with the URL that decides on its part."""
        waiting: list[list[Loose]] = [[] for _ in self._files]
        for url, each in items:
            part = crc32(parts_of(url).slug.encode("utf-8", "surrogatepass")) % len(self._files)
            waiting[part].append(each)
            if len(waiting[part]) >= _BATCH:
                self._write(part, waiting[part])
        for part, rest in enumerate(waiting):
            self._write(part, rest)

    def _write(self, part: int, items: list[Loose]) -> None:
        data = _encode(items)
        self._files[part].write(len(data).to_bytes(8, "little") + data)
        items.clear()

    def __getitem__(self, part: int) -> list[Loose]:
        return list(self._read(part))

    def _read(self, part: int) -> Iterator[Loose]:
        with self._files[part] as file:
            file.seek(0)
            while head := file.read(8):
                yield from _decode(file.read(int.from_bytes(head, "little")))
