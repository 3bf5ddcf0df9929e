"""Every request of a publish × every fault → what a polling reader saw, and whether the next publish recovered.

python -m tests.workflows.publish.sweep moto rclone azurite
"""

from __future__ import annotations

import os
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Iterable
from pathlib import Path

import msgspec

import urlset
from tests.workflows.publish.faults import DROPS, KILLS, OUTAGE, FaultyProxy, Reader, publish_in_process, write_version
from tests.workflows.publish.stores import CREDENTIALS, STORES
from urlset.storage.guarded import LOCK
from urlset.storage.store import StorageError, Store
from urlset.workflows.publish import Generations, read_generations

_KEEP = 3


class Tally(msgspec.Struct):
    faults: Counter[str] = msgspec.field(default_factory=Counter)
    """by mode: how often one was injected"""
    requests: int = 0
    """of a publish without a fault"""
    finished: int = 0
    """publishes that completed in spite of the fault"""
    unfinished_generations: int = 0
    reads: int = 0
    broken_off: int = 0
    """responses that the store ended early"""
    wrong: list[str] = []


def sweep(endpoint: str, folder: Path, modes: Iterable[str], steps: Iterable[int], to: str) -> Tally:
    """One publish for each mode and step with a fault, each followed by one without."""
    store, proxy, tally, version = Store(to, endpoint=endpoint), FaultyProxy(endpoint), Tally(), 1
    write_version(folder, version)
    urlset.publish(folder, to, endpoint=endpoint)
    version += 1
    write_version(folder, version)
    proxy.plan(None)
    urlset.publish(folder, to, endpoint=proxy.endpoint, keep=_KEEP)
    tally.requests, with_body = proxy.count, proxy.with_body
    chosen = [step for step in steps if step <= tally.requests]
    with Reader(lambda name: found[0] if (found := store.read(name)) else None) as reader:
        for mode in modes:
            for step in chosen:
                if mode.endswith("middle") and step not in with_body:
                    continue  # the same as before it
                version += 1
                write_version(folder, version)
                proxy.plan(mode, step)
                tally.finished += _faulty(folder, to, proxy, mode)
                tally.faults[mode] += 1
                tally.wrong += [f"{mode} at {step}: {each}" for each in _recovered(store, folder, to, endpoint, tally)]
                tally.wrong += [f"{mode} at {step}: {each}" for each in reader.violations]
                reader.violations.clear()
    tally.reads, tally.broken_off = reader.rounds, reader.broken_off
    proxy.close()
    return tally


def _faulty(folder: Path, to: str, proxy: FaultyProxy, mode: str) -> bool:
    if mode.startswith("kill"):
        return publish_in_process(folder, to, proxy.endpoint, proxy, keep=_KEEP) == 0
    try:
        urlset.publish(folder, to, endpoint=proxy.endpoint, keep=_KEEP)
    except StorageError:
        return False
    return True


def _recovered(store: Store, folder: Path, to: str, endpoint: str, tally: Tally) -> Iterable[str]:
    """The next publish completes, the one after it has nothing to do, and what was not finished does not count."""
    index = store.read("sitemap.xml")
    generations = Generations(read_generations(store), index[0] if index else None)
    tally.unfinished_generations += len(generations.unfinished)
    live = index[0].decode() if index else ""
    try:
        current, before = generations.current, generations.restorable(None)
        if current is None or before.manifest.entry_point == current.manifest.entry_point:
            yield f"the generation to roll back to is the live one: {live[:100]}"
    except StorageError as error:
        yield f"no rollback: {error}"
    store.delete([LOCK])  # instead of waiting until it expires, which is tested elsewhere
    urlset.publish(folder, to, endpoint=endpoint, keep=_KEEP)
    again = urlset.publish(folder, to, endpoint=endpoint, keep=_KEEP)
    if again.changed or again.uploaded:
        yield f"the second publish changed {again.changed}"


def main(stores: list[str]) -> int:
    os.environ.update(CREDENTIALS)
    failed = 0
    for name in stores:
        began = time.monotonic()
        with tempfile.TemporaryDirectory() as place, STORES[name](Path(place)) as (endpoint, to):
            tally = sweep(endpoint, Path(place) / "site", (*KILLS, *DROPS, OUTAGE), range(1, 1000), to)
        total = tally.faults.total()
        kills = sum(count for mode, count in tally.faults.items() if mode in KILLS)
        sys.stdout.write(
            f"{name}: {tally.requests} requests a publish, {kills} kills and {total - kills} dropped connections and"
            f" outages, {tally.finished} publishes finished in spite of them, {tally.unfinished_generations} unfinished"
            f" generations ignored, {tally.reads:,} reads ({tally.broken_off:,} broken off by the store),"
            f" {len(tally.wrong)} violations,"
            f" {time.monotonic() - began:.0f} s\n"
        )
        sys.stdout.writelines(f"  {line}\n" for line in tally.wrong[:20])
        failed += len(tally.wrong)
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:] or list(STORES)))
