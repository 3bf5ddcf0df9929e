"""A set and a store → its objects in place: bodies first, then children, then the generation, the index last."""

from __future__ import annotations

import hashlib
import subprocess
from collections.abc import Callable
from pathlib import Path

import msgspec

from urlset.building.guard import SHRINK_PERCENT, refusals
from urlset.building.manifest import FileRole, Manifest
from urlset.storage.guarded import Probe, locked, probe
from urlset.storage.headers import CACHE_CONTROL, attributes_of
from urlset.storage.store import ConditionFailed, StorageError, Store, Stored
from urlset.workflows.publish.local_set import local_set

GENERATIONS = ".urlset/generations"
KEPT = ".urlset/kept"


class PublishOptions(msgspec.Struct, frozen=True, kw_only=True):
    to: str
    folder: Path | None = None
    endpoint: str | None = None
    index: str = "sitemap.xml"
    cache_control: str = CACHE_CONTROL
    keep: int = 10
    lock_seconds: float = 600.0
    force: tuple[str, ...] = ()
    shrink_percent: float = SHRINK_PERCENT
    dry_run: bool = False
    purge: tuple[str, ...] = ()
    """a command that gets the changed URLs on standard input"""


class Generation(msgspec.Struct, frozen=True):
    number: int
    manifest: Manifest
    bodies: dict[str, str]
    """file name → the kept object"""
    attributes: dict[str, dict[str, str]]
    tags: dict[str, str]
    """file name → the tag of the published object"""
    schema: int = 1


class PublishReport(msgspec.Struct, frozen=True):
    to: str
    generation: int | None
    uploaded: tuple[str, ...] = ()
    changed: tuple[str, ...] = ()
    refusals: tuple[str, ...] = ()
    notes: tuple[str, ...] = ()
    purge_failed: str | None = None
    dry_run: bool = False


def publish(options: PublishOptions) -> PublishReport:
    assert options.folder is not None
    folder = options.folder
    proposed = local_set(folder, options.index)
    bodies, attributes = {}, {}
    for file in proposed.files:
        found = attributes_of(file.name, (folder / file.name).read_bytes(), options.cache_control)
        digest = hashlib.sha256(msgspec.json.encode(found)).hexdigest()[:8]
        attributes[file.name], bodies[file.name] = found, f"{KEPT}/{file.sha256}-{digest}"
    wanted = Generation(0, proposed, bodies, attributes, {})
    return _placed(options, wanted, lambda name: (folder / name).read_bytes())


def rollback(options: PublishOptions, number: int | None = None) -> PublishReport:
    """Publish a kept generation again, as a new one; by default the one before the current one."""
    store = Store(options.to, endpoint=options.endpoint)
    known = generations(store)
    if number is None:
        if len(known) < 2:
            raise StorageError("no earlier generation to roll back to")
        number = sorted(known)[-2]
    if number not in known:
        kept = ", ".join(map(str, sorted(known))) or "none"
        raise StorageError(f"generation {number} is not kept; kept: {kept}")
    wanted = known[number]

    def body(name: str) -> bytes:
        found = store.read(wanted.bodies[name])
        if found is None:
            raise StorageError(f"generation {number} is incomplete: the body of {name} is missing")
        return found[0]

    return _placed(msgspec.structs.replace(options, force=("shrink", "section", "host")), wanted, body)


def generations(store: Store) -> dict[int, Generation]:
    found = {}
    for name in store.list(GENERATIONS):
        if (data := store.read(name)) is not None:
            each = msgspec.json.decode(data[0], type=Generation)
            found[each.number] = each
    return found


def _placed(options: PublishOptions, wanted: Generation, body: Callable[[str], bytes]) -> PublishReport:
    store = Store(options.to, endpoint=options.endpoint)
    entry = wanted.manifest.entry_point
    assert entry is not None
    index, known, live = store.read(entry.name), generations(store), store.list("")
    current = known[max(known)] if known else None
    changed = tuple(
        file.name for file in wanted.manifest.files if not _in_place(file.name, wanted, current, live, index)
    )
    refused = refusals(
        wanted.manifest,
        current.manifest if current else None,
        shrink_percent=options.shrink_percent,
        force=options.force,
    )
    number = current.number if current else None
    report = PublishReport(options.to, number, dry_run=options.dry_run, changed=changed)
    if refused:
        return msgspec.structs.replace(report, refusals=tuple(f"{each.name}: {each.text}" for each in refused))
    if options.dry_run or not changed:
        return report
    found = probe(store)
    with locked(store, found, options.lock_seconds):
        if store.read(entry.name) != index or set(store.list(GENERATIONS)) != {_path(n) for n in known}:
            raise StorageError("another publish finished in the meantime; run the command again")
        uploaded = _publish(store, found, wanted, changed, body, index[1] if index else None, max(known, default=0) + 1)
        _prune(store, known, wanted, options.keep)
    notes = () if found.enforced else (_UNENFORCED,)
    failed = _purged(options.purge, [wanted.manifest.url_of(name) for name in changed])
    return msgspec.structs.replace(
        report, generation=max(known, default=0) + 1, uploaded=uploaded, notes=notes, purge_failed=failed
    )


