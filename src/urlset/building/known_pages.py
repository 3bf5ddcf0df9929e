"""The pages of the last build, by file and by ledger row, and those of this one → what has to be written, by group."""

from __future__ import annotations

from array import array
from bisect import bisect_right
from collections.abc import Callable, Iterable, Iterator
from functools import partial
from itertools import groupby, repeat
from operator import itemgetter
from pathlib import Path
from typing import BinaryIO

import msgspec

from urlset.building.file_backed import (
    HAS_ROW,
    BackedFile,
    CopyLostError,
    backed_row,
    backed_rows,
    entries_in,
    unpacked_file,
)
from urlset.building.ledger import LOST, LedgerRow, Recording
from urlset.building.pages import HAS_LEDGER_ROW, NEW, AnyPageIndex, EntryRun, StoredEntries, pages_module
from urlset.building.policy import DEFAULT_SECTION
from urlset.building.spool import Spool

_HELD_IN_ALL = 4 << 20
_COPIES_HELD = 16 << 20
NEWS_MARK = b"<news:"


class KnownPages:
    """What a build reads from earlier ones, and records for each page that it lists."""

    def __init__(self, recording: Recording, temporary: Path, *, given: bool, key: bytes | None = None) -> None:
        self.backed = recording.backed
        self.notes: list[str] = []
        self.origin = ""
        """of pages that have no row"""
        self._recording = recording
        self._files = [file.name for file in self.backed]
        self._file_numbers = {name: number for number, name in enumerate(self._files)}
        self._sections = [DEFAULT_SECTION]
        self._section_numbers = {DEFAULT_SECTION: 0}
        sections = [self.section_number(file.section) for file in self.backed]
        made = pages_module().PageIndex
        self.index: AnyPageIndex = made(recording.build, sections, given=given, folder=temporary, key=key)
        self.groups = Groups(temporary, self.index, self._files, self._sections, sections)
        self._count = [0] * len(self.backed)
        """pages of each file that are known; none where those are noted that did not come again"""
        self.removed = 0
        self.declared: dict[int, bytes] = {}
        """what each file says before its first entry"""
        self.with_news: set[int] = set()
        """the files of the last build that have news, which grow old without anything changing"""
        self._copies = Copies(recording.kept, self.backed)
        self._fetched: dict[str, LedgerRow] = {}
        self._remember()

    def _remember(self) -> None:
        self.index.expect(sum(file.count for file in self.backed) + self._recording.row_count())
        for url in self._recording.urls():
            self.index.load_row(_bytes(url))
        for number, file in enumerate(self.backed):
            try:
                first_seen, changed = file.seen_and_changed()
                data = self._copies.read(number)
                self._count[number] = self.index.load_file(data, number, first_seen, changed)
                self.declared[number] = data[: data.find(b"<url>")]
                if b" xmlns:news=" in self.declared[number] and NEWS_MARK in data:
                    self.with_news.add(number)
            except CopyLostError as error:
                self.notes.append(LOST.format(error))
            except ValueError as error:
                self.notes.append(LOST.format(f"{file.name}: {error}"))

    # what is known

    def add(self, key: str) -> bool:
        """True when no page of that key was met in this build."""
        return self.index.meet(_bytes(key))

    def fetch(self, locs: Iterable[str]) -> None:
        """Look up the rows of these pages at once."""
        found = ((loc, self.index.known(_bytes(loc))) for loc in locs)
        with_rows = [loc for loc, known in found if known is not None and known[0] == HAS_LEDGER_ROW]
        self._fetched = self._recording.known(with_rows) if with_rows else {}

    def row(self, loc: str) -> LedgerRow | None:
        """What is known of a page of an earlier build."""
        found = self.index.known(_bytes(loc))
        if found is None:
            return None
        file, lastmod, first_seen, changed = found
        if file == HAS_LEDGER_ROW:
            return self._fetched.get(loc) or self._recording.known([loc]).get(loc)
        return backed_row(self.backed[file], loc, lastmod, first_seen, changed)

    @property
    def build(self) -> int:
        return self._recording.build

    # pages of this build

    def section_number(self, section: str) -> int:
        number = self._section_numbers.setdefault(section, len(self._sections))
        if number == len(self._sections):
            self._sections.append(section)
        return number

    def section_name(self, number: int) -> str:
        return self._sections[number]

    def put(self, row: LedgerRow, known: LedgerRow | None, written: bytes, mask: int, *, is_backed: bool) -> None:
        """A page that was decided on; `is_backed` says that it needs no row in the ledger."""
        if self.index.is_full:
            self.groups.flush_groups()
        section = self.section_number(row.section)
        loc = _bytes(row.url)
        if is_backed:
            self.origin = self.origin or row.origin.rpartition(":")[0] or row.origin
        if is_backed and (known is None or not known.id):
            self.index.put(loc, written, section, mask)
            return
        file = NEW
        if row.shard is not None:
            file = self._file_numbers.setdefault(row.shard, len(self._files))
            if file == len(self._files):
                self._files.append(row.shard)
        group = self.index.group_of(file, section)
        same = known is not None and known.gone is None and known.says_the_same(row)
        if is_backed and known is not None:
            changed = known.changed if same else self._recording.build
            self.index.put_anew(loc, written, group, mask, known.first_seen, changed)
            self._recording.drop_row(known.id)
            return
        if known is not None and not known.id:
            known = self._recording.give_row(known)
        kept = known.id if known is not None and same else 0
        self.groups.put_row(LedgerPage(row, kept), written, group, mask)

    def close(self) -> None:
        self._copies.close()
        self.index.forget_keys()

    # when every page has come

    def settled(self) -> list[PageGroup]:
        """The groups of all pages."""
        found = self.groups.settled()
        self.index.forget_keys()  # workers share this memory
        for group in found:
            group.kept_part = partial(self.kept_part, group.file)
        return found

    def kept_part(self, file: int) -> EntryRun:
        """The entries of a file that came again as they were; the others are noted. Raises CopyLostError."""
        backed, count = self.backed[file], self._count[file]
        try:
            kept, lost = self.index.entries(self._copies.read(file), file, *backed.seen_and_changed())
        except ValueError as error:
            raise CopyLostError(f"{backed.name}: {error}") from error
        self._count[file] = 0
        if count:
            self.removed += self._recording.mark_removed(
                backed_rows(backed, lost.pieces(), lost.first_seen, lost.changed)
            )
        return kept

    def entries_of(self, numbers: Iterable[int]) -> Iterator[tuple[int, int, bytes]]:
        """Pages of the last build by number: each with its section and its entry; for the compiled index."""
        from urlset.building.compiled_pages import PageIndex, entries_at

        assert isinstance(self.index, PageIndex)
        places = sorted((*self.index.place_of(number), number) for number in numbers)
        for file, some in groupby(places, key=itemgetter(0)):
            _, positions, found = zip(*some, strict=True)
            section = self.section_number(self.backed[file].section)
            entries = entries_at(self._copies.read(file, again=True), positions)
            yield from zip(found, repeat(section), entries, strict=False)

    def data_of(self, file: BackedFile) -> bytes:
        """What was published, unpacked; nothing where the copy is lost."""
        try:
            return self._copies.read(self._file_numbers[file.name])
        except CopyLostError:
            return b""

    def last_written(self, file: int) -> dict[bytes, int]:
        """The build that last wrote each entry of a file of the last build."""
        if not 0 <= file < len(self.backed):
            return {}
        return dict(zip(entries_in(self._copies.read(file)), self.backed[file].seen_and_changed()[1], strict=True))

    def is_complete(self, file: int) -> bool:
        """Whether every file-backed page of a file came again as it was, and the file is as it was remembered."""
        return 0 <= file < len(self.backed) and self.index.share(file)[1] == self.backed[file].count

    def note_removed(self) -> int:
        """Note the file-backed pages of the last build that are not listed in this one; gives their number."""
        for number, count in enumerate(self._count):
            if count > self.index.share(number)[0]:
                self.kept_part(number)
        return self.removed


