"""What a blob turned out to be: kind, facts about its bytes, entries, and the troubles met while reading."""

from __future__ import annotations

from enum import StrEnum
from typing import TYPE_CHECKING, Protocol

import msgspec

from urlset.model.columns import Columns, Mark
from urlset.model.entry import Entry, IndexEntry
from urlset.model.frames import Tabular
from urlset.model.kept import kept
from urlset.model.media import NOTHING, Media
from urlset.model.place import Lines, Place
from urlset.model.robots import Robots
from urlset.model.shown import Shown
from urlset.model.trouble import Troubles

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping

    from urlset.model.element import Element
    from urlset.model.frames import FrameTable


class Kind(StrEnum):
    """By content, never by name or declared type."""

    URLSET = "urlset"
    SITEMAPINDEX = "sitemapindex"
    TEXT = "text"
    RSS = "rss"
    ATOM = "atom"
    ROBOTS = "robots"
    HTML = "html"
    EMPTY = "empty"
    OTHER_XML = "other-xml"
    UNKNOWN = "unknown"

    @property
    def lists_pages(self) -> bool:
        return self in (Kind.URLSET, Kind.TEXT, Kind.RSS, Kind.ATOM)


class Envelope(msgspec.Struct, frozen=True):
    """How the bytes were delivered, before anything was understood."""

    delivered: int
    """bytes as delivered, compressed if they were"""
    size: int
    """bytes after unpacking, in the encoding they were written in"""
    compression: str | None = None
    layers: int = 0
    encoding: str = "utf-8"
    """the encoding the bytes were actually read with"""
    byte_order_mark: bool = False
    complete: bool = True
    """False when a limit or damage stopped unpacking before the end"""


class Declaration(msgspec.Struct, frozen=True):
    """The `<?xml …?>` line."""

    place: Place
    version: str | None = None
    encoding: str | None = None
    standalone: str | None = None


class Root(msgspec.Struct, frozen=True):
    """The root element: its name as written, its namespace, and what it declares."""

    place: Place
    written: str
    local: str
    namespace: str
    declared: dict[str, str] = {}
    """prefix → namespace; the default namespace under the empty prefix"""
    attributes: dict[str, str] = {}
    synthetic: bool = False
    """True when the document has no usable root and one was assumed"""


class Prolog(msgspec.Struct, frozen=True):
    """What comes before the root."""

    declaration: Declaration | None = None
    doctype: Place | None = None
    stylesheets: tuple[str, ...] = ()


class RowAccess(Protocol):
    """The reader's second look at one row, made only on request."""

    def element(self, document: Document, row: int) -> Element: ...

    def media(self, document: Document, row: int) -> Media: ...

    def bare_field(self, document: Document, row: int, name: str) -> int | None: ...

    def source_offset(self, document: Document, offset: int) -> int: ...


class Document(Shown, Tabular, msgspec.Struct, frozen=True, eq=False, dict=True):
    """One sitemap file as read. Iterating gives entries; `troubles` says what was wrong with the bytes."""

    name: str
    kind: Kind
    data: bytes
    """the unpacked bytes as UTF-8; places point into it"""
    columns: Columns
    envelope: Envelope
    row_reader: RowAccess
    troubles: Troubles = msgspec.field(default_factory=Troubles)
    prolog: Prolog = Prolog()
    root: Root | None = None
    robots: Robots | None = None
    url: str | None = None
    """the address the document lives at, where known"""

    def __len__(self) -> int:
        return len(self.columns)

    def __iter__(self) -> Iterator[Entry | IndexEntry]:
        columns = self.columns
        if self.kind is Kind.SITEMAPINDEX:
            for row in range(len(columns)):
                yield self.entry(row)
            return
        media, extended = self.row_reader.media, Mark.EXTENDED
        texts = zip(columns.locs, columns.lastmods, columns.changefreqs, columns.priorities, columns.marks, strict=True)
        for row, (loc, lastmod, changefreq, priority, mark) in enumerate(texts):
            yield Entry(
                loc and loc.strip(),
                lastmod and lastmod.strip(),
                changefreq and changefreq.strip(),
                priority and priority.strip(),
                media(self, row) if mark & extended else NOTHING,
            )

    def entry(self, row: int) -> Entry | IndexEntry:
        columns = self.columns
        loc, lastmod = columns.locs[row], columns.lastmods[row]
        if self.kind is Kind.SITEMAPINDEX:
            return IndexEntry(loc and loc.strip(), lastmod and lastmod.strip())
        changefreq, priority = columns.changefreqs[row], columns.priorities[row]
        return Entry(
            loc and loc.strip(),
            lastmod and lastmod.strip(),
            changefreq and changefreq.strip(),
            priority and priority.strip(),
            self.media(row),
        )

    @property
    def lists_pages(self) -> bool:
        return self.kind.lists_pages

    def entries(self) -> Iterator[Entry]:
        """The listed pages; nothing for an index."""
        return (entry for entry in self if isinstance(entry, Entry))

    def children(self) -> Iterator[IndexEntry]:
        """The listed sitemaps; nothing unless this is an index."""
        return (entry for entry in self if isinstance(entry, IndexEntry))

    def media(self, row: int) -> Media:
        if not self.columns.marks[row] & Mark.EXTENDED:
            return NOTHING
        return self.row_reader.media(self, row)

    def element(self, row: int) -> Element:
        """The row with the place of every element, attribute and character."""
        return self.row_reader.element(self, row)

    def bare_field(self, row: int, name: str) -> int | None:
        """Where the text of a field begins when it is written as its own bytes; None when it may not be."""
        return self.row_reader.bare_field(self, row, name)

    def place(self, row: int) -> Place:
        return self.columns.place(row)

    @kept
    def lines(self) -> Lines:
        return Lines(self.data)

    def source_offset(self, offset: int) -> int:
        """An offset into `data` as an offset into the unpacked bytes (they differ unless those are UTF-8)."""
        return self.row_reader.source_offset(self, offset)

    def __contains__(self, item: object) -> bool:
        """Whether a URL is listed, as it is written there; or an entry."""
        if isinstance(item, str):
            return item in self._locs
        return any(entry == item for entry in self)

    @kept
    def _locs(self) -> frozenset[str]:
        return frozenset(loc.strip() for loc in self.columns.locs if loc)

    has_preview = True

    def facts(self) -> Iterator[tuple[str, object]]:
        yield "name", self.name
        yield "kind", self.kind.value
        yield "entries", len(self)
        if self.url is not None and self.url != self.name:
            yield "url", self.url
        if self.troubles:
            yield "troubles", self.troubles.total

    def tables(self) -> Mapping[str, Callable[[], FrameTable]]:
        """Rows: pages, sitemaps, images, videos, news, alternates; of an index, sitemaps are the default."""
        from urlset.model.page_tables import page_tables

        return page_tables(lambda: (self,), sitemaps_first=self.kind is Kind.SITEMAPINDEX)
