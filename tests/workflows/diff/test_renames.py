"""A migration of more URLs than are searched at once → the same renames, as far as the last segment stayed."""

from __future__ import annotations

import pytest

from tests.snapshots.renames.migrations import migration
from urlset.snapshots.delta import MemoryDelta, MemoryState
from urlset.snapshots.parquet import EntryBlock
from urlset.workflows import diff


def delta(made: list[str], after: list[str]) -> MemoryDelta:
    states = []
    for locs in (made, after):
        state = MemoryState()
        state.add(EntryBlock("s.xml", range(len(locs)), locs, {}))
        states.append(state)
    return MemoryDelta(states[0], states[1])


def test_searching_in_parts_finds_what_keeps_its_last_segment(monkeypatch: pytest.MonkeyPatch) -> None:
    kept = {"blog", "docs", "help", "kb"}
    truth = {old: new for old, new in migration(1).truth.items() if old.split("/")[3].lower() in kept}
    monkeypatch.setattr(diff, "AT_ONCE", 40)
    found, note = diff.renames_of(delta(list(truth), list(truth.values())), {})
    assert {each.old: each.new for each in found} == truth
    assert note is not None
