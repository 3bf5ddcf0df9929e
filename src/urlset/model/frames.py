"""Rows of a document, tree or report → pyarrow, polars and pandas tables with the same columns and types in each.

Texts stay as written. Where a text is a date, a column with `_time` added to its name has the instant.
"""

from __future__ import annotations

import gc
from array import array
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from datetime import UTC, date, datetime, timedelta
from enum import Enum
from functools import cache, lru_cache
from importlib import import_module
from itertools import accumulate, chain, count, islice
from types import NoneType, UnionType
from typing import TYPE_CHECKING, Any, NamedTuple, Union, get_args, get_origin, get_type_hints

import msgspec
from msgspec.structs import asdict, astuple

from urlset.model.errors import ArgumentValueError, UrlsetError
from urlset.spec.lazy_pattern import lazy_pattern

if TYPE_CHECKING:
    import pandas as pd
    import polars as pl
    import pyarrow as pa


BATCH = 8192
"""rows that are converted at once"""


class NotInstalledError(UrlsetError, ImportError):
    """A table was requested for a library that is not installed."""


class FrameColumn(msgspec.Struct, frozen=True):
    name: str
    shape: Shape
    values: Callable[[Any], Sequence[Any]]
    """of a batch of rows, one for each; an instant is a number of microseconds since 1970, in UTC"""


class FrameTable(msgspec.Struct, frozen=True):
    """What can be made into a table: the same columns for every batch, and the batches, which are gone through once."""

    columns: tuple[FrameColumn, ...]
    batches: Callable[[int], Iterable[Any]]
    """of at most so many rows each, in whatever form the columns take them"""

    def head(self, rows: int) -> list[tuple[Any, ...]]:
        """The first rows, as values of Python."""
        for batch in self.batches(rows):
            return list(zip(*(_readable(column.values(batch), column.shape) for column in self.columns), strict=True))
        return []


def _readable(values: Sequence[Any], shape: Shape) -> Sequence[Any]:
    if shape is ColumnType.TIME:
        return [None if value is None else _EPOCH + value * _MICROSECOND for value in values]
    return plain(values, shape)


def in_batches(rows: Callable[[], Iterable[Any]]) -> Callable[[int], Iterator[list[Any]]]:
    """Rows that are objects, as batches of a FrameTable."""

    def batches(size: int) -> Iterator[list[Any]]:
        left = iter(rows())
        while some := list(islice(left, size)):
            yield some

    return batches


@contextmanager
def _without_collections() -> Iterator[None]:
    """Media, lists and dicts of cells are not garbage, and looking for it takes up to half of the time of a table.

    Behind it they count as old, or the next collection would look at all of them.
    """
    collects = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if not gc.get_freeze_count():
            gc.freeze()
            gc.unfreeze()
        if collects:
            gc.enable()


