"""A state folder → the sites in it, with their snapshots, and what `submit` and `watch` recorded about them.

Names of sites come from the folder, never from a request.
"""

from __future__ import annotations

from collections import Counter
from functools import lru_cache
from pathlib import Path

import msgspec

from urlset.reading.host_robots import origin_of
from urlset.snapshots.series import HOME, SUFFIX, Series, Snapshot, SnapshotError, SnapshotInfo, is_address, read_info
from urlset.submitting.store import FILE_NAME, EngineStore, ReceiptRecord
from urlset.watching.reader import JobState, OpenProblem, StoredAlert, WatchReader, WatchRun
from urlset.writing.sqlite_store import StateError


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
    def minute(self) -> str:
        """For several of one day."""
        return self.info.taken[:16].replace("T", " ")

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
    sites = []
    for folder in folders:
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
        if taken:
            sites.append(DashboardSite(folder.name, taken[-1].info.target, tuple(taken), unreadable))
    return sites


def find_site(state: Path, name: str) -> DashboardSite | None:
    """Only what the folder lists can be found."""
    return next((site for site in all_sites(state) if site.id == name), None)


# What was sent to engines for one site, and what Google said about its pages.

_RECEIPTS = 50


class EngineState(msgspec.Struct, frozen=True):
    receipts: tuple[ReceiptRecord, ...] = ()
    coverage: tuple[tuple[str, int], ...] = ()
    """Google's words for the state of a page → inspected pages"""
    inspected: int = 0
    newest: str = ""
    """the time of the last inspection"""
    problem: str = ""


def engine_state(state: Path, target: str) -> EngineState:
    if not (state / FILE_NAME).is_file():
        return EngineState()
    origin = origin_of(target) or target
    try:
        with EngineStore(state) as store:
            host = origin.partition("://")[2]
            every = store.receipts(_RECEIPTS)
            receipts = tuple(each for each in every if each.target.startswith(origin) or each.target == host)
            said: Counter[str] = Counter()
            newest = ""
            for record in store.inspections(origin):
                said[record.inspection.coverage or "no reason given"] += 1
                newest = max(newest, record.at)
    except StateError as error:
        return EngineState(problem=str(error))
    return EngineState(receipts, tuple(said.most_common()), sum(said.values()), newest)


# What `urlset watch` recorded about one site or all: open problems, alerts and planned runs.

_ALERTS, _RUNS = 50, 50


class WatchState(msgspec.Struct, frozen=True):
    """`is_used` is False where no watch has run with this folder."""

    is_used: bool = False
    problems: tuple[OpenProblem, ...] = ()
    alerts: tuple[StoredAlert, ...] = ()
    jobs: tuple[JobState, ...] = ()
    runs: tuple[WatchRun, ...] = ()
    trouble: str = ""


def watch_state(state: Path, site: str | None = None) -> WatchState:
    """`site` is the target of a site, as it was given to `urlset watch`."""
    if not WatchReader.exists(state):
        return WatchState()
    try:
        with WatchReader(state) as reader:
            return WatchState(
                is_used=True,
                problems=tuple(reader.problems(site)),
                alerts=tuple(reader.alerts(site, limit=_ALERTS)),
                jobs=tuple(reader.jobs(site)),
                runs=tuple(reader.runs(site, limit=_RUNS)),
            )
    except StateError as error:
        return WatchState(is_used=True, trouble=str(error))
