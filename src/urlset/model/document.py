"""What a blob turned out to be: kind, facts about its bytes, entries, and the troubles met while reading."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta, timezone
from enum import Flag, StrEnum, auto
from functools import cache
from typing import TYPE_CHECKING, NamedTuple, Protocol, Self, SupportsIndex, overload

import msgspec

from urlset.model.cached import cached_property_unlocked
from urlset.model.columns import Columns, Mark
from urlset.model.entry import NOTHING, Entry, IndexEntry, Media
from urlset.model.frames import Tabular
from urlset.model.moment import Moment
from urlset.model.place import Lines, Place
from urlset.model.shown import Shown
from urlset.model.trouble import Troubles
from urlset.spec.engines import Engine

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Mapping

    from urlset.model.entry import Element
    from urlset.model.frames import FrameTable


class Has(Flag):
    """What documents of a kind have; rules and commands ask for this, never for a list of kinds."""

    PAGES = auto()
    """each entry is a page"""
    SITEMAPS = auto()
    """each entry is a sitemap"""
    LASTMOD = auto()
    """entries may have a date"""
    URL_ELEMENTS = auto()
    """<url> entries of the protocol, with its fields and extensions"""
    LINES = auto()
    """one URL per line"""
    FEED = auto()
    """the newest items of a site, not all of its pages"""
    RSS_ITEMS = auto()
    ATOM_ENTRIES = auto()
    XML = auto()
    ROBOTS_LINES = auto()
    WEB_PAGE = auto()
    OTHER_FORMAT = auto()
    """a known format that is not a sitemap: one rule says so, and no other rule applies"""
    UNKNOWN_FORMAT = auto()
    NOTHING = auto()

    PROTOCOL = URL_ELEMENTS | SITEMAPS
    """XML of the sitemap protocol"""
    LOCS = PAGES | SITEMAPS
    """entries with a URL"""


class KindFacts(msgspec.Struct, frozen=True):
    """The declaration of one kind."""

    noun: str
    """with its article, for sentences"""
    has: Has
    reader: str | None = None
    """the module of `urlset.reading` that reads it; None if nothing in it can be read"""
    taken_by: tuple[Engine, ...] = ()
    """engines that accept it as a sitemap"""
    label: str = ""
    """for `urlset info`, if not the noun"""
    refusal: str = ""
    """why it lists no pages, to follow its name"""
    may_be_template: bool = True
    """its source may be a template that was not rendered"""


_ALL = tuple(Engine)
_FEED_READERS = tuple(engine for engine in Engine if engine is not Engine.YANDEX)


class Kind(StrEnum):
    """What a document is by its content, never by its name or declared type. The only list of kinds.

    A new kind is one line here and one reader in `urlset.reading`: a module with the functions `recognizes` and `read`
    (see `reading/read.py`). Kinds with a reader of their own are tried in this order.
    """

    _value_: str
    noun: str
    label: str
    has: Has
    reader: str | None
    taken_by: tuple[Engine, ...]
    refusal: str
    may_be_template: bool
    is_sitemap: bool
    """whether some engine accepts it as a sitemap"""
    lists_pages: bool
    is_other_list: bool
    """it lists pages, and no engine accepts it as a sitemap"""
    lists_sitemaps: bool
    has_lastmod: bool
    is_xml: bool
    is_feed: bool
    is_protocol: bool
    """XML of the sitemap protocol: <urlset> or <sitemapindex>"""

    def __new__(cls, value: str, facts: KindFacts) -> Self:
        """Plain attributes, because entries of large files are checked against them."""
        self = str.__new__(cls, value)
        self._value_ = value
        own = self.has = facts.has
        self.noun, self.label = facts.noun, facts.label or facts.noun.partition(" ")[2]
        self.reader, self.taken_by = facts.reader, facts.taken_by
        self.refusal, self.may_be_template = facts.refusal, facts.may_be_template
        self.is_sitemap = bool(facts.taken_by)
        self.lists_pages, self.lists_sitemaps = Has.PAGES in own, Has.SITEMAPS in own
        self.is_other_list = self.lists_pages and not self.is_sitemap
        self.has_lastmod, self.is_feed = Has.LASTMOD in own, Has.FEED in own
        self.is_xml, self.is_protocol = Has.XML in own, bool(own & Has.PROTOCOL)
        return self

    URLSET = ("urlset", KindFacts("a sitemap", Has.PAGES | Has.URL_ELEMENTS | Has.LASTMOD | Has.XML, "scan", _ALL))
    SITEMAPINDEX = "sitemapindex", KindFacts("a sitemap index", Has.SITEMAPS | Has.LASTMOD | Has.XML, "scan", _ALL)
    RSS = (
        "rss",
        KindFacts("an RSS feed", Has.PAGES | Has.FEED | Has.RSS_ITEMS | Has.LASTMOD | Has.XML, "scan", _FEED_READERS),
    )
    ATOM = (
        "atom",
        KindFacts(
            "an Atom feed", Has.PAGES | Has.FEED | Has.ATOM_ENTRIES | Has.LASTMOD | Has.XML, "scan", _FEED_READERS
        ),
    )
    JSON_FEED = (
        "json-feed",
        KindFacts(
            "a JSON feed",
            Has.PAGES | Has.FEED | Has.LASTMOD | Has.OTHER_FORMAT,
            "json_feed",
            label="JSON feed, which no search engine reads as a sitemap",
            may_be_template=False,
        ),
    )
    ROBOTS = "robots", KindFacts("a robots.txt file", Has.ROBOTS_LINES, "robots", label="robots.txt")
    TEXT = "text", KindFacts("a text list", Has.PAGES | Has.LINES, "text", _ALL)
    HTML = (
        "html",
        KindFacts(
            "an HTML page",
            Has.WEB_PAGE | Has.OTHER_FORMAT,
            label="HTML page, not a sitemap",
            refusal="is an HTML page, not a sitemap",
            may_be_template=False,
        ),
    )
    EMPTY = "empty", KindFacts("empty", Has.NOTHING, label="empty", refusal="is empty", may_be_template=False)
    OTHER_XML = (
        "other-xml",
        KindFacts(
            "another XML format",
            Has.XML | Has.OTHER_FORMAT,
            label="XML, but not a sitemap",
            refusal="is XML, but not a sitemap or feed",
        ),
    )
    UNKNOWN = (
        "unknown",
        KindFacts(
            "an unknown format",
            Has.UNKNOWN_FORMAT,
            label="not a sitemap",
            refusal="is not a sitemap: not XML and not a list of URLs",
        ),
    )


@cache
def kinds_with(has: Has) -> frozenset[Kind]:
    """The kinds with at least one of these."""
    return frozenset(kind for kind in Kind if kind.has & has)


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


class Contents(NamedTuple):
    """What the reader of a kind without XML returns."""

    columns: Columns
    troubles: Troubles
    robots: Robots | None = None


class RowAccess(Protocol):
    """The reader's second look at one row, made only on request."""

    def element(self, document: Document, row: int) -> Element: ...

    def media(self, document: Document, row: int) -> Media: ...

    def bare_field(self, document: Document, row: int, name: str) -> int | None: ...

    def source_offset(self, document: Document, offset: int) -> int: ...

    def instants(self, texts: list[str | None]) -> list[int | None]: ...


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

    @cached_property_unlocked
    def directives(self) -> Iterable[Place]:
        """The comments that may speak to urlset."""
        comments = self.columns.comments
        return comments if comments and self.data.rfind(b"urlset:") >= 0 else ()

    def __iter__(self) -> Iterator[Entry | IndexEntry]:
        return map(self.entry, range(len(self)))

    @overload
    def __getitem__(self, row: SupportsIndex) -> Entry | IndexEntry: ...
    @overload
    def __getitem__(self, row: slice) -> list[Entry | IndexEntry]: ...
    def __getitem__(self, row: SupportsIndex | slice) -> Entry | IndexEntry | list[Entry | IndexEntry]:
        """An entry by its place in the file, from the end where negative; or several, as of a list."""
        rows = range(len(self))[row]
        return self.entry(rows) if isinstance(rows, int) else [self.entry(each) for each in rows]

    def entry(self, row: int) -> Entry | IndexEntry:
        columns = self.columns
        loc, lastmod = columns.locs[row], columns.lastmods[row]
        if self.kind.lists_sitemaps:
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

    @property
    def lists_sitemaps(self) -> bool:
        return self.kind.lists_sitemaps

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
        """Where the text of a field begins if it is its own bytes but for `&amp;` and `&lt;`; None if it may not be."""
        return self.row_reader.bare_field(self, row, name)

    def place(self, row: int) -> Place:
        return self.columns.place(row)

    @cached_property_unlocked
    def lines(self) -> Lines:
        return Lines(self.data)

    def source_offset(self, offset: int) -> int:
        """An offset into `data` as an offset into the unpacked bytes (they differ unless those are UTF-8)."""
        return self.row_reader.source_offset(self, offset)

    def instants(self, texts: list[str | None]) -> list[int | None]:
        """The instants that dates start, in microseconds since 1970; None for what is not a date."""
        return self.row_reader.instants(texts)

    def __contains__(self, item: object) -> bool:
        """Whether a URL is listed, as it is written there; or an entry."""
        if isinstance(item, str):
            return item in self._locs
        return any(entry == item for entry in self)

    @cached_property_unlocked
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

        return page_tables(lambda: (self,), sitemaps_first=self.kind.lists_sitemaps)


