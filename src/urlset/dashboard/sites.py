"""A state folder → the sites in it, each with its snapshots; names come from the folder, never from a request."""

from __future__ import annotations

from functools import lru_cache
from pathlib import Path

import msgspec

from urlset.snapshots.info import SnapshotError, SnapshotInfo, read_info
from urlset.snapshots.series import HOME, SUFFIX, Series, Snapshot, is_address


class Taken(msgspec.Struct, frozen=True):
    """One snapshot and what its footer says."""

    name: str
    """how requests call it, such as 2026-11-16T06-00-00Z"""
    snapshot: Snapshot
    info: SnapshotInfo

    @property
    def path(self) -> Path:
        return self.snapshot.path

    @property
    def day(self) -> str:
        return self.info.taken[:10]

    @property
    def indexed_share(self) -> float | None:
        return self.info.indexed / self.info.inspected if self.info.inspected else None


class DashboardSite(msgspec.Struct, frozen=True):
    id: str
    target: str
    taken: tuple[Taken, ...]
    """the oldest first; at least one"""
    unreadable: int = 0

    @property
    def latest(self) -> Taken:
        return self.taken[-1]

    @property
    def is_live(self) -> bool:
        return is_address(self.target)

    @property
    def label(self) -> str:
        """The target without its scheme and last slash."""
        return self.target.partition("://")[2].strip("/") or self.target

    def at(self, name: str | None) -> Taken | None:
        """A snapshot by its name; the latest for none."""
        if not name:
            return self.latest
        return next((each for each in self.taken if each.name == name), None)

    def before(self, taken: Taken) -> Taken | None:
        number = self.taken.index(taken)
        return self.taken[number - 1] if number else None


@lru_cache(maxsize=4_096)
def _info(path: Path, size: int, modified: int) -> SnapshotInfo | None:
    """Snapshots never change, so each is read once."""
    del size, modified
    try:
        return read_info(path)
    except SnapshotError:
        return None


def all_sites(state: Path) -> list[DashboardSite]:
    try:
        folders = sorted(path for path in (state / HOME).iterdir() if path.is_dir() and not path.is_symlink())
    except OSError:
        return []
    return [site for folder in folders if (site := _site(folder)) is not None]


def find_site(state: Path, name: str) -> DashboardSite | None:
    """Only what the folder lists can be found."""
    return next((site for site in all_sites(state) if site.id == name), None)


def _site(folder: Path) -> DashboardSite | None:
    taken, unreadable = [], 0
    for snapshot in Series(folder).snapshots():
        try:
            found = snapshot.path.stat()
        except OSError:  # pruned a moment ago
            continue
        info = _info(snapshot.path, found.st_size, found.st_mtime_ns)
        if info is None:
            unreadable += 1
        else:
            taken.append(Taken(snapshot.path.name.removesuffix(SUFFIX), snapshot, info))
    return DashboardSite(folder.name, taken[-1].info.target, tuple(taken), unreadable) if taken else None
