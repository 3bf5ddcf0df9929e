"""The type of a column of values → the same type in the words of Arrow, Polars or pandas."""

from __future__ import annotations

from datetime import datetime
from enum import Enum
from functools import cache
from types import NoneType, UnionType
from typing import Any, Union, get_args, get_origin, get_type_hints

import msgspec


class ColumnType(Enum):
    TEXT = "text"
    INTEGER = "integer"
    FLAG = "flag"
    NUMBER = "number"
    TIME = "time"
    """an instant in UTC"""


class ListOf(msgspec.Struct, frozen=True):
    item: Shape


class Fields(msgspec.Struct, frozen=True):
    """A record; `names` and `shapes` run in step."""

    names: tuple[str, ...]
    shapes: tuple[Shape, ...]


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
        return Fields(names, tuple(shape_of(hints[name]) for name in names))
    return _SIMPLE.get(annotation, ColumnType.TEXT)


def plain(value: Any) -> Any:
    """A model value as dicts, lists and texts, in the layout that `shape_of` describes."""
    if isinstance(value, msgspec.Struct):
        return {name: plain(getattr(value, name)) for name in value.__struct_fields__}
    if isinstance(value, tuple):
        return [plain(each) for each in value]
    if isinstance(value, dict):
        return [{"name": str(name), "value": plain(each)} for name, each in value.items()]
    return value.value if isinstance(value, Enum) else value


def shaped(value: Any, shape: Shape) -> Any:
    """Any value in the layout of its shape, where that has numbers beside texts."""
    if value is None:
        return None
    match shape:
        case ListOf(item):
            return [shaped(each, item) for each in (value.items() if isinstance(value, dict) else value)]
        case Fields(names, shapes):
            parts = value if isinstance(value, tuple) else (getattr(value, name) for name in names)
            return {name: shaped(part, each) for name, part, each in zip(names, parts, shapes, strict=True)}
        case _:
            return value.value if isinstance(value, Enum) else value


def arrow_type(shape: Shape) -> Any:
    import pyarrow as pa

    match shape:
        case ListOf(item):
            return pa.list_(arrow_type(item))
        case Fields(names, shapes):
            return pa.struct([pa.field(name, arrow_type(each)) for name, each in zip(names, shapes, strict=True)])
        case ColumnType.INTEGER:
            return pa.int64()
        case ColumnType.FLAG:
            return pa.bool_()
        case ColumnType.NUMBER:
            return pa.float64()
        case ColumnType.TIME:
            return pa.timestamp("us", "UTC")
        case _:
            return pa.string()


def polars_type(shape: Shape) -> Any:
    import polars as pl

    match shape:
        case ListOf(item):
            return pl.List(polars_type(item))
        case Fields(names, shapes):
            return pl.Struct({name: polars_type(each) for name, each in zip(names, shapes, strict=True)})
        case ColumnType.INTEGER:
            return pl.Int64()
        case ColumnType.FLAG:
            return pl.Boolean()
        case ColumnType.NUMBER:
            return pl.Float64()
        case ColumnType.TIME:
            return pl.Datetime("us", "UTC")
        case _:
            return pl.String()


def pandas_type(shape: Shape) -> str:
    match shape:
        case ColumnType.INTEGER:
            return "Int64"
        case ColumnType.FLAG:
            return "boolean"
        case ColumnType.NUMBER:
            return "float64"
        case ColumnType.TIME:
            return "datetime64[us, UTC]"
        case ColumnType.TEXT:
            return "str"
        case _:
            return "object"
