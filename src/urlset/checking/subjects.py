"""Subjects of rules: a document, one listed page, one child sitemap, one image, video, news item, or link set."""

from __future__ import annotations

from bisect import bisect_right
from collections import Counter
from functools import lru_cache
from typing import TYPE_CHECKING, Any, TypeVar, cast

from urlset.checking.context import Context
from urlset.checking.row_signals import DateSummary, rows_with, signals_of, summarize_dates
from urlset.model.address import Address
from urlset.model.cached import cached_call, cached_property_unlocked
from urlset.model.columns import TEXTS, Edit, Mark
from urlset.model.document import Document, Has, Kind
from urlset.model.entry import Element, Value
from urlset.model.moment import Moment
from urlset.model.place import Place
from urlset.reading.row_reader import as_bytes
from urlset.reading.signals import MediaNotes
from urlset.spec import namespaces
from urlset.spec.namespaces import is_core, means
from urlset.spec.signals import Signal

if TYPE_CHECKING:
    from array import array
    from collections.abc import Callable, Iterable, Iterator, Sequence

    from urlset.model.columns import Columns
    from urlset.model.trouble import Trouble, TroubleKind


Fact = TypeVar("Fact")

_UNDIVIDED = Has.LINES | Has.ATOM_ENTRIES
"""a URL is one run of bytes"""


class Sitemap:
    """One whole document: for facts about the file, and for rules across its entries (use the columns)."""

    def __init__(self, document: Document, context: Context) -> None:
        self.document = document
        self.context = context
        self._last_of: dict[bytes, int] = {}
        self._cached: dict[str, Any] = {}
        self._media_notes = MediaNotes()

    @property
    def columns(self) -> Columns:
        return self.document.columns

    @property
    def data(self) -> bytes:
        return self.document.data

    @property
    def kind(self) -> Kind:
        return self.document.kind

    @cached_property_unlocked
    def address(self) -> Address | None:
        """The URL of the sitemap itself; rules that need it declare `needs=ADDRESS`."""
        return Address.parse(self.document.url) if self.document.url else None

    def troubles(self, *kinds: TroubleKind) -> Iterator[Trouble]:
        return self.document.troubles.of(kinds)

    def listed(self, row: int) -> ListedPage:
        return ListedPage(self, row)

    @cached_property_unlocked
    def signals(self) -> array[int]:
        """The signals of each entry, which make rules run: bits of `spec.signals.Signal`."""
        return signals_of(self.document, self.context.now, self._media_notes, self.date_summary.unusual)

    @property
    def media_notes(self) -> MediaNotes:
        """Of the media, known with the signals."""
        return self._media_notes if self.signals else MediaNotes()

    def rows_with(self, mask: int) -> Sequence[int]:
        """The rows that raise any of these signals."""
        return rows_with(self.signals, mask)

    def cached(self, name: str, compute: Callable[[], Fact]) -> Fact:
        """A fact that several rules need, computed once."""
        if name not in self._cached:
            self._cached[name] = compute()
        return cast("Fact", self._cached[name])

    @cached_property_unlocked
    def root_tag(self) -> Place:
        """The root's open tag, or the first byte if there is none."""
        root = self.document.root
        return root.place if root is not None and not root.synthetic else Place(0)

    def last_of(self, text: bytes, *, anywhere: bool = False) -> int:
        """Where the begin of a tag with a prefix, or a part of a declaration, occurs last; -1 for nowhere.

        Rules ask for the same ones. `anywhere` is for other parts of tags, which usual entries may have too.
        """
        if text not in self._last_of:
            usual = not anywhere and text[1 : text.find(b":") + 1] not in self.columns.prefixes
            spans = self.columns.beside_usual(0, len(self.data)) if usual else ((0, len(self.data)),)
            self._last_of[text] = max((self.data.rfind(text, *span) for span in spans), default=-1)
        return self._last_of[text]

    @cached_property_unlocked
    def _comments(self) -> tuple[list[int], list[int]]:
        """Where they start and end, in order."""
        places = sorted(self.columns.comments)
        return [place.offset for place in places], [place.end for place in places]

    @cached_property_unlocked
    def has_tags_in_comments(self) -> bool:
        """Whether a comment may hide an element."""
        find = self.data.find
        return any(find(b"<", start + 1, end) >= 0 for start, end in zip(*self._comments, strict=True))

    def is_in_comment(self, offset: int) -> bool:
        starts, ends = self._comments
        before = bisect_right(starts, offset) - 1
        return before >= 0 and offset < ends[before]

    @cached_property_unlocked
    def is_core(self) -> bool:
        """Whether the root is in the namespace of sitemaps, however it is spelled, or in none."""
        root = self.document.root
        return root is not None and is_core(root.namespace)

    @cached_property_unlocked
    def extended(self) -> bool:
        """Whether an entry has elements of another namespace."""
        return self.columns.extended

    @cached_property_unlocked
    def locs(self) -> frozenset[str | None]:
        """The distinct URLs as written."""
        return frozenset(self.columns.locs)

    @property
    def lastmods(self) -> Counter[str | None]:
        """How often each lastmod occurs, and how often it is absent."""
        return self.columns.counts("lastmods")

    @property
    def changefreqs(self) -> Counter[str | None]:
        return self.columns.counts("changefreqs")

    @property
    def priorities(self) -> Counter[str | None]:
        return self.columns.counts("priorities")

    @cached_property_unlocked
    def date_summary(self) -> DateSummary:
        """Of each lastmod as written."""
        return summarize_dates(self.lastmods, self.context.now)

    @cached_property_unlocked
    def dates(self) -> Counter[str]:
        """Each non-empty lastmod, trimmed, and how often it occurs."""
        found: Counter[Any] = self.lastmods
        if None in found:
            found = found.copy()
            del found[None]
        if self.rows_with(Signal.DATE_BLANK):
            padded, found = found, Counter()
            for text, count in padded.items():
                found[text.strip()] += count
            del found[""]
        return found


