"""The pages of the last build, by file and by ledger row, and those of this one → what has to be written, by group."""

from __future__ import annotations

from array import array
from collections.abc import Iterable, Iterator
from functools import cache, partial
from itertools import pairwise
from pathlib import Path
from typing import BinaryIO

from urlset.building.candidate import EvidenceKind
from urlset.building.file_backed import BackedFile, CopyLostError, backed_rows, entries_in, unpacked_file
from urlset.building.groups import Groups, LedgerPage, PageGroup
from urlset.building.ledger import LOST, LedgerRow, Recording
from urlset.building.pages import HAS_LEDGER_ROW, NEW, EntryRun, pages_module
from urlset.building.policy import ListingPolicy
from urlset.model.entry import Entry
from urlset.model.media import NOTHING
from urlset.writing.media import extensions_of
from urlset.writing.urlset import EXTENSIONS

_DROPPED_AT_ONCE = 4096
NEWS_MARK = b"<news:"


class KnownPages:
    """What a build reads from earlier ones, and records for each page that it lists."""

    def __init__(self, recording: Recording, policy: ListingPolicy, temporary: Path, *, given: bool) -> None:
        self.module = pages_module()
        self.backed = recording.backed
        self.notes: list[str] = []
        self.origin = ""
        """of pages that have no row"""
        self._recording = recording
        self._files = [file.name for file in self.backed]
        self._file_numbers = {name: number for number, name in enumerate(self._files)}
        self._sections = [policy.default_section]
        self._section_numbers = {policy.default_section: 0}
        sections = [self.section_number(file.section) for file in self.backed]
        self.index = self.module.PageIndex(recording.build, sections, given=given, folder=temporary)
        self.groups = Groups(temporary, self.module, self.index, self._files, self._sections, sections)
        self._count = [0] * len(self.backed)
        """pages of each file that are known"""
        self._entries = [0] * len(self.backed)
        """of each file, those of pages with rows included"""
        self.with_news: set[int] = set()
        """the files of the last build that have news, which grow old without anything changing"""
        self._copies = Copies(recording.kept, self.backed)
        self._fetched: dict[str, LedgerRow] = {}
        self._dropped: list[int] = []
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
                self._entries[number] = len(first_seen)
                if data.find(NEWS_MARK) >= 0:
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
        self.fetch_rows([loc for loc, known in found if known is not None and known[0] == HAS_LEDGER_ROW])

    def fetch_rows(self, locs: list[str]) -> None:
        self._fetched = self._recording.known(locs) if locs else {}

    def row(self, loc: str) -> LedgerRow | None:
        """What is known of a page of an earlier build."""
        found = self.index.known(_bytes(loc))
        if found is None:
            return None
        file, lastmod, first_seen, changed = found
        if file == HAS_LEDGER_ROW:
            return self._fetched.get(loc) or self._recording.known([loc]).get(loc)
        given = lastmod is not None
        return LedgerRow(
            url=loc,
            section=self.backed[file].section,
            shard=self.backed[file].name,
            origin=self.backed[file].origin,
            lastmod=lastmod,
            evidence_kind=EvidenceKind.GIVEN.value if given else None,
            evidence_detail="" if given else None,
            first_seen=first_seen,
            changed=changed,
        )

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

    def put(self, row: LedgerRow, known: LedgerRow | None, written: bytes, entry: Entry, *, is_backed: bool) -> None:
        """A page that was decided on; `is_backed` says that it needs no row in the ledger."""
        if self.index.is_full:
            self.groups.flush_groups()
        section = self.section_number(row.section)
        mask = mask_of(extensions_of(entry.media)) if entry.media is not NOTHING else 0
        loc = _bytes(row.url)
        if is_backed:
            self.origin = self.origin or row.origin.rpartition(":")[0] or row.origin
        if is_backed and (known is None or not known.id):
            self.index.put(loc, written, section, mask)
            return
        file = NEW if row.shard is None else self._file_number(row.shard)
        group = self.index.group_of(file, section)
        same = known is not None and known.gone is None and known.says_the_same(row)
        if is_backed and known is not None:
            changed = known.changed if same else self._recording.build
            self.index.put_anew(loc, written, group, mask, known.first_seen, changed)
            self._drop(known.id)
            return
        if known is not None and not known.id:
            known = self._recording.give_row(known)
        kept = known.id if known is not None and same else 0
        self.groups.put_row(LedgerPage(row, kept), written, group, mask)

    def _file_number(self, name: str) -> int:
        number = self._file_numbers.setdefault(name, len(self._files))
        if number == len(self._files):
            self._files.append(name)
        return number

    def _drop(self, number: int) -> None:
        self._dropped.append(number)
        if len(self._dropped) >= _DROPPED_AT_ONCE:
            self.drop()

    def drop(self) -> None:
        """Take away the rows of pages that are file-backed from now on."""
        self._recording.drop_rows(self._dropped)
        self._dropped.clear()

    def close(self) -> None:
        self._copies.close()
        self.index.forget_keys()

    # when every page has come

    def settled(self) -> list[PageGroup]:
        """The groups of all pages."""
        self.drop()
        found = self.groups.settled()
        self.index.forget_keys()  # workers share this memory
        for group in found:
            group.kept_part = partial(self.kept_part, group.file)
        return found

    def kept_part(self, file: int) -> EntryRun:
        """The entries of a file that came again as they were; raises CopyLostError."""
        data = self._copies.read(file)
        try:
            return self.index.entries(data, file, *self.backed[file].seen_and_changed())
        except ValueError as error:
            raise CopyLostError(f"{self.backed[file].name}: {error}") from error

    def last_written(self, file: int) -> dict[bytes, int]:
        """The build that last wrote each entry of a file of the last build."""
        if not 0 <= file < len(self.backed):
            return {}
        return dict(zip(entries_in(self._copies.read(file)), self.backed[file].seen_and_changed()[1], strict=True))

    def is_complete(self, file: int) -> bool:
        """Whether every file-backed page of a file came again as it was, and the file is as it was remembered."""
        return 0 <= file < len(self.backed) and self.index.share(file)[1] == self.backed[file].count

    def lost(self) -> Iterator[LedgerRow]:
        """The file-backed pages of the last build that are not listed in this one."""
        for number, file in enumerate(self.backed):
            if self._count[number] > self.index.share(number)[0]:
                first_seen, changed = file.seen_and_changed()
                part = self.index.entries(self._copies.read(number), number, first_seen, changed, lost=True)
                yield from backed_rows(file, _pieces(part), part.first_seen, part.changed)


