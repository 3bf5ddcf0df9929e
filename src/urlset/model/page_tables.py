"""The entries of documents → tables with one row per page, sitemap, image, video, article or alternate."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from functools import cache
from typing import Any, NamedTuple, Protocol

from urlset.model.columns import Columns
from urlset.model.entry import Alternate, Entry, Image, IndexEntry, News, Video
from urlset.model.frames import FrameColumn, FrameTable, instant_of, number_of
from urlset.model.shape import ColumnType, Fields, ListOf, Shape, plain, shape_of


class ListingDocument(Protocol):
    """What is needed of a document."""

    @property
    def name(self) -> str: ...

    @property
    def lists_pages(self) -> bool: ...

    @property
    def columns(self) -> Columns: ...

    def __iter__(self) -> Iterator[Entry | IndexEntry]: ...

    def children(self) -> Iterator[IndexEntry]: ...


class ListedRow(NamedTuple):
    """One entry, and where it is."""

    sitemap: str
    position: int
    entry: Entry | IndexEntry


class MediaRow(NamedTuple):
    """One image, video, article or alternate of an entry."""

    sitemap: str
    page: str | None
    item: Any


SHAPES: dict[str, Shape] = {
    "images": ListOf(ColumnType.TEXT),
    "videos": ListOf(shape_of(Video)),
    "news": ListOf(shape_of(News)),
    "alternates": ListOf(shape_of(Alternate)),
}
"""the media of an entry, where they are values of its row"""

_TIMES = frozenset({"publication_date", "expiration_date"})
_NUMBERS = frozenset({"duration", "rating", "view_count"})

_SITEMAP = FrameColumn("sitemap", ColumnType.TEXT, lambda row: row.sitemap)
_LISTED = (
    FrameColumn("loc", ColumnType.TEXT, lambda row: row.entry.loc),
    FrameColumn("lastmod", ColumnType.TEXT, lambda row: row.entry.lastmod),
    FrameColumn("lastmod_time", ColumnType.TIME, lambda row: instant_of(row.entry.lastmod)),
)
_PLACE = (_SITEMAP, FrameColumn("position", ColumnType.INTEGER, lambda row: row.position))


def page_tables(
    documents: Callable[[], Iterable[ListingDocument]], *, sitemaps_first: bool = False
) -> Mapping[str, Callable[[], FrameTable]]:
    """What a row of one or more documents can be; `sitemaps_first` for an index alone."""
    found = {
        "pages": lambda: FrameTable(_page_columns(), lambda: _pages(documents())),
        "sitemaps": lambda: FrameTable((*_LISTED, *_PLACE), lambda: _sitemaps(documents())),
        "images": lambda: _media(documents, Image, "images"),
        "videos": lambda: _media(documents, Video, "videos"),
        "news": lambda: _media(documents, News, "news"),
        "alternates": lambda: _media(documents, Alternate, "alternates"),
    }
    return dict(sorted(found.items(), key=lambda each: each[0] != "sitemaps")) if sitemaps_first else found


@cache
def _page_columns() -> tuple[FrameColumn, ...]:
    return (
        *_LISTED,
        FrameColumn("changefreq", ColumnType.TEXT, lambda row: row.entry.changefreq),
        FrameColumn("priority", ColumnType.NUMBER, lambda row: number_of(row.entry.priority)),
        FrameColumn("images", SHAPES["images"], lambda row: [image.loc for image in row.entry.images]),
        FrameColumn("videos", SHAPES["videos"], lambda row: plain(row.entry.videos)),
        FrameColumn("news", SHAPES["news"], lambda row: plain(row.entry.media.news)),
        FrameColumn("alternates", SHAPES["alternates"], lambda row: plain(row.entry.alternates)),
        *_PLACE,
    )


def _pages(documents: Iterable[ListingDocument]) -> Iterator[ListedRow]:
    for document in documents:
        if document.lists_pages:
            for position, entry in enumerate(document, 1):
                yield ListedRow(document.name, position, entry)
        del document  # let go before the next one is read


def _sitemaps(documents: Iterable[ListingDocument]) -> Iterator[ListedRow]:
    for document in documents:
        for position, entry in enumerate(document.children(), 1):
            yield ListedRow(document.name, position, entry)
        del document


def _media(documents: Callable[[], Iterable[ListingDocument]], struct: type, name: str) -> FrameTable:
    return FrameTable(_media_columns(struct), lambda: _media_rows(documents(), name))


def _media_rows(documents: Iterable[ListingDocument], name: str) -> Iterator[MediaRow]:
    for document in documents:
        if document.lists_pages and document.columns.extended:
            for entry in document:
                for item in getattr(entry.media, name):
                    yield MediaRow(document.name, entry.loc, item)
        del document


@cache
def _media_columns(struct: type) -> tuple[FrameColumn, ...]:
    shape = shape_of(struct)
    assert isinstance(shape, Fields)
    columns = [FrameColumn("page", ColumnType.TEXT, lambda row: row.page)]
    for name, field in zip(shape.names, shape.shapes, strict=True):
        columns.append(_number(name) if name in _NUMBERS else FrameColumn(name, field, _part(name)))
        if name in _TIMES:
            columns.append(_time(name))
    return (*columns, _SITEMAP)


def _part(name: str) -> Callable[[MediaRow], Any]:
    return lambda row: plain(getattr(row.item, name))


def _number(name: str) -> FrameColumn:
    return FrameColumn(name, ColumnType.NUMBER, lambda row: number_of(getattr(row.item, name)))


def _time(name: str) -> FrameColumn:
    return FrameColumn(f"{name}_time", ColumnType.TIME, lambda row: instant_of(getattr(row.item, name)))