def value_place(element: Element) -> Place:
    """The bytes of an element's text, trimmed; the element if it has none."""
    text = element.value.text
    stripped = text.strip()
    return element.value.locate(text.index(stripped), len(stripped)) if stripped else element.place


def lacks(element: Element, attribute: str) -> bool:
    """Whether there is no such attribute in any case; S015 reports one in the wrong case."""
    return not any(each.local.lower() == attribute and not each.namespace for each in element.attributes)


@lru_cache(256)
def _moment(text: str) -> Moment:
    """Cached because many entries of a file have the same date with the same problems."""
    return Moment.parse(text)


class AnyRow:
    """One entry of any document: the common part of pages and children.

    Created for each entry that raises a signal, so values that all rules need are plain attributes.
    """

    def __init__(self, sitemap: Sitemap, row: int) -> None:
        self.sitemap = sitemap
        self.row = row
        self.document = sitemap.document
        self.context = sitemap.context
        self.raw_loc: str | None = self.document.columns.loc(row)
        """as written, including whitespace; None without a loc"""
        self.loc = (self.raw_loc or "").strip()
        """trimmed; empty without a loc"""
        self.address = Address.parse(self.loc)
        self._by_name: dict[str, list[Element]] = {}
        self._located: tuple[tuple[int, int, str], Place] | None = None

    @property
    def place(self) -> Place:
        """From `<url>` to `</url>`; in a text sitemap, the URL itself."""
        return self.document.place(self.row)

    @property
    def mark(self) -> int:
        return self.document.columns.marks[self.row]

    @property
    def salvaged(self) -> bool:
        return bool(self.mark & Mark.SALVAGED)

    @property
    def raw_lastmod(self) -> str | None:
        return self.document.columns.lastmods[self.row]

    @cached_property_unlocked
    def moment(self) -> Moment | None:
        raw = self.raw_lastmod
        return None if raw is None else _moment(raw.strip())

    @cached_property_unlocked
    def element(self) -> Element:
        """The row with the place of each character. Parses the row again: use only when needed."""
        return self.document.element(self.row)

    def fields(self, name: str) -> list[Element]:
        """The core children with that name (any case), in order; in feeds, the element the column came from."""
        known = self._by_name.get(name)
        if known is not None:
            return known
        own = self.element.namespace
        found = self._by_name[name] = [
            child
            for child in self.element.children
            if child.local.lower() == name and (child.namespace == own or is_core(child.namespace))
        ]
        return found

    def value(self, name: str = "loc") -> Value:
        """The text of the field in the column, character by character.

        Strip-safe: `value.locate(i)` counts from the first character as written, so add `lead(name)` when counting
        from the trimmed text.
        """
        if self.document.kind is Kind.TEXT:
            return self.element.value
        for child in self._column_elements(name):
            return child.value
        return Value("", Place(self.element.open_tag.end))

    def _column_elements(self, name: str) -> list[Element]:
        if self.document.kind is Kind.RSS:
            name = {"loc": "link", "lastmod": "pubdate"}.get(name, name)
            if name == "link" and not self.fields(name):
                name = "guid"  # the permalink of an item without a link
        if self.document.kind is Kind.ATOM:
            name = {"loc": "link", "lastmod": "updated"}.get(name, name)
        return self.fields(name)

    def part(self, start: int, end: int, name: str = "loc") -> Callable[[], Place]:
        """The place of `text[start:end]`, where text is the trimmed field.

        Computed on demand: a file with a million problems shows a thousand of them.
        """
        return LatePlace(self, start, end, name)

    def whole(self, name: str = "loc") -> Callable[[], Place]:
        """The place of the trimmed field; the place of the row if it is absent."""
        return LatePlace(self, 0, None, name)

    def edits(self, changes: Iterable[tuple[int, int, str]], name: str = "loc") -> Callable[[], tuple[Edit, ...]]:
        """The edits that replace `field[start:end]` with each text; nothing is computed before it is needed."""

        def written() -> tuple[Edit, ...]:
            if name == "loc" and not self._is_in_one_run:
                return ()
            return tuple(Edit(self.locate(start, end, name), text.encode()) for start, end, text in changes)

        return cached_call(written)

    @cached_property_unlocked
    def _is_in_one_run(self) -> bool:
        """Whether no element is inside of the URL: its characters would not be contiguous in the file."""
        document = self.document
        if document.bare_field(self.row, "loc") is not None or document.kind.has & _UNDIVIDED:
            return True
        return self.value().text.strip() == self.loc

    def locate(self, start: int, end: int, name: str = "loc") -> Place:
        """The bytes of `text[start:end]`, where text is the trimmed field."""
        asked = (start, end, name)
        if self._located is None or self._located[0] != asked:  # most fixes change exactly the place of their problem
            self._located = (asked, self._locate(start, end, name))
        return self._located[1]

    def _locate(self, start: int, end: int, name: str) -> Place:
        bare = self.document.bare_field(self.row, name)
        if bare is not None and len(raw := self._column_text(name)) <= LONGEST_COUNTED:
            return counted_place(bare, raw, start, end)
        if self.document.kind is Kind.ATOM and name == "loc":
            return self._atom_part(start, end)
        value = self.value(name)
        if self.document.kind is Kind.TEXT:
            text = value.text.strip()
            if text.isascii() and len(text) == value.place.length:
                return Place(value.place.offset + start, end - start)
            if text.encode("utf-8", "surrogatepass") != value.place.cut(self.document.data):
                return value.place  # bytes that are not text: there is no character to point at
            before = len(text[:start].encode("utf-8", "surrogatepass"))
            return Place(value.place.offset + before, len(text[start:end].encode("utf-8", "surrogatepass")))
        lead = len(value.text) - len(value.text.lstrip())
        return value.locate(lead + start, end - start)

    def _atom_part(self, start: int, end: int) -> Place:
        for link in self.fields("link"):
            href = link.attribute("href")
            if href is not None and href.value.text.strip() == self.loc:
                lead = len(href.value.text) - len(href.value.text.lstrip())
                return href.value.locate(lead + start, end - start)
        return self.place

    def locate_whole(self, name: str = "loc") -> Place:
        document = self.document
        if document.bare_field(self.row, name) is not None or (document.kind is Kind.ATOM and name == "loc"):
            size = len(self._column_text(name).strip())
        else:
            size = len(self.value(name).text.strip())
        return self.locate(0, size, name) if size else self.place

    def _column_text(self, name: str) -> str:
        raw = self.raw_loc if name == "loc" else getattr(self.document.columns, COLUMN_OF[name])[self.row]
        return raw or ""


