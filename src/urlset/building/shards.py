"""Groups of pages with their sizes and former files → the file each page is listed in; a page stays where it was.

Nothing here holds a page: a plan is a list of runs of pages that go to one file. Pages of a group are placed in the
order they came.
"""

from __future__ import annotations

import unicodedata
from collections.abc import Iterable, Mapping, Sequence
from enum import StrEnum
from hashlib import blake2b
from typing import NamedTuple, Protocol

import msgspec

from urlset.spec.lazy_pattern import lazy_pattern
from urlset.spec.protocol import MAX_BYTES, MAX_URLS
from urlset.writing.urlset import CLOSING, EXTENSIONS, opening

INDEX_NAME = "sitemap.xml"


def index_name(number: int) -> str:
    """The first index has the well-known name; an index may not list another, so further ones lie next to it."""
    return INDEX_NAME if number == 1 else f"sitemap.{number}.xml"


TOO_LARGE = "entry exceeds the size limit of a sitemap"
FRAME_BYTES = len(opening(EXTENSIONS)) + len(CLOSING) + 256
"""the most that surrounds the entries: the root with every namespace, and a style sheet's line"""

_NUMBERED = lazy_pattern(r"sitemap-([a-z0-9_-]+)-([1-9][0-9]{0,5})\.(?:xml|txt)(?:\.gz)?")
_NEARLY_FULL = 256
"""A file with less than one part in so many left is not tried again, or filling would look at every file."""
NOWHERE = -1


class FileForm(StrEnum):
    XML = "xml"
    TEXT = "txt"


class ShardLimits(msgspec.Struct, frozen=True):
    """New pages are put into a file up to `fill_…`; pages that are in it may stay up to `most_…`.

    The room between the two is why an entry that gains a date or an image does not push others out.
    """

    fill_entries: int = 45_000
    fill_bytes: int = MAX_BYTES - (2 << 20)
    most_entries: int = MAX_URLS
    most_bytes: int = MAX_BYTES


LIMITS = ShardLimits()


class Shard(msgspec.Struct, frozen=True):
    """One file of the set, before it is written; `size` is an upper bound of its bytes."""

    name: str
    section: str
    entries: int
    size: int


class PageRun(NamedTuple):
    """Pages of one group, from and to, that go to one file."""

    group: int
    low: int
    high: int
    place: int
    """the position of the file in `ShardPlan.shards`; -1 when no file can hold the page"""


class ShardPlan(msgspec.Struct, frozen=True):
    shards: tuple[Shard, ...]
    """by section and number; a single empty one when there are no pages"""
    runs: tuple[PageRun, ...]
    """every page of every group once, by group and in turn"""
    homes: dict[int, int]
    """the file of the pages that a group keeps as they were"""
    indexed: bool
    """whether the set needs an index, whose name then is `sitemap.xml`; see `index_name` for further ones"""
    moved: int = 0
    """pages that had a file and got another one"""


class ShardGroup(Protocol):
    """Pages of one section with the same former file, in the order they came."""

    section: str
    """"" for a site without sections"""
    former: str | None
    kept: int
    kept_bytes: int
    """pages that are in the former file as they were, and have no entry of their own in the group"""

    def __len__(self) -> int: ...

    def fitting(self, low: int, entries: int, size: int) -> int:
        """How far one can go from page `low` without passing that many entries or bytes."""
        ...

    def size_of(self, low: int, high: int) -> int: ...

    def expand(self) -> None:
        """Give the pages that were kept their own entries."""
        ...


def assign(
    groups: Sequence[ShardGroup],
    *,
    limits: ShardLimits | None = None,
    form: FileForm = FileForm.XML,
    gzip: bool = False,
    compact: bool = False,
) -> ShardPlan:
    """Where every page goes.

    A page keeps its file unless its section changed or the file would pass `most_…`; the others fill the first file
    of their section with room, then a new one. A set that once needed an index keeps it. With `compact` the former
    files do not count.
    """
    limits = limits or LIMITS
    sections = list(dict.fromkeys(group.section for group in groups))
    slugs = slugs_of(sections, None if compact else _former_slugs(groups))
    rooms = {section: _Section(section, slugs[section], limits) for section in sections}
    pour = _Pour(groups, rooms)
    for number, group in enumerate(groups):
        if group.former is not None and not compact:
            pour.keep(number, _former(rooms[group.section], group.former))
        elif group.kept:
            group.expand()
    for number in sorted(range(len(groups)), key=lambda number: (groups[number].former is None) is compact):
        pour.fill(number)  # new pages before those that lost their file, unless all are placed anew
    ordered = sorted(
        (each for room in rooms.values() for each in room.bins.values() if each.entries),
        key=lambda each: (each.slug, each.number),
    )
    indexed = len(ordered) > 1 or any(each.section or each.remembered for each in ordered)
    suffix = f".{form}" + (".gz" if gzip else "")
    shards = [each.shard(suffix if indexed else None, form) for each in ordered]
    for position, each in enumerate(ordered):
        each.position = position
    placed = (PageRun(at, low, high, NOWHERE if each is None else each.position) for at, low, high, each in pour.runs)
    runs = _joined(sorted(placed))
    homes = {number: found.position for number, found in pour.homes.items()}
    empty = (Shard(_single(form), "", 0, FRAME_BYTES),)
    return ShardPlan(tuple(shards) or empty, tuple(runs), homes, indexed, pour.moved)