class Tabular:
    """Gives tables. `rows` chooses what a row is; each class says what there is to choose from."""

    __slots__ = ()

    def tables(self) -> Mapping[str, Callable[[], FrameTable]]:
        """What a row can be, the default first."""
        raise NotImplementedError

    def to_arrow(self, rows: str | None = None) -> pa.Table:
        """A pyarrow Table."""
        self._need("pyarrow", "data", "to_arrow")
        import pyarrow as pa

        table = self.table(rows)
        with _without_collections():
            return pa.Table.from_batches(_arrow_batches(table, BATCH), _arrow_schema(table))

    def to_arrow_batches(self, rows: str | None = None, *, size: int = BATCH) -> pa.RecordBatchReader:
        """A pyarrow RecordBatchReader: an iterator of batches that are made one at a time, in bounded memory."""
        self._need("pyarrow", "data", "to_arrow_batches")
        import pyarrow as pa

        table = self.table(rows)
        if size < 1:
            raise ArgumentValueError("size: at least 1")
        return pa.RecordBatchReader.from_batches(_arrow_schema(table), _arrow_batches(table, size))

    def to_polars(self, rows: str | None = None) -> pl.DataFrame:
        """A polars DataFrame."""
        self._need("polars", "data", "to_polars")
        import polars as pl

        table = self.table(rows)
        with _without_collections():
            frames = [
                pl.DataFrame([polars_series(each.name, each.values(batch), each.shape) for each in table.columns])
                for batch in table.batches(BATCH)
            ]
        return (
            pl.concat(frames) if frames else pl.DataFrame([polars_series(c.name, [], c.shape) for c in table.columns])
        )

    def to_pandas(self, rows: str | None = None) -> pd.DataFrame:
        """A pandas DataFrame."""
        self._need("pandas", "data", "to_pandas")
        import pandas as pd

        table = self.table(rows)
        with _without_collections():
            parts: list[list[pd.Series]] = [[] for _ in table.columns]
            for batch in table.batches(BATCH):
                for part, each in zip(parts, table.columns, strict=True):
                    part.append(pandas_series(each.values(batch), each.shape))
            found = {}
            for part, each in zip(parts, table.columns, strict=True):
                found[each.name] = pd.concat(part or [pandas_series([], each.shape)], ignore_index=True)
                part.clear()
            return pd.DataFrame(found, copy=False)

    def _need(self, module: str, extra: str, method: str) -> None:
        library(module, extra, f"{type(self).__name__}.{method}()")

    def table(self, rows: str | None = None) -> FrameTable:
        known = self.tables()
        if rows is not None and rows not in known:
            raise ArgumentValueError(f"unknown rows {rows!r}; choose from {', '.join(known)}")
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
    return FrameTable(tuple(columns), in_batches(rows))


def _getter(name: str, shape: Shape) -> Callable[[Any], list[Any]]:
    if shape is ColumnType.TIME:
        return lambda rows: [_microseconds(getattr(row, name)) for row in rows]
    return lambda rows: [getattr(row, name) for row in rows]


def _time_getter(name: str) -> Callable[[Any], list[Any]]:
    return lambda rows: instants(getattr(row, name) for row in rows)


@lru_cache(maxsize=10_000)
def instant_of(text: str | None) -> datetime | None:
    """The instant a date starts, in UTC; None for what is not a date."""
    if not text:
        return None
    from urlset.model.moment import Moment  # reports without dates need none of its patterns

    return Moment.parse(text).to_datetime()


_EPOCH = datetime(1970, 1, 1, tzinfo=UTC)
_MICROSECOND = timedelta(microseconds=1)
_DAY_ONE = _EPOCH.toordinal()
_CLOCK = lazy_pattern(r"[T ]([01][0-9]|2[0-3]):([0-5][0-9])")
_END = lazy_pattern(r"(?::([0-5][0-9])(?:\.([0-9]{1,6}))?)?(?:Z|([+-])(0[0-9]|1[0-3]):([0-5][0-9]))?")


def instants(texts: Iterable[str | None]) -> list[int | None]:
    """The instants that dates start, in microseconds since 1970; None for what is not a date.

    `instant_of` says what a date means. Texts in the usual notations are put together from their day, their minute
    and the rest, which repeat: 50,000 different ones cost 15 ms instead of 500.
    """
    days, clocks, ends = _Days(), _Clocks(), _Ends()
    found: list[int | None] = []
    for text in texts:
        try:
            if not text:
                found.append(None)
            elif len(text) <= len("2026-11-16"):
                found.append(days[text])
            else:
                found.append(days[text[:10]] + clocks[text[10:16]] + ends[text[16:]])
        except KeyError:
            found.append(_microseconds(instant_of(text)))
    return found


def _microseconds(instant: datetime | None) -> int | None:
    return None if instant is None else (instant - _EPOCH) // _MICROSECOND


