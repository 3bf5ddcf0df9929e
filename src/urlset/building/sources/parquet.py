"""A Parquet file → candidates, a batch of rows at a time; needs pyarrow."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

from urlset.building.sources.options import Item, SourceBroken, SourceError, SourceOptions
from urlset.building.sources.rows import Table, meaning_of

MAGIC = b"PAR1"
_BATCH = 4096


def from_parquet(path: Path, options: SourceOptions) -> Iterator[Item]:
    """Opened at once; raises SourceError for what is no Parquet file or has no address column."""
    try:
        from pyarrow import ArrowException
        from pyarrow.parquet import ParquetFile
    except ImportError as error:
        raise SourceError(f"{path} is Parquet, which needs pyarrow: pip install 'urlset[arrow]'") from error
    try:
        file = ParquetFile(path)
        names = list(file.schema_arrow.names)
    except (OSError, ArrowException) as error:
        raise SourceError(f"{path} cannot be read as Parquet: {error}") from error
    columns = [name for name in names if meaning_of(name) is not None]
    try:
        table = Table(columns if "loc" in map(meaning_of, columns) else names, str(path), options)
    except SourceError:
        file.close()
        raise
    return _rows(file, columns, table, path, ArrowException)


def _rows(file: Any, columns: list[str], table: Table, path: Path, broken: type[Exception]) -> Iterator[Item]:
    number = 0
    try:
        for batch in file.iter_batches(batch_size=_BATCH, columns=columns):
            for row in batch.to_pylist():
                number += 1
                yield from table.items([row.get(name) for name in columns], f"{path.name}:{number}")
    except (OSError, broken) as error:
        raise SourceBroken(f"{path} broke off after row {number}: {error}") from error
    finally:
        file.close()
