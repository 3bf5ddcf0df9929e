"""One listed page, and one listed sitemap: plain values that can be read, compared and written."""

from __future__ import annotations

from typing import ClassVar

import msgspec

from urlset.model.address import Address
from urlset.model.media import NOTHING, Alternate, Image, Media, News, PageMap, Video
from urlset.model.moment import Moment
from urlset.model.shown import Shown


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