class _Days(dict[str, int]):
    """When a year, month or day starts; KeyError for anything else, and where a zone may leave the calendar."""

    def __missing__(self, text: str) -> int:
        written = f"{text}-01-01"[:10]
        try:
            day = date.fromisoformat(written)
        except ValueError:
            raise KeyError(text) from None
        if written[4:8:3] != "--" or not 1 < day.year < 9999:  # a week, or no dashes
            raise KeyError(text)
        self[text] = found = (day.toordinal() - _DAY_ONE) * 86_400_000_000
        return found


class _Clocks(dict[str, int]):
    """Hour and minute."""

    def __missing__(self, text: str) -> int:
        match = _CLOCK.fullmatch(text)
        if match is None:
            raise KeyError(text)
        self[text] = found = (int(match[1]) * 60 + int(match[2])) * 60_000_000
        return found


class _Ends(dict[str, int]):
    """Perhaps seconds, and perhaps a zone."""

    def __missing__(self, text: str) -> int:
        match = _END.fullmatch(text)
        if match is None:
            raise KeyError(text)
        second, fraction, sign, hours, minutes = match.groups()
        offset = (int(hours) * 60 + int(minutes)) * (-1 if sign == "-" else 1) if sign else 0
        found = int(second or 0) * 1_000_000 + int((fraction or "").ljust(6, "0")) - offset * 60_000_000
        self[text] = found
        return found


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


def _arrow_schema(table: FrameTable) -> pa.Schema:
    import pyarrow as pa

    return pa.schema([(column.name, arrow_type(column.shape)) for column in table.columns])


def _arrow_batches(table: FrameTable, size: int) -> Iterator[pa.RecordBatch]:
    import pyarrow as pa

    schema = _arrow_schema(table)
    for batch in table.batches(size):
        yield pa.RecordBatch.from_arrays(
            [arrow_array(column.values(batch), column.shape) for column in table.columns], schema=schema
        )


class ColumnType(Enum):
    TEXT = "text"
    INTEGER = "integer"
    FLAG = "flag"
    NUMBER = "number"
    TIME = "time"
    """an instant in UTC"""
    CHOICE = "choice"
    """a member of an enumeration of texts; tables have its value"""


class ListOf(msgspec.Struct, frozen=True):
    item: Shape


class Fields(msgspec.Struct, frozen=True):
    """A record, which is a tuple or a struct; `names` and `shapes` run in step."""

    names: tuple[str, ...]
    shapes: tuple[Shape, ...]
    are_structs: bool = False


Shape = ColumnType | ListOf | Fields

_PAIR = ("name", "value")
_SIMPLE = {int: ColumnType.INTEGER, bool: ColumnType.FLAG, float: ColumnType.NUMBER, datetime: ColumnType.TIME}


@cache
def shape_of(annotation: Any) -> Shape:
    """The shape of a type: simple values, structs of them, tuples of either, mappings (as pairs of name and value)."""
    given = get_args(annotation)
    if get_origin(annotation) in (UnionType, Union):
        (annotation,) = (each for each in given if each is not NoneType)
        return shape_of(annotation)
    if get_origin(annotation) is tuple:
        if given[-1] is Ellipsis or len(set(given)) == 1:
            return ListOf(shape_of(given[0]))
        return Fields(_PAIR if len(given) == 2 else tuple(map(str, range(len(given)))), tuple(map(shape_of, given)))
    if get_origin(annotation) is dict:  # not every table format knows maps
        return ListOf(Fields(_PAIR, (ColumnType.TEXT, shape_of(given[1]))))
    if isinstance(annotation, type) and issubclass(annotation, msgspec.Struct):
        hints = get_type_hints(annotation)
        names = annotation.__struct_fields__
        return Fields(names, tuple(shape_of(hints[name]) for name in names), are_structs=True)
    if isinstance(annotation, type) and issubclass(annotation, Enum):
        return ColumnType.CHOICE
    return _SIMPLE.get(annotation, ColumnType.TEXT)


class _Names(NamedTuple):
    """What libraries call a type; instants have a unit and a zone too."""

    arrow: str
    polars: str
    pandas: str


