"""The entries of documents → tables with one row per page, sitemap, image, video, article or alternate."""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Callable, Iterable, Iterator, Mapping
from functools import cache
from typing import Any, NamedTuple, Protocol

from urlset.model.columns import Columns, Mark
from urlset.model.entry import NOTHING, Alternate, Entry, Image, IndexEntry, Media, News, Video
from urlset.model.frames import (
    ColumnType,
    Fields,
    FrameColumn,
    FrameTable,
    ListOf,
    Shape,
    in_batches,
    instants,
    number_of,
    shape_of,
    trimmed,
)


class ListingDocument(Protocol):
    """What is needed of one."""

    @property
    def name(self) -> str: ...

    @property
    def lists_pages(self) -> bool: ...

    @property
    def lists_sitemaps(self) -> bool: ...

    @property
    def columns(self) -> Columns: ...

    def __len__(self) -> int: ...

    def __iter__(self) -> Iterator[Entry | IndexEntry]: ...

    def media(self, row: int) -> Media: ...

    def instants(self, texts: list[str | None]) -> list[int | None]: ...


_MOST_BYTES = 1 << 21
"""of entries in one batch: with 30 links each, 8,192 of them are 250,000 objects"""


class Listed:
    """Some entries of one or more documents, in columns as the documents have them."""

    def __init__(self) -> None:
        self.sitemaps: list[str] = []
        self.positions: list[int] = []
        self.locs: list[str | None] = []
        self.lastmods: list[str | None] = []
        self.instants: list[int | None] = []
        self.changefreqs: list[str | None] = []
        self.priorities: list[str | None] = []
        self.media: list[Media] = []
        self.size = 0
        """of the entries in their files, in bytes"""

    def add(self, document: ListingDocument, start: int, stop: int) -> None:
        columns = document.columns
        self.size += columns.ends[stop - 1] - columns.starts[start]
        self.sitemaps += [document.name] * (stop - start)
        self.positions += range(start + 1, stop + 1)
        self.locs += trimmed(columns.locs[start:stop])
        lastmods = trimmed(columns.lastmods[start:stop])
        self.lastmods += lastmods
        self.instants += document.instants(lastmods)
        self.changefreqs += trimmed(columns.changefreqs[start:stop])
        self.priorities += trimmed(columns.priorities[start:stop])
        if columns.extended:
            marks, media = columns.marks, document.media
            self.media += [media(row) if marks[row] & Mark.EXTENDED else NOTHING for row in range(start, stop)]
        else:
            self.media += [NOTHING] * (stop - start)


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

_SITEMAP = FrameColumn("sitemap", ColumnType.TEXT, lambda rows: [row.sitemap for row in rows])
_LISTED = (
    FrameColumn("loc", ColumnType.TEXT, lambda listed: listed.locs),
    FrameColumn("lastmod", ColumnType.TEXT, lambda listed: listed.lastmods),
    FrameColumn("lastmod_time", ColumnType.TIME, lambda listed: listed.instants),
)
_PLACE = (
    FrameColumn("sitemap", ColumnType.TEXT, lambda listed: listed.sitemaps),
    FrameColumn("position", ColumnType.INTEGER, lambda listed: listed.positions),
)


def page_tables(
    documents: Callable[[], Iterable[ListingDocument]], *, sitemaps_first: bool = False
) -> Mapping[str, Callable[[], FrameTable]]:
    """What a row of one or more documents can be; `sitemaps_first` for an index alone."""
    found = {
        "pages": lambda: FrameTable(_page_columns(), lambda size: _listed(documents(), size, pages=True)),
        "sitemaps": lambda: FrameTable((*_LISTED, *_PLACE), lambda size: _listed(documents(), size, pages=False)),
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
        FrameColumn("changefreq", ColumnType.TEXT, lambda listed: listed.changefreqs),
        FrameColumn("priority", ColumnType.NUMBER, lambda listed: _numbers(listed.priorities)),
        FrameColumn("images", SHAPES["images"], lambda listed: [_locs(each.images) for each in listed.media]),
        FrameColumn("videos", SHAPES["videos"], lambda listed: [each.videos for each in listed.media]),
        FrameColumn("news", SHAPES["news"], lambda listed: [each.news for each in listed.media]),
        FrameColumn("alternates", SHAPES["alternates"], lambda listed: [each.alternates for each in listed.media]),
        *_PLACE,
    )


def _locs(images: tuple[Image, ...]) -> list[str | None] | tuple[()]:
    return [image.loc for image in images] if images else ()


def _numbers(texts: list[str | None]) -> list[float | None]:
    known = {text: number_of(text) for text in set(texts)}
    return [known[text] for text in texts]


def _listed(documents: Iterable[ListingDocument], size: int, *, pages: bool) -> Iterator[Listed]:
    listed = Listed()
    for document in documents:
        wanted = document.lists_pages if pages else document.lists_sitemaps
        stop = 0 if wanted else len(document)
        while stop < len(document):
            start, starts = stop, document.columns.starts
            stop = bisect_left(starts, starts[start] + _MOST_BYTES - listed.size, start + 1)
            stop = min(stop, start + size - len(listed.locs))
            listed.add(document, start, stop)
            if len(listed.locs) == size or listed.size >= _MOST_BYTES:
                yield listed
                listed = Listed()
        del document  # let go before the next one is read
    if listed.locs:
        yield listed


def _media(documents: Callable[[], Iterable[ListingDocument]], struct: type, name: str) -> FrameTable:
    return FrameTable(_media_columns(struct), in_batches(lambda: _media_rows(documents(), name)))


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
    columns = [FrameColumn("page", ColumnType.TEXT, lambda rows: [row.page for row in rows])]
    for name, field in zip(shape.names, shape.shapes, strict=True):
        columns.append(_number(name) if name in _NUMBERS else FrameColumn(name, field, _parts(name)))
        if name in _TIMES:
            columns.append(_time(name))
    return (*columns, _SITEMAP)


def _parts(name: str) -> Callable[[list[MediaRow]], list[Any]]:
    return lambda rows: [getattr(row.item, name) for row in rows]


def _number(name: str) -> FrameColumn:
    return FrameColumn(name, ColumnType.NUMBER, lambda rows: _numbers(_parts(name)(rows)))


def _time(name: str) -> FrameColumn:
    return FrameColumn(f"{name}_time", ColumnType.TIME, lambda rows: instants(_parts(name)(rows)))
