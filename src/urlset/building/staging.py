"""Files of a new set, streamed → staged beside the published ones, compared with them, and published.

    with Staging(out, state, base_url) as staging:
        for shard in plan.shards:
            staging.add(shard.name, render(pages), entries=…, section=…, newest=…)
        staging.add_indexes()
        …check staging.path(name), ask the guard about staging.proposed()…
        staging.publish()

Leaving the block without `publish` leaves everything as it was.
"""

from __future__ import annotations

import hashlib
import os
import shutil
from collections.abc import Callable, Iterable, Iterator
from contextlib import ExitStack, contextmanager
from itertools import chain
from pathlib import Path
from types import TracebackType
from typing import Self

import msgspec

from urlset.building import journal as journals
from urlset.building.guard import Loss
from urlset.building.journal import JOURNAL, KEPT, STAGING_PREFIX, Journal, PublishError, RollForward, second_name
from urlset.building.ledger import ShardRow
from urlset.building.manifest import PREVIOUS, FileRole, Manifest, PublishedFile, load, safe_name, sha256_of, url_of
from urlset.building.recovery import prepared, reason
from urlset.building.render import render_index
from urlset.building.shards import INDEX_NAME, index_name
from urlset.building.spool import KeySet
from urlset.model.address import Address
from urlset.reading.disk import is_sitemap_file
from urlset.reading.read import read
from urlset.reading.tree import read_tree
from urlset.spec.protocol import MAX_INDEX_ENTRIES
from urlset.writing.files import WorkFolder, make_state_folder, work_folder
from urlset.writing.gzip import compress


class Changes(msgspec.Struct, frozen=True):
    """File names, by what publishing would do to them."""

    added: tuple[str, ...] = ()
    changed: tuple[str, ...] = ()
    unchanged: tuple[str, ...] = ()
    removed: tuple[str, ...] = ()

    @property
    def touched(self) -> tuple[str, ...]:
        return (*self.added, *self.changed, *self.removed)


class PublishResult(msgspec.Struct, frozen=True):
    manifest: Manifest
    changes: Changes
    notes: tuple[str, ...] = ()
    """what became of earlier runs, and what the next one has to finish"""


