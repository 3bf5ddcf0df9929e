"""The rows of a crawl → files for programs, a later build among them: JSON Lines, CSV, Parquet, a workbook."""

from __future__ import annotations

import io
from collections.abc import Iterator
from itertools import islice
from types import NoneType
from typing import Any, get_args, get_type_hints

import msgspec

from urlset.model.frames import library
from urlset.model.visit import CrawlRow
from urlset.reports.format import Pieces, ReportOptions
from urlset.reports.table import ReportTable, TableColumn, csv_lines, workbook

_FIELDS = CrawlRow.__struct_fields__
_ROW_GROUP = 50_000


def render(rows: Iterator[CrawlRow], options: ReportOptions, form: str) -> Pieces:
    table = ReportTable("URLs", tuple(map(_column, _FIELDS)), rows)
    match form:
        case "csv":
            return csv_lines(table, end="\r\n", escape=str)  # a build reads it again
        case "xlsx":
            return workbook((table,), options)
        case "parquet":
            return as_parquet(rows)
        case _:
            return (msgspec.json.encode(row) + b"\n" for row in rows)


def _column(name: str) -> TableColumn:
    return TableColumn(name, value=lambda row: _plain(getattr(row, name)))


def _plain(value: object) -> object:
    if isinstance(value, bool):
        return "yes" if value else "no"
    if isinstance(value, tuple):
        words = [each for each in value if isinstance(each, str)]
        return ", ".join(words) if words else msgspec.json.encode(value).decode()
    return value


def need_parquet() -> None:
    """Raises NotInstalledError."""
    library("pyarrow.parquet", "data", "--out FILE.parquet")


def as_parquet(rows: Iterator[CrawlRow]) -> Iterator[bytes]:
    """The rows of JSON Lines as columns, one row group per 50,000; what is nested is JSON."""
    arrow = library("pyarrow", "data", "--out FILE.parquet")
    parquet = library("pyarrow.parquet", "data", "--out FILE.parquet")
    kinds = {bool: arrow.bool_(), int: arrow.int64(), float: arrow.float64()}
    hints = get_type_hints(CrawlRow)
    schema = arrow.schema([(name, kinds.get(_plain_type(hints[name]), arrow.string())) for name in _FIELDS])
    buffer = io.BytesIO()
    with parquet.ParquetWriter(buffer, schema, compression="zstd") as writer:
        while batch := list(islice(rows, _ROW_GROUP)):
            columns = {name: [_value(getattr(row, name)) for row in batch] for name in _FIELDS}
            writer.write_table(arrow.table(columns, schema=schema))
            yield buffer.getvalue()
            buffer.seek(0)
            buffer.truncate()
    yield buffer.getvalue()


def _plain_type(hint: Any) -> Any:
    """`int` of `int | None`."""
    return next((each for each in get_args(hint) if each is not NoneType), hint)


def _value(value: object) -> object:
    return value if value is None or isinstance(value, (str, int, float)) else msgspec.json.encode(value).decode()
