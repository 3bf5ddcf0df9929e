"""An earlier state of sitemaps → what each entry said, as a hash by URL."""

from __future__ import annotations

from typing import Any

from urlset.model.frames import NotInstalledError, library
from urlset.snapshots.block import fields_hashes
from urlset.snapshots.parquet import EXTRA
from urlset.snapshots.series import SnapshotError, first_of
from urlset.workflows.diff.options import DiffError, DiffOptions
from urlset.workflows.diff.states import DiffSide, open_state
from urlset.writing.files import work_folder


def known_entries(options: DiffOptions) -> dict[str, int]:
    """Of `options.old`: a file, pattern, folder, URL or snapshot. Raises DiffError."""
    try:
        with work_folder() as folder:
            state = open_state(options.old, options, folder / "old.parquet")
            if state.troubled and not state.entries:
                raise DiffError(first_of(state.troubled))
            return _hashes(state)
    except (NotInstalledError, SnapshotError) as error:
        raise DiffError(str(error)) from error


def _hashes(state: DiffSide) -> dict[str, int]:
    known: dict[str, int] = {}
    for block in state.blocks:
        known.update(zip(block.locs, fields_hashes(block), strict=True))
    for path in [state.path] if state.path is not None else [path for _, path in state.parts]:
        parquet: Any = library("pyarrow.parquet", EXTRA, "reading a snapshot")
        with parquet.ParquetFile(path) as file:
            for batch in file.iter_batches(columns=["loc", "fields_hash"]):
                known.update(zip(*(column.to_pylist() for column in batch.columns), strict=True))
    return known