def _by_index(files: Iterable[PublishedFile]) -> dict[str, list[PublishedFile]]:
    """Which index lists which sitemaps: in order, as many in each as an index may list."""
    shards = [file for file in files if file.role is FileRole.SHARD]
    starts = range(0, max(1, len(shards)), MAX_INDEX_ENTRIES)
    return {index_name(at // MAX_INDEX_ENTRIES + 1): shards[at : at + MAX_INDEX_ENTRIES] for at in starts}


class Staging:
    """One at a time for an output folder and for a state folder; entering finishes what an earlier run began."""

    def __init__(self, out_dir: Path, state_dir: Path, base_url: str, *, dry_run: bool = False) -> None:
        self.out_dir, self.state_dir, self.base_url = out_dir, state_dir, base_url
        self.dry_run = dry_run
        """stage elsewhere and touch neither folder"""
        self.last: Manifest | None = None
        self.notes: list[str] = []
        """what became of earlier runs"""
        self._files: dict[str, PublishedFile] = {}
        self._touched: set[str] = set()
        self._intact: dict[str, PublishedFile | None] = {}
        self._last_files: dict[str, PublishedFile] = {}
        self._taken: set[str] = set()
        """lowercase names: some file systems do not tell them apart"""
        self._folder = Path()
        self._work: WorkFolder | None = None
        self._stack = ExitStack()

    def __enter__(self) -> Self:
        with ExitStack() as stack:
            if self.dry_run:
                self._folder = stack.enter_context(work_folder())
            else:
                self.notes = stack.enter_context(prepared(self.out_dir, self.state_dir))
                about = {"state": os.path.realpath(self.state_dir), "output": os.path.realpath(self.out_dir)}
                self._work = WorkFolder(self.out_dir, STAGING_PREFIX, about)
                self._folder = self._work.path
                stack.callback(self._let_go)
            self.last = load(self.state_dir)
            self._last_files = {file.name: file for file in self.last.files} if self.last is not None else {}
            self._stack = stack.pop_all()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._stack.close()

    def _let_go(self) -> None:
        if self._work is not None:
            # while the journal is there, the next run needs the folder
            self._work.close(remove=not (self.state_dir / JOURNAL).exists())

    # filling

    def add(
        self,
        name: str,
        chunks: Iterable[bytes],
        *,
        entries: int = 0,
        section: str = "",
        newest: str | None = None,
        role: FileRole = FileRole.SHARD,
    ) -> PublishedFile:
        """Write one file; what is published under the name already, byte for byte, will not be touched."""
        path = self.place_for(name)
        digest, size = hashlib.sha256(), 0
        with self._telling(name), path.open("wb") as file:
            for chunk in chunks:
                file.write(chunk)
                size += len(chunk)
                digest.update(chunk)
            file.flush()
            described = PublishedFile(name, digest.hexdigest(), size, entries, section, newest, role)
            differs = self._differs(described)
            if differs and not self.dry_run:
                os.fsync(file.fileno())
        self._enter(described, path, differs=differs)
        return described

    def written(self, file: PublishedFile) -> None:
        self._enter(file, self._folder / file.name, differs=self._differs(file))

    def add_indexes(self) -> None:
        """One index of the sitemaps added so far, or as many as they need."""
        for name, shards in _by_index(self._files.values()).items():
            chunks = render_index(shards, self.base_url)
            self.add(name, chunks, entries=len(shards), role=FileRole.INDEX)

    def keep(self, name: str) -> PublishedFile | None:
        """Take a file over from the last set without writing it; None when it is not there as published."""
        file = self.as_published(name)
        if file is not None:
            self._files[name] = file
            self._taken.add(name.lower())
        return file

    def as_published(self, name: str) -> PublishedFile | None:
        """The file of the last set, if it lies there still as it was written."""
        if name not in self._intact:
            file = self._last_files.get(name)
            self._intact[name] = file if file is not None and sha256_of(self.out_dir / name) == file.sha256 else None
        return self._intact[name]

    def adopt(self, file: PublishedFile, source: Path) -> None:
        """Take a file over from elsewhere on this machine, with what is known of it."""
        path = self.place_for(file.name)
        with self._telling(file.name):
            second_name(source, path)
        self._enter(file, path, differs=self._differs(file))

    # looking

    def path(self, name: str) -> Path:
        """Where the bytes lie that would be published under the name."""
        return (self._folder if name in self._touched else self.out_dir) / self._files[name].name

    def url_of(self, name: str) -> str:
        return url_of(self.base_url, name)

    def proposed(self) -> Manifest:
        return Manifest.of(self.base_url, tuple(self._files.values()))

    def changes(self) -> Changes:
        there = {name for name in self._files if (self.out_dir / name).exists()}
        former = [file.name for file in self.last.files if not file.foreign] if self.last is not None else []
        return Changes(
            added=tuple(name for name in self._files if name in self._touched - there),
            changed=tuple(name for name in self._files if name in self._touched & there),
            unchanged=tuple(name for name in self._files if name not in self._touched),
            removed=tuple(name for name in former if name not in self._files),
        )

    # publishing

    def publish(self, record: Callable[[], None] | None = None) -> PublishResult:
        """All of it or nothing: see `journal` for the order of things. Nothing to do is nothing done.

        `record` writes down elsewhere that the set is published. It is called when everything that can fail for
        want of space or permission has been done, and before anything is visible: if it raises, nothing is.
        """
        if self.dry_run:
            raise PublishError("a dry run publishes nothing")
        outcome = PublishResult(self.proposed(), self.changes(), tuple(self.notes))
        if not outcome.changes.touched and self.last == outcome.manifest:
            with self._telling("the copies"):
                self._keep_objects()  # one may have been lost
            if record is not None:
                record()
            return outcome
        with self._telling("the set"):
            journal = self._journal(outcome)
            self._keep_objects()
            journals.commit(self.state_dir, journal, self._folder)
        if record is not None:
            try:
                record()
            except BaseException:
                with self._telling("the set"):
                    journals.withdraw(self.state_dir)
                raise
        return self._rolled_forward(journal, outcome)

    def _rolled_forward(self, journal: Journal, outcome: PublishResult) -> PublishResult:
        step = RollForward(self.state_dir, self.out_dir, journal)
        try:
            step.run()
        except OSError as error:
            if step.is_visible:
                note = f"published, but not finished: {reason(error)}; the next run finishes it"
                return msgspec.structs.replace(outcome, notes=(*outcome.notes, note))
            with self._telling("the set"):
                step.undo()
            raise PublishError(f"cannot write the set: {reason(error)}; the published set is unchanged") from error
        return outcome

    def _journal(self, outcome: PublishResult) -> Journal:
        new, changes = outcome.manifest, outcome.changes
        same = self.last is not None and self.last.files == new.files
        bridged = self._bridged(new, changes)
        tag = self._free_tag(bridged, new.build)
        if bridged:
            for name, shards in _by_index(journals.bridge_files(new.files, frozenset(bridged), tag)).items():
                self._write_bridge(shards, name)
                if name not in self._touched:
                    # the bridge takes its place for a while, so it has to be put back
                    second_name(self.out_dir / name, self._folder / name)
                    self._touched.add(name)
        # An equal set put back where files had been lost is not a step that can be taken back.
        previous = load(self.state_dir, PREVIOUS) if same else self._replaced()
        touched = tuple(name for name in self._files if name in self._touched)
        output = os.path.realpath(self.out_dir)
        return Journal(self._folder.name, new, self.last, previous, touched, bridged, output, tag)

    def _free_tag(self, bridged: tuple[str, ...], build: str) -> str:
        """What makes the names of the bridge: the build, and a number where a file has such a name already."""
        tag, number = build, 1
        while any(os.path.lexists(self.out_dir / journals.bridge_name(name, tag)) for name in bridged):
            number += 1
            tag = f"{build}-{number}"
        return tag

    def _write_bridge(self, files: list[PublishedFile], index: str) -> None:
        path, entry = self._folder / journals.bridge_index(index), self.out_dir / index
        with path.open("wb") as file:
            file.writelines(render_index(files, self.base_url))
            file.flush()
            os.fsync(file.fileno())
        if entry.exists():
            shutil.copymode(entry, path)

    def _replaced(self) -> Manifest | None:
        """The last set, with the files of others that the new set replaces: they can be put back too."""
        known = {file.name for file in self.last.files} if self.last is not None else set()
        found = []
        for name in self._files:
            path = self.out_dir / name
            digest = sha256_of(path) if name in self._touched and name not in known else None
            if digest is not None:
                role = self._files[name].role if self._files[name].role is FileRole.INDEX else FileRole.EXTRA
                found.append(PublishedFile(name, digest, path.stat().st_size, role=role, foreign=True))
                self._keep_object(path, digest)
        if not found:
            return self.last
        if self.last is None:
            return Manifest.of(self.base_url, tuple(found))
        return Manifest.of(self.last.base_url, (*self.last.files, *found))

    def _bridged(self, new: Manifest, changes: Changes) -> tuple[str, ...]:
        """Shards that readers of the old set may be reading and that change together with something else."""
        entry = new.entry_point
        if entry is None or entry.role is not FileRole.INDEX or not (self.out_dir / entry.name).exists():
            return ()
        shards = {file.name for file in new.shards}
        changed = tuple(name for name in changes.changed if name in shards)
        before = {file.name for file in self.last.shards} if self.last is not None else set()
        return () if len(changed) <= 1 and before == shards else changed

    def _keep_objects(self) -> None:
        """Every file of the new set once more in the state folder, for a rollback: usually just a link."""
        for name, file in self._files.items():
            self._keep_object(self.path(name), file.sha256)

    def _keep_object(self, source: Path, digest: str) -> None:
        target = self.state_dir / KEPT / digest
        make_state_folder(target.parent)
        if target.exists():
            if target.samefile(source) or sha256_of(target) == digest:
                return
            target.unlink()
        second_name(source, target)

    # the small things

    def place_for(self, name: str) -> Path:
        """Where to write a file that `written` then enters: a worker may do it."""
        safe_name(name)
        if name.lower() in self._taken:
            raise ValueError(f"{name!r} is already in the set")
        return self._folder / name

    def _differs(self, file: PublishedFile) -> bool:
        target = self.out_dir / file.name
        return not target.is_file() or target.stat().st_size != file.bytes or sha256_of(target) != file.sha256

    def _enter(self, file: PublishedFile, path: Path, *, differs: bool) -> None:
        target = self.out_dir / file.name
        if target.exists() and not target.is_file():
            what = "a folder" if target.is_dir() else "not a regular file"
            raise PublishError(f"cannot write {file.name}: {target} is {what}; the published set is unchanged")
        self._files[file.name] = file
        self._taken.add(file.name.lower())
        if not differs:
            path.unlink()
            return
        self._touched.add(file.name)
        if target.is_file():
            shutil.copymode(target, path)

    @contextmanager
    def _telling(self, name: str) -> Iterator[None]:
        try:
            yield
        except OSError as error:
            raise PublishError(f"cannot write {name}: {reason(error)}; the published set is unchanged") from error


# A staged sitemap and a `.gz` copy beside the published one → the copy renewed, so both list the same.

_CHUNK = 1 << 20


def renew_twins(staging: Staging) -> list[str]:
    """`sitemap.xml.gz` next to `sitemap.xml`, as generators and servers leave it; gives the names that changed.

    What was a sitemap of the last set by itself, as with --gzip, is not a copy: it is removed with that set.
    """
    renewed = []
    staged = {file.name for file in staging.proposed().files}
    for file in staging.proposed().files:
        twin = f"{file.name}.gz"
        if file.role is FileRole.EXTRA or file.name.endswith(".gz") or twin in staged:
            continue
        former = staging.last.named(twin) if staging.last is not None else None
        if former is not None and former.role is not FileRole.EXTRA:
            continue
        if _is_copy(staging.out_dir / twin):
            before = staging.as_published(twin)
            added = staging.add(twin, compress(_chunks(staging.path(file.name))), role=FileRole.EXTRA)
            if before is None or before.sha256 != added.sha256:
                renewed.append(twin)
    return renewed


def _is_copy(path: Path) -> bool:
    """Whether it holds a sitemap: anything else of that name is left alone."""
    if path.is_symlink() or not path.is_file():
        return False
    try:
        document = read(path)
    except OSError:
        return False
    return document.envelope.compression == "gzip" and document.kind.is_sitemap and not document.kind.is_feed


def _chunks(path: Path) -> Iterator[bytes]:
    with path.open("rb") as file:
        while chunk := file.read(_CHUNK):
            yield chunk


# The published set and the one about to replace it → how many of the published addresses would be gone.


def loss_of(staging: Staging, remembered: Iterable[ShardRow], removed: int) -> Loss | None:
    """None where no set is published, or nothing can be known of it.

    `remembered` are the files that the ledger knows, and `removed` counts the pages in them that did not come
    again. That is all there is to know where they are the files of the published set. They are not after a
    rollback, after a kill, or without a ledger; then the published files are read.
    """
    last = staging.last
    if last is None:
        return _compared(_foreign(staging), staging, foreign=True)
    if {(row.name, row.sha256) for row in remembered} == {(file.name, file.sha256) for file in last.shards}:
        # pages of a file whose copy is lost are not among the removed, but the set still has fewer pages
        return Loss(max(removed, last.entries - staging.proposed().entries), last.entries)
    paths = (staging.out_dir / file.name for file in last.shards)
    published = (_key(loc) for path in paths if path.is_file() for loc in _locs(path))
    return _compared(published, staging, foreign=False)


def _compared(published: Iterator[str], staging: Staging, *, foreign: bool) -> Loss | None:
    first = next(published, None)
    if first is None:
        return None
    new, old = KeySet(), KeySet()
    for file in staging.proposed().shards:
        for loc in _locs(staging.path(file.name)):
            new.add(_key(loc))
    gone = sum(new.add(key) for key in chain([first], published) if old.add(key))
    return Loss(gone, len(old), foreign)


def _foreign(staging: Staging) -> Iterator[str]:
    """What sitemaps that the state knows nothing of list for the same site: the usual index, and what is replaced."""
    home = Address.parse(staging.base_url).origin
    for name in dict.fromkeys((INDEX_NAME, *(each.name for each in staging.proposed().entry_points))):
        entry = staging.out_dir / name
        for document in read_tree(entry) if entry.is_file() else ():
            if not document.kind.lists_sitemaps:
                for each in document.columns.locs:
                    address = Address.parse((each or "").strip())
                    if address.origin == home:
                        yield address.key


REPLACED = "replaced"


class OtherSitemaps(msgspec.Struct, frozen=True):
    """Sitemaps in the output folder that no build wrote, as far as the state knows."""

    replaced: tuple[str, ...]
    """by files of the new set with the same name"""
    staying: tuple[str, ...]


def other_sitemaps(staging: Staging) -> OtherSitemaps:
    known = {file.name for file in staging.last.files} if staging.last is not None else set()
    new = {file.name for file in staging.proposed().files}
    twins = {f"{name}.gz" for name in new}
    try:
        names = sorted(name for name in os.listdir(staging.out_dir) if name.lower().endswith((".xml", ".xml.gz")))  # noqa: PTH208
    except OSError:
        names = []
    others = [
        name
        for name in names
        if name not in known and (staging.out_dir / name).is_file() and is_sitemap_file(staging.out_dir / name)
    ]
    return OtherSitemaps(
        tuple(name for name in others if name in new),
        tuple(name for name in others if name not in new and name not in twins),
    )


def set_aside(staging: Staging, names: Iterable[str]) -> None:
    """Move these files out of the output folder, into the state folder. Raises OSError."""
    folder = staging.state_dir / REPLACED
    folder.mkdir(exist_ok=True)
    for name in names:
        shutil.move(staging.out_dir / name, folder / name)


def _locs(path: Path) -> Iterator[str]:
    return (loc for each in read(path).columns.locs if (loc := (each or "").strip()))


def _key(loc: str) -> str:
    return Address.parse(loc).key


# A state folder and an output folder → a stopped build finished, or the set before the last one back in place.


def recover(state_dir: Path, out_dir: Path) -> list[str]:
    """Finish what a killed run had decided and clean up what it had not; `Staging` does it by itself."""
    with prepared(out_dir, state_dir) as notes:
        return notes


def rollback(state_dir: Path, out_dir: Path) -> PublishResult:
    """Publish the set before the last one again, in the same careful way. A second rollback undoes the first."""
    if not state_dir.is_dir():
        raise PublishError(f"nothing was published to {out_dir} with the state in {state_dir}")
    notes = recover(state_dir, out_dir)
    previous = load(state_dir, PREVIOUS)
    if previous is None:
        raise PublishError("no earlier set to roll back to")
    kept = state_dir / KEPT
    lost = [file.name for file in previous.files if sha256_of(kept / file.sha256) != file.sha256]
    if lost:
        what = f"{', '.join(lost)} missing from {kept}, or changed there"
        raise PublishError(f"the earlier set is incomplete: {what}")
    with Staging(out_dir, state_dir, previous.base_url) as staging:
        for file in previous.files:
            staging.adopt(file, kept / file.sha256)
        outcome = staging.publish()
    return msgspec.structs.replace(outcome, notes=(*notes, *outcome.notes))
