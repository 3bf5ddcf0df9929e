"""A set and a store → its objects in place: bodies first, then children, then the generation, the index last."""

from __future__ import annotations

import hashlib
import os
import shlex
import subprocess
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import replace
from pathlib import Path, PurePosixPath
from urllib.parse import unquote, urlsplit

import msgspec

from urlset.building.extras import FEED_NAMES, HTML_NAME, LLMS_NAME
from urlset.building.guard import Guard, refusals
from urlset.building.manifest import FileRole, Manifest, PublishedFile, UnsafeNameError, safe_name
from urlset.model.errors import ArgumentValueError
from urlset.model.shown import Shown
from urlset.reading.read import read
from urlset.settings.publish import PREVIOUS, PublishSettings
from urlset.storage.guarded import HeldLock, Probe, locked, probe
from urlset.storage.store import ConditionFailed, StorageError, Store, Stored, attributes_of

_UNENFORCED = (
    "the store does not enforce conditional writes: two publishes at the same time can overwrite each other; "
    "run only one at a time"
)
_FOREIGN = "the index was changed or deleted by another program since the last publish; it was replaced"
Index = tuple[bytes, Stored] | None


def publish(settings: PublishSettings) -> PublishReport:
    """With `settings.rollback`, a kept generation is published again.

    Raises StorageError, and PublishSetError where the folder does not hold a complete set.
    """
    if settings.rollback is not None:
        # publish a kept generation again, as a new one
        number = None if settings.rollback == PREVIOUS else int(settings.rollback or 0)
        store = Store(settings.to or "", endpoint=settings.endpoint)
        known = read_generations(store)
        index = store.read(settings.index)
        wanted = Generations(known, index[0] if index else None).restorable(number)

        def body(name: str) -> bytes:
            found = store.read(wanted.bodies[name])
            if found is None:
                raise StorageError(f"generation {wanted.number} is incomplete: the body of {name} is missing")
            return found[0]

        forced = replace(settings, force=(Guard.SHRINK, Guard.SECTION, Guard.HOST))
        return _Publish(forced, store, wanted, body).run()
    assert settings.folder is not None
    folder = Path(settings.folder)
    proposed = local_set(folder, settings.index, base_url=settings.base_url, include=settings.include)
    bodies, attributes = {}, {}
    for file in proposed.files:
        found = attributes_of(file.name, (folder / file.name).read_bytes(), settings.cache_control)
        digest = hashlib.sha256(msgspec.json.encode(found)).hexdigest()[:8]
        attributes[file.name], bodies[file.name] = found, f"{KEPT}/{file.sha256}-{digest}"
    store = Store(settings.to or "", endpoint=settings.endpoint)
    wanted = Generation(0, proposed, bodies, attributes, {})
    return _Publish(settings, store, wanted, lambda name: (folder / name).read_bytes()).run()


