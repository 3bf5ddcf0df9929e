"""The pages of the last build and of this one → which are new, changed or as they were, and their entries by group.

`compiled_pages.PageIndex` is the same for millions, and takes rows of sources as well. A group is made of the pages
of one section that stood in one file before, or in none.
"""

from __future__ import annotations

import re
from array import array
from collections.abc import Iterator, Sequence
from itertools import accumulate, chain
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple, Protocol, TypeAlias

if TYPE_CHECKING:
    from urlset.building import compiled_pages as compiled

NEW = -1
"""the file of a page that no earlier build has listed"""
HAS_LEDGER_ROW = -2
"""the file of a page that is known to the ledger by its own row"""

ENTRY = re.compile(
    rb"  <url>\n    <loc>([^<]*+)</loc>\n"
    rb"((?:    <lastmod>([^<]*+)</lastmod>\n)?(?:(?!  </url>\n)[^\n]*+\n)*+  </url>\n)"
)
_ENTRY_OPENS = b"\n  <url>\n"
_LOC_ENDS = b"</loc>\n"


class StoredEntries(NamedTuple):
    """Entries in a file on disk."""

    path: Path
    start: int
    size: int

    def read(self) -> bytes:
        with self.path.open("rb") as file:
            file.seek(self.start)
            data = file.read(self.size)
        if len(data) != self.size:
            raise OSError("entries on disk were cut off")
        return data


class EntryRun(NamedTuple):
    """Some entries, and for each where it ends, the build it was met first in and the one it was last written in."""

    entries: bytes | bytearray | memoryview | StoredEntries
    ends: array[int]
    first_seen: array[int]
    changed: array[int]
    masks: bytes | bytearray = b""
    """the extensions that each uses, where that is known"""
    starts: array[int] | None = None
    """where each begins; None where that is the end of the one before"""

    def load(self) -> bytes | bytearray | memoryview:
        return self.entries.read() if isinstance(self.entries, StoredEntries) else self.entries

    def pieces(self) -> Iterator[bytes]:
        starts = self.starts if self.starts is not None else chain((0,), self.ends)
        data = self.load()
        return (bytes(data[start:end]) for start, end in zip(starts, self.ends, strict=False))

    def packed(self) -> EntryRun:
        """The same in memory, without anything between the entries."""
        if self.starts is None:
            return self._replace(entries=self.load())
        pieces = list(self.pieces())
        return self._replace(entries=b"".join(pieces), ends=array("I", accumulate(map(len, pieces))), starts=None)


class _Known:
    __slots__ = ("changed", "day", "file", "first_seen", "is_kept", "is_listed", "is_met", "rest")

    def __init__(self, file: int, rest: int, day: str | None, first_seen: int, changed: int) -> None:
        self.file, self.rest, self.day, self.first_seen, self.changed = file, rest, day, first_seen, changed
        self.is_met = self.is_listed = self.is_kept = False


Claims = dict[str, int]
"""Numbers by address."""


def _run_of(data: bytes, rows: list[tuple[int, int, int, int]]) -> EntryRun:
    starts, ends, first_seen, changed = (array("I", (row[column] for row in rows)) for column in range(4))
    return EntryRun(data, ends, first_seen, changed, b"", starts)