def _single(form: FileForm) -> str:
    # The well-known place is a plain file also where the parts of a large set are packed.
    return INDEX_NAME if form is FileForm.XML else f"sitemap.{form}"


ONLY_NAMES = frozenset(map(_single, FileForm))
"""of the file of a set that needs no index"""


class _Bin:
    __slots__ = ("entries", "number", "position", "remembered", "section", "size", "slug")

    def __init__(self, section: str, slug: str, number: int) -> None:
        self.section, self.slug, self.number = section, slug, number
        self.entries, self.size, self.position = 0, FRAME_BYTES, 0
        self.remembered = False
        """a page of it stood in a numbered file before"""

    def has_room(self, entries: int, size: int, most_entries: int, most_bytes: int) -> bool:
        return self.entries + entries <= most_entries and self.size + size <= most_bytes

    def add(self, entries: int, size: int) -> None:
        self.entries += entries
        self.size += size

    def take(self, size: int, most_entries: int, most_bytes: int) -> bool:
        """One page, where there is room for it."""
        if not self.has_room(1, size, most_entries, most_bytes):
            return False
        self.add(1, size)
        return True

    def shard(self, suffix: str | None, form: FileForm) -> Shard:
        name = _single(form) if suffix is None else f"sitemap-{self.slug}-{self.number}{suffix}"
        return Shard(name, self.section, self.entries, self.size)


class _Section:
    """The files of one section while they are filled."""

    def __init__(self, section: str, slug: str, limits: ShardLimits) -> None:
        self.section, self.slug, self.limits = section, slug, limits
        self.fill_entries, self.fill_bytes = limits.fill_entries, limits.fill_bytes
        self.bins: dict[int, _Bin] = {}
        self.current: _Bin | None = None
        """the first file with room, once known"""
        self._open: list[_Bin] | None = None
        self._first = 0
        self._unused = 1

    def bin(self, number: int) -> _Bin:
        if number not in self.bins:
            self.bins[number] = _Bin(self.section, self.slug, number)
        return self.bins[number]

    def make_room(self, size: int) -> _Bin | None:
        limits = self.limits
        if self._open is None:
            self._open = [self.bins[number] for number in sorted(self.bins)]
        self.current = None
        for position in range(self._first, len(self._open)):
            found = self._open[position]
            if found.take(size, limits.fill_entries, limits.fill_bytes):
                if position == self._first:
                    self.current = found
                return found
            if position == self._first:
                left = limits.fill_bytes - found.size
                is_full = found.entries >= limits.fill_entries or left < limits.fill_bytes // _NEARLY_FULL
                self._first += is_full
        while self._unused in self.bins:
            self._unused += 1
        found = self.bin(self._unused)
        self._open.append(found)
        # An entry beyond the headroom gets its own file, as long as a file may be at all.
        if found.take(size, limits.fill_entries, max(limits.fill_bytes, limits.most_bytes)):
            return found
        del self.bins[found.number]
        self._open.pop()
        return None