class _Publish:
    """One publish; `body` gives the bytes of a file by its name."""

    def __init__(
        self, settings: PublishSettings, store: Store, wanted: Generation, body: Callable[[str], bytes]
    ) -> None:
        self._settings, self._store, self._wanted, self._body = settings, store, wanted, body
        entry = wanted.manifest.entry_point
        assert entry is not None
        self._entry = entry
        self._files = {file.name: file for file in wanted.manifest.files}

    def run(self) -> PublishReport:
        settings, store, manifest = self._settings, self._store, self._wanted.manifest
        index: Index = store.read(self._entry.name)
        known = read_generations(store)
        generations = Generations(known, index[0] if index else None)
        current = generations.current
        live = _live(self._store, self._files)
        changed = tuple(name for name in self._files if not self._in_place(name, current, live, index))
        refused = refusals(
            manifest,
            current.manifest if current else None,
            shrink_percent=settings.shrink_percent,
            force=settings.force,
        )
        report = PublishReport(
            settings.to or "", current.number if current else None, dry_run=settings.dry_run, changed=changed
        )
        if refused:
            return msgspec.structs.replace(report, refusals=tuple(f"{each.name}: {each.text}" for each in refused))
        if settings.dry_run:
            return report
        waiting = pending(store) if settings.purge else []
        notes: tuple[str, ...] = ()
        if changed:
            found = probe(store)
            with locked(store, found, settings.lock_seconds) as held:
                if store.read(self._entry.name) != index or set(store.list(GENERATIONS)) != set(map(path_of, known)):
                    raise StorageError("another publish finished in the meantime; run the command again")
                if settings.purge:
                    waiting = [*waiting, *map(manifest.url_of, changed)]
                    # before anything changes: an unnecessary purge does no harm
                    store.write(
                        PENDING, msgspec.json.encode(sorted(set(waiting))), {"Content-Type": "application/json"}
                    )
                uploaded = self._place(found, held, changed, index[1] if index else None, generations.next_number)
                self._prune(generations)
            notes = (*((_FOREIGN,) if generations.foreign else ()), *(() if found.enforced else (_UNENFORCED,)))
            report = msgspec.structs.replace(report, generation=generations.next_number, uploaded=uploaded, notes=notes)
        failed = purge(store, shlex.split(settings.purge or ""), dict.fromkeys(waiting)) if waiting else None
        return msgspec.structs.replace(report, purge_failed=failed)

    def _in_place(self, name: str, current: Generation | None, live: dict[str, Stored], index: Index) -> bool:
        if current is None or current.bodies.get(name) != self._wanted.bodies[name] or name not in live:
            return False
        if name == self._entry.name:
            return index is not None and hashlib.sha256(index[0]).hexdigest() == self._entry.sha256
        return current.tags.get(name) == live[name].tag

    def _place(
        self, found: Probe, held: HeldLock, changed: tuple[str, ...], index: Stored | None, number: int
    ) -> tuple[str, ...]:
        store, wanted = self._store, self._wanted
        # the bodies first, out of sight and under names that say what is in them
        kept, uploaded = store.list(KEPT), []
        for each in changed:
            data, target = self._body(each), self._wanted.bodies[each]
            if hashlib.sha256(data).hexdigest() != self._files[each].sha256:
                raise StorageError(f"{each} changed while it was published; run the command again")
            if target not in kept or kept[target].size != len(data):
                self._store.write(target, data, self._wanted.attributes[each])
                uploaded.append(each)
            self._verify(target, len(data))
        for name in changed:
            if name != self._entry.name:
                held.check()
                store.copy(wanted.bodies[name], name)
                self._verify(name, self._files[name].bytes)
        live = _live(store, self._files)
        tags = {name: live[name].tag for name in self._files if name != self._entry.name and name in live}
        generation = msgspec.structs.replace(wanted, number=number, tags=tags)
        held.check()
        store.write(path_of(number), msgspec.json.encode(generation), {"Content-Type": "application/json"})
        if self._entry.name in changed:
            held.check()
            self._write_index(found, index)
        return tuple(uploaded)

    def _write_index(self, found: Probe, known: Stored | None) -> None:
        store, name = self._store, self._entry.name
        data, attributes = self._body(name), self._wanted.attributes[name]
        foreign = f"{name} was changed by another program during the publish; it was not overwritten"
        if found.match if known else found.create:
            try:
                store.replace(name, data, attributes, known)
            except ConditionFailed:
                held = store.read(name)  # ours where only the response was lost
                if held is None or held[0] != data:
                    raise StorageError(foreign) from None
        else:
            now = store.look(name)
            if (now and now.tag) != (known and known.tag):
                raise StorageError(foreign)
            store.copy(self._wanted.bodies[name], name)  # of a body that is known to be whole
        held = store.read(name)
        if held is None or held[0] != data:
            raise StorageError(f"{name} does not read back as written")

    def _verify(self, name: str, size: int) -> None:
        found = self._store.look(name)
        if found is None or found.size != size:
            raise StorageError(f"{name} was not stored completely; the index is unchanged")

    def _prune(self, generations: Generations) -> None:
        """Old and unfinished generations and their bodies; children that neither this one nor the last one lists."""
        store, wanted, finished = self._store, self._wanted, generations.finished
        numbers = sorted(finished)
        dropped = {*generations.unfinished, *numbers[: max(0, len(numbers) + 1 - self._settings.keep)]}
        left = [wanted, *(finished[number] for number in numbers if number not in dropped)]
        store.delete(path_of(number) for number in sorted(dropped))
        used = {path for each in left for path in each.bodies.values()}
        store.delete(name for name in store.list(KEPT) if name not in used)
        current = generations.current
        listed = set(wanted.bodies) | (set(current.bodies) if current else set())
        stale = {
            file.name
            for each in generations.known.values()
            for file in each.manifest.shards
            if file != each.manifest.entry_point and file.name not in listed
        }
        live = _live(store, stale)
        store.delete(name for name in sorted(stale) if name in live)


