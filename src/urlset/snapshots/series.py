"""A state folder and a target → the snapshots of that target, by the time they were taken, and what each contains."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import NamedTuple

import msgspec

from urlset.reading.fingerprint import hash_of
from urlset.snapshots.expressions import LATEST, MOMENT_HELP, PREVIOUS, Retention, end_of
from urlset.snapshots.parquet import FOOTER, footer_of
from urlset.storage.paths import is_stored
from urlset.writing.files import LockBusy, locked_folder, make_state_folder

# Facts about a snapshot, kept in the footer of its file.

SCHEMA = 1


class SnapshotError(Exception):
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
