"""Files of a new set, streamed → staged beside the published ones, compared with them, and published.

    with Staging(out, state, base_url) as staging:
        for shard in plan.shards:
            staging.add(shard.name, render(pages), entries=…, section=…, newest=…)
        staging.add_index()
        …check staging.path(name), ask the guard about staging.proposed()…
        staging.publish()

Leaving the block without `publish` leaves everything as it was.
"""

from __future__ import annotations

import hashlib
import os
import shutil
import tempfile
from collections.abc import Iterable, Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path
from types import TracebackType
from typing import Self

import msgspec

from urlset.building import journal as journals
from urlset.building.journal import BRIDGE_INDEX, JOURNAL, KEPT, STAGING_PREFIX, Journal, PublishError, second_name
from urlset.building.manifest import CURRENT, PREVIOUS, Manifest, PublishedFile, Role, load, safe_name, sha256_of
from urlset.building.render import render_index
from urlset.building.shards import INDEX_NAME
from urlset.writing.atomic import sync_folder

_LOCK = "lock"
# what `write_atomically` leaves when it is killed; None is the output folder
_LEFTOVERS = (
    (None, ".sitemap-*.part"),
    (".", f".{CURRENT}.*.part"),
    (".", f".{PREVIOUS}.*.part"),
    (".", f".{JOURNAL}.*.part"),
    (KEPT, ".*.part"),
)


class Changes(msgspec.Struct, frozen=True):
    """File names, by what publishing would do to them."""

    added: tuple[str, ...] = ()
    changed: tuple[str, ...] = ()
    unchanged: tuple[str, ...] = ()
    removed: tuple[str, ...] = ()

    @property
    def touched(self) -> tuple[str, ...]:
        return (*self.added, *self.changed, *self.removed)


class Outcome(msgspec.Struct, frozen=True):
    manifest: Manifest
    changes: Changes


