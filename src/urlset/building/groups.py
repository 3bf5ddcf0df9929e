"""Entries by group → the same in parts, from the disk where they are many."""

from __future__ import annotations

from array import array
from bisect import bisect_right
from collections.abc import Callable, Iterator
from pathlib import Path

import msgspec

from urlset.building.file_backed import HAS_ROW
from urlset.building.ledger_rows import LedgerRow
from urlset.building.pages import NEW, AnyPageIndex, EntryRun, PagesModule
from urlset.building.spool import Spool

_HELD_IN_ALL = 8 << 20
_ROW_BYTES = 3 * 4 + 1
"""on disk beside each entry: its end, two builds and its mask"""


class LedgerPage(msgspec.Struct, frozen=True, array_like=True):
    """A page that has a row in the ledger, and will be listed."""

    row: LedgerRow
    """`shard` is the file it was listed in"""
    kept: int = 0
    """its id in the ledger where nothing about it changed"""


class PageGroup:
    """Pages of one section that stood in one file before, or in none; in the order they came.

    Pages of that file that came again as they were have no entry here; `kept` counts them, and their bytes.
    """

    def __init__(self, path: Path, module: PagesModule, section: str, former: str | None, file: int) -> None:
        self.section, self.former, self.file = section, former, file
        self.kept, self.kept_bytes = 0, 0
        self.kept_part: Callable[[], EntryRun] = _nothing
        """reads the entries of the pages that are kept"""
        self.rows = Spool(path.with_suffix(".rows"), LedgerPage, held_bytes=1 << 16)
        """the pages with rows in the ledger; beside it the position of their entries, and their ids if they are kept"""
        self.row_at = array("I")
        self.row_kept = array("q")
        self._path, self._module = path, module
        self._rows, self._sizes = array("Q"), array("Q")
        """of each chunk on disk: how many rows, and how many bytes of entries, it and those before it have"""
        self._chunk_masks = bytearray()
        self._held = _Columns()
        self._read: tuple[int, _Columns] = -1, self._held
        """the chunk that was looked at last, without its entries"""

    def __len__(self) -> int:
        return self._rows_on_disk + len(self._held.ends)

    @property
    def _rows_on_disk(self) -> int:
        return self._rows[-1] if self._rows else 0

    @property
    def _size_on_disk(self) -> int:
        return self._sizes[-1] if self._sizes else 0

    def add(self, part: EntryRun) -> None:
        held = self._held
        size = held.size
        held.ends.extend(self._module.shifted(part.ends, size) if size else part.ends)
        held.first_seen.extend(part.first_seen)
        held.changed.extend(part.changed)
        held.masks += part.masks or bytes(len(part.ends))
        held.entries.append(bytes(part.entries))  # of a room that is used again
        held.size += len(part.entries)

    @property
    def held(self) -> int:
        return self._held.size

    def store(self) -> None:
        """Put what is held on the disk, as one chunk more."""
        held = self._held
        with self._path.open("ab") as file:
            file.writelines(held.entries)
            for column in (held.ends, held.first_seen, held.changed):
                file.write(column)
            file.write(held.masks)
        self._rows.append(self._rows_on_disk + len(held.ends))
        self._sizes.append(self._size_on_disk + held.size)
        self._chunk_masks.append(_union(held.masks))
        self._held = _Columns()

    def expand(self) -> None:
        """Give the pages that were kept their own entries, from the copy of their file."""
        if self.kept:
            self.add(self.kept_part())
            self.kept = self.kept_bytes = 0

    def _first(self, chunk: int) -> tuple[int, int]:
        """The number of its first row, and the bytes of entries before it."""
        return (self._rows[chunk - 1], self._sizes[chunk - 1]) if chunk else (0, 0)

    def _columns(self, chunk: int) -> _Columns:
        """Everything but the entries of a chunk; what is held is the last one."""
        if chunk == len(self._rows):
            return self._held
        if self._read[0] != chunk:
            row = self._first(chunk)[0]
            found = _Columns()
            with self._path.open("rb") as file:
                file.seek(self._sizes[chunk] + _ROW_BYTES * row)
                for column in (found.ends, found.first_seen, found.changed):
                    column.fromfile(file, self._rows[chunk] - row)
                found.masks += file.read(self._rows[chunk] - row)
            self._read = chunk, found
        return self._read[1]

    def _start(self, page: int) -> int:
        if page == 0:
            return 0
        chunk = bisect_right(self._rows, page - 1)
        row, size = self._first(chunk)
        return size + self._columns(chunk).ends[page - 1 - row]

    def fitting(self, low: int, entries: int, size: int) -> int:
        """How far one can go from page `low` without passing that many entries or bytes."""
        end = self._start(low) + max(size, 0)
        chunk = bisect_right(self._sizes, end)
        row, before = self._first(chunk)
        most = row + bisect_right(self._columns(chunk).ends, end - before)
        return max(low, min(low + max(entries, 0), most))

    def size_of(self, low: int, high: int) -> int:
        return self._start(high) - self._start(low)

    def masks(self, low: int, high: int) -> int:
        """The extensions that these entries use."""
        found = 0
        for chunk, first, last in self._chunks(low, high):
            is_whole = chunk < len(self._rows) and last - first == self._rows[chunk] - self._first(chunk)[0]
            found |= self._chunk_masks[chunk] if is_whole else _union(self._columns(chunk).masks[first:last])
        return found

    def cut(self, low: int, high: int) -> EntryRun:
        pieces: list[bytes] = []
        ends, first_seen, changed, size = array("I"), array("I"), array("I"), 0
        for chunk, first, last in self._chunks(low, high):
            columns = self._columns(chunk)
            start = columns.ends[first - 1] if first else 0
            ends.extend(self._module.shifted(columns.ends[first:last], size - start))
            first_seen.extend(columns.first_seen[first:last])
            changed.extend(columns.changed[first:last])
            pieces.append(self._entries(chunk, start, columns.ends[last - 1]))
            size += len(pieces[-1])
        return EntryRun(b"".join(pieces), ends, first_seen, changed)

    def _chunks(self, low: int, high: int) -> Iterator[tuple[int, int, int]]:
        """Where these pages are: the chunk, and the rows of it."""
        while low < high:
            chunk = bisect_right(self._rows, low)
            first = self._first(chunk)[0]
            last = high if chunk == len(self._rows) else min(high, self._rows[chunk])
            yield chunk, low - first, last - first
            low = last

    def _entries(self, chunk: int, start: int, end: int) -> bytes:
        if chunk == len(self._rows):
            self._held.entries = [b"".join(self._held.entries)]
            return self._held.entries[0][start:end]
        row, size = self._first(chunk)
        with self._path.open("rb") as file:
            file.seek(size + _ROW_BYTES * row + start)
            return file.read(end - start)