_TYPES = {
    ColumnType.INTEGER: _Names("int64", "Int64", "Int64"),
    ColumnType.FLAG: _Names("bool_", "Boolean", "boolean"),
    ColumnType.NUMBER: _Names("float64", "Float64", "float64"),
    ColumnType.TIME: _Names("timestamp", "Datetime", "datetime64[us, UTC]"),
    ColumnType.TEXT: _Names("string", "String", "str"),
    ColumnType.CHOICE: _Names("string", "String", "str"),
}
_INSTANT = ("us", "UTC")
_CODES = {ColumnType.INTEGER: "q", ColumnType.NUMBER: "d", ColumnType.TIME: "q"}
"""what arrays call a type"""
_DIGITS = bytes.maketrans(b"\0\1", b"01")


@cache
def arrow_type(shape: Shape) -> Any:
    import pyarrow as pa

    if isinstance(shape, ListOf):
        return pa.list_(arrow_type(shape.item))
    if isinstance(shape, Fields):
        return pa.struct(list(zip(shape.names, map(arrow_type, shape.shapes), strict=True)))
    return getattr(pa, _TYPES[shape].arrow)(*(_INSTANT if shape is ColumnType.TIME else ()))


@cache
def polars_type(shape: Shape) -> Any:
    import polars as pl

    if isinstance(shape, ListOf):
        return pl.List(polars_type(shape.item))
    if isinstance(shape, Fields):
        return pl.Struct(dict(zip(shape.names, map(polars_type, shape.shapes), strict=True)))
    return getattr(pl, _TYPES[shape].polars)(*(_INSTANT if shape is ColumnType.TIME else ()))


# Model values of one shape → a column of that type. Records are taken apart into their fields, each a column again.

_NO_TIME = -(2**63)
"""what pandas takes for a missing instant"""


def arrow_array(values: Sequence[Any], shape: Shape) -> pa.Array:
    """From buffers: to convert a list of texts, pyarrow imports pandas if it is there, which takes 0.2 s and 50 MB."""
    import pyarrow as pa

    kind = arrow_type(shape)
    if values.count(None) == len(values):
        return pa.nulls(len(values), kind)
    buffers: list[Any] = [_bits([value is not None for value in values]) if None in values else None]
    children: list[pa.Array] = []
    if isinstance(shape, ListOf):
        lists = _without_none(values, ())
        starts = array("i", accumulate(map(len, lists), initial=0)) if any(lists) else bytes(4 * len(lists) + 4)
        buffers.append(pa.py_buffer(starts))
        children.append(arrow_array(_items(values), shape.item))
    elif isinstance(shape, Fields):
        children += map(arrow_array, _parts(values, shape), shape.shapes)
    elif shape is ColumnType.FLAG:
        buffers.append(_bits(values))
    elif shape in _CODES:
        buffers.append(pa.py_buffer(array(_CODES[shape], _without_none(values, 0))))
    else:
        try:
            from urlset.model.compiled_frames import text_buffers
        except ImportError:
            return pa.array(values, kind)
        buffers += text_buffers(values, pa.allocate_buffer)
    return pa.Array.from_buffers(kind, len(values), buffers, children=children)


