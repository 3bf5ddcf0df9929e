"""Batches of pages → a Parquet file, a row group for each."""

from __future__ import annotations

from collections.abc import Sequence
from types import TracebackType
from typing import IO, Any, Self

from urlset.model.frames import library
from urlset.model.shape import arrow_type, plain
from urlset.workflows.ls import Batch, Field, SortedRows

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