class _Columns:
    """Entries one after the other, where each ends, and what belongs to it."""

    __slots__ = ("changed", "ends", "entries", "first_seen", "masks", "size")

    def __init__(self) -> None:
        self.entries: list[bytes] = []
        self.size = 0
        self.masks = bytearray()
        self.ends, self.first_seen, self.changed = array("I"), array("I"), array("I")


def _union(masks: bytes | bytearray) -> int:
    found = 0
    for mask in set(masks) if masks != bytes(len(masks)) else ():
        found |= mask
    return found


def _nothing() -> EntryRun:
    return EntryRun(b"", array("I"), array("I"), array("I"))


class Groups:
    """All pages to list that have to be written, by group."""

    def __init__(
        self,
        temporary: Path,
        module: PagesModule,
        index: AnyPageIndex,
        files: list[str],
        sections: list[str],
        section_of: list[int],
    ) -> None:
        """`section_of` has the sections of the file-backed files, which are the first of `files`."""
        self.index = index
        self._backed, self._section_of = len(section_of), section_of
        self.files, self.sections = files, sections
        """their names by number; both may grow"""
        self._temporary, self._module = temporary, module
        self._groups: list[PageGroup] = []

    def settled(self) -> list[PageGroup]:
        """All groups of which something is listed, when every page has come."""
        self.flush_groups()
        for file, (_, kept, size) in enumerate(map(self.index.share, range(self._backed))):
            if kept:
                group = self.group(self.index.group_of(file, self._section_of[file]))
                group.kept, group.kept_bytes = kept, size
        return [group for group in self._groups if len(group) or group.kept]

    def group(self, number: int) -> PageGroup:
        while len(self._groups) <= number:
            at = len(self._groups)
            file, section = self.index.groups[at]
            former = None if file == NEW else self.files[file]
            path = self._temporary / f"group-{at}"
            self._groups.append(PageGroup(path, self._module, self.sections[section], former, file))
        return self._groups[number]

    def put_row(self, page: LedgerPage, entry: bytes, group: int, mask: int) -> None:
        """The entry of a page that has a row in the ledger."""
        self.index.put_anew(page.row.url.encode("utf-8", "surrogatepass"), entry, group, mask, HAS_ROW, HAS_ROW)
        found = self.group(group)
        found.row_kept.append(page.kept)
        found.rows.append(page)

    def flush_groups(self) -> None:
        """Hand what the index holds to the groups."""
        for number, part in self.index.flush_groups().items():
            group = self.group(number)
            low = len(group)
            group.add(part)
            if part.first_seen.count(HAS_ROW):
                group.row_at.extend(low + at for at, seen in enumerate(part.first_seen) if seen == HAS_ROW)
        if sum(group.held for group in self._groups) > _HELD_IN_ALL:
            for group in self._groups:
                if group.held:
                    group.store()
