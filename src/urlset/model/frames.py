"""Rows of a document, tree or report → pyarrow, polars and pandas tables, with the same columns and types in each.

Texts stay as written. Where a text is a date, a column with `_time` added to its name has the instant.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from functools import lru_cache
from importlib import import_module
from itertools import count, islice
from typing import TYPE_CHECKING, Any

import msgspec

from urlset.model.shape import ColumnType, Fields, ListOf, Shape, arrow_type, pandas_type, polars_type, shape_of, shaped

if TYPE_CHECKING:
    from datetime import datetime

    import pandas as pd
    import polars as pl
    import pyarrow as pa

BATCH = 8192
"""rows that are made at once"""


class NotInstalledError(ImportError):
    """A table was requested for a library that is not installed."""


class FrameColumn(msgspec.Struct, frozen=True):
    name: str
    shape: Shape
    value: Callable[[Any], Any]
    """of one row"""


class FrameTable(msgspec.Struct, frozen=True):
    """What can be made into a table: the same columns for every row, and the rows, which are gone through once."""

    columns: tuple[FrameColumn, ...]
    rows: Callable[[], Iterable[Any]]

    @property
    def shapes(self) -> dict[str, Shape]:
        return {column.name: column.shape for column in self.columns}

    def batches(self, size: int = BATCH) -> Iterator[dict[str, list[Any]]]:
        rows = iter(self.rows())
        while some := list(islice(rows, size)):
            yield {column.name: [column.value(row) for row in some] for column in self.columns}


class Tabular:
    """Gives tables. `rows` chooses what a row is; each class says what there is to choose from."""

    __slots__ = ()

    def tables(self) -> Mapping[str, Callable[[], FrameTable]]:
        """What a row can be, the default first."""
        raise NotImplementedError

    def to_arrow(self, rows: str | None = None) -> pa.Table:
        """A pyarrow Table."""
        self._need("pyarrow", "arrow", "to_arrow")
        import pyarrow as pa

        table = self.table(rows)
        schema = _arrow_schema(table)
        return pa.Table.from_batches(_arrow_batches(table, BATCH), schema)

    def to_arrow_batches(self, rows: str | None = None, *, size: int = BATCH) -> pa.RecordBatchReader:
        """A pyarrow RecordBatchReader: an iterator of batches that are made one at a time, in bounded memory."""
        self._need("pyarrow", "arrow", "to_arrow_batches")
        import pyarrow as pa

        table = self.table(rows)
        if size < 1:
            raise ValueError("size: at least 1")
        return pa.RecordBatchReader.from_batches(_arrow_schema(table), _arrow_batches(table, size))

    def to_polars(self, rows: str | None = None) -> pl.DataFrame:
        """A polars DataFrame."""
        self._need("polars", "polars", "to_polars")
        import polars as pl

        table = self.table(rows)
        shapes = table.shapes
        frames = [
            pl.DataFrame([_polars_column(name, shapes[name], values) for name, values in columns.items()])
            for columns in table.batches()
        ]
        schema = {name: polars_type(shape) for name, shape in shapes.items()}
        return pl.concat(frames) if frames else pl.DataFrame(schema=schema)

    def to_pandas(self, rows: str | None = None) -> pd.DataFrame:
        """A pandas DataFrame."""
        self._need("pandas", "pandas", "to_pandas")
        import pandas as pd

        table = self.table(rows)
        types = {name: pandas_type(shape) for name, shape in table.shapes.items()}
        nothing: dict[str, list[Any]] = {name: [] for name in types}
        frames = [
            pd.DataFrame({name: pd.Series(values, dtype=types[name]) for name, values in columns.items()})
            for columns in table.batches()
        ]
        if not frames:
            return pd.DataFrame({name: pd.Series(values, dtype=types[name]) for name, values in nothing.items()})
        return frames[0] if len(frames) == 1 else pd.concat(frames, ignore_index=True)

    def _need(self, module: str, extra: str, method: str) -> None:
        library(module, extra, f"{type(self).__name__}.{method}()")

    def table(self, rows: str | None = None) -> FrameTable:
        known = self.tables()
        if rows is not None and rows not in known:
            raise ValueError(f"unknown rows {rows!r}; choose from {', '.join(known)}")
        return known[next(iter(known)) if rows is None else rows]()


def table_of(
    struct: type,
    rows: Callable[[], Iterable[Any]],
    *,
    times: Iterable[str] = (),
    skip: Iterable[str] = (),
    instead: Mapping[str, tuple[FrameColumn, ...]] | None = None,
) -> FrameTable:
    """One column for each field of a struct; those in `times` are dates and have their instant beside them."""
    shape = shape_of(struct)
    assert isinstance(shape, Fields)
    columns: list[FrameColumn] = []
    for name, field in zip(shape.names, shape.shapes, strict=True):
        if name in skip:
            continue
        columns += (instead or {}).get(name) or (FrameColumn(name, field, _getter(name, field)),)
        if name in times:
            columns.append(FrameColumn(f"{name}_time", ColumnType.TIME, _time_getter(name)))
    return FrameTable(tuple(columns), rows)


def _getter(name: str, shape: Shape) -> Callable[[Any], Any]:
    return lambda row: shaped(getattr(row, name), shape)


def _time_getter(name: str) -> Callable[[Any], Any]:
    return lambda row: instant_of(getattr(row, name))


@lru_cache(maxsize=10_000)
def instant_of(text: str | None) -> datetime | None:
    """The instant a date starts, in UTC; None for what is not a date."""
    if not text:
        return None
    from urlset.model.moment import Moment

    interval = Moment.parse(text).interval()
    return None if interval is None else interval[0]


def number_of(text: str | None) -> float | None:
    """The number a text says; None for what is not a number."""
    if text is None or not text.replace(".", "", 1).isdecimal() or not text.isascii():
        return None
    return float(text)


def library(module: str, extra: str, purpose: str) -> Any:
    """Import an optional library, or say which extra brings it."""
    try:
        return import_module(module)
    except ImportError as error:
        raise NotInstalledError(
            f"{purpose} needs {module}, which is not installed: pip install 'urlset[{extra}]'", name=module
        ) from error


def trimmed(texts: Iterable[str | None]) -> list[str | None]:
    """Without surrounding whitespace, as `Entry` gives them."""
    return [text and text.strip() for text in texts]


def _polars_column(name: str, shape: Shape, values: list[Any]) -> pl.Series:
    """Lists of records are made from all records at once: polars takes a millisecond for each list, empty or not."""
    import polars as pl

    kind = polars_type(shape)
    if not isinstance(shape, ListOf) or not isinstance(shape.item, Fields):
        return pl.Series(name, values, dtype=kind)
    records = [record for value in values if value for record in value]
    rows = [row for row, value in enumerate(values) if value for _ in value]
    lists = pl.DataFrame([pl.Series("row", rows, dtype=pl.UInt32), pl.Series(name, records, dtype=kind.inner)])
    lists = lists.group_by("row", maintain_order=True).agg(name).get_column(name)
    at = count(2)
    places = [next(at) if value else int(value is not None) for value in values]
    return pl.concat([pl.Series(name, [None, []], dtype=kind), lists]).gather(places)


def _arrow_schema(table: FrameTable) -> pa.Schema:
    import pyarrow as pa

    return pa.schema([(name, arrow_type(shape)) for name, shape in table.shapes.items()])


def _arrow_batches(table: FrameTable, size: int) -> Iterator[pa.RecordBatch]:
    import pyarrow as pa

    schema = _arrow_schema(table)
    for columns in table.batches(size):
        yield pa.RecordBatch.from_pydict(columns, schema)
