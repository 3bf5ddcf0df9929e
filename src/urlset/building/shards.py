"""Pages with their sizes and former files → the file each page is listed in; a page stays where it was.

Nothing here holds a page: a plan is one small number per page, in the order the pages came. Whoever wants the
same plan on every run gives the pages in the same order, by address for instance.
"""

from __future__ import annotations

from array import array
from collections import Counter
from collections.abc import Iterable, Iterator
from enum import StrEnum

import msgspec

from urlset.building.section_names import slugs_of
from urlset.spec.lazy_pattern import lazy_pattern
from urlset.spec.protocol import MAX_BYTES, MAX_INDEX_ENTRIES, MAX_URLS
from urlset.writing.urlset import CLOSING, EXTENSIONS, opening

INDEX_NAME = "sitemap.xml"
FRAME_BYTES = len(opening(EXTENSIONS)) + len(CLOSING) + 256
"""what stands around the entries at most: the root with every namespace, and a style sheet's line"""

_NUMBERED = lazy_pattern(r"sitemap-([a-z0-9_-]+)-([1-9][0-9]{0,5})\.(?:xml|txt)(?:\.gz)?")
_NEARLY_FULL = 256
"""A file with less than one part in so many left is not tried again, or filling would look at every file."""
_NOWHERE = -1


class Form(StrEnum):
    XML = "xml"
    TEXT = "txt"


class Limits(msgspec.Struct, frozen=True):
    """New pages are put into a file up to `fill_…`; pages that are in it may stay up to `most_…`.

    The room between the two is why an entry that gains a date or an image does not push others out.
    """

    fill_entries: int = 45_000
    fill_bytes: int = MAX_BYTES - (2 << 20)
    most_entries: int = MAX_URLS
    most_bytes: int = MAX_BYTES


class Shard(msgspec.Struct, frozen=True):
    """One file of the set, before it is written; `size` is an upper bound of its bytes."""

    name: str
    section: str
    entries: int
    size: int


class Plan(msgspec.Struct, frozen=True):
    shards: tuple[Shard, ...]
    """by section and number; a single empty one when there are no pages"""
    places: array[int]
    """for each page, in the order given, its shard's position in `shards`; -1 when no file can hold the page"""
    indexed: bool
    """whether the set needs an index, which then has the name `sitemap.xml`"""
    moved: int = 0
    """pages that had a file and got another one"""

    def name_of(self, ordinal: int) -> str | None:
        place = self.places[ordinal]
        return None if place == _NOWHERE else self.shards[place].name

    def names(self) -> Iterator[str | None]:
        """The file of every page, to be zipped with the pages; None when no file can hold the page."""
        names = [shard.name for shard in self.shards]
        return (None if place == _NOWHERE else names[place] for place in self.places)


def numbered(name: str, slug: str) -> int | None:
    """The number of a file of that slug; None for any other name."""
    found = _NUMBERED.fullmatch(name)
    return int(found[2]) if found is not None and found[1] == slug else None


class TooManyFilesError(ValueError):
    """More files than one index may list."""


class Memory:
    """(url, file) of the last build → the file of an address, at about 80 bytes a page.

    Only for callers without a ledger, which gives the former file with the page. Addresses are known by a
    64-bit hash: should two ever share one, a new page is put beside an old one and nothing is lost.
    """

    def __init__(self, previous: Iterable[tuple[str, str]]) -> None:
        numbers: dict[str, int] = {}
        self._known = {hash(url): numbers.setdefault(name, len(numbers)) for url, name in previous}
        self._names = list(numbers)

    def get(self, url: str) -> str | None:
        number = self._known.get(hash(url))
        return None if number is None else self._names[number]


def assign(
    pages: Iterable[tuple[str, int, str | None]],
    *,
    limits: Limits = Limits(),  # noqa: B008 - a frozen value
    form: Form = Form.XML,
    gzip: bool = False,
    compact: bool = False,
) -> Plan:
    """Pages as (section, bytes of the entry, former file or None), each address once → where each one goes.

    The section "" is that of a site without sections. A page keeps its file unless its section changed or
    the file would pass `most_…`; the others fill the first file of their section with room, then a new one.
    A set that once needed an index keeps it. With `compact` the former files do not count.
    """
    offered = _Offered.gather(pages)
    slugs = slugs_of(offered.sections, None if compact else offered.former_slugs())
    rooms = [_Section(section, slugs[section], limits) for section in offered.sections]
    bins: list[_Bin | None] = [None] * len(offered.sizes)
    if offered.files and not compact:
        _keep(offered, rooms, bins)
    moved = _fill(offered, rooms, bins)
    ordered = sorted(
        (each for room in rooms for each in room.bins.values() if each.entries),
        key=lambda each: (each.slug, each.number),
    )
    if len(ordered) > MAX_INDEX_ENTRIES:
        raise TooManyFilesError(f"{len(ordered):,} files are needed, and an index lists at most {MAX_INDEX_ENTRIES:,}")
    indexed = len(ordered) > 1 or any(each.section or each.remembered for each in ordered)
    suffix = f".{form}" + (".gz" if gzip else "")
    shards = [each.shard(suffix if indexed else None, form) for each in ordered]
    for position, each in enumerate(ordered):
        each.position = position
    places = array("i", (_NOWHERE if each is None else each.position for each in bins))
    return Plan(tuple(shards) or (Shard(_single(form), "", 0, FRAME_BYTES),), places, indexed, moved)


