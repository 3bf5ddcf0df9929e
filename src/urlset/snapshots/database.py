"""A folder → a DuckDB connection whose memory is bounded; what does not fit goes to the folder."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from urlset.model.frames import library
from urlset.snapshots.parquet import EXTRA, FACET_HASHES

MEMORY, MEMORY_FOR_MANY = 128, 176
"""megabytes that DuckDB may use; what else the process needs comes on top"""
MANY = 4_000_000
"""rows from which on the larger amount is used"""
_AT_ONCE, _AT_ONCE_OF_MANY = 250_000, 1_000_000
"""rows grouped in one go: DuckDB gives up where a single grouping does not fit, so large ones are cut"""


def connect(folder: Path, rows: int) -> Any:
    """`rows` is about how many are looked at."""
    duckdb = library("duckdb", EXTRA, "comparing snapshots")
    return duckdb.connect(
        str(folder / "work.duckdb"),
        config={
            "memory_limit": f"{MEMORY_FOR_MANY if rows > MANY else MEMORY}MB",
            "temp_directory": str(folder / "spill"),
            "threads": 1,
            "preserve_insertion_order": False,
            "autoinstall_known_extensions": False,
            "autoload_known_extensions": False,
        },
    )


def parts(rows: int) -> int:
    """Into how many parts a grouping of so many rows is cut; a power of two, so a mask picks them."""
    at_once = _AT_ONCE_OF_MANY if rows > MANY else _AT_ONCE
    count = 1
    while count * at_once < rows:
        count *= 2
    return count


def quoted(path: Path) -> str:
    """A path for `read_parquet`, which would take some characters for a pattern."""
    return text("".join(f"[{char}]" if char in "*?[" else char for char in str(path)))


def text(value: object) -> str:
    """For SQL that takes no parameters."""
    return "'" + str(value).replace("'", "''") + "'"


def rows_of(db: Any, path: Path) -> str:
    """SQL for the rows of a snapshot, with the hashes that one of an older version lacks."""
    source = f"read_parquet({quoted(path)})"
    names = {row[0] for row in db.execute(f"SELECT name FROM parquet_schema({quoted(path)})").fetchall()}
    lacking = [name for name in FACET_HASHES.values() if name not in names]
    nulls = "".join(f", NULL::INTEGER AS {name}" for name in lacking)
    return f"(SELECT *{nulls} FROM {source})" if lacking else source


def footer_of(path: Path, key: bytes) -> bytes | None:
    """One value of the footer of a Parquet file; None where it has no such key. Raises OSError for other files.

    DuckDB is used because commands that read snapshots load it anyway, and pyarrow would cost them 80 MB more.
    """
    duckdb = library("duckdb", EXTRA, "reading a snapshot")
    with duckdb.connect(config={"threads": 1}) as db:
        try:
            rows = db.execute(f"SELECT key, value FROM parquet_kv_metadata({quoted(path)})").fetchall()
        except duckdb.Error as error:
            raise OSError(str(error)) from error
    return next((bytes(value) for name, value in rows if bytes(name) == key), None)