_UNENFORCED = (
    "the store does not enforce conditional writes: two publishes at the same time can overwrite each other; "
    "run only one at a time"
)


def _path(number: int) -> str:
    return f"{GENERATIONS}/{number:08}.json"


def _in_place(
    name: str,
    wanted: Generation,
    current: Generation | None,
    live: dict[str, Stored],
    index: tuple[bytes, Stored] | None,
) -> bool:
    if current is None or current.bodies.get(name) != wanted.bodies[name] or name not in live:
        return False
    entry, file = wanted.manifest.entry_point, wanted.manifest.named(name)
    assert entry is not None
    assert file is not None
    if name == entry.name:
        return index is not None and hashlib.sha256(index[0]).hexdigest() == file.sha256
    return current.tags.get(name) == live[name].tag


def _publish(
    store: Store,
    found: Probe,
    wanted: Generation,
    changed: tuple[str, ...],
    body: Callable[[str], bytes],
    index: Stored | None,
    number: int,
) -> tuple[str, ...]:
    kept, uploaded = store.list(KEPT), []
    files = {file.name: file for file in wanted.manifest.files}
    for name in changed:
        data, target = body(name), wanted.bodies[name]
        if hashlib.sha256(data).hexdigest() != files[name].sha256:
            raise StorageError(f"{name} changed while it was published; run the command again")
        if target not in kept or kept[target].size != len(data):
            store.write(target, data, wanted.attributes[name])
            uploaded.append(name)
        _verify(store, target, len(data))
    entry = wanted.manifest.entry_point
    assert entry is not None
    for name in changed:
        if name != entry.name:
            store.copy(wanted.bodies[name], name)
            _verify(store, name, files[name].bytes)
    live = store.list("")
    tags = {name: live[name].tag for name in files if name != entry.name and name in live}
    generation = msgspec.structs.replace(wanted, number=number, tags=tags)
    store.write(_path(number), msgspec.json.encode(generation), {"Content-Type": "application/json"})
    if entry.name in changed:
        _write_index(store, found, entry.name, body(entry.name), wanted.attributes[entry.name], index)
    return tuple(uploaded)


def _write_index(
    store: Store, found: Probe, name: str, data: bytes, attributes: dict[str, str], known: Stored | None
) -> None:
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
        store.write(name, data, attributes)
    held = store.read(name)
    if held is None or held[0] != data:
        raise StorageError(f"{name} does not read back as written")


def _verify(store: Store, name: str, size: int) -> None:
    found = store.look(name)
    if found is None or found.size != size:
        raise StorageError(f"{name} was not stored completely; the index is unchanged")


def _prune(store: Store, known: dict[int, Generation], wanted: Generation, keep: int) -> None:
    """Old generations and their bodies; children that neither this generation nor the one before lists."""
    numbers = sorted(known)
    dropped = numbers[: max(0, len(numbers) + 1 - keep)]
    left = [wanted, *(known[number] for number in numbers if number not in dropped)]
    store.delete(_path(number) for number in dropped)
    used = {path for each in left for path in each.bodies.values()}
    store.delete(name for name in store.list(KEPT) if name not in used)
    listed = set(wanted.bodies) | (set(known[numbers[-1]].bodies) if numbers else set())
    stale = {file.name for each in known.values() for file in each.manifest.files if file.role is FileRole.SHARD}
    live = store.list("")
    store.delete(name for name in stale - listed if name in live)


def _purged(command: tuple[str, ...], urls: list[str]) -> str | None:
    if not command:
        return None
    try:
        done = subprocess.run(command, input="\n".join(urls) + "\n", text=True, check=False)  # noqa: S603 - theirs
    except OSError as error:
        return str(error)
    return f"the purge command ended with exit code {done.returncode}" if done.returncode else None
