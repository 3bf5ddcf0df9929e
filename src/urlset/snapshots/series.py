"""A state folder and a target → the snapshots of that target, by the time they were taken, and what each contains."""

from __future__ import annotations

import os
import re
import shutil
from collections import Counter
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import NamedTuple

import msgspec

from urlset.model.errors import UrlsetError
from urlset.reading.fingerprint import hash_of
from urlset.snapshots.expressions import LATEST, MOMENT_HELP, PREVIOUS, Retention, end_of
from urlset.snapshots.parquet import (
    FOOTER,
    EntryBlock,
    Facts,
    SnapshotWriter,
    connect,
    footer_of,
    parts,
    quoted,
    read_footer,
)
from urlset.storage.paths import is_stored
from urlset.storage.system import replace, sync_folder
from urlset.writing.files import LockBusy, locked_folder, make_state_folder, private_file, write_atomically

# Facts about a snapshot, kept in the footer of its file.

SCHEMA = 1


class SnapshotError(UrlsetError):
    """A snapshot cannot be taken or used; the message says why and what to do."""


class NothingListed(SnapshotError):  # noqa: N818 - it names what happened
    """The target was read and lists no URL."""


class FileInfo(msgspec.Struct, frozen=True, omit_defaults=True):
    """One sitemap."""

    name: str
    entries: int
    bytes: int = 0
    sha256: str = ""
    """of the unpacked file"""
    dated: int = 0
    """entries with a lastmod"""
    newest: str | None = None
    """the latest lastmod that can be read, in UTC"""


class SnapshotCause(msgspec.Struct, frozen=True, omit_defaults=True):
    """What explains many problems of pages at once, as the audit saw it."""

    kind: str
    """what the pages have in common: redirected, not canonical, gone …"""
    code: str
    title: str
    count: int
    of: int
    """pages of that kind"""
    examples: tuple[tuple[str, str], ...] = ()
    """the listed URL, and what it should be, which may be empty"""


class SnapshotInfo(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True):
    target: str
    taken: str
    """ISO 8601 in UTC"""
    entries: int
    urls: int = 0
    """fewer than entries where some are listed twice; 0 in snapshots of older versions"""
    files: tuple[FileInfo, ...] = ()
    missing: tuple[str, ...] = ()
    """sitemaps that could not be read, with the reason"""
    states: dict[str, int] = {}
    """pages by the state that an audit found them in"""
    findings: dict[str, int] = {}
    """findings of that audit on pages, by code"""
    causes: tuple[SnapshotCause, ...] = ()
    """of those findings, the most frequent first"""
    audited: str | None = None
    """when that audit was made"""
    inspected: int = 0
    """listed URLs that were inspected with Google"""
    indexed: int = 0
    version: str = ""
    schema: int = SCHEMA

    @property
    def listed(self) -> int:
        """The number of URLs to show: each once, as in audits and comparisons."""
        return self.urls or self.entries

    def encode(self) -> bytes:
        return msgspec.json.encode(self)


def first_of(reasons: Sequence[str]) -> str:
    """The first of several reasons, and how many more there are."""
    more = len(reasons) - 1
    return f"{reasons[0]}; {more:,} more could not be read" if more else reasons[0]


def read_info(path: Path) -> SnapshotInfo:
    """Raises SnapshotError for anything that is not a snapshot."""
    if not path.is_file():
        raise SnapshotError(f"{path}: no such snapshot")
    try:
        footer = footer_of(path, FOOTER)
        info = None if footer is None else msgspec.json.decode(footer, type=SnapshotInfo)
    except (OSError, msgspec.MsgspecError) as error:
        raise SnapshotError(f"{path}: not a snapshot of urlset, or damaged") from error
    if info is None or info.schema > SCHEMA:
        raise SnapshotError(f"{path}: not a snapshot that this version of urlset can read")
    return info


HOME = "snapshots"
SUFFIX = ".parquet"
_NAME = "%Y-%m-%dT%H-%M-%SZ"
_SLUG = re.compile(r"[^a-z0-9]+")
_LONGEST_SLUG = 40


class Snapshot(NamedTuple):
    path: Path
    taken: datetime


def is_address(target: str) -> bool:
    return target[:8].lower().startswith(("http://", "https://"))