class LineKind(StrEnum):
    USER_AGENT = "user-agent"
    ALLOW = "allow"
    DISALLOW = "disallow"
    SITEMAP = "sitemap"
    CRAWL_DELAY = "crawl-delay"
    HOST = "host"
    CLEAN_PARAM = "clean-param"
    NOINDEX = "noindex"
    OTHER = "other"


class RobotsLine(msgspec.Struct, frozen=True):
    """One `field: value` line, with the field as written."""

    kind: LineKind
    written: str
    value: str
    place: Place
    value_place: Place
    number: int


class RobotsGroup(msgspec.Struct, frozen=True):
    """The rules for one set of user agents; Sitemap lines never end a group."""

    agents: tuple[str, ...]
    lines: tuple[RobotsLine, ...]


class Robots(msgspec.Struct, frozen=True):
    groups: tuple[RobotsGroup, ...]
    sitemaps: tuple[RobotsLine, ...]
    lines: tuple[RobotsLine, ...]


# The value of unavailable_after → whether that moment has passed, wherever on earth it was meant.

_WEST = timezone(timedelta(hours=-12))


def expired(text: str, now: datetime) -> bool:
    """RFC 822, RFC 850 and ISO 8601, in any letter case; False where the text cannot be understood."""
    end = _end(text)
    return end is not None and end <= now


def _end(text: str) -> datetime | None:
    interval = Moment.parse(text.upper()).certain_interval()
    if interval is not None:
        return interval[1]
    from email.utils import mktime_tz, parsedate_tz  # brings sockets along, for a rare date format

    parsed = parsedate_tz(text)
    if parsed is None:
        return None
    try:
        anywhere = datetime(*parsed[:6], tzinfo=_WEST)  # refuses the 31st of February, which mktime_tz does not
        return anywhere if parsed[9] is None else datetime.fromtimestamp(mktime_tz(parsed), UTC)
    except (ValueError, OverflowError, OSError):
        return None