class PageIndex:
    """Knows pages by their addresses."""

    def __init__(
        self,
        build: int,
        sections: Sequence[int] = (),
        *,
        given: bool = True,
        folder: Path | None = None,
        key: bytes | None = None,
    ) -> None:
        del given, folder, key  # which only those need who take rows
        self._build, self._sections = build, sections
        self._known: dict[bytes, _Known] = {}
        self._met: set[bytes] = set()
        self._shares = [[0, 0, 0] for _ in sections]
        self._held: dict[int, list[tuple[bytes, int, int, int]]] = {}
        self._size = 0
        self._group_of: dict[tuple[int, int], int] = {}
        self.groups: list[tuple[int, int]] = []

    def expect(self, known: int) -> None:
        """Room is made as it is needed."""

    def load_file(self, data: bytes, file: int, first_seen: array[int], changed: array[int]) -> int:
        """A file of the last build, unpacked, and per entry the builds it was met first and written last in.

        Entries without such a build belong to pages with rows in the ledger, and are passed over. Gives the number
        of the others. Raises ValueError.
        """
        count = 0
        if data.count(_ENTRY_OPENS) != len(first_seen) or len(changed) < len(first_seen):
            raise ValueError(f"not the {len(first_seen)} entries that were written")
        for entry, seen, last in zip(ENTRY.finditer(data), first_seen, changed, strict=False):
            key = _plain(entry[1])
            if seen and key not in self._known:
                day = entry[3].decode() if entry[3] is not None else None
                self._known[key] = _Known(file, hash(entry[2]), day, seen, last)
                count += 1
        return count

    def load_row(self, loc: bytes) -> None:
        """A page with a row of its own in the ledger."""
        self._known.setdefault(loc, _Known(HAS_LEDGER_ROW, 0, None, self._build, self._build))

    def entries(self, data: bytes, file: int, first_seen: array[int], changed: array[int]) -> tuple[EntryRun, EntryRun]:
        """Of a file that was made known, the entries that came again as they were, and those not listed again."""
        kept, lost = list[tuple[int, int, int, int]](), list[tuple[int, int, int, int]]()
        for entry, first, written in zip(ENTRY.finditer(data), first_seen, changed, strict=False):
            known = self._known.get(_plain(entry[1])) if first else None
            if known is not None and known.file == file and known.is_kept == known.is_listed:
                (kept if known.is_kept else lost).append((*entry.span(), first, written))
        if [len(kept), sum(end - start for start, end, *_ in kept)] != self._shares[file][1:]:
            raise ValueError("not the entries that were made known")
        return _run_of(data, kept), _run_of(data, lost)

    def forget_keys(self) -> None:
        """When every page has come, none is looked up again."""
        self._met.clear()

    def share(self, file: int) -> tuple[int, int, int]:
        """How many pages of a file are listed again; of these as they were, and with how many bytes."""
        rows, kept, size = self._shares[file]
        return rows, kept, size

    def meet(self, key: bytes) -> bool:
        """Whether this is the first page of that key in this build."""
        known = self._known.get(key)
        if key in self._met or (known is not None and known.is_met):
            return False
        if known is not None:
            known.is_met = True
        else:
            self._met.add(key)
        return True

    def known(self, loc: bytes) -> tuple[int, str | None, int, int] | None:
        """(file or HAS_LEDGER_ROW, lastmod, first_seen, changed) of a page of the last build; None for any other."""
        found = self._known.get(loc)
        return None if found is None else (found.file, found.day, found.first_seen, found.changed)

    def put(self, loc: bytes, entry: bytes, section: int, mask: int) -> None:
        """The entry of a page that was met: listed as it was, or anew."""
        known = self._known.get(loc)
        if known is None or known.file == HAS_LEDGER_ROW:
            self._append(self.group_of(NEW, section), entry, self._build, self._build, mask)
            return
        share = self._shares[known.file]
        share[0] += not known.is_listed
        if self._sections[known.file] == section and known.rest == hash(entry[entry.index(_LOC_ENDS) + 7 :]):
            if not known.is_listed:
                share[1] += 1
                share[2] += len(entry)
            known.is_listed = known.is_kept = True
            return
        known.is_listed = True
        self._append(self.group_of(known.file, section), entry, known.first_seen, self._build, mask)

    def put_anew(self, loc: bytes, entry: bytes, group: int, mask: int, first_seen: int, changed: int) -> None:
        """An entry of one group with the builds that belong to it; that of a page with a row in the ledger has none."""
        known = self._known.get(loc)
        if known is not None and known.file >= 0:
            self._shares[known.file][0] += not known.is_listed
            known.is_listed = True
        self._append(group, entry, first_seen, changed, mask)

    def _append(self, group: int, entry: bytes, first_seen: int, changed: int, mask: int) -> None:
        self._held.setdefault(group, []).append((entry, first_seen, changed, mask))
        self._size += len(entry)

    @property
    def is_full(self) -> bool:
        """No page should be put before `flush_groups`."""
        return self._size > 4 << 20

    def group_of(self, file: int, section: int) -> int:
        """The number of the group of entries of a section that stood in that file before; it may be a new one."""
        found = self._group_of.setdefault((file, section), len(self.groups))
        if found == len(self.groups):
            self.groups.append((file, section))
        return found

    def flush_groups(self) -> dict[int, EntryRun]:
        """Everything put since the last time, by group, in the order it came."""
        found = {}
        for group, held in self._held.items():
            ends, size = array("I"), 0
            for entry, *_ in held:
                size += len(entry)
                ends.append(size)
            seen, changed = array("I", (each[1] for each in held)), array("I", (each[2] for each in held))
            masks = bytearray(each[3] for each in held)
            found[group] = EntryRun(b"".join(each[0] for each in held), ends, seen, changed, masks)
        self._held, self._size = {}, 0
        return found


