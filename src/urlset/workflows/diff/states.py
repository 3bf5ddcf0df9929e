"""A target of `urlset diff` → its entries, in memory while they are few, in a Parquet file beyond that."""

from __future__ import annotations

import sys
from pathlib import Path

import msgspec

from urlset.snapshots.block import Block, block_of
from urlset.snapshots.parquet import SnapshotWriter, is_installed
from urlset.workflows.batch import Batch
from urlset.workflows.diff.options import DiffOptions
from urlset.workflows.ls import Wanted, list_pages

IN_MEMORY = 150_000
"""entries of one state that are kept in memory, unless the extra `history` is missing"""


class State(msgspec.Struct, kw_only=True):
    """One side of the comparison."""

    name: str
    files: list[str] = []
    entries: int = 0
    blocks: list[Block] = []
    path: Path | None = None
    """a Parquet file with the entries; then there are no blocks"""
    taken: str | None = None
    notes: list[str] = []
    troubled: list[str] = []

    def store(self, path: Path) -> SnapshotWriter:
        """Move the entries to a file. The caller closes it."""
        writer = SnapshotWriter(path)
        for block in self.blocks:
            writer.add(block)
        self.blocks, self.path = [], path
        return writer


def read_state(target: str, options: DiffOptions, path: Path) -> State:
    """Whatever is listed there now; many entries go to `path`."""
    state = State(name=target)
    writer: SnapshotWriter | None = None
    start = sys.stdin.buffer if target == "-" else target
    files: dict[str, None] = {}
    try:
        for item in list_pages([start], Wanted(), options.root, options.live):
            if not isinstance(item, Batch):
                (state.troubled if item.grave else state.notes).append(f"{item.source}: {item.text}")
                continue
            block = block_of(item.document, item.rows)
            del item
            files[block.file] = None
            state.entries += len(block.locs)
            if writer is not None:
                writer.add(block)
                continue
            state.blocks.append(block)
            if state.entries > IN_MEMORY and is_installed():
                writer = state.store(path)
    finally:
        if writer is not None:
            writer.close()
    state.files = list(files)
    return state
