"""A Parquet file → candidates, a batch of rows at a time; needs pyarrow."""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import TYPE_CHECKING, Any

from urlset.building.sources.columns import meaning_of, name_columns
from urlset.building.sources.rows import Table, TableRows
from urlset.building.sources.source import ROWS, Block, SourceBroken, SourceError, SourceOptions, in_blocks
from urlset.model.visit import REQUIRED

if TYPE_CHECKING:
    from urlset.storage.paths import FilePath

MAGIC = b"PAR1"
_NO_TIME = -(1 << 63)
_BLOCK_BYTES = 1 << 18
"""of values that become Python objects at once, ten times as large"""
_ALLOCATOR = "ARROW_DEFAULT_MEMORY_POOL"
_BUFFER = 1 << 16
"""bytes read ahead of each column: a whole group of rows can be larger than all else that a build holds"""


def from_parquet(path: FilePath, options: SourceOptions) -> Iterator[Block]:
    """Opened at once; raises SourceError if it is not a Parquet file or has no address column."""
    try:
        with _frugally():
            from pyarrow import ArrowException
            from pyarrow.parquet import ParquetFile
    except ImportError as error:
        raise SourceError(f"{path} is Parquet and needs pyarrow: pip install 'urlset[data]'") from error
    try:
        file = ParquetFile(path if isinstance(path, Path) else path.open(), buffer_size=_BUFFER)
        names = list(file.schema_arrow.names)
    except (OSError, ArrowException) as error:
        raise SourceError(f"{path} cannot be read as Parquet: {error}") from error
    if set(names) >= REQUIRED:
        from urlset.building.sources.crawled import from_crawl_table

        return in_blocks(from_crawl_table(_dicts(file, path, ArrowException), path.name, options))
    columns = [name for name in names if meaning_of(name) is not None]
    name_columns(names, path.name, options)
    try:
        table = Table(columns if "loc" in map(meaning_of, columns) else names, str(path), options)
    except SourceError:
        file.close()
        raise
    return _rows(file, columns, table, path, ArrowException)


@contextmanager
def _frugally() -> Iterator[None]:
    """If Arrow is loaded now, it uses the allocator of the system: its own keeps 20 MB of what was freed."""
    is_set = _ALLOCATOR in os.environ
    os.environ.setdefault(_ALLOCATOR, "system")
    try:
        yield
    finally:
        if not is_set:
            del os.environ[_ALLOCATOR]


def _dicts(file: Any, path: FilePath, broken: type[Exception]) -> Iterator[dict[str, Any]]:
    try:
        for batch in file.iter_batches(batch_size=ROWS, use_threads=False):
            yield from batch.to_pylist()
    except (OSError, broken) as error:
        raise SourceBroken(f"{path} broke off: {error}") from error
    finally:
        file.close()


def _cells(name: str, column: Any) -> list[Any]:
    """The values of a column; bytes that are not UTF-8 become lone surrogates, as in a CSV file."""
    from pyarrow import types

    if meaning_of(name) == "lastmod" and types.is_timestamp(column.type) and column.type.tz in (None, "UTC"):
        with suppress(ImportError):  # pyarrow does without numpy
            return _moments(column)
    try:
        found: list[Any] = column.to_pylist()
    except UnicodeDecodeError:
        return [_cell(value) for value in column]
    return found


def _moments(column: Any) -> list[str | None]:
    """As texts, to the second, which takes a fifth of the time of Python's own, and no pandas as Arrow's would."""
    from numpy import array, datetime_as_string

    numbers = [_NO_TIME if each is None else each for each in column.view("int64").to_pylist()]
    values = array(numbers, "int64").view(f"datetime64[{column.type.unit}]")
    texts = datetime_as_string(values, unit="s", timezone="UTC" if column.type.tz else "naive").tolist()
    return [None if each == _NO_TIME else text for each, text in zip(numbers, texts, strict=True)]


def _cell(value: Any) -> Any:
    try:
        return value.as_py()
    except UnicodeDecodeError:
        buffer = getattr(value, "as_buffer", lambda: None)()
        return None if buffer is None else buffer.to_pybytes().decode("utf-8", "surrogateescape")


def _rows(file: Any, columns: list[str], table: Table, path: FilePath, broken: type[Exception]) -> Iterator[Block]:
    number = 0
    try:
        # a value with many parts, as links by language, has a column for each of them
        at_once = max(ROWS // 16, ROWS * 4 // max(file.metadata.num_columns, 4))
        for batch in file.iter_batches(batch_size=at_once, columns=columns, use_threads=False):
            most = max(1, len(batch) * _BLOCK_BYTES // max(batch.nbytes, _BLOCK_BYTES))
            for start in range(0, len(batch), most):
                some = batch.slice(start, most)
                rows = list(zip(*map(_cells, some.schema.names, some.columns), strict=True))
                yield TableRows(table, rows, range(number + 1, number + 1 + len(rows)), path.name)
                number += len(rows)
    except (OSError, broken) as error:
        raise SourceBroken(f"{path} failed after row {number}: {error}") from error
    finally:
        file.close()
