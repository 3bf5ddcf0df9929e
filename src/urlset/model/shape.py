"""The type of a column of values → the same type in the words of Arrow or Polars."""

from __future__ import annotations

from enum import Enum
from functools import cache
from types import NoneType, UnionType
from typing import Any, Union, get_args, get_origin, get_type_hints

import msgspec


class ColumnType(Enum):
    TEXT = "text"
    INTEGER = "integer"
    FLAG = "flag"


class ListOf(msgspec.Struct, frozen=True):
    item: Shape


class Fields(msgspec.Struct, frozen=True):
    """A record; `names` and `shapes` run in step."""

    names: tuple[str, ...]
    shapes: tuple[Shape, ...]


Shape = ColumnType | ListOf | Fields

PAIRS = ListOf(Fields(("name", "value"), (ColumnType.TEXT, ColumnType.TEXT)))
"""A mapping of texts: not every table format knows maps."""


@cache
def shape_of(annotation: Any) -> Shape:
    """The shape of a model type: texts, structs of them, tuples of either, mappings of texts."""
    given = get_args(annotation)
    if get_origin(annotation) in (UnionType, Union):
        (annotation,) = (each for each in given if each is not NoneType)
        return shape_of(annotation)
    if get_origin(annotation) is tuple:
        return ListOf(shape_of(given[0]))
    if get_origin(annotation) is dict:
        return PAIRS
    if isinstance(annotation, type) and issubclass(annotation, msgspec.Struct):
        hints = get_type_hints(annotation)
        names = annotation.__struct_fields__
        return Fields(names, tuple(shape_of(hints[name]) for name in names))
    return ColumnType.TEXT


def plain(value: Any) -> Any:
    """A model value as dicts, lists and texts, in the layout that `shape_of` describes."""
    if isinstance(value, msgspec.Struct):
        return {name: plain(getattr(value, name)) for name in value.__struct_fields__}
    if isinstance(value, tuple):
        return [plain(each) for each in value]
    if isinstance(value, dict):
        return [{"name": name, "value": text} for name, text in value.items()]
    return value


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
        case _:
            return pl.String()