def series_of(state: Path, target: str) -> Series:
    """A readable name, and a hash that tells two targets apart; one path is one target, however it is written."""
    whole = target if is_address(target) or is_stored(target) else str(Path(target).resolve())
    words = _SLUG.sub("-", target.lower().partition("://")[2] or target.lower()).strip("-")
    ending = f"-{hash_of(whole) & 0xFFFFFFFF:08x}"
    known = next((state / HOME).glob(f"*{ending}"), None)
    return Series(known or state / HOME / f"{words[:_LONGEST_SLUG].strip('-') or 'site'}{ending}")


def all_series(state: Path) -> list[Series]:
    """Every target that has a snapshot."""
    try:
        folders = sorted(path for path in (state / HOME).iterdir() if path.is_dir())
    except OSError:
        return []
    return [series for series in map(Series, folders) if series.snapshots()]


class Series:
    def __init__(self, folder: Path) -> None:
        self.folder = folder

    @property
    def target(self) -> str:
        """As it was named when the newest snapshot was taken."""
        return read_info(self.snapshots()[-1].path).target

    def snapshots(self) -> list[Snapshot]:
        """The oldest first."""
        found = []
        try:
            paths = list(self.folder.glob(f"*{SUFFIX}"))
        except OSError:
            return []
        for path in paths:
            try:
                taken = datetime.strptime(path.name.removesuffix(SUFFIX), _NAME).replace(tzinfo=UTC)
            except ValueError:
                continue
            found.append(Snapshot(path, taken))
        return sorted(found, key=lambda each: each.taken)

    def free_path(self, taken: datetime) -> tuple[Path, datetime]:
        """Where a snapshot of that time goes; a second later where that name is taken."""
        taken = taken.astimezone(UTC).replace(microsecond=0)
        while (path := self.folder / f"{taken.strftime(_NAME)}{SUFFIX}").exists():
            taken += timedelta(seconds=1)
        return path, taken

    def find(self, when: str, now: datetime) -> tuple[Snapshot, str | None]:
        """The newest snapshot taken until then, and what should be said about it. Raises SnapshotError."""
        known = self.snapshots()
        if not known:
            raise SnapshotError("there is no snapshot of it yet; take one with `urlset snapshot`")
        name = when.strip().lower()
        if name == LATEST:
            return known[-1], None
        if name == PREVIOUS:
            if len(known) < 2:
                raise SnapshotError("there is only one snapshot of it, so none is previous")
            return known[-2], None
        end = end_of(when, now)
        if end is None:
            raise SnapshotError(f"{when!r} is not a time; {MOMENT_HELP}")
        until = [each for each in known if each.taken <= end]
        if until:
            return until[-1], None
        first = known[0]
        return first, f"no snapshot is as old as {when}; the oldest, of {first.taken:%Y-%m-%d %H:%M} UTC, is used"

    def prune(self, policy: Retention) -> list[Path]:
        """Remove what the policy does not keep, and say what that was."""
        known = self.snapshots()
        kept = policy.kept([each.taken for each in known])
        gone = [each.path for each in known if each.taken not in kept]
        for path in gone:
            path.unlink(missing_ok=True)
        return gone

    @contextmanager
    def locked(self) -> Iterator[None]:
        """One process takes snapshots of a target at a time. Raises SnapshotError."""
        try:
            make_state_folder(self.folder)
            with locked_folder(self.folder):
                yield
        except LockBusy as error:
            raise SnapshotError("another process is taking a snapshot of the same target") from error
        except OSError as error:
            raise SnapshotError(f"{error.filename or self.folder}: {error.strerror}") from error


# A snapshot in the making: parts on disk that survive a kill, and one file that appears at once.

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
        replace(writing, path)

    def _part(self, file: str) -> Path:
        return self._folder / f"{hash_of(file) & 0xFFFFFFFFFFFFFFFF:016x}.part"

    def files(self) -> Iterator[tuple[FileInfo, Path]]:
        """Finished parts by the name of their sitemap, so the order does not depend on kills."""
        parts = sorted(self._folder.glob("*.part"))
        found = [(msgspec.json.decode(read_footer(path) or b"", type=FileInfo), path) for path in parts]
        yield from sorted(found, key=lambda each: each[0].name)

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
        replace(whole, path)
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
