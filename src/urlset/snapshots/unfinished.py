"""Sitemap after sitemap → parts on disk that survive a kill, and in the end one snapshot that appears at once."""

from __future__ import annotations

import os
import shutil
from collections.abc import Iterator
from datetime import datetime, timedelta
from pathlib import Path

import msgspec

from urlset.reading.fingerprint import hash_of
from urlset.snapshots.block import EntryBlock
from urlset.snapshots.info import FileInfo, SnapshotInfo
from urlset.snapshots.parquet import Facts, SnapshotWriter, read_footer
from urlset.writing.atomic import sync_folder, write_atomically
from urlset.writing.state_folder import make_state_folder, private_file

FOLDER = "unfinished"
_PLAN = "plan.json"
OLD = timedelta(hours=24)
"""a snapshot that took longer than this to complete would be of no day in particular"""


class UnfinishedPlan(msgspec.Struct, frozen=True):
    target: str
    started: str


class Unfinished:
    """The parts of a snapshot under way. The caller holds the series locked."""

    def __init__(self, series: Path, target: str, now: datetime, *, fresh: bool = False) -> None:
        self._folder = series / FOLDER
        known = None if fresh else self._plan()
        self.resumed = (
            known is not None and known.target == target and now - datetime.fromisoformat(known.started) < OLD
        )
        self.started = datetime.fromisoformat(known.started) if known is not None and self.resumed else now
        if not self.resumed:
            shutil.rmtree(self._folder, ignore_errors=True)
            make_state_folder(self._folder)
            write_atomically(
                self._folder / _PLAN, [msgspec.json.encode(UnfinishedPlan(target, now.isoformat()))], private=True
            )

    def _plan(self) -> UnfinishedPlan | None:
        try:
            return msgspec.json.decode((self._folder / _PLAN).read_bytes(), type=UnfinishedPlan)
        except (OSError, msgspec.MsgspecError):
            return None

    def has(self, file: str) -> bool:
        return self._part(file).is_file()

    def add(self, block: EntryBlock, info: FileInfo, facts: Facts | None) -> None:
        """One sitemap, complete."""
        path = self._part(block.file)
        writing = path.with_suffix(f".writing-{os.getpid()}")
        writer = SnapshotWriter(private_file(writing), "urlset snapshot")
        try:
            writer.add(block, facts)
        finally:
            writer.close(msgspec.json.encode(info))
        writing.replace(path)

    def _part(self, file: str) -> Path:
        return self._folder / f"{hash_of(file) & 0xFFFFFFFFFFFFFFFF:016x}.part"

    def files(self) -> Iterator[tuple[FileInfo, Path]]:
        """Finished parts by the name of their sitemap, so the order does not depend on kills."""
        found = [(msgspec.json.decode(read_footer(path) or b"", type=FileInfo), path) for path in self._parts()]
        yield from sorted(found, key=lambda each: each[0].name)

    def _parts(self) -> list[Path]:
        return sorted(self._folder.glob("*.part"))

    def finish(self, path: Path, info: SnapshotInfo) -> None:
        """All parts in one file, which is complete before it takes its name."""
        whole = self._folder / "snapshot.writing"
        writer = SnapshotWriter(private_file(whole), "urlset snapshot", to_keep=True)
        try:
            for _, part in self.files():
                writer.add_file(part)
        finally:
            writer.close(info.encode())
        with whole.open("rb") as written:
            os.fsync(written.fileno())
        whole.replace(path)
        sync_folder(path.parent)
        self.discard()

    def discard(self) -> None:
        shutil.rmtree(self._folder, ignore_errors=True)