def _single(form: Form) -> str:
    # The well-known place is a plain file also where the parts of a large set are packed.
    return INDEX_NAME if form is Form.XML else f"sitemap.{form}"


ONLY_NAMES = frozenset(map(_single, Form))
"""of the file of a set that needs no index"""


class _Bin:
    __slots__ = ("entries", "number", "position", "remembered", "section", "size", "slug")

    def __init__(self, section: str, slug: str, number: int) -> None:
        self.section, self.slug, self.number = section, slug, number
        self.entries, self.size, self.position = 0, FRAME_BYTES, 0
        self.remembered = False
        """a page of it stood in a numbered file before"""

    def take(self, size: int, most_entries: int, most_bytes: int) -> bool:
        if self.entries >= most_entries or self.size + size > most_bytes:
            return False
        self.entries += 1
        self.size += size
        return True

    def shard(self, suffix: str | None, form: Form) -> Shard:
        name = _single(form) if suffix is None else f"sitemap-{self.slug}-{self.number}{suffix}"
        return Shard(name, self.section, self.entries, self.size)


class _Section:
    """The files of one section while they are filled."""

    def __init__(self, section: str, slug: str, limits: Limits) -> None:
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
            if position == self._first and self._is_full(found):
                self._first += 1
        found = self._next()
        # An entry beyond the headroom gets a file of its own, as long as a file may be at all.
        if found.take(size, limits.fill_entries, max(limits.fill_bytes, limits.most_bytes)):
            return found
        del self.bins[found.number]
        self._open.pop()
        return None

    def _is_full(self, found: _Bin) -> bool:
        left = self.limits.fill_bytes - found.size
        return found.entries >= self.limits.fill_entries or left < self.limits.fill_bytes // _NEARLY_FULL

    def _next(self) -> _Bin:
        while self._unused in self.bins:
            self._unused += 1
        assert self._open is not None
        self._open.append(self.bin(self._unused))
        return self._open[-1]


class _Offered:
    """The stream of pages as columns of numbers: 12 bytes a page."""

    def __init__(self) -> None:
        self.sections: list[str] = []
        self.files: list[str] = []
        self.sizes, self.section_of, self.file_of = array("I"), array("i"), array("i")

    @classmethod
    def gather(cls, pages: Iterable[tuple[str, int, str | None]]) -> _Offered:
        offered = cls()
        sections: dict[str, int] = {}
        files: dict[str | None, int] = {None: _NOWHERE}
        add_size, add_section, add_file = offered.sizes.append, offered.section_of.append, offered.file_of.append
        for section, size, before in pages:
            add_size(size)
            add_section(sections.setdefault(section, len(sections)))
            add_file(files.setdefault(before, len(files) - 1))
        offered.sections = list(sections)
        offered.files = [name for name in files if name is not None]
        return offered

    def former_slugs(self) -> dict[tuple[str, str], int]:
        """How many pages of a section stood in files named after a slug."""
        counts: dict[tuple[str, str], int] = {}
        for (section, file), count in Counter(zip(self.section_of, self.file_of, strict=True)).items():
            numbered = None if file == _NOWHERE else _NUMBERED.fullmatch(self.files[file])
            if numbered is not None:
                claim = self.sections[section], numbered[1]
                counts[claim] = counts.get(claim, 0) + count
        return counts


def _keep(offered: _Offered, rooms: list[_Section], bins: list[_Bin | None]) -> None:
    """Leave every page in its file, as far as that is still a file of its section with room for it."""
    known: dict[tuple[int, int], _Bin | None] = {}
    for ordinal, pair in enumerate(zip(offered.section_of, offered.file_of, strict=True)):
        section, file = pair
        if file == _NOWHERE:
            continue
        if pair not in known:
            known[pair] = _former(rooms[section], offered.files[file])
        found = known[pair]
        if found is not None:
            limits = rooms[section].limits
            if found.take(offered.sizes[ordinal], limits.most_entries, limits.most_bytes):
                bins[ordinal] = found


def _fill(offered: _Offered, rooms: list[_Section], bins: list[_Bin | None]) -> int:
    """Find a file for every page that has none; how many of them had one before."""
    moved = 0
    for ordinal, (size, section, file) in enumerate(
        zip(offered.sizes, offered.section_of, offered.file_of, strict=True)
    ):
        if bins[ordinal] is not None:
            continue
        room = rooms[section]
        found: _Bin | None = room.current
        # most pages go where the last one went
        if found is not None and found.entries < room.fill_entries and found.size + size <= room.fill_bytes:
            found.entries += 1
            found.size += size
        else:
            found = room.make_room(size)
        bins[ordinal] = found
        moved += file != _NOWHERE and found is not None
    return moved


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