def _live(store: Store, names: Iterable[str]) -> dict[str, Stored]:
    """The objects in the folders of these names; never a listing of the whole site."""
    folders = {name.rpartition("/")[0] for name in names}
    return {path: stored for folder in sorted(folders) for path, stored in store.list(folder).items()}


# The result of a publish.


class PublishReport(Shown, msgspec.Struct, frozen=True):
    """What was uploaded to a store, or why nothing was."""

    to: str
    generation: int | None
    uploaded: tuple[str, ...] = ()
    changed: tuple[str, ...] = ()
    refusals: tuple[str, ...] = ()
    notes: tuple[str, ...] = ()
    purge_failed: str | None = None
    dry_run: bool = False


# The generations in a store → the one that is live, those before it, and those that were never finished.

GENERATIONS = ".urlset/generations"
KEPT = ".urlset/kept"


class Generation(msgspec.Struct, frozen=True):
    number: int
    manifest: Manifest
    bodies: dict[str, str]
    """file name → the kept object"""
    attributes: dict[str, dict[str, str]]
    tags: dict[str, str]
    """file name → the tag of the published object"""
    schema: int = 1


class Generations:
    """A generation is written before its index, so one whose index never went live was not finished."""

    def __init__(self, known: Mapping[int, Generation], index: bytes | None) -> None:
        self.known = dict(known)
        live = None if index is None else hashlib.sha256(index).hexdigest()
        entries = {number: each.manifest.entry_point for number, each in known.items()}
        matching = [number for number, entry in entries.items() if (entry.sha256 if entry else None) == live]
        self.foreign = bool(known) and not matching
        """the index is one that no generation wrote, or was deleted: nothing tells which were finished"""
        newest = max(matching or known, default=0)
        self.finished = {number: each for number, each in known.items() if number <= newest}
        self.unfinished = {number: each for number, each in known.items() if number > newest}

    @property
    def current(self) -> Generation | None:
        return self.finished[max(self.finished)] if self.finished else None

    @property
    def next_number(self) -> int:
        return max(self.known, default=0) + 1

    def restorable(self, number: int | None) -> Generation:
        """The one of that number, or the one before the current one. Raises StorageError."""
        numbers = sorted(self.finished)
        if number is None:
            if len(numbers) < 2:
                raise StorageError("no earlier generation to roll back to")
            return self.finished[numbers[-2]]
        if number in self.unfinished:
            raise StorageError(f"generation {number} was not finished and cannot be restored")
        if number not in self.finished:
            raise StorageError(f"generation {number} is not kept; kept: {', '.join(map(str, numbers)) or 'none'}")
        return self.finished[number]


def path_of(number: int) -> str:
    return f"{GENERATIONS}/{number:08}.json"


def read_generations(store: Store) -> dict[int, Generation]:
    found = {}
    for name in store.list(GENERATIONS):
        data = store.read(name)
        if data is None:
            continue
        try:
            each = msgspec.json.decode(data[0], type=Generation)
        except msgspec.DecodeError as error:
            raise StorageError(f"{name} in the store is not a generation of urlset: {error}") from error
        found[each.number] = each
    return found


# A folder with sitemaps → the files to publish: the index, what it lists, and the files that go with them.

EXTRAS = (HTML_NAME, LLMS_NAME, *FEED_NAMES.values())
"""what `urlset build` writes beside the sitemaps"""


class PublishSetError(ArgumentValueError):
    """The folder does not hold a complete set."""


def local_set(folder: Path, index: str, *, base_url: str | None = None, include: Sequence[str] = ()) -> Manifest:
    """The index, the files that it lists and the extra files; refused if one of them is not in the folder."""
    path = folder / safe_path(index)
    if not path.is_file():
        raise PublishSetError(f"{path} does not exist; name the index with --index")
    document = read(path)
    locs = [loc for each in document.columns.locs if (loc := (each or "").strip())]
    if not locs:
        raise PublishSetError("the set is empty")
    if document.kind.lists_sitemaps:
        base, names = _placed(folder, locs, path, base_url)
        files = [_file(folder, index, FileRole.INDEX), *(_file(folder, name, FileRole.SHARD) for name in names)]
    else:
        parts = urlsplit(locs[0])
        base = base_url or f"{parts.scheme}://{parts.netloc}/"
        files = [_file(folder, index, FileRole.SHARD)]
    taken = {file.name for file in files}
    extras = [name for name in _extras(folder, include) if name not in taken]
    return Manifest.of(base, (*files, *(_file(folder, name, FileRole.EXTRA) for name in extras)))