def in_order(
    parts: Sequence[EntryRun], opening: bytes = b"", closing: bytes = b"", fresh: int = 0
) -> tuple[bytes, array[int], array[int], bytes]:
    """Entries in parts → one file, and the builds that each was met first and written last in.

    And a file of the first `fresh` entries, each with the one before and behind it; nothing where they are none.
    """
    entries = list(chain.from_iterable(part.pieces() for part in parts))
    builds = [each for part in parts for each in zip(part.first_seen, part.changed, strict=True)]
    order = sorted(range(len(entries)), key=lambda number: entries[number].partition(_LOC_ENDS)[0])
    near = [entries[number] for at, number in enumerate(order) if min(order[max(at - 1, 0) : at + 2]) < fresh]
    excerpt = b"".join((opening, *near, closing)) if near else b""
    data = b"".join((opening, *(entries[number] for number in order), closing))
    first_seen, changed = (array("I", (builds[number][column] for number in order)) for column in range(2))
    return data, first_seen, changed, excerpt


def shifted(ends: array[int], by: int) -> array[int]:
    return array("I", (end + by for end in ends))


AnyPageIndex: TypeAlias = "PageIndex | compiled.PageIndex"
"""the compiled one takes rows of sources as well"""


class PagesModule(Protocol):
    """What this module and `compiled_pages` both have."""

    def PageIndex(  # noqa: N802 - a class
        self,
        build: int,
        sections: Sequence[int] = (),
        *,
        given: bool = True,
        folder: Path | None = None,
        key: bytes | None = None,
    ) -> AnyPageIndex: ...
    def Claims(self) -> Claims | compiled.Claims: ...  # noqa: N802
    def in_order(
        self, parts: Sequence[EntryRun], opening: bytes = b"", closing: bytes = b"", fresh: int = 0
    ) -> tuple[bytes, array[int], array[int], bytes]: ...
    def shifted(self, ends: array[int], by: int) -> array[int]: ...


def compiled_pages() -> PagesModule | None:
    """The compiled module, or None where there is none or it is not wanted."""
    from urlset.reading.limits import is_compiled

    if not is_compiled():
        return None
    try:
        from urlset.building import compiled_pages as found
    except ImportError:
        return None
    return found


def pages_module() -> PagesModule:
    """`compiled_pages` or this module."""
    from urlset.building import pages  # noqa: PLW0406 - the only typed name of this module

    return compiled_pages() or pages


def _plain(written: bytes) -> bytes:
    return written.replace(b"&apos;", b"'").replace(b"&amp;", b"&") if b"&" in written else written