class LatePlace:
    """The place of a part of a field, or of all of it, computed at most once."""

    __slots__ = ("_end", "_found", "_name", "_row", "_start")

    def __init__(self, row: AnyRow, start: int, end: int | None, name: str) -> None:
        self._row, self._start, self._end, self._name = row, start, end, name
        self._found: Place | None = None

    def __call__(self) -> Place:
        if self._found is None:
            row, name = self._row, self._name
            self._found = row.locate_whole(name) if self._end is None else row.locate(self._start, self._end, name)
        return self._found


class ListedPage(AnyRow):
    """One page listed in a urlset, text sitemap, or feed."""

    @property
    def raw_changefreq(self) -> str | None:
        return self.document.columns.changefreqs[self.row]

    @property
    def raw_priority(self) -> str | None:
        return self.document.columns.priorities[self.row]

    @cached_property_unlocked
    def images(self) -> list[ImageItem]:
        return [ImageItem(self, element) for element in self.extension(namespaces.IMAGE, "image")]

    @cached_property_unlocked
    def videos(self) -> list[VideoItem]:
        return [VideoItem(self, element) for element in self.extension(namespaces.VIDEO, "video")]

    @cached_property_unlocked
    def news(self) -> list[NewsItem]:
        return [NewsItem(self, element) for element in self.extension(namespaces.NEWS, "news")]

    @cached_property_unlocked
    def links(self) -> LinkSet:
        return LinkSet(self, self.extension(namespaces.XHTML, "link"))

    def extension(self, namespace: str, local: str) -> list[Element]:
        """Children that are this extension element, even with a misspelled namespace."""
        return [
            child
            for child in self.element.children
            if child.local.lower() == local and means(child.namespace) == namespace
        ]


