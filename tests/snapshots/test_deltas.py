"""The comparison in memory and the one on disk → the same answer on any two states."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from tempfile import TemporaryDirectory
from unittest.mock import patch

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from urlset.snapshots import delta as stored_delta
from urlset.snapshots.delta import Delta, MemoryDelta, MemoryState, StoredDelta, StoredState
from urlset.snapshots.parquet import FIELDS, EntryBlock, SnapshotWriter
from urlset.writing.files import WORK, WorkFolder

pytest.importorskip("duckdb")
pytest.importorskip("pyarrow")

LOCS = st.sampled_from([f"https://e.com/{name}" for name in ("a", "b", "c'", "d?x=1", "é", "[e]", "*")])
VALUE = st.sampled_from([None, "2024-01-01", "2024-01-02", "daily", '[{"loc":"x"}]'])
ENTRY = st.tuples(LOCS, st.sampled_from(["one.xml", "two.xml"]), VALUE, VALUE, VALUE)
STATE = st.lists(ENTRY, max_size=12)
Entries = list[tuple[str, str, str | None, str | None, str | None]]


def blocks(entries: Entries) -> Iterator[EntryBlock]:
    for file in ("one.xml", "two.xml"):
        rows = [entry for entry in entries if entry[1] == file]
        fields = {name: [row[at] for row in rows] for at, name in ((2, "lastmod"), (3, "changefreq"), (4, "images"))}
        if rows:
            yield EntryBlock(file, range(len(rows)), [row[0] for row in rows], fields)


def in_memory(old: Entries, new: Entries, fields: tuple[str, ...]) -> MemoryDelta:
    states = []
    for entries in (old, new):
        state = MemoryState()
        for block in blocks(entries):
            state.add(block)
        states.append(state)
    return MemoryDelta(states[0], states[1], fields)


def in_parts(old: Entries, new: Entries, folder: Path, fields: tuple[str, ...]) -> StoredDelta:
    """A Parquet file for each sitemap, one for both states if they are equal; hashes are written apart."""
    states = []
    known: dict[str, Path] = {}
    for entries in (old, new):
        parts = []
        for block in blocks(entries):
            content = repr(block._replace(file=""))
            if content not in known:
                known[content] = folder / f"{len(known)} [x]'.part"
                with SnapshotWriter(known[content]) as writer:
                    writer.add(block)
            parts.append((known[content], block.file))
        states.append(StoredState(None, {}, len(entries), tuple(parts)))
    with patch.object(stored_delta, "parts", lambda _rows: 4), patch.object(stored_delta, "_FILES", 2):
        return StoredDelta(states[0], states[1], WorkFolder(folder, WORK), fields)


def on_disk(old: Entries, new: Entries, folder: Path, fields: tuple[str, ...]) -> StoredDelta:
    states = []
    for name, entries in (("old", old), ("new", new)):
        path = folder / f"{name} [x]'.parquet"
        with SnapshotWriter(path) as writer:
            for block in blocks(entries):
                writer.add(block)
        states.append(StoredState(path, {"one.xml": "one.xml", "two.xml": "two.xml"}, len(entries)))
    return StoredDelta(states[0], states[1], WorkFolder(folder, WORK), fields)


def everything(delta: Delta) -> tuple[object, ...]:
    return (
        delta.counts,
        list(delta.added()),
        list(delta.removed()),
        list(delta.changed()),
        list(delta.moved()),
    )


@settings(max_examples=24, deadline=None)
@given(STATE, STATE, st.sampled_from([FIELDS, ("lastmod",)]), st.booleans())
def test_both_give_the_same(old: Entries, new: Entries, fields: tuple[str, ...], parts: bool) -> None:
    with TemporaryDirectory() as name:
        stored = (in_parts if parts and old and new else on_disk)(old, new, Path(name), fields)
        try:
            assert everything(stored) == everything(in_memory(old, new, fields))
        finally:
            stored.close()


@given(STATE, STATE, st.randoms(use_true_random=False))
def test_order_does_not_count(old: Entries, new: Entries, random: object) -> None:
    shuffled = list(new)
    random.shuffle(shuffled)  # type: ignore[attr-defined]
    assert everything(in_memory(old, new, FIELDS)) == everything(in_memory(old, shuffled, FIELDS))


@given(STATE, STATE)
def test_every_url_is_counted_once(old: Entries, new: Entries) -> None:
    counts = in_memory(old, new, FIELDS).counts
    assert counts.old == len({entry[0] for entry in old})
    assert counts.new == len({entry[0] for entry in new})