class Copies:
    """The copies of published files, held open: one that is taken away while a build runs can still be read."""

    _MOST_OPEN = 200

    def __init__(self, kept: Path, backed: list[BackedFile]) -> None:
        self._kept, self._backed = kept, backed
        self._open: dict[int, BinaryIO] = {}

    def read(self, number: int) -> bytes:
        """Raises CopyLostError."""
        file = self._backed[number]
        try:
            if number not in self._open and len(self._open) < self._MOST_OPEN:
                self._open[number] = (self._kept / file.sha256).open("rb")
        except OSError as error:
            raise CopyLostError(f"{file.name}: {error.strerror or error}") from error
        return unpacked_file(self._kept, file, self._open.get(number))

    def close(self) -> None:
        for file in self._open.values():
            file.close()


@cache
def mask_of(extensions: frozenset[str] | tuple[str, ...]) -> int:
    """A bit for each."""
    return sum(1 << EXTENSIONS.index(name) for name in extensions)


def names_in(mask: int) -> set[str]:
    return {name for bit, name in enumerate(EXTENSIONS) if mask >> bit & 1}


def _pieces(part: EntryRun) -> Iterator[bytes]:
    return (bytes(part.entries[start:end]) for start, end in pairwise(array("I", (0, *part.ends))))


def _bytes(url: str) -> bytes:
    return url.encode("utf-8", "surrogatepass")