class Copies:
    """The copies of published files, held open: one that is taken away while a build runs can still be read."""

    _MOST_OPEN = 200

    def __init__(self, kept: Path, backed: list[BackedFile]) -> None:
        self._kept, self._backed = kept, backed
        self._open: dict[int, BinaryIO] = {}
        self._held: dict[int, bytes] = {}
        """unpacked, for when they are read again"""
        self._room = _COPIES_HELD

    def read(self, number: int, *, again: bool = False) -> bytes:
        """`again` says that the file will be read once more; raises CopyLostError."""
        if number in self._held:
            return self._held[number] if again else self._held.pop(number)
        file = self._backed[number]
        try:
            if number not in self._open and len(self._open) < self._MOST_OPEN:
                self._open[number] = (self._kept / file.sha256).open("rb")
        except OSError as error:
            raise CopyLostError(f"{file.name}: {error.strerror or error}") from error
        data = unpacked_file(self._kept, file, self._open.get(number))
        if len(data) <= self._room:
            self._held[number] = data
            self._room -= len(data)
        return data

    def close(self) -> None:
        for file in self._open.values():
            file.close()


def _bytes(url: str) -> bytes:
    return url.encode("utf-8", "surrogatepass")


# Entries by group → the same in parts, from the disk where they are many.

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

    def __init__(self, path: Path, section: str, former: str | None, file: int) -> None:
        self.section, self.former, self.file = section, former, file
        self.kept, self.kept_bytes = 0, 0
        self.kept_part: Callable[[], EntryRun] = lambda: EntryRun(b"", array("I"), array("I"), array("I"))
        """reads the entries of the pages that are kept"""
        self.rows = Spool(path.with_suffix(".rows"), LedgerPage, held_bytes=1 << 16)
        """the pages with rows in the ledger; beside it the position of their entries, and their ids if they are kept"""
        self.row_at = array("I")
        self.row_kept = array("q")
        self._path = path
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

    def add(self, part: EntryRun) -> None:
        held = self._held
        size = held.size
        held.ends.extend(pages_module().shifted(part.ends, size) if size else part.ends)
        held.first_seen.extend(part.first_seen)
        held.changed.extend(part.changed)
        held.masks += part.masks or bytes(len(part.ends))
        held.entries.append(bytes(part.load()))  # of a room that is used again
        held.size += len(held.entries[-1])

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
        self._sizes.append((self._sizes[-1] if self._sizes else 0) + held.size)
        self._chunk_masks.append(_union(held.masks))
        self._held = _Columns()

    def expand(self) -> None:
        """Give the pages that were kept their own entries, from the copy of their file."""
        if self.kept:
            self.add(self.kept_part().packed())
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

    def cut(self, low: int, high: int) -> list[EntryRun]:
        """These pages, in a part for each chunk that has some of them."""
        found = []
        for chunk, first, last in self._chunks(low, high):
            columns = self._columns(chunk)
            start, end = columns.ends[first - 1] if first else 0, columns.ends[last - 1]
            ends = pages_module().shifted(columns.ends[first:last], -start)
            entries = self._entries(chunk, start, end)
            found.append(EntryRun(entries, ends, columns.first_seen[first:last], columns.changed[first:last]))
        return found

    def _chunks(self, low: int, high: int) -> Iterator[tuple[int, int, int]]:
        """Where these pages are: the chunk, and the rows of it."""
        while low < high:
            chunk = bisect_right(self._rows, low)
            first = self._first(chunk)[0]
            last = high if chunk == len(self._rows) else min(high, self._rows[chunk])
            yield chunk, low - first, last - first
            low = last

    def _entries(self, chunk: int, start: int, end: int) -> memoryview | StoredEntries:
        if chunk == len(self._rows):
            self._held.entries = [b"".join(self._held.entries)]
            return memoryview(self._held.entries[0])[start:end]
        row, size = self._first(chunk)
        return StoredEntries(self._path, size + _ROW_BYTES * row + start, end - start)


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


class Groups:
    """All pages to list that have to be written, by group."""

    def __init__(
        self,
        temporary: Path,
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
        self._temporary = temporary
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
            self._groups.append(PageGroup(path, self.sections[section], former, file))
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
