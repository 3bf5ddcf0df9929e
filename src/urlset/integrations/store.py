"""Plans of sections: made on first use, renewed in the background, and stored for other processes and later runs."""

from __future__ import annotations

import asyncio
import logging
import threading
import time
from collections.abc import Callable
from contextlib import AbstractContextManager, nullcontext
from datetime import date, datetime
from decimal import Decimal
from functools import partial
from pathlib import Path
from typing import Any, Protocol
from uuid import UUID

import msgspec

from urlset.integrations.calls import Steps, run, run_async
from urlset.integrations.keyed import Key, Tally
from urlset.integrations.plan import PlannedShard, ServedSection, ServingPlan, hashed_plan, keyed_plan
from urlset.writing.files import write_atomically

FORMAT = 1


class PlanStore(Protocol):
    """Where plans are kept between requests, processes and restarts."""

    def load(self, name: str) -> bytes | None: ...

    def save(self, name: str, data: bytes) -> None: ...


class FolderStore:
    """One small JSON file per section; every process of a machine may share the folder."""

    def __init__(self, folder: str | Path) -> None:
        self._folder = Path(folder)

    def load(self, name: str) -> bytes | None:
        try:
            return (self._folder / f"{name}.json").read_bytes()
        except FileNotFoundError:
            return None

    def save(self, name: str, data: bytes) -> None:
        self._folder.mkdir(parents=True, exist_ok=True)
        write_atomically(self._folder / f"{name}.json", [data])


class _Row(msgspec.Struct, array_like=True):
    number: int
    after: tuple[str, str] | None
    upto: tuple[str, str] | None
    count: int
    latest: str | None
    digest: str
    modified: float
    retired: float = 0.0


class _File(msgspec.Struct):
    format: int
    mode: str
    width: int
    made: float
    shards: list[_Row]


def packed(plan: ServingPlan) -> bytes:
    rows = [
        _Row(
            shard.number,
            _key_out(shard.after),
            _key_out(shard.upto),
            shard.tally.count,
            shard.tally.latest,
            shard.tally.digest,
            shard.modified,
            shard.retired,
        )
        for shard in plan.shards
    ]
    return msgspec.json.encode(_File(FORMAT, plan.mode, plan.width, plan.made, rows))


def unpacked(data: bytes) -> ServingPlan | None:
    """None for what another version wrote, or what is damaged."""
    try:
        found = msgspec.json.decode(data, type=_File)
        if found.format != FORMAT:
            return None
        shards = tuple(
            PlannedShard(
                row.number,
                _key_in(row.after),
                _key_in(row.upto),
                Tally(row.count, row.latest, row.digest),
                row.modified,
                row.retired,
            )
            for row in found.shards
        )
    except (msgspec.MsgspecError, ValueError, ArithmeticError):
        return None
    return ServingPlan(found.mode, found.width, shards, found.made)


_KINDS: dict[str, tuple[type, Any]] = {
    "int": (int, int),
    "str": (str, str),
    "datetime": (datetime, datetime.fromisoformat),
    "date": (date, date.fromisoformat),
    "uuid": (UUID, UUID),
    "decimal": (Decimal, Decimal),
}


def _key_out(key: Key | None) -> tuple[str, str] | None:
    if key is None:
        return None
    for name, (kind, _) in _KINDS.items():
        if type(key) is kind:
            return name, key.isoformat() if isinstance(key, date) else str(key)
    raise TypeError(f"a key of type {type(key).__name__} is not supported: use an integer, a string, a date or a UUID")


def _key_in(written: tuple[str, str] | None) -> Key | None:
    if written is None:
        return None
    if written[0] not in _KINDS:
        raise ValueError(written[0])
    key: Key = _KINDS[written[0]][1](written[1])
    return key


# Plans in memory.

LOGGER = logging.getLogger("urlset")
Context = Callable[[], AbstractContextManager[Any]]
_SOON = 5.0
"""minimum time between two plans"""