class _Pour:
    """Groups, poured into files."""

    def __init__(self, groups: Sequence[ShardGroup], rooms: dict[str, _Section]) -> None:
        self.runs: list[tuple[int, int, int, _Bin | None]] = []
        self.homes: dict[int, _Bin] = {}
        self.moved = 0
        self._groups, self._rooms = groups, rooms
        self._left: dict[int, list[tuple[int, int]]] = {}

    def keep(self, number: int, found: _Bin | None) -> None:
        """Leave the pages of a group in their file, as far as that is still a file of its section with room."""
        group = self._groups[number]
        if found is None:
            if group.kept:
                group.expand()
            return
        limits = self._rooms[group.section].limits
        if group.kept:
            if found.has_room(group.kept, group.kept_bytes, limits.most_entries, limits.most_bytes):
                found.add(group.kept, group.kept_bytes)
                self.homes[number] = found
            else:
                group.expand()
        low, left = 0, []
        while low < len(group):
            high = group.fitting(low, limits.most_entries - found.entries, limits.most_bytes - found.size)
            if high > low:
                self._run(number, low, high, found)
            if high < len(group):
                last = len(group) if found.entries >= limits.most_entries else high + 1
                left.append((high, last))
                high = last
            low = high
        self._left[number] = left

    def fill(self, number: int) -> None:
        """Find a file for every page of a group that has none."""
        group = self._groups[number]
        room = self._rooms[group.section]
        for low, end in self._left.get(number, [(0, len(group))]):
            self.moved += end - low if group.former is not None else 0
            at = low
            while at < end:
                found, high = room.current, at
                if found is not None:  # most pages go where the last one went
                    high = group.fitting(at, room.fill_entries - found.entries, room.fill_bytes - found.size)
                    high = min(high, end)
                if found is not None and high > at:
                    self._run(number, at, high, found)
                else:
                    high = at + 1
                    self.runs.append((number, at, high, room.make_room(group.size_of(at, high))))
                at = high

    def _run(self, number: int, low: int, high: int, found: _Bin) -> None:
        found.add(high - low, self._groups[number].size_of(low, high))
        self.runs.append((number, low, high, found))


def _joined(runs: list[PageRun]) -> list[PageRun]:
    """The same with one run for those that follow each other into one file."""
    found: list[PageRun] = []
    for run in runs:
        if found and (found[-1].group, found[-1].high, found[-1].place) == (run.group, run.low, run.place):
            found[-1] = found[-1]._replace(high=run.high)
        else:
            found.append(run)
    return found


def _former_slugs(groups: Sequence[ShardGroup]) -> dict[tuple[str, str], int]:
    """How many pages of a section stood in files named after a slug."""
    counts: dict[tuple[str, str], int] = {}
    for group in groups:
        numbered = None if group.former is None else _NUMBERED.fullmatch(group.former)
        if numbered is not None:
            claim = group.section, numbered[1]
            counts[claim] = counts.get(claim, 0) + len(group) + group.kept
    return counts


def _former(room: _Section, name: str) -> _Bin | None:
    """The file of that name, packed or not; what was the only file becomes the first of its section."""
    if name in ONLY_NAMES:
        return room.bin(1)
    numbered = _NUMBERED.fullmatch(name)
    if numbered is None or numbered[1] != room.slug:
        return None
    found = room.bin(int(numbered[2]))
    found.remembered = True
    return found


# Names of sections, whatever they contain → parts of file names that are safe, readable and distinct.

WITHOUT_SECTION = "pages"
"""used in file names for pages that belong to no section"""

_SAFE = lazy_pattern(r"[a-z0-9](?:[a-z0-9_-]{0,58}[a-z0-9])?")
_UNSAFE_RUN = lazy_pattern(r"[^a-z0-9_]+")
_LONGEST = 48


def slugs_of(sections: Iterable[str], former: Mapping[tuple[str, str], int] | None = None) -> dict[str, str]:
    """One slug for each section; two never share one. A name that is safe is its own slug, unless it is taken.

    `former` counts the pages of a section in files of a slug: a section keeps its slug.
    Capitals are folded, because on some file systems `News` and `news` are one file.
    """
    wanted = sorted(set(sections))
    slugs: dict[str, str] = {}
    claims = sorted((former or {}).items(), key=lambda claim: (-claim[1], claim[0]))
    for (name, slug), _ in claims:
        if slug in (_readable(name), _marked(name)) and slug not in slugs.values():
            slugs.setdefault(name, slug)
    taken = set(slugs.values())
    for name in sorted(wanted, key=lambda name: not _SAFE.fullmatch(name)):
        if name not in slugs:
            slug = _readable(name) if _readable(name) not in taken else _marked(name)
            while slug in taken:
                slug += "x"
            slugs[name] = slug
            taken.add(slug)
    return slugs


def _readable(name: str) -> str:
    if not name:
        return WITHOUT_SECTION
    if _SAFE.fullmatch(name):
        return name
    plain = unicodedata.normalize("NFKD", name).encode("ascii", "ignore").decode().lower()
    return _UNSAFE_RUN.sub("-", plain).strip("-_")[:_LONGEST].strip("-_") or _marked(name)


def _marked(name: str) -> str:
    mark = blake2b(name.encode("utf-8", "replace"), digest_size=4).hexdigest()
    slug = _UNSAFE_RUN.sub("-", name.lower()).strip("-_")[:_LONGEST].strip("-_")
    return f"{slug or 'section'}-{mark}"
