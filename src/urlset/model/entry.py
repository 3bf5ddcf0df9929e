"""One listed page, and one listed sitemap: plain values that can be read, compared and written."""

from __future__ import annotations

from typing import ClassVar

import msgspec

from urlset.model.address import Address
from urlset.model.moment import Moment
from urlset.model.shown import Shown

# What an entry can carry in addition to its address: images, videos, news, alternates, PageMap, mobile.
#
# Every value is the text as written; judging it is the business of rules. None of these can be part of a cycle, so
# the garbage collector need not look at them: there are hundreds of thousands in a file.


class Image(Shown, msgspec.Struct, frozen=True, omit_defaults=True, gc=False):
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


class Entry(Shown, msgspec.Struct, frozen=True, omit_defaults=True, gc=False):
    """One `<url>`: texts as written, without surrounding whitespace; None where the element is absent."""

    loc: str | None
    lastmod: str | None = None
    changefreq: str | None = None
    priority: str | None = None
    media: Media = NOTHING

    @property
    def address(self) -> Address:
        return Address.parse(self.loc or "")

    @property
    def moment(self) -> Moment | None:
        return None if self.lastmod is None else Moment.parse(self.lastmod)

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


class IndexEntry(Shown, msgspec.Struct, frozen=True, omit_defaults=True, gc=False):
    """One `<sitemap>` of an index. What only pages have is empty, so a loop over any document can ask for it."""

    loc: str | None
    lastmod: str | None = None
    changefreq: ClassVar[None] = None
    priority: ClassVar[None] = None
    media: ClassVar[Media] = NOTHING
    images: ClassVar[tuple[Image, ...]] = ()
    videos: ClassVar[tuple[Video, ...]] = ()
    news: ClassVar[None] = None
    alternates: ClassVar[tuple[Alternate, ...]] = ()
    pagemaps: ClassVar[tuple[PageMap, ...]] = ()

    @property
    def address(self) -> Address:
        return Address.parse(self.loc or "")

    @property
    def moment(self) -> Moment | None:
        return None if self.lastmod is None else Moment.parse(self.lastmod)
