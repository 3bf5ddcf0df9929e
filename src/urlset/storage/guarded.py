"""A store → what conditions it enforces, and a lock that expires."""

from __future__ import annotations

import secrets
from collections.abc import Iterator
from contextlib import contextmanager

import msgspec

from urlset.storage.store import ConditionFailed, StorageError, Store

LOCK = ".urlset/lock.json"


class Probe(msgspec.Struct, frozen=True):
    create: bool
    """a second create-only write is refused"""
    match: bool
    """a write with a stale condition is refused, and one with the right condition is not"""
    now: float
    """by the clock of the store"""

    @property
    def enforced(self) -> bool:
        return self.create and self.match


class _Holder(msgspec.Struct, frozen=True):
    token: str
    seconds: float


def probe(store: Store) -> Probe:
    """Write a probe object under every condition; some stores ignore them silently."""
    name = f".urlset/probe-{secrets.token_hex(8)}"
    store.write(name, b"1", {})
    try:
        first = store.look(name)
        if first is None:
            raise StorageError("the store does not return an object that was just written")
        create = _refused(store, name, stale=False)
        match = _refused(store, name, stale=True)
        if match:
            try:
                store.replace(name, b"2", {}, store.look(name))
            except StorageError:
                match = False
        return Probe(create, match, first.modified)
    finally:
        store.delete([name])


def _refused(store: Store, name: str, *, stale: bool) -> bool:
    known = store.look(name) if stale else None
    if stale:
        store.write(name, b"3", {})
    try:
        store.replace(name, b"4", {}, known)
    except ConditionFailed:
        return True
    except StorageError:  # a condition that the client does not offer for this store
        return False
    return False


@contextmanager
def locked(store: Store, found: Probe, seconds: float) -> Iterator[None]:
    """Hold the lock; one that is older than its own time, by the clock of the store, is taken over."""
    mine = msgspec.json.encode(_Holder(secrets.token_hex(8), seconds))
    held = store.read(LOCK)
    if held is not None:
        age = found.now - held[1].modified
        lasts = msgspec.json.decode(held[0], type=_Holder).seconds
        if age <= lasts:
            raise StorageError(f"another publish holds the lock; it expires in {max(lasts - age, 0):.0f} seconds")
    known = held[1] if held else None
    enforced = found.create if known is None else found.match
    try:
        if enforced:
            store.replace(LOCK, mine, {}, known)
        else:
            store.write(LOCK, mine, {})
    except ConditionFailed:
        if not _is(store, mine):  # ours where only the response was lost
            raise StorageError("another publish took the lock at the same time; try again") from None
    if not _is(store, mine):
        raise StorageError("another publish took the lock at the same time; try again")
    try:
        yield
    finally:
        if _is(store, mine):
            store.delete([LOCK])


def _is(store: Store, mine: bytes) -> bool:
    held = store.read(LOCK)
    return held is not None and held[0] == mine
