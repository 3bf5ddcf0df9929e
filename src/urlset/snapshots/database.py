"""A folder → a DuckDB connection whose memory is bounded; what does not fit goes to the folder."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from urlset.model.frames import library
from urlset.snapshots.parquet import EXTRA

_LEAST, _MOST = 96, 512
_BYTES_PER_ROW = 48


def connect(folder: Path, rows: int) -> Any:
    """`rows` is about how many are looked at: more memory makes a large comparison faster."""
    duckdb = library("duckdb", EXTRA, "comparing snapshots")
    limit = min(_MOST, max(_LEAST, rows * _BYTES_PER_ROW >> 20))
    return duckdb.connect(
        str(folder / "work.duckdb"),
        config={
            "memory_limit": f"{limit}MB",
            "temp_directory": str(folder / "spill"),
            "threads": 2,
            "preserve_insertion_order": False,
            "autoinstall_known_extensions": False,
            "autoload_known_extensions": False,
        },
    )


def quoted(path: Path) -> str:
    """A path for `read_parquet`, which would take some characters for a pattern."""
    text = "".join(f"[{char}]" if char in "*?[" else char for char in str(path))
    return "'" + text.replace("'", "''") + "'"
