"""A snapshot in the making: parts on disk that survive a kill, their counts, and one file that appears at once."""

from __future__ import annotations

import os
import shutil
from collections import Counter
from collections.abc import Iterator, Sequence
from datetime import datetime, timedelta
from pathlib import Path

import msgspec

from urlset.reading.fingerprint import hash_of
from urlset.snapshots.block import EntryBlock
from urlset.snapshots.parquet import Facts, SnapshotWriter, connect, parts, quoted, read_footer
from urlset.snapshots.series import FileInfo, SnapshotInfo
from urlset.writing.files import make_state_folder, private_file, sync_folder, write_atomically

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


# Counting the pages of all parts; each URL counts once.
#
# Counted when all parts are there: a URL may be in several of them, and a snapshot that was resumed has parts of an
# earlier process.


class SnapshotCounts(msgspec.Struct, frozen=True):
    urls: int = 0
    states: dict[str, int] = {}
    findings: dict[str, int] = {}
    """by code"""
    inspected: int = 0
    indexed: int = 0


def count_pages(files: Sequence[Path], entries: int, folder: Path) -> SnapshotCounts:
    """`folder` is for what does not fit into memory."""
    urls = inspected = indexed = 0
    states: Counter[str] = Counter()
    findings: Counter[str] = Counter()
    paths = ", ".join(map(quoted, files))
    db = connect(folder, entries)
    try:
        count = parts(entries)
        for portion in range(count):
            db.execute(f"""
                CREATE OR REPLACE TEMP TABLE pages AS
                SELECT any_value(state) AS state, any_value(codes) AS codes, bool_or(indexed) AS indexed
                FROM read_parquet([{paths}], union_by_name = true)
                WHERE loc_hash & {count - 1} = {portion} GROUP BY loc_hash""")
            found = db.execute("SELECT count(*), count(indexed), count(*) FILTER (indexed) FROM pages").fetchone()
            urls, inspected, indexed = urls + found[0], inspected + found[1], indexed + found[2]
            states.update(
                dict(db.execute("SELECT state, count(*) FROM pages WHERE state NOT NULL GROUP BY 1").fetchall())
            )
            codes = "SELECT unnest(string_split(codes, ' ')) AS code FROM pages WHERE codes NOT NULL"
            findings.update(dict(db.execute(f"SELECT code, count(*) FROM ({codes}) GROUP BY 1").fetchall()))
    finally:
        db.close()
    return SnapshotCounts(urls, dict(states), dict(sorted(findings.items())), inspected, indexed)
