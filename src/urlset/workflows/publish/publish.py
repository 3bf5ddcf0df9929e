"""A set and a store → its objects in place: bodies first, then children, then the generation, the index last."""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Iterable

import msgspec

from urlset.building.guard import refusals
from urlset.storage.guarded import HeldLock, Probe, locked, probe
from urlset.storage.store import ConditionFailed, StorageError, Store, Stored, attributes_of
from urlset.workflows.publish.generations import GENERATIONS, KEPT, Generation, Generations, path_of, read_generations
from urlset.workflows.publish.local_set import local_set
from urlset.workflows.publish.options import PublishOptions, PublishReport
from urlset.workflows.publish.purge import note_pending, pending, purge

_UNENFORCED = (
    "the store does not enforce conditional writes: two publishes at the same time can overwrite each other; "
    "run only one at a time"
)
_FOREIGN = "the index was changed or deleted by another program since the last publish; it was replaced"
Index = tuple[bytes, Stored] | None


def publish(options: PublishOptions) -> PublishReport:
    """Raises StorageError, and PublishSetError where the folder does not hold a complete set."""
    assert options.folder is not None
    folder = options.folder
    proposed = local_set(folder, options.index, base_url=options.base_url, include=options.include)
    bodies, attributes = {}, {}
    for file in proposed.files:
        found = attributes_of(file.name, (folder / file.name).read_bytes(), options.cache_control)
        digest = hashlib.sha256(msgspec.json.encode(found)).hexdigest()[:8]
        attributes[file.name], bodies[file.name] = found, f"{KEPT}/{file.sha256}-{digest}"
    store = Store(options.to, endpoint=options.endpoint)
    wanted = Generation(0, proposed, bodies, attributes, {})
    return _Publish(options, store, wanted, lambda name: (folder / name).read_bytes()).run()


def rollback(options: PublishOptions, number: int | None = None) -> PublishReport:
    """Publish a kept generation again, as a new one; by default the one before the current one."""
    store = Store(options.to, endpoint=options.endpoint)
    known = read_generations(store)
    index = store.read(options.index)
    wanted = Generations(known, index[0] if index else None).restorable(number)

    def body(name: str) -> bytes:
        found = store.read(wanted.bodies[name])
        if found is None:
            raise StorageError(f"generation {wanted.number} is incomplete: the body of {name} is missing")
        return found[0]

    forced = msgspec.structs.replace(options, force=("shrink", "section", "host"))
    return _Publish(forced, store, wanted, body).run()


class _Publish:
    """One publish; `body` gives the bytes of a file by its name."""

    def __init__(self, options: PublishOptions, store: Store, wanted: Generation, body: Callable[[str], bytes]) -> None:
        self._options, self._store, self._wanted, self._body = options, store, wanted, body
        entry = wanted.manifest.entry_point
        assert entry is not None
        self._entry = entry
        self._files = {file.name: file for file in wanted.manifest.files}

    def run(self) -> PublishReport:
        options, store, manifest = self._options, self._store, self._wanted.manifest
        index: Index = store.read(self._entry.name)
        known = read_generations(store)
        generations = Generations(known, index[0] if index else None)
        current = generations.current
        changed = self._changed(current, index)
        refused = refusals(
            manifest,
            current.manifest if current else None,
            shrink_percent=options.shrink_percent,
            force=options.force,
        )
        report = PublishReport(
            options.to, current.number if current else None, dry_run=options.dry_run, changed=changed
        )
        if refused:
            return msgspec.structs.replace(report, refusals=tuple(f"{each.name}: {each.text}" for each in refused))
        if options.dry_run:
            return report
        waiting = pending(store) if options.purge else []
        notes: tuple[str, ...] = ()
        if changed:
            found = probe(store)
            with locked(store, found, options.lock_seconds) as held:
                if store.read(self._entry.name) != index or set(store.list(GENERATIONS)) != set(map(path_of, known)):
                    raise StorageError("another publish finished in the meantime; run the command again")
                if options.purge:
                    waiting = [*waiting, *map(manifest.url_of, changed)]
                    note_pending(store, waiting)
                uploaded = self._place(found, held, changed, index[1] if index else None, generations.next_number)
                self._prune(generations)
            notes = (*((_FOREIGN,) if generations.foreign else ()), *(() if found.enforced else (_UNENFORCED,)))
            report = msgspec.structs.replace(report, generation=generations.next_number, uploaded=uploaded, notes=notes)
        failed = purge(store, options.purge, dict.fromkeys(waiting)) if waiting else None
        return msgspec.structs.replace(report, purge_failed=failed)

    def _changed(self, current: Generation | None, index: Index) -> tuple[str, ...]:
        live = _live(self._store, self._files)
        return tuple(name for name in self._files if not self._in_place(name, current, live, index))

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
        uploaded = self._upload(changed)
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
        return uploaded

    def _upload(self, changed: tuple[str, ...]) -> tuple[str, ...]:
        """The bodies, out of sight and under names that say what is in them."""
        kept, uploaded = self._store.list(KEPT), []
        for name in changed:
            data, target = self._body(name), self._wanted.bodies[name]
            if hashlib.sha256(data).hexdigest() != self._files[name].sha256:
                raise StorageError(f"{name} changed while it was published; run the command again")
            if target not in kept or kept[target].size != len(data):
                self._store.write(target, data, self._wanted.attributes[name])
                uploaded.append(name)
            self._verify(target, len(data))
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
        dropped = {*generations.unfinished, *numbers[: max(0, len(numbers) + 1 - self._options.keep)]}
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