def _placed(folder: Path, locs: Sequence[str], index: Path, base_url: str | None) -> tuple[str, list[str]]:
    """The URL that the folder is served at, and the path of each listed file below it.

    Without `base_url` it is the one URL below which all listed files are found in the folder.
    """
    if base_url is not None:
        base = base_url if base_url.endswith("/") else f"{base_url}/"
        outside = [loc for loc in locs if not loc.startswith(base)]
        if outside:
            raise PublishSetError(f"{index} lists {outside[0]}, which is not below {base}")
        bases = {base}
    else:
        bases = set.intersection(*({base for base, name in _splits(loc) if _is_there(folder, name)} for loc in locs))
        if not bases:
            missing = [loc for loc in locs if not any(_is_there(folder, name) for _, name in _splits(loc))]
            if not missing:
                raise PublishSetError(f"{index} lists sitemaps of several folders or hosts; set --base-url URL")
            raise PublishSetError(_missing(index, missing, folder))
        if len(bases) > 1:
            raise PublishSetError(f"the files of {index} are found below {' and '.join(sorted(bases))}; set --base-url")
    base = bases.pop()
    names = list(dict.fromkeys(safe_path(unquote(urlsplit(loc[len(base) :]).path)) for loc in locs))
    missing = [name for name in names if not (folder / name).is_file()]
    if missing:
        raise PublishSetError(_missing(index, missing, folder))
    return base, names


def _splits(loc: str) -> Iterable[tuple[str, str]]:
    """`https://e.com/a/b.xml` → (`https://e.com/`, `a/b.xml`), (`https://e.com/a/`, `b.xml`)."""
    parts = urlsplit(loc)
    names = parts.path.strip("/").split("/")
    for at in range(len(names)):
        folder = "".join(f"{name}/" for name in names[:at])
        yield f"{parts.scheme}://{parts.netloc}/{folder}", unquote("/".join(names[at:]))


def _is_there(folder: Path, name: str) -> bool:
    try:
        return (folder / safe_path(name)).is_file()
    except UnsafeNameError:
        return False


def _missing(index: Path, missing: Sequence[str], folder: Path) -> str:
    return f"{index} lists {missing[0]}, which is not in {folder} ({len(missing):,} missing)"


def _extras(folder: Path, include: Sequence[str]) -> list[str]:
    found = [name for name in EXTRAS if (folder / name).is_file()]
    for pattern in include:
        matches = sorted(path for path in folder.glob(pattern) if path.is_file())
        if not matches:
            raise PublishSetError(f"--include {pattern}: no file of {folder} matches")
        inside = os.path.realpath(folder)
        if any(not Path(os.path.realpath(path)).is_relative_to(inside) for path in matches):
            raise PublishSetError(f"--include {pattern}: matches a file outside {folder}")
        found += [path.relative_to(folder).as_posix() for path in matches]
    return [safe_path(name) for name in dict.fromkeys(found)]


def safe_path(name: str) -> str:
    """A path whose every part is a plain name; `.urlset` and the like cannot be written over."""
    parts = PurePosixPath(name).parts
    if not parts or "/".join(parts) != name:
        raise UnsafeNameError(f"{name!r} is not a valid path for a published file")
    return "/".join(map(safe_name, parts))


def _file(folder: Path, name: str, role: FileRole) -> PublishedFile:
    data = (folder / name).read_bytes()
    entries = len(read(folder / name).columns.locs) if role is FileRole.SHARD else 0
    return PublishedFile(name, hashlib.sha256(data).hexdigest(), len(data), entries, role=role)


# Changed URLs → a command that purges a CDN; what a killed publish did not purge is purged by the next one.

PENDING = ".urlset/purge.json"


def pending(store: Store) -> list[str]:
    held = store.read(PENDING)
    try:
        return msgspec.json.decode(held[0], type=list[str]) if held is not None else []
    except msgspec.DecodeError:
        return []


def purge(store: Store, command: Sequence[str], urls: Iterable[str]) -> str | None:
    """Run the command; why it failed, or None. The URLs are forgotten only when it succeeded."""
    try:
        done = subprocess.run(command, input="".join(f"{url}\n" for url in urls), text=True, check=False)  # noqa: S603 - the user's own
    except OSError as error:
        return f"the purge command could not be started: {error.strerror or error}"
    if done.returncode:
        return f"the purge command ended with exit code {done.returncode}; the next publish runs it again"
    store.delete([PENDING])
    return None
