"""A document → a pyarrow Table, polars DataFrame or pandas DataFrame, one row per entry.

Columns: loc, lastmod, changefreq and priority as written; images as the list of their addresses; videos, news
and alternates as lists of records with every field. Each document has the same columns, so tables of
several documents can be put one below the other.
"""

from __future__ import annotations

from collections.abc import Iterable
from importlib import import_module
from typing import Any, Protocol

from urlset.model.columns import Columns
from urlset.model.media import Alternate, Media, News, Video
from urlset.model.shape import ColumnType, ListOf, Shape, arrow_type, plain, polars_type, shape_of

SHAPES: dict[str, Shape] = {
    "loc": ColumnType.TEXT,
    "lastmod": ColumnType.TEXT,
    "changefreq": ColumnType.TEXT,
    "priority": ColumnType.TEXT,
    "images": ListOf(ColumnType.TEXT),
    "videos": ListOf(shape_of(Video)),
    "news": ListOf(shape_of(News)),
    "alternates": ListOf(shape_of(Alternate)),
}


class Tabular(Protocol):
    """What is needed of a document."""

    @property
    def columns(self) -> Columns: ...

    def media(self, row: int) -> Media: ...


class NotInstalledError(ImportError):
    """A table was requested for a library that is not installed."""


def to_arrow(document: Tabular) -> Any:
    pa = library("pyarrow", "arrow", "Document.to_arrow()")
    schema = pa.schema([(name, arrow_type(shape)) for name, shape in SHAPES.items()])
    return pa.table(_columns(document), schema=schema)


def to_polars(document: Tabular) -> Any:
    pl = library("polars", "polars", "Document.to_polars()")
    schema = {name: polars_type(shape) for name, shape in SHAPES.items()}
    return pl.DataFrame(_columns(document), schema=schema)


def to_pandas(document: Tabular) -> Any:
    pd = library("pandas", "pandas", "Document.to_pandas()")
    return pd.DataFrame(_columns(document), columns=list(SHAPES))


def library(module: str, extra: str, purpose: str) -> Any:
    """Import an optional library, or say which extra brings it."""
    try:
        return import_module(module)
    except ImportError as error:
        raise NotInstalledError(
            f"{purpose} needs {module}, which is not installed: pip install 'urlset[{extra}]'", name=module
        ) from error


def image_locs(media: Iterable[Media]) -> list[list[str | None]]:
    return [[image.loc for image in each.images] for each in media]


def trimmed(texts: Iterable[str | None]) -> list[str | None]:
    """Without surrounding whitespace, as `Entry` gives them."""
    return [text and text.strip() for text in texts]


def _columns(document: Tabular) -> dict[str, list[Any]]:
    columns = document.columns
    media = [document.media(row) for row in range(len(columns))]
    return {
        "loc": trimmed(columns.locs),
        "lastmod": trimmed(columns.lastmods),
        "changefreq": trimmed(columns.changefreqs),
        "priority": trimmed(columns.priorities),
        "images": image_locs(media),
        "videos": [plain(each.videos) for each in media],
        "news": [plain(each.news) for each in media],
        "alternates": [plain(each.alternates) for each in media],
    }
