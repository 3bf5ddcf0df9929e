"""Batches of pages → blocks of text in one of the formats of `urlset ls`."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from types import TracebackType
from typing import IO, Any, Protocol, Self

import msgspec

from urlset.model.frames import library
from urlset.model.shape import arrow_type, plain
from urlset.workflows.ls import Batch, Field, SortedRows, choose
from urlset.writing.escaping import guarded

PORTION = 8192
"""Rows that are turned into text at once."""

_encode = msgspec.json.Encoder().encode
_NEEDS_QUOTES = re.compile('[",\r\n]|^ | $')
_TSV_ESCAPES = str.maketrans({"\\": "\\\\", "\t": "\\t", "\n": "\\n", "\r": "\\r"})


class ListingFormat(Protocol):
    """One format: perhaps a heading, then a block of text for every portion."""

    def heading(self) -> str: ...

    def block(self, batch: Batch | SortedRows) -> str: ...


class UrlWriter:
    """One address on each line."""

    def heading(self) -> str:
        return ""

    def block(self, batch: Batch | SortedRows) -> str:
        urls = batch.locs
        text = "\n".join(urls)
        if text.count("\n") != len(urls) - 1 or "\r" in text:
            text = "\n".join(url.replace("\n", "%0A").replace("\r", "%0D") for url in urls)
        return text + "\n"


class JsonLinesWriter:
    """One JSON object on each line, with every chosen field in it."""

    def __init__(self, fields: Sequence[Field]) -> None:
        self._fields = fields

    def heading(self) -> str:
        return ""

    def block(self, batch: Batch | SortedRows) -> str:
        names = [field.name for field in self._fields]
        lines = [_encode(dict(zip(names, row, strict=True))) for row in _rows(batch, self._fields)]
        return b"\n".join([*lines, b""]).decode()


class CsvWriter:
    """RFC 4180 with a heading line, except that lines end in a line feed alone; no cell is run as a formula."""

    def __init__(self, fields: Sequence[Field]) -> None:
        self._fields = fields

    def heading(self) -> str:
        return ",".join(field.name for field in self._fields) + "\n"

    def block(self, batch: Batch | SortedRows) -> str:
        return "".join(",".join(map(_csv_cell, row)) + "\n" for row in _rows(batch, self._fields))


class TsvWriter:
    """A heading line; tab, line feed, carriage return and backslash as \\t, \\n, \\r and \\\\; no formulas."""

    def __init__(self, fields: Sequence[Field]) -> None:
        self._fields = fields

    def heading(self) -> str:
        return "\t".join(field.name for field in self._fields) + "\n"

    def block(self, batch: Batch | SortedRows) -> str:
        rows = _rows(batch, self._fields)
        return "".join("\t".join(guarded(_text(cell)).translate(_TSV_ESCAPES) for cell in row) + "\n" for row in rows)


class ListedText:
    """The rows of one file as text, in portions; the length is the number of rows."""

    def __init__(self, rows: int, blocks: Iterable[str]) -> None:
        self._rows, self._blocks = rows, blocks

    def __len__(self) -> int:
        return self._rows

    def __iter__(self) -> Iterator[str]:
        return iter(self._blocks)


def text_of(form: str, names: Sequence[str], batch: Batch | SortedRows) -> ListedText:
    """Runs in a worker where files are read by several; here each portion is made when it is written."""
    writer = writer_for(form, choose(",".join(names)))
    return _TravelingText(len(batch), map(writer.block, batch.slices(PORTION)))


class _TravelingText(ListedText):
    def __reduce__(self) -> tuple[type[ListedText], tuple[int, list[str]]]:
        return ListedText, (len(self), list(self))


def writer_for(name: str, fields: Sequence[Field]) -> ListingFormat:
    match name:
        case "jsonl":
            return JsonLinesWriter(fields)
        case "csv":
            return CsvWriter(fields)
        case "tsv":
            return TsvWriter(fields)
        case _:
            return UrlWriter()


def _rows(batch: Batch | SortedRows, fields: Sequence[Field]) -> Iterator[tuple[Any, ...]]:
    return zip(*batch.values(fields), strict=True)


def _text(value: Any) -> str:
    """The text of one cell: nothing for nothing, JSON for lists and records."""
    if isinstance(value, str):
        return value
    return "" if value is None or value in ([], ()) else _encode(value).decode()


def _csv_cell(value: Any) -> str:
    text = guarded(_text(value))
    return '"' + text.replace('"', '""') + '"' if _NEEDS_QUOTES.search(text) else text


# Batches of pages → a Parquet file, a row group for each.

ROW_GROUP = 100_000
"""Twice the legal size of a sitemap; only an oversized one is cut."""


class ParquetFile:
    """Open while rows come in; closing writes the footer without which the file is worth nothing."""

    def __init__(self, stream: IO[bytes], fields: Sequence[Field]) -> None:
        self._arrow = library("pyarrow", "arrow", "--format parquet")
        parquet = library("pyarrow.parquet", "arrow", "--format parquet")
        self._fields = fields
        self._schema = self._arrow.schema([(field.name, arrow_type(field.shape)) for field in fields])
        self._file: Any = parquet.ParquetWriter(stream, self._schema, compression="zstd")

    def write(self, batch: Batch | SortedRows) -> None:
        for portion in batch.slices(ROW_GROUP):
            values = zip(self._fields, portion.values(self._fields), strict=True)
            columns = {field.name: [plain(value) for value in column] for field, column in values}
            self._file.write_table(self._arrow.table(columns, schema=self._schema))

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._file.close()
