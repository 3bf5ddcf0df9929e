"""Entries that are dealt to their groups → the same in parts, from the disk where they are many."""

from __future__ import annotations

from array import array
from bisect import bisect_right
from collections.abc import Callable
from pathlib import Path
from typing import Any

import msgspec

from urlset.building.file_backed import HAS_ROW
from urlset.building.ledger_rows import LedgerRow
from urlset.building.pages import NEW, EntryRun
from urlset.building.spool import Spool
from urlset.model.entry import Entry

_HELD_IN_ALL = 16 << 20


class LedgerPage(msgspec.Struct, frozen=True, array_like=True):
    """A page that has a row in the ledger, and will be listed."""

    row: LedgerRow
    """`shard` is the file it was listed in"""
    kept: int = 0
    """its id in the ledger where nothing about it changed"""
    news: Entry | None = None
    """the entry once more when it is news, which it may be no longer when the file is written"""


class PageGroup:
    """Pages of one section that stood in one file before, or in none; in the order they came.

    Pages of that file that came again as they were have no entry here; `kept` counts them, and their bytes.
    """

    def __init__(self, path: Path, module: Any, section: str, former: str | None, file: int) -> None:
        self.section, self.former, self.file = section, former, file
        self.kept, self.kept_bytes = 0, 0
        self.kept_part: Callable[[], EntryRun] = _nothing
        """reads the entries of the pages that are kept"""
        self.rows = Spool(path.with_suffix(".rows"), LedgerPage, held_bytes=1 << 16)
        """the pages with rows in the ledger; beside it the position of their entries, and their ids if they are kept"""
        self.row_at = array("I")
        self.row_kept = array("q")
        self.has_news = False
        self._path, self._module = path, module
        self._ends = array("Q")
        self._first_seen, self._changed = array("I"), array("I")
        self._masks = bytearray()
        self._held = bytearray()
        self._on_disk = 0
        """bytes of these entries in the file"""
        self._size = 0

    def __len__(self) -> int:
        return len(self._ends)

    def add(self, part: EntryRun) -> None:
        self._ends.extend(self._module.moved(part.ends, self._size))
        self._first_seen.extend(part.first_seen)
        self._changed.extend(part.changed)
        self._masks += part.masks or bytes(len(part.ends))
        self._size += len(part.entries)
        self._held += part.entries

    @property
    def held(self) -> int:
        return len(self._held)

    def hash_dir(self) -> None:
        """Put what is held on the disk."""
        with self._path.open("ab") as file:
            file.write(self._held)
        self._on_disk = self._size
        self._held = bytearray()

    def expand(self) -> None:
        """Give the pages that were kept their own entries, from the copy of their file."""
        if self.kept:
            self.add(self.kept_part())
            self.kept = self.kept_bytes = 0

    def _start(self, page: int) -> int:
        return self._ends[page - 1] if page else 0

    def fitting(self, low: int, entries: int, size: int) -> int:
        """How far one can go from page `low` without passing that many entries or bytes."""
        most = bisect_right(self._ends, self._start(low) + max(size, 0), low)
        return max(low, min(low + max(entries, 0), most))

    def size_of(self, low: int, high: int) -> int:
        return self._start(high) - self._start(low)

    def masks(self, low: int, high: int) -> int:
        """The extensions that these entries use."""
        found = 0
        for mask in set(self._masks[low:high]):
            found |= mask
        return found

    def cut(self, low: int, high: int) -> EntryRun:
        start, end = self._start(low), self._start(high)
        return EntryRun(
            self._bytes(start, end),
            self._module.cut(self._ends[low:high], start),
            self._first_seen[low:high],
            self._changed[low:high],
        )

    def _bytes(self, start: int, end: int) -> bytes:
        if start >= self._on_disk:
            return bytes(memoryview(self._held)[start - self._on_disk : end - self._on_disk])
        with self._path.open("rb") as file:
            file.seek(start)
            found = file.read(min(end, self._on_disk) - start)
        return found + self._held[: max(0, end - self._on_disk)]


def _nothing() -> EntryRun:
    return EntryRun(b"", array("I"), array("I"), array("I"))


class Groups:
    """All pages to list that have to be written, by group."""

    def __init__(
        self, temporary: Path, module: Any, book: Any, files: list[str], sections: list[str], section_of: list[int]
    ) -> None:
        """`section_of` has the sections of the file-backed files, which are the first of `files`."""
        self.book = book
        self._backed, self._section_of = len(section_of), section_of
        self.files, self.sections = files, sections
        """their names by number; both may grow"""
        self._temporary, self._module = temporary, module
        self._groups: list[PageGroup] = []

    def settled(self) -> list[PageGroup]:
        """All groups of which something is listed, when every page has come."""
        self.deal()
        for file, (_, kept, size) in enumerate(map(self.book.share, range(self._backed))):
            if kept:
                group = self.group(self.book.group_of(file, self._section_of[file]))
                group.kept, group.kept_bytes = kept, size
        return [group for group in self._groups if len(group) or group.kept]

    def group(self, number: int) -> PageGroup:
        while len(self._groups) <= number:
            at = len(self._groups)
            file, section = self.book.groups[at]
            former = None if file == NEW else self.files[file]
            path = self._temporary / f"group-{at}"
            self._groups.append(PageGroup(path, self._module, self.sections[section], former, file))
        return self._groups[number]

    def put_row(self, page: LedgerPage, entry: bytes, group: int, mask: int) -> None:
        """The entry of a page that has a row in the ledger."""
        self.book.put_anew(page.row.url.encode("utf-8", "surrogatepass"), entry, group, mask, HAS_ROW, HAS_ROW)
        found = self.group(group)
        found.row_kept.append(page.kept)
        found.rows.append(page)
        if page.news is not None:
            found.has_news = True

    def deal(self) -> None:
        """Hand what the book holds to the groups."""
        for number, part in self.book.deal().items():
            group = self.group(number)
            part = EntryRun(*part)  # noqa: PLW2901 - the compiled book gives a plain tuple
            low = len(group)
            group.add(part)
            if part.first_seen.count(HAS_ROW):
                group.row_at.extend(low + at for at, seen in enumerate(part.first_seen) if seen == HAS_ROW)
        if sum(group.held for group in self._groups) > _HELD_IN_ALL:
            for group in self._groups:
                if group.held:
                    group.hash_dir()
