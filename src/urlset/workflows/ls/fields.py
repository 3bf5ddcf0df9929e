"""The fields that a listing can show: name, meaning, type, and how a batch gives their values."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from difflib import get_close_matches
from typing import TYPE_CHECKING, Any, NamedTuple

import msgspec

from urlset.model.columns import Mark
from urlset.model.frames import instant_of
from urlset.model.media import Image
from urlset.model.page_tables import SHAPES
from urlset.model.shape import ColumnType, ListOf, Shape, shape_of

if TYPE_CHECKING:
    from urlset.workflows.ls.batch import Batch


class Field(NamedTuple):
    name: str
    meaning: str
    shape: Shape
    values: Callable[[Batch], list[Any]]


class UnknownFieldError(ValueError):
    """A requested field does not exist in any listing."""

    def __init__(self, name: str) -> None:
        self.name = name
        close = get_close_matches(name.lower(), FIELDS, n=1, cutoff=0.6)
        hint = f"; did you mean {close[0]!r}?" if close else ""
        super().__init__(f"unknown field {name!r}{hint or ';'} choose from {', '.join(FIELDS)}")


def choose(text: str) -> tuple[Field, ...]:
    """`loc, lastmod` → the fields, in the order given, each once."""
    names = [name.strip() for name in text.split(",") if name.strip()]
    for name in names:
        if name not in FIELDS and name not in _ALIASES:
            raise UnknownFieldError(name)
    return tuple(FIELDS[_ALIASES.get(name, name)]._replace(name=name) for name in dict.fromkeys(names))


_ALIASES = {"url": "loc", "file": "source"}


def _host(batch: Batch) -> list[str | None]:
    from urlset.model.address import Address

    return [Address.parse(loc).host for loc in batch.locs]


def _path(batch: Batch) -> list[str]:
    from urlset.model.address import Address

    return [Address.parse(loc).path for loc in batch.locs]


def _line(batch: Batch) -> list[int]:
    lines = batch.document.lines
    return [lines.at(offset).line for offset in batch.offsets]


def _column(batch: Batch) -> list[int]:
    lines = batch.document.lines
    return [lines.at(offset).column for offset in batch.offsets]


def _length(batch: Batch) -> list[int]:
    return [batch.document.place(row).length for row in batch.rows]


def _salvaged(batch: Batch) -> list[bool]:
    marks = batch.document.columns.marks
    return [bool(marks[row] & Mark.SALVAGED) for row in batch.rows]


def _query(batch: Batch) -> list[str | None]:
    from urlset.model.address import Address

    return [Address.parse(loc).query for loc in batch.locs]


def _lastmod_times(batch: Batch) -> list[str | None]:
    """Where a lastmod starts, in UTC."""
    instants = map(instant_of, batch.texts(batch.document.columns.lastmods))
    return [None if each is None else each.isoformat().replace("+00:00", "Z") for each in instants]


def _images(batch: Batch) -> list[list[str | None]]:
    return [[image.loc for image in media.images] for media in batch.media]


def _as_json(items: Iterable[Any]) -> list[str]:
    return [msgspec.json.encode(each).decode() for each in items]


def _mobile(batch: Batch) -> list[bool]:
    return [media.mobile is not None for media in batch.media]


_ALL = (
    Field("loc", "URL, as written", ColumnType.TEXT, lambda batch: batch.locs),
    Field(
        "lastmod",
        "lastmod, as written",
        ColumnType.TEXT,
        lambda batch: batch.texts(batch.document.columns.lastmods),
    ),
    Field("lastmod_time", "start of the lastmod, in UTC", ColumnType.TEXT, _lastmod_times),
    Field(
        "changefreq",
        "changefreq, as written",
        ColumnType.TEXT,
        lambda batch: batch.texts(batch.document.columns.changefreqs),
    ),
    Field(
        "priority",
        "priority, as written",
        ColumnType.TEXT,
        lambda batch: batch.texts(batch.document.columns.priorities),
    ),
    Field("images", "image URLs", SHAPES["images"], _images),
    Field(
        "image_details",
        "images with all fields",
        ListOf(shape_of(Image)),
        lambda batch: [media.images for media in batch.media],
    ),
    Field(
        "videos",
        "videos with all fields",
        SHAPES["videos"],
        lambda batch: [media.videos for media in batch.media],
    ),
    Field(
        "news",
        "news articles with all fields",
        SHAPES["news"],
        lambda batch: [media.news for media in batch.media],
    ),
    Field(
        "alternates",
        "alternates: hreflang, href, rel, media",
        SHAPES["alternates"],
        lambda batch: [media.alternates for media in batch.media],
    ),
    Field(
        "pagemaps",
        "PageMap objects",
        ListOf(ColumnType.TEXT),
        lambda batch: [_as_json(media.pagemaps) for media in batch.media],
    ),
    Field(
        "other",
        "elements of other namespaces, as written",
        ListOf(ColumnType.TEXT),
        lambda batch: [list(media.unknown) for media in batch.media],
    ),
    Field("mobile", "marked as a mobile page", ColumnType.FLAG, _mobile),
    Field("host", "host of the URL", ColumnType.TEXT, _host),
    Field("path", "path of the URL", ColumnType.TEXT, _path),
    Field("query", "query of the URL", ColumnType.TEXT, _query),
    Field("source", "the file", ColumnType.TEXT, lambda batch: [batch.document.name] * len(batch)),
    Field(
        "sitemap",
        "URL of the file, when listed in an index",
        ColumnType.TEXT,
        lambda batch: [batch.document.url] * len(batch),
    ),
    Field("kind", "kind of file: urlset, text, rss, atom", ColumnType.TEXT, lambda b: [b.document.kind.value] * len(b)),
    Field("position", "number of the entry in its file, from 1", ColumnType.INTEGER, lambda b: [n + 1 for n in b.rows]),
    Field("line", "line where the entry starts, from 1", ColumnType.INTEGER, _line),
    Field("column", "column where the entry starts, from 1", ColumnType.INTEGER, _column),
    Field("offset", "byte offset of the entry, uncompressed", ColumnType.INTEGER, lambda batch: batch.offsets),
    Field("length", "length of the entry in bytes", ColumnType.INTEGER, _length),
    Field("salvaged", "entry was malformed and repaired while reading", ColumnType.FLAG, _salvaged),
)
FIELDS: dict[str, Field] = {field.name: field for field in _ALL}
DEFAULT = "loc,lastmod,changefreq,priority,source"
