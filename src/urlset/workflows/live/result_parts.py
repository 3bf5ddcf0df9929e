"""The rows of an audit or crawl → Parquet parts in a folder or a bucket, each written whole or not at all.

The state has every answer before the next page is handed out, so a kill loses no page. Parts are made of it in the end,
when all rows can be judged, and the run is finished when they are there: one that is killed before resumes, requests
nothing and writes the missing parts.
"""

from __future__ import annotations

import io
from collections.abc import Callable, Generator, Iterable
from contextlib import closing
from itertools import count, islice
from pathlib import Path
from typing import Any, TypeVar

from urlset.execution.parts import PartsError, fingerprint_of, run_folder, write_part
from urlset.model.frames import FrameTable, NotInstalledError, Tabular, in_batches, library
from urlset.settings.declare import StrPath
from urlset.storage.paths import file_at
from urlset.version import __version__

ROWS = 50_000
"""in a part"""
T = TypeVar("T")


def need_place(folder: StrPath) -> None:
    """Before anything is fetched: the place can be reached, and the package is there. Raises PartsError."""
    try:
        library("pyarrow.parquet", "data", "--parts")
        place = file_at(folder)
        if not isinstance(place, Path):
            place.is_dir()
    except (NotInstalledError, OSError) as error:
        raise PartsError(str(error)) from error


def keep_rows(
    folder: StrPath, started: str, about: object, rows: Generator[T], packed: Callable[[list[T]], Iterable[bytes]]
) -> None:
    """`about` is equal for equal rows: parts of other rows are replaced. Raises PartsError."""
    try:
        with closing(rows), run_folder(file_at(folder), fingerprint_of(__version__, about), started) as run:
            for number in count(1):
                some = list(islice(rows, ROWS))
                if not some:
                    break
                part = run.parts / f"part-{number:05}.parquet"
                if not (run.resumed and part.exists()):
                    write_part(part, packed(some))
            run.finish(keep=True)
    except OSError as error:
        raise PartsError(f"{folder}: {error.strerror or error}") from error


class PackedRows(Tabular):
    """Rows as a Parquet file with the columns of a table."""

    def __init__(self, table: FrameTable) -> None:
        self._table = table

    def tables(self) -> dict[str, Callable[[], FrameTable]]:
        return {"rows": lambda: self._table}

    def __call__(self, rows: list[Any]) -> list[bytes]:
        buffer = io.BytesIO()
        table = PackedRows(FrameTable(self._table.columns, in_batches(lambda: rows))).to_arrow()
        library("pyarrow.parquet", "data", "--parts").write_table(table, buffer, compression="zstd")
        return [buffer.getvalue()]
