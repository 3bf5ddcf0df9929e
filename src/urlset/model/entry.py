"""One listed page or sitemap: plain values, and in detail, elements and text with the exact bytes of each."""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from functools import cached_property
from itertools import accumulate
from typing import TYPE_CHECKING, ClassVar

import msgspec

from urlset.model.address import Address
from urlset.model.moment import Moment
from urlset.model.place import Place, between
from urlset.model.shown import Shown

if TYPE_CHECKING:
    from collections.abc import Iterator


# What an entry can carry in addition to its address: images, videos, news, alternates, PageMap, mobile.
#
# Every value is the text as written; judging it is the business of rules. None of these can be part of a cycle, so
# the garbage collector need not look at them: there are hundreds of thousands in a file.


class Image(Shown, msgspec.Struct, frozen=True, omit_defaults=True, gc=False):
    """An `<image:image>` of a page."""

    loc: str | None = None
    caption: str | None = None
    geo_location: str | None = None
    title: str | None = None
    license: str | None = None


class Marked(Shown, msgspec.Struct, frozen=True, omit_defaults=True, gc=False):
    """A text with attributes, such as `<video:restriction relationship="allow">DE</video:restriction>`."""

    text: str
    attributes: dict[str, str] = {}


class Video(Shown, msgspec.Struct, frozen=True, omit_defaults=True, gc=False):
    """A `<video:video>` of a page."""

    thumbnail_loc: str | None = None
    title: str | None = None
    description: str | None = None
    content_loc: str | None = None
    player_loc: Marked | None = None
    duration: str | None = None
    expiration_date: str | None = None
    rating: str | None = None
    view_count: str | None = None
    publication_date: str | None = None
    family_friendly: str | None = None
    restriction: Marked | None = None
    platform: Marked | None = None
    requires_subscription: str | None = None
    uploader: Marked | None = None
    live: str | None = None
    category: str | None = None
    gallery_loc: Marked | None = None
    tags: tuple[str, ...] = ()
    prices: tuple[Marked, ...] = ()
    content_segment_locs: tuple[Marked, ...] = ()
    ids: tuple[Marked, ...] = ()
    tvshow: dict[str, str] = {}


class News(Shown, msgspec.Struct, frozen=True, omit_defaults=True, gc=False):
    """The `<news:news>` article of a page."""

    name: str | None = None
    language: str | None = None
    publication_date: str | None = None
    title: str | None = None
    access: str | None = None
    genres: str | None = None
    keywords: str | None = None
    stock_tickers: str | None = None
    geo_locations: str | None = None


class Alternate(Shown, msgspec.Struct, frozen=True, omit_defaults=True, gc=False):
    """A translation or variant of a page: an `<xhtml:link>`."""

    hreflang: str | None = None
    href: str | None = None
    rel: str | None = "alternate"
    media: str | None = None


class DataObject(Shown, msgspec.Struct, frozen=True, omit_defaults=True, gc=False):
    """One PageMap object: its type, its id, and its attributes as (name, value) in the order written."""

    type: str | None = None
    id: str | None = None
    attributes: tuple[tuple[str | None, str], ...] = ()


class PageMap(Shown, msgspec.Struct, frozen=True, omit_defaults=True, gc=False):
    objects: tuple[DataObject, ...] = ()
    template: str | None = None


class Media(Shown, msgspec.Struct, frozen=True, omit_defaults=True, gc=False):
    """All extensions of one entry; `unknown` keeps elements of other namespaces as they were written."""

    images: tuple[Image, ...] = ()
    videos: tuple[Video, ...] = ()
    news: tuple[News, ...] = ()
    alternates: tuple[Alternate, ...] = ()
    pagemaps: tuple[PageMap, ...] = ()
    mobile: str | None = None
    unknown: tuple[str, ...] = ()


NOTHING = Media()


class _Listed(Shown, msgspec.Struct, frozen=True, omit_defaults=True, gc=False):
    loc: str | None
    lastmod: str | None = None

    @property
    def address(self) -> Address:
        return Address.parse(self.loc or "")

    @property
    def moment(self) -> Moment | None:
        return None if self.lastmod is None else Moment.parse(self.lastmod)


class Entry(_Listed, frozen=True, omit_defaults=True, gc=False):
    """One `<url>`: texts as written, without surrounding whitespace; None where the element is absent."""

    changefreq: str | None = None
    priority: str | None = None
    media: Media = NOTHING

    @property
    def images(self) -> tuple[Image, ...]:
        return self.media.images

    @property
    def videos(self) -> tuple[Video, ...]:
        return self.media.videos

    @property
    def news(self) -> News | None:
        return self.media.news[0] if self.media.news else None

    @property
    def alternates(self) -> tuple[Alternate, ...]:
        return self.media.alternates

    @property
    def pagemaps(self) -> tuple[PageMap, ...]:
        return self.media.pagemaps


