"""A target of `urlset diff` → its entries, in memory while they are few, in a Parquet file beyond that."""

from __future__ import annotations

import hashlib
import os
import sys
from datetime import datetime
from functools import partial
from pathlib import Path
from typing import Any

import msgspec

from urlset.execution.workers import Where, Workers
from urlset.model.frames import NotInstalledError, library
from urlset.reports.uri import is_address
from urlset.settings.history import DiffSettings
from urlset.settings.ls import LsSettings
from urlset.snapshots.block import EntryBlock, block_of, fields_hashes
from urlset.snapshots.expressions import is_moment
from urlset.snapshots.parquet import EXTRA, SnapshotWriter, is_installed, require
from urlset.snapshots.series import SUFFIX, SnapshotError, first_of, read_info, series_of
from urlset.workflows.live.setup import Live
from urlset.workflows.ls import Batch, ListFilter, Notice, list_pages
from urlset.workflows.spread_pages import map_pages
from urlset.writing.files import work_folder

IN_MEMORY = 150_000
"""entries of one state that are kept in memory, unless the extra `history` is missing"""


class DiffSide(msgspec.Struct, kw_only=True):
    """One side of the comparison."""

    name: str
    files: list[str] = []
    entries: int = 0
    blocks: list[EntryBlock] = []
    path: Path | None = None
    """a Parquet file with the entries; then there are no blocks"""
    parts: list[tuple[str, Path]] = []
    """or a Parquet file for each file, whose name is not in it: equal files share one"""
    taken: str | None = None
    notes: list[str] = []
    troubled: list[str] = []

    @property
    def is_stored(self) -> bool:
        return self.path is not None or bool(self.parts)

    def store(self, path: Path) -> SnapshotWriter:
        """Move the entries to a file. The caller closes it."""
        writer = SnapshotWriter(path)
        for block in self.blocks:
            writer.add(block)
        self.blocks, self.path = [], path
        return writer


class StateReader(msgspec.Struct, frozen=True):
    """How both sides are read: the settings, and what is not an option."""

    settings: DiffSettings | LsSettings
    now: datetime
    workers: Workers = Workers(Where.LOCAL)
    live: Live | None = None

    @property
    def root(self) -> str | None:
        return None if self.settings.root is None else str(self.settings.root)


def open_state(target: str, reader: StateReader, path: Path) -> DiffSide:
    """A snapshot where one is named, else whatever is listed there now. Raises SnapshotError."""
    stored, note = _snapshot(target, reader)
    if stored is None:
        return read_state(target, reader, path)
    info = read_info(stored)
    notes = [note] if note else []
    if info.missing:
        notes.append(
            f"{len(info.missing):,} sitemaps could not be read when the snapshot of {info.taken[:16]} was taken;"
            " URLs listed there may appear as added or removed"
        )
    return DiffSide(
        name=info.target,
        files=[each.name for each in info.files],
        entries=info.entries,
        path=stored,
        taken=info.taken,
        notes=notes,
    )


def _snapshot(target: str, reader: StateReader) -> tuple[Path | None, str | None]:
    """`TARGET@WHEN`, unless something has that very name; or the path of a snapshot."""
    if target.endswith(SUFFIX) and Path(target).is_file():
        return Path(target), None
    name, sign, when = target.rpartition("@")
    if not sign or not is_moment(when, reader.now) or Path(target).exists():
        return None, None
    try:
        found, note = series_of(Path(reader.settings.state), name).find(when, reader.now)
    except SnapshotError as error:
        raise SnapshotError(f"{name}: {error}") from error
    return found.path, note


def read_state(target: str, reader: StateReader, path: Path) -> DiffSide:
    """Whatever is listed there now; many entries go to `path`."""
    if reader.workers.pays(enough=reader.workers.jobs > 1) and target != "-" and not is_address(target):
        return _read_apart(target, reader, path.with_name("parts"))
    state = DiffSide(name=target)
    writer: SnapshotWriter | None = None
    start = sys.stdin.buffer if target == "-" else target
    files: dict[str, None] = {}
    try:
        for item in list_pages([start], ListFilter(), reader.root, reader.live):
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


class _Part(msgspec.Struct, frozen=True):
    file: str
    entries: int
    path: str


def _stored(folder: str, batch: Batch) -> _Part:
    """The entries of one file, in a Parquet file named after its content; runs in a worker.

    One that is there already is of the other state, or of a second try.
    """
    document = batch.document
    path = Path(folder) / f"{hashlib.sha256(document.data).hexdigest()}.part"
    if not path.exists():
        writing = path.with_name(f".{path.name}.{os.getpid()}")
        with SnapshotWriter(writing) as writer:
            writer.add(block_of(document, batch.rows))
        writing.replace(path)
    return _Part(document.url or document.name, len(batch.rows), str(path))


def _read_apart(target: str, reader: StateReader, folder: Path) -> DiffSide:
    """The same in several processes: each file becomes a part."""
    require("reading with several workers")
    state = DiffSide(name=target)
    folder.mkdir(exist_ok=True)
    work = partial(_stored, str(folder))
    for item in map_pages([target], work, ListFilter(), reader.workers, reader.root):
        if isinstance(item, Notice):
            (state.troubled if item.grave else state.notes).append(f"{item.source}: {item.text}")
            continue
        state.entries += item.entries
        state.parts.append((item.file, Path(item.path)))
    state.files = list(dict.fromkeys(file for file, _ in state.parts))
    return state


# What `urlset diff` compares, and when it fails.


class DiffError(Exception):
    """The two states cannot be compared; the message says why and what to do."""


# An earlier state of sitemaps → what each entry said, as a hash by URL.


def known_entries(target: str, reader: StateReader) -> dict[str, int]:
    """Of a file, pattern, folder, URL or snapshot. Raises DiffError."""
    try:
        with work_folder() as folder:
            state = open_state(target, reader, folder / "old.parquet")
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