class Staging:
    """One at a time for a state folder; entering finishes what an earlier run was stopped at."""

    def __init__(self, out_dir: Path, state_dir: Path, base_url: str, *, dry_run: bool = False) -> None:
        self.out_dir, self.state_dir, self.base_url = out_dir, state_dir, base_url
        self.dry_run = dry_run
        """stage elsewhere and touch neither folder"""
        self.last: Manifest | None = None
        self._files: dict[str, PublishedFile] = {}
        self._touched: set[str] = set()
        self._intact: dict[str, PublishedFile | None] = {}
        self._folder = Path()
        self._stack = ExitStack()

    def __enter__(self) -> Self:
        with ExitStack() as stack:
            if self.dry_run:
                self._folder = Path(stack.enter_context(tempfile.TemporaryDirectory(prefix="urlset-")))
            else:
                self.out_dir.mkdir(parents=True, exist_ok=True)
                stack.enter_context(prepared(self.out_dir, self.state_dir))
                self._folder = Path(tempfile.mkdtemp(prefix=STAGING_PREFIX, dir=self.out_dir))
            self.last = load(self.state_dir)
            self._stack = stack.pop_all()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        # once the journal stands, the next run needs the folder
        if self.dry_run or not (self.state_dir / JOURNAL).exists():
            shutil.rmtree(self._folder, ignore_errors=True)
        self._stack.close()

    # filling

    def add(
        self,
        name: str,
        chunks: Iterable[bytes],
        *,
        entries: int = 0,
        section: str = "",
        newest: str | None = None,
        role: Role = Role.SHARD,
        sha256: str | None = None,
    ) -> PublishedFile:
        """Write one file; what is published under the name already, byte for byte, will not be touched.

        `sha256` spares the work of finding it out, where it is known.
        """
        path = self._new_path(name)
        digest, size = hashlib.sha256(), 0
        with self._telling(name), path.open("wb") as file:
            for chunk in chunks:
                file.write(chunk)
                size += len(chunk)
                if sha256 is None:
                    digest.update(chunk)
            file.flush()
            described = PublishedFile(name, sha256 or digest.hexdigest(), size, entries, section, newest, role)
            differs = self._differs(described)
            if differs and not self.dry_run:
                os.fsync(file.fileno())
        self._enter(described, path, differs=differs)
        return described

    def add_index(self, *, stylesheet: str | None = None) -> PublishedFile:
        """The index of the sitemaps added so far."""
        shards = [file for file in self._files.values() if file.role is Role.SHARD]
        chunks = render_index(shards, self.base_url, stylesheet=stylesheet)
        return self.add(INDEX_NAME, chunks, entries=len(shards), role=Role.INDEX)

    def keep(self, name: str) -> PublishedFile | None:
        """Take a file over from the last set without writing it; None when it is not there as published."""
        file = self.as_published(name)
        if file is not None:
            self._files[name] = file
        return file

    def as_published(self, name: str) -> PublishedFile | None:
        """The file of the last set, if it lies there still as it was written."""
        if name not in self._intact:
            file = self.last.named(name) if self.last is not None else None
            self._intact[name] = file if file is not None and sha256_of(self.out_dir / name) == file.sha256 else None
        return self._intact[name]

    def adopt(self, file: PublishedFile, source: Path) -> None:
        """Take a file over from elsewhere on this machine, with what is known of it."""
        path = self._new_path(file.name)
        with self._telling(file.name):
            second_name(source, path)
        self._enter(file, path, differs=self._differs(file))

    # looking

    def path(self, name: str) -> Path:
        """Where the bytes lie that would be published under the name."""
        return (self._folder if name in self._touched else self.out_dir) / self._files[name].name

    def proposed(self) -> Manifest:
        return Manifest.of(self.base_url, tuple(self._files.values()))

    def changes(self) -> Changes:
        there = {name for name in self._files if (self.out_dir / name).exists()}
        former = [file.name for file in self.last.files] if self.last is not None else []
        return Changes(
            added=tuple(name for name in self._files if name in self._touched - there),
            changed=tuple(name for name in self._files if name in self._touched & there),
            unchanged=tuple(name for name in self._files if name not in self._touched),
            removed=tuple(name for name in former if name not in self._files),
        )

    # publishing

    def publish(self) -> Outcome:
        """All of it or nothing: see `journal` for the order of things. Nothing to do is nothing done."""
        if self.dry_run:
            raise PublishError("a dry run publishes nothing")
        outcome = Outcome(self.proposed(), self.changes())
        if not outcome.changes.touched and self.last == outcome.manifest:
            with self._telling("the copies"):
                self._keep_objects()  # one may have been lost
            return outcome
        with self._telling("the set"):
            journal = self._journal(outcome)
            self._keep_objects()
            sync_folder(self._folder)
            journals.commit(self.state_dir, journal)
        try:
            journals.roll_forward(self.state_dir, self.out_dir, journal)
        except OSError as error:
            message = f"{_reason(error)}; a complete set is published, and the next run goes on from here"
            raise PublishError(message) from error
        return outcome

    def _journal(self, outcome: Outcome) -> Journal:
        new, changes = outcome.manifest, outcome.changes
        entry = new.entry_point
        same = self.last is not None and self.last.files == new.files
        bridged = self._bridged(new, changes)
        if bridged and entry is not None:
            files = journals.bridge_files(new.files, frozenset(bridged), new.build)
            self._write_bridge(files, self.out_dir / entry.name)
            if entry.name not in self._touched:
                # the bridge takes its place for a while, so it has to be put back
                second_name(self.out_dir / entry.name, self._folder / entry.name)
                self._touched.add(entry.name)
        # An equal set put back where files had been lost is not a step that can be taken back.
        previous = load(self.state_dir, PREVIOUS) if same else self.last or self._foreign()
        touched = tuple(name for name in self._files if name in self._touched)
        return Journal(self._folder.name, new, self.last, previous, touched, bridged)

    def _write_bridge(self, files: list[PublishedFile], entry: Path) -> None:
        path = self._folder / BRIDGE_INDEX
        with path.open("wb") as file:
            file.writelines(render_index(files, self.base_url))
            file.flush()
            os.fsync(file.fileno())
        shutil.copymode(entry, path)

    def _foreign(self) -> Manifest | None:
        """Files of somebody else that a first build replaces: they can be had back too."""
        found = []
        for name in self._files:
            path = self.out_dir / name
            digest = sha256_of(path)
            if digest is not None and name in self._touched:
                role = Role.INDEX if name == INDEX_NAME else Role.EXTRA
                found.append(PublishedFile(name, digest, path.stat().st_size, role=role))
                self._keep_object(path, digest)
        return Manifest.of(self.base_url, tuple(found)) if found else None

    def _bridged(self, new: Manifest, changes: Changes) -> tuple[str, ...]:
        """Shards that readers of the old set may be reading and that change together with something else."""
        entry = new.entry_point
        if entry is None or entry.role is not Role.INDEX or not (self.out_dir / entry.name).exists():
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
        target.parent.mkdir(exist_ok=True)
        if target.exists():
            if target.samefile(source) or sha256_of(target) == digest:
                return
            target.unlink()
        second_name(source, target)

    # the small things

    def _new_path(self, name: str) -> Path:
        safe_name(name)
        if name.lower() in {known.lower() for known in self._files}:
            raise ValueError(f"{name!r} is in the set already")
        return self._folder / name

    def _differs(self, file: PublishedFile) -> bool:
        target = self.out_dir / file.name
        return not target.is_file() or target.stat().st_size != file.bytes or sha256_of(target) != file.sha256

    def _enter(self, file: PublishedFile, path: Path, *, differs: bool) -> None:
        target = self.out_dir / file.name
        if target.is_dir():
            raise PublishError(f"cannot write {file.name}: {target} is a folder; the published set is as it was")
        self._files[file.name] = file
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
            raise PublishError(f"cannot write {name}: {_reason(error)}; the published set is as it was") from error


@contextmanager
def prepared(out_dir: Path, state_dir: Path) -> Iterator[None]:
    """Hold the lock, with every earlier run finished and swept up."""
    state_dir.mkdir(parents=True, exist_ok=True)
    with (state_dir / _LOCK).open("ab") as file:
        _lock(file.fileno(), state_dir)
        unfinished = journals.read_journal(state_dir)
        if unfinished is not None:
            try:
                journals.roll_forward(state_dir, out_dir, unfinished)
            except OSError as error:
                raise PublishError(f"cannot finish the build that was stopped: {_reason(error)}") from error
        for path in out_dir.glob(f"{STAGING_PREFIX}*"):
            shutil.rmtree(path, ignore_errors=True)
        for folder, pattern in _LEFTOVERS:
            for path in (out_dir if folder is None else state_dir / folder).glob(pattern):
                path.unlink(missing_ok=True)
        yield


def _lock(descriptor: int, state_dir: Path) -> None:
    """Held until the file is closed, by whatever means the process ends."""
    try:
        import fcntl
    except ImportError:  # no such locks on this system
        return
    try:
        fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError as error:
        raise PublishError(f"another build is using {state_dir}") from error


def _reason(error: OSError) -> str:
    where = f" ({error.filename})" if error.filename else ""
    return f"{(error.strerror or str(error)).lower()}{where}"