def _bits(flags: Sequence[bool | None]) -> pa.Buffer:
    """One bit for each, the lowest of a byte first."""
    import pyarrow as pa

    digits = bytes(map(bool, reversed(flags))).translate(_DIGITS)
    return pa.py_buffer(int(digits, 2).to_bytes(-(-len(digits) // 8), "little"))


def polars_series(name: str, values: Sequence[Any], shape: Shape) -> pl.Series:
    import polars as pl

    if _is_constant(values) and values[0] is None:
        return pl.Series(name, [], dtype=polars_type(shape)).clear(len(values))
    if _are_empty(values):
        return pl.Series(name, [[]], dtype=pl.List(pl.Null)).new_from_index(0, len(values)).cast(polars_type(shape))
    if isinstance(shape, ColumnType):
        return pl.Series(name, plain(values, shape), dtype=polars_type(shape))
    if isinstance(shape, ListOf):  # polars takes a millisecond for each list, so all are made at once
        rows = pl.Series("row", [row for row, value in enumerate(values) if value for _ in value], dtype=pl.UInt32)
        frame = pl.DataFrame([rows.set_sorted(), polars_series("item", _items(values), shape.item)])
        lists = frame.group_by("row", maintain_order=True).agg("item").get_column("item")
        empty = pl.Series(name, [None, []], dtype=polars_type(shape))
        at = count(2)
        places = [next(at) if value else int(value is not None) for value in values]
        return pl.concat([empty, lists], rechunk=True).gather(places)
    parts = map(polars_series, shape.names, _parts(values, shape), shape.shapes)
    records = pl.DataFrame(list(parts)).to_struct(name)
    if None not in values:
        return records
    there = pl.Series([value is not None for value in values])
    return pl.select(pl.when(there).then(records).alias(name)).to_series()


def pandas_series(values: Sequence[Any], shape: Shape) -> pd.Series:
    import pandas as pd

    if not isinstance(shape, ColumnType):
        return pd.Series(plain(values, shape), dtype="object")
    if _is_constant(values):
        return pandas_series(values[:1], shape).repeat(len(values))
    if shape is ColumnType.TIME:
        values = [_NO_TIME if value is None else value for value in values]
    return pd.Series(plain(values, shape), dtype=_TYPES[shape].pandas)


def plain(values: Sequence[Any], shape: Shape) -> Sequence[Any]:
    """As dicts, lists and simple values."""
    if isinstance(shape, ColumnType):
        if shape is not ColumnType.CHOICE:
            return values
        return [None if value is None else value.value for value in values]
    if isinstance(shape, ListOf):
        if _are_empty(values):
            return [[] for _ in values]
        items = iter(plain(_items(values), shape.item))
        return [list(islice(items, len(value))) if value else None if value is None else [] for value in values]
    as_dict = asdict if shape.are_structs else lambda value: dict(zip(shape.names, value, strict=True))
    found = [None if value is None else as_dict(value) for value in values]
    parts = zip(shape.names, shape.shapes, strict=True)
    nested = [part for part in parts if part[1] is ColumnType.CHOICE or not isinstance(part[1], ColumnType)]
    records = list(filter(None, found)) if nested else []
    for name, each in nested:
        column = [record[name] for record in records]
        if isinstance(each, ListOf) and not any(column) and None not in column:
            for record in records:
                record[name] = []
        elif column.count(None) < len(column):
            for record, value in zip(records, plain(column, each), strict=True):
                record[name] = value
    return found


def _is_constant(values: Sequence[Any]) -> bool:
    """Whether all values are one object: None or an empty list, as of most fields of media, or the file's name."""
    return len(values) > 1 and values[0] is values[-1] and values.count(values[0]) == len(values)


def _are_empty(values: Sequence[Any]) -> bool:
    """Lists without items."""
    return _is_constant(values) and values[0] == ()


def _without_none(values: Sequence[Any], instead: Any) -> Sequence[Any]:
    return [instead if value is None else value for value in values] if None in values else values


def _items(values: Sequence[Any]) -> list[Any]:
    """What is in lists or mappings, one after another."""
    lists = list(filter(None, values))
    if lists and isinstance(lists[0], dict):
        lists = [each.items() for each in lists]
    return list(chain.from_iterable(lists))


def _parts(records: Sequence[Any], shape: Fields) -> list[list[Any]]:
    """The fields of records, each as a column."""
    size, values_of = len(shape.names), astuple if shape.are_structs else tuple
    nothing = (None,) * size
    flat = list(chain.from_iterable(nothing if record is None else values_of(record) for record in records))
    assert len(flat) == size * len(records)
    return [flat[at::size] for at in range(size)]
