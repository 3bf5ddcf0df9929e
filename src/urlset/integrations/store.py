"""Plans → text that other processes and later runs can read, kept in a folder or a cache."""

from __future__ import annotations

from datetime import date, datetime
from decimal import Decimal
from pathlib import Path
from typing import Any, Protocol
from uuid import UUID

import msgspec

from urlset.integrations.keyed import Key, Tally
from urlset.integrations.plan import PlannedShard, ServingPlan
from urlset.writing.atomic import write_atomically

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
            _spelled(shard.after),
            _spelled(shard.upto),
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
                _read(row.after),
                _read(row.upto),
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


def _spelled(key: Key | None) -> tuple[str, str] | None:
    if key is None:
        return None
    for name, (kind, _) in _KINDS.items():
        if type(key) is kind:
            return name, key.isoformat() if isinstance(key, date) else str(key)
    raise TypeError(f"a key of type {type(key).__name__} is not supported: use an integer, a string, a date or a UUID")


def _read(spelled: tuple[str, str] | None) -> Key | None:
    if spelled is None:
        return None
    if spelled[0] not in _KINDS:
        raise ValueError(spelled[0])
    key: Key = _KINDS[spelled[0]][1](spelled[1])
    return key