class IndexEntry(_Listed, frozen=True, omit_defaults=True, gc=False):
    """One `<sitemap>` of an index. What only pages have is empty, so a loop over any document can ask for it."""

    changefreq: ClassVar[None] = None
    priority: ClassVar[None] = None
    media: ClassVar[Media] = NOTHING
    images: ClassVar[tuple[Image, ...]] = ()
    videos: ClassVar[tuple[Video, ...]] = ()
    news: ClassVar[None] = None
    alternates: ClassVar[tuple[Alternate, ...]] = ()
    pagemaps: ClassVar[tuple[PageMap, ...]] = ()


class TextRun(msgspec.Struct, frozen=True, gc=False):
    """A stretch of decoded characters and the bytes they were written with."""

    text: str
    place: Place
    verbatim: bool
    """True when the bytes are just the UTF-8 of the text; False for a reference such as `&amp;`."""


_BLOCK = 64


def _byte_count(text: str) -> int:
    return len(text.encode("utf-8", "surrogatepass"))


class Value(msgspec.Struct, frozen=True, dict=True):
    """Decoded text that remembers which byte every character came from."""

    text: str
    place: Place
    runs: tuple[TextRun, ...] = ()

    def locate(self, start: int, length: int = 1) -> Place:
        """The bytes of `text[start:start + length]`."""
        if not self.runs:
            return self.place
        run = self.runs[0]
        if len(self.runs) == 1 and run.verbatim and run.text.isascii():
            first, size = run.place.offset, len(run.text)
            return between(first + min(start, size), first + min(start + length, size))
        return between(
            self._byte_at(start), self._byte_at(start + length, after=True) if length else self._byte_at(start)
        )

    def part(self, start: int, end: int) -> Place:
        """The bytes of characters `start` to `end` of the trimmed text."""
        return self.locate(len(self.text) - len(self.text.lstrip()) + start, end - start)

    def _byte_at(self, index: int, *, after: bool = False) -> int:
        ends = self._ends
        number = bisect_left(ends, index) if after else bisect_right(ends, index)
        if number == len(ends):
            return self.runs[-1].place.end
        run = self.runs[number]
        inside = index - (ends[number] - len(run.text))
        if not run.verbatim:
            return run.place.end if inside else run.place.offset
        return run.place.offset + (inside if run.text.isascii() else self._size(number, inside))

    @cached_property
    def _ends(self) -> list[int]:
        """How many characters there are up to the end of each run."""
        return list(accumulate([len(run.text) for run in self.runs]))

    def _size(self, number: int, inside: int) -> int:
        """The bytes before a character of a run; counted in blocks, because a value may be full of faults."""
        text = self.runs[number].text
        known: dict[int, list[int]] = vars(self).setdefault("_known_sizes", {})
        if number not in known:
            blocks = (text[at : at + _BLOCK] for at in range(0, len(text), _BLOCK))
            known[number] = list(accumulate(map(_byte_count, blocks), initial=0))
        block = inside // _BLOCK
        return known[number][block] + _byte_count(text[block * _BLOCK : inside])


class Attribute(msgspec.Struct, frozen=True):
    """One attribute as written; `namespace` is empty for an unprefixed one."""

    namespace: str
    local: str
    written: str
    value: Value
    place: Place


class Element(msgspec.Struct, frozen=True):
    """One element with everything in it; `place` runs from `<` to the end of its close tag."""

    namespace: str
    local: str
    written: str
    place: Place
    open_tag: Place
    close_tag: Place
    attributes: tuple[Attribute, ...]
    value: Value
    children: tuple[Element, ...]
    comments: tuple[Place, ...] = ()
    cdata: bool = False

    @property
    def inner(self) -> Place:
        """What is between the two tags."""
        return between(self.open_tag.end, self.close_tag.offset)

    @property
    def text(self) -> str:
        return self.value.text.strip()

    def attribute(self, local: str) -> Attribute | None:
        for attribute in self.attributes:
            if attribute.local == local:
                return attribute
        return None

    def all(self, local: str, namespace: str | None = None) -> Iterator[Element]:
        for child in self.children:
            if child.local == local and namespace in (None, child.namespace):
                yield child

    def first(self, local: str, namespace: str | None = None) -> Element | None:
        return next(self.all(local, namespace), None)

    def walk(self) -> Iterator[Element]:
        yield self
        for child in self.children:
            yield from child.walk()
