"""A staged set and what is to become of it → the published set, step by step, from wherever a run was stopped.

The journal is written once everything that is to be published lies on disk. Until then the old set is
published and nothing has been decided; from then on the new set will be, by this run or by the next.

Readers begin with the entry point and follow it. Putting several changed files in place one by one would show
them a mixture: a page that moved from one file to another could be in neither. So where more than one thing
changes, the entry point is first switched, in one step, to an index that names the new files by names of their
own (`sitemap-a-1.<build>.xml`, the bridge); then the files get their lasting names, which nothing reads now;
then, again in one step, the final index takes over and the bridge is taken down. At every moment the files
reachable from the entry point are exactly the old entries or exactly the new ones.

The journal lies in the state folder and names its output folder. A copy of it lies with the staged files, so
that a build can be finished where it was begun even if the next one uses another state folder. Only files that
the journal or a manifest names are ever removed.
"""

from __future__ import annotations

import os
import re
from pathlib import Path

import msgspec

from urlset.building.manifest import (
    CURRENT,
    PREVIOUS,
    FileRole,
    Manifest,
    PublishedFile,
    load,
    safe_name,
    save,
    sha256_of,
)
from urlset.model.errors import UrlsetError
from urlset.spec.lazy_pattern import lazy_pattern
from urlset.storage.system import replace, sync_folder
from urlset.writing.files import write_atomically

JOURNAL = "publishing.json"
KEPT = "kept"
STAGING_PREFIX = ".urlset-staging-"
_BRIDGE = ".bridge-"
COPY = ".journal.json"
"""the journal among the staged files, and its name once the journal itself is written"""
DECIDED = ".decided.json"

_STAGING_NAME = lazy_pattern(re.escape(STAGING_PREFIX) + r"[A-Za-z0-9_]+")
_OBJECT_NAME = lazy_pattern(r"[0-9a-f]{64}")


class PublishError(UrlsetError):
    """The set could not be published; the message says what readers see now."""


class Journal(msgspec.Struct, frozen=True):
    staging: str
    """name of the folder, inside the output folder, that holds the new files"""
    new: Manifest
    old: Manifest | None
    previous: Manifest | None
    """what a rollback will go back to"""
    touched: tuple[str, ...]
    """files whose content on disk differs from the new set, or that are missing there"""
    bridged: tuple[str, ...]
    """touched files that need a bridge"""
    output: str
    """the output folder, absolute and without links"""
    bridge_tag: str
    """what makes the names of the bridge"""


def bridge_name(name: str, tag: str) -> str:
    stem, dot, suffix = name.partition(".")
    return f"{stem}.{tag}{dot}{suffix}"


def bridge_index(index: str) -> str:
    """What an index is replaced with while the files get their lasting names."""
    return f"{_BRIDGE}{index}"


def bridge_files(files: tuple[PublishedFile, ...], bridged: frozenset[str], tag: str) -> list[PublishedFile]:
    """The shards as the bridge index names them."""
    return [
        msgspec.structs.replace(file, name=bridge_name(file.name, tag)) if file.name in bridged else file
        for file in files
        if file.role is FileRole.SHARD
    ]


def read_journal(state_dir: Path, name: str = JOURNAL) -> Journal | None:
    path = state_dir / name
    try:
        journal = msgspec.json.decode(path.read_bytes(), type=Journal)
        names = (*journal.touched, *journal.bridged, *_names(journal.new), *_names(journal.old))
        for each in (*names, *(bridge_name(each, journal.bridge_tag) for each in journal.bridged)):
            safe_name(each)
    except FileNotFoundError:
        return None
    except ValueError as error:
        raise PublishError(f"{path} is not a urlset journal: {error}") from error
    if not _STAGING_NAME.fullmatch(journal.staging):
        raise PublishError(f"{path} names the staging folder {journal.staging!r}, which urlset did not create")
    return journal


def read_copy(staging: Path) -> Journal | None:
    """The journal that lies with the staged files; None where the run was killed before it was complete."""
    try:
        journal = read_journal(staging, DECIDED) or read_journal(staging, COPY)
    except PublishError:
        return None
    return journal if journal is not None and journal.staging == staging.name else None


def _names(manifest: Manifest | None) -> list[str]:
    return [file.name for file in manifest.files] if manifest is not None else []


def commit(state_dir: Path, journal: Journal, staging: Path) -> None:
    """Decide: from the moment the journal has its name, the new set will be published."""
    data = msgspec.json.encode(journal)
    (staging / COPY).write_bytes(data)
    sync_folder(staging)
    write_atomically(state_dir / JOURNAL, [data], private=True)


def withdraw(state_dir: Path) -> None:
    """Take the decision back; nothing of it may be visible yet."""
    (state_dir / JOURNAL).unlink(missing_ok=True)
    sync_folder(state_dir)