class Keeper:
    """The plan of one section."""

    def __init__(
        self,
        section: ServedSection,
        base_url: str,
        refresh: float,
        store: PlanStore | None = None,
        context: Context = nullcontext,
        *,
        shared: bool = False,
        now: Callable[[], float] = time.time,
    ) -> None:
        """`context` surrounds every use of the source that is not part of a request."""
        self._section, self._base_url, self._refresh = section, base_url, refresh
        self._store, self._context, self._now = store, context, now
        self._shared = shared and store is not None
        self._plan: ServingPlan | None = None
        self._lock = threading.Lock()
        self._task: asyncio.Task[None] | None = None

    @property
    def age(self) -> float | None:
        """Seconds since the plan was made; None when there is none."""
        return None if self._plan is None else self._now() - self._plan.made

    def plan(self) -> ServingPlan:
        """The plan at hand, renewed by another thread when it is old; waits only when there is none.

        With `refresh` 0 every call makes a new one. With `shared` every call reads the store, so every
        process answers by the same plan.
        """
        if self._shared:
            self._plan = self._load()
        if self._plan is None or not self._refresh:
            with self._lock:
                if self._plan is None or not self._refresh:
                    self._plan = run(self._steps())
        plan = self._plan
        if self._is_old() and self._lock.acquire(blocking=False):
            threading.Thread(target=self._renew, name="urlset-sitemaps", daemon=True).start()
        return plan

    async def plan_async(self) -> ServingPlan:
        if not self._refresh:
            self._plan = await run_async(self._steps())
        elif self._plan is None or (self._is_old() and self._task is None):
            if self._task is None:
                self._task = asyncio.get_running_loop().create_task(self._renew_async())
            if self._plan is None:
                await asyncio.shield(self._task)
        assert self._plan is not None
        return self._plan

    def renew(self) -> ServingPlan:
        """At once, unless the plan was made a moment ago: another process may know of shards that this one does not."""
        if self.age is None or self.age > _SOON:
            with self._lock:
                self._plan = run(self._steps())
        return self.plan()

    async def renew_async(self) -> ServingPlan:
        if self.age is not None and self.age > _SOON:
            if self._task is None:
                self._task = asyncio.get_running_loop().create_task(self._renew_async())
            await asyncio.shield(self._task)
        return await self.plan_async()

    def _is_old(self) -> bool:
        return self.age is not None and self.age >= self._refresh > 0

    def _renew(self) -> None:
        """With the lock held, which is let go at the end."""
        try:
            with self._context():
                self._plan = run(self._steps())
        except Exception:
            LOGGER.exception("section %s: could not renew the plan of its sitemaps", self._section.name)
            self._try_later()
        finally:
            self._lock.release()

    async def _renew_async(self) -> None:
        try:
            self._plan = await run_async(self._steps())
        except Exception:
            if self._plan is None:
                raise
            LOGGER.exception("section %s: could not renew the plan of its sitemaps", self._section.name)
            self._try_later()
        finally:
            self._task = None

    def _try_later(self) -> None:
        if self._plan is not None:
            self._plan = msgspec.structs.replace(self._plan, made=self._now())

    def _steps(self) -> Steps:
        last = self._plan
        if self._store is not None:
            stored = yield self._load
            if stored is not None and (last is None or stored.made > last.made):
                last = stored
                if self._now() - last.made < min(self._refresh, _SOON):
                    return last  # another process made it a moment ago
        if self._section.keyed is not None:
            plan = yield from keyed_plan(self._section, self._base_url, last, self._now)
        else:
            plan = yield from hashed_plan(self._section, self._base_url, last, self._now)
        if self._store is not None:
            stored = yield self._load
            if stored is not None and last is not None and stored.made > max(last.made, plan.made):
                return stored  # another process was quicker
            yield partial(self._store.save, self._section.name, packed(plan))
        return plan

    def _load(self) -> ServingPlan | None:
        assert self._store is not None
        data = self._store.load(self._section.name)
        return None if data is None else unpacked(data)