class Child(AnyRow):
    """One `<sitemap>` in an index."""


class _Item:
    """An extension element of a listed page."""

    def __init__(self, listed: ListedPage, element: Element) -> None:
        self.listed = listed
        self.element = element

    @property
    def context(self) -> Context:
        return self.listed.context

    @property
    def place(self) -> Place:
        return self.element.open_tag


class ImageItem(_Item):
    """One `<image:image>`."""


class VideoItem(_Item):
    """One `<video:video>`."""


class NewsItem(_Item):
    """One `<news:news>`."""


class LinkSet:
    """The `<xhtml:link>` elements of one page."""

    def __init__(self, listed: ListedPage, elements: list[Element]) -> None:
        self.listed = listed
        self.elements = elements
        self.shared: dict[str, Any] = {}
        """what one rule worked out and others need too"""

    @property
    def context(self) -> Context:
        return self.listed.context


# A range in a field → its place, computed on demand without reading the entry again.

LONGEST_COUNTED = 4096
"""characters of a field that are counted again for each place; a longer one may have thousands of problems"""
COLUMN_OF = dict(zip(("loc", "lastmod", "changefreq", "priority"), TEXTS, strict=True))


def counted_place(at: int, raw: str, start: int, end: int) -> Place:
    """The place of `text[start:end]`, where text is `raw` trimmed; its bytes begin at `at`."""
    lead = len(raw) - len(raw.lstrip())
    return Place(at + len(as_bytes(raw[: lead + start])), len(as_bytes(raw[lead + start : lead + end])))


# A robots.txt file → the subject of the rules on it.


class RobotsText:
    """One robots.txt file."""

    def __init__(self, document: Document, context: Context) -> None:
        assert document.robots is not None
        self.document = document
        self.robots = document.robots
        self.context = context