class RollForward:
    """What the journal decided, published. Every step may have been done before and can be done again."""

    def __init__(self, state_dir: Path, out_dir: Path, journal: Journal) -> None:
        self.state_dir, self.out_dir, self.journal = state_dir, out_dir, journal
        self.staging = out_dir / journal.staging
        self.is_visible = False
        """readers may have seen something of the new set"""
        self._made: list[Path] = []
        """files that were not there before and that no index names yet"""

    def run(self) -> None:
        journal = self.journal
        entries = journal.new.entry_points[::-1]  # the first one last: readers begin there
        names = [entry.name for entry in entries]
        bridged, touched = frozenset(journal.bridged), frozenset(journal.touched)
        files = [file for file in journal.new.files if file.name in touched and file.name not in names]
        shards = [file for file in files if file.role is FileRole.SHARD]
        if (self.staging / COPY).exists():
            (self.staging / COPY).replace(self.staging / DECIDED)
        for file in shards:
            if file.name not in bridged:
                self._install(file)
        self._raise_bridge(names)
        for file in shards:
            if file.name in bridged:
                self._install(file)
        sync_folder(self.out_dir)
        for entry in entries:
            if entry.name in touched:
                self._install(entry)
                self.is_visible = True
        sync_folder(self.out_dir)
        self._take_down_bridge()
        self._remove_former()
        for file in files:
            if file.role is not FileRole.SHARD:
                self._install(file)
        sync_folder(self.out_dir)
        self._record()

    def undo(self) -> None:
        """As if nothing had been decided, which works until something is visible."""
        for path in self._made:
            path.unlink(missing_ok=True)
        withdraw(self.state_dir)

    def _install(self, file: PublishedFile) -> None:
        """The new content under its lasting name, in one step."""
        staged, target = self.staging / file.name, self.out_dir / file.name
        if not staged.exists():
            if sha256_of(target) == file.sha256:
                return
            self._fetch(file, staged)
        is_new = not os.path.lexists(target)
        replace(staged, target)
        if is_new:
            self._made.append(target)
        else:
            self.is_visible = True
        staged.unlink(missing_ok=True)  # renaming one link of a file to another of it does nothing at all

    def _raise_bridge(self, entries: list[str]) -> None:
        """Let the entry points name the new files, by names nothing else uses."""
        indexes = {name: self.staging / bridge_index(name) for name in entries}
        if not any(index.exists() for index in indexes.values()):
            return
        for name in self.journal.bridged:
            bridge = self.out_dir / bridge_name(name, self.journal.bridge_tag)
            if not bridge.exists():
                second_name(self.staging / name, bridge)
                self._made.append(bridge)
        sync_folder(self.out_dir)
        for name, index in indexes.items():
            if index.exists():
                index.replace(self.out_dir / name)
                self.is_visible = True
        sync_folder(self.out_dir)

    def _take_down_bridge(self) -> None:
        content = {file.name: file.sha256 for file in self.journal.new.files}
        for name in self.journal.bridged:
            bridge = self.out_dir / bridge_name(name, self.journal.bridge_tag)
            if not os.path.lexists(bridge):
                continue
            target = self.out_dir / name
            if (target.exists() and bridge.samefile(target)) or sha256_of(bridge) == content.get(name):
                bridge.unlink(missing_ok=True)

    def _remove_former(self) -> None:
        """Files of the old set that the new one does not have, if they are still what was written."""
        names = set(_names(self.journal.new))
        for file in self.journal.old.files if self.journal.old is not None else ():
            path = self.out_dir / file.name
            if file.name not in names and not file.foreign and sha256_of(path) == file.sha256:
                path.unlink(missing_ok=True)

    def _record(self) -> None:
        journal = self.journal
        if not self._is_next():
            return
        if journal.previous is not None:
            save(self.state_dir, journal.previous, PREVIOUS)
        save(self.state_dir, journal.new, CURRENT)
        (self.state_dir / JOURNAL).unlink(missing_ok=True)
        sync_folder(self.state_dir)
        needed = {file.sha256 for each in (journal.new, journal.previous) if each is not None for file in each.files}
        for path in (self.state_dir / KEPT).glob("*"):
            if path.name not in needed and _OBJECT_NAME.fullmatch(path.name) and sha256_of(path) == path.name:
                path.unlink(missing_ok=True)

    def _is_next(self) -> bool:
        """Whether the state is the one this build was made for; it may have gone on with another copy since."""
        known, last = read_journal(self.state_dir), load(self.state_dir)
        if known is not None:
            return known.staging == self.journal.staging
        return last is None or (self.journal.old is not None and last.build == self.journal.old.build)

    def _fetch(self, file: PublishedFile, staged: Path) -> None:
        kept = self.state_dir / KEPT / file.sha256
        if sha256_of(kept) != file.sha256:
            raise PublishError(
                f"{file.name} of the unfinished build {self.journal.new.build} is lost: "
                f"delete {self.state_dir / JOURNAL} and build again"
            )
        staged.parent.mkdir(exist_ok=True)
        second_name(kept, staged)


def second_name(source: Path, target: Path) -> None:
    """A second name for the same bytes; a copy, complete before it gets that name, where links do not work."""
    try:
        os.link(source, target)
    except FileExistsError:
        return
    except OSError:
        write_atomically(target, [source.read_bytes()])
