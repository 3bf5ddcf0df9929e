"""A store → what conditions it enforces, and a lock that expires and is renewed while it is held."""

from __future__ import annotations

import secrets
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from threading import Event, Lock, Thread

import msgspec

from urlset.storage.store import ConditionFailed, StorageError, Store, Stored

LOCK = ".urlset/lock.json"
_DEFAULT_SECONDS = 600.0
_RACE = "another {what} took the lock at the same time; try again"
_LOST = "the lock was lost to another {what}; nothing further was written, run the command again"


class LockHeld(StorageError):  # noqa: N818 - an answer, not a mistake
    """Another process has the lock."""


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
    renewed: int = 0


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


class HeldLock:
    """The lock of this process; a thread renews it, so it expires only where the process is gone."""

    def __init__(self, store: Store, found: Probe, seconds: float, what: str = "publish") -> None:
        self._store, self._found, self._seconds, self._what = store, found, seconds, what
        self._holder = _Holder(secrets.token_hex(8), seconds)
        self._tag: Stored | None = None
        self._renewed = time.monotonic()
        self._lost = False
        self._stop, self._turn = Event(), Lock()
        self._thread = Thread(target=self._keep, name="urlset-lock", daemon=True)

    def check(self) -> None:
        """Raises StorageError where another publish may hold the lock by now: before anything becomes visible."""
        if self._lost or time.monotonic() - self._renewed > self._seconds:
            raise StorageError(_LOST.format(what=self._what))

    def take(self) -> None:
        held = self._store.read(LOCK)
        if held is not None:
            age, lasts = self._found.now - held[1].modified, _DEFAULT_SECONDS
            with suppress(msgspec.DecodeError):
                lasts = msgspec.json.decode(held[0], type=_Holder).seconds
            if age <= lasts:
                left = max(lasts - age, 0)
                raise LockHeld(f"another {self._what} holds the lock; it expires in {left:.0f} seconds")
        self._tag = held[1] if held else None
        self._write()
        self._thread.start()

    def release(self) -> None:
        self._stop.set()
        self._thread.join()
        if not self._lost and self._is_ours():
            self._store.delete([LOCK])

    def _write(self) -> None:
        began = time.monotonic()
        mine = msgspec.json.encode(self._holder)
        enforced = self._found.create if self._tag is None else self._found.match
        try:
            if enforced:
                self._store.replace(LOCK, mine, {}, self._tag)
            else:
                self._store.write(LOCK, mine, {})
        except ConditionFailed:  # also where only the response was lost
            pass
        held = self._store.read(LOCK)
        if held is None or held[0] != mine:
            raise LockHeld(_RACE.format(what=self._what))
        self._tag, self._renewed = held[1], began

    def _keep(self) -> None:
        while not self._stop.wait(self._seconds / 3):
            with self._turn:
                if not self._is_ours():
                    self._lost = True
                    return
                try:
                    self._holder = msgspec.structs.replace(self._holder, renewed=self._holder.renewed + 1)
                    self._write()
                except StorageError:  # a connection that was dropped: tried again until the time is over
                    if not self._is_ours():
                        self._lost = True
                        return

    def _is_ours(self) -> bool:
        """Also where the store cannot be asked now: `check` then decides by the time."""
        try:
            held = self._store.read(LOCK)
        except StorageError:
            return True
        try:
            return held is not None and msgspec.json.decode(held[0], type=_Holder).token == self._holder.token
        except msgspec.DecodeError:
            return False


@contextmanager
def locked(store: Store, found: Probe, seconds: float, what: str = "publish") -> Iterator[HeldLock]:
    """Hold the lock; one that was not renewed for its own time, by the clock of the store, is taken over."""
    held = HeldLock(store, found, seconds, what)
    held.take()
    try:
        yield held
    finally:
        held.release()
