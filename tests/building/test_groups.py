"""Entries that are added to a group in parts → the same from the disk as from memory."""

from __future__ import annotations

from array import array
from itertools import accumulate
from pathlib import Path
from random import Random

import pytest

from urlset.building import pages
from urlset.building.known_pages import PageGroup
from urlset.building.pages import EntryRun


@pytest.mark.parametrize("seed", range(30))
def test_a_group_on_disk_gives_what_was_added(seed: int, tmp_path: Path) -> None:
    chance = Random(seed)
    group = PageGroup(tmp_path / "group", "", None, pages.NEW)
    wanted: list[tuple[bytes, int, int, int]] = []
    for _ in range(chance.randint(1, 20)):
        part = [
            (bytes([97 + chance.randrange(26)]) * chance.randint(1, 9), chance.randint(1, 8), 3, chance.randrange(8))
            for _ in range(chance.randint(1, 12))
        ]
        wanted += part
        entries, first_seen, changed, masks = zip(*part, strict=True)
        ends = array("I", accumulate(map(len, entries)))
        group.add(EntryRun(b"".join(entries), ends, array("I", first_seen), array("I", changed), bytes(masks)))
        if chance.random() < 0.4:
            group.store()
    assert len(group) == len(wanted)
    sizes = [len(entry) for entry, *_ in wanted]
    for _ in range(60):
        low, high = sorted(chance.choices(range(len(wanted) + 1), k=2))
        assert group.size_of(low, high) == sum(sizes[low:high])
        found = [
            each
            for part in group.cut(low, high)
            for each in zip(part.pieces(), part.first_seen, part.changed, strict=True)
        ]
        assert found == [each[:3] for each in wanted[low:high]]
        union = 0
        for *_, mask in wanted[low:high]:
            union |= mask
        assert group.masks(low, high) == union
        room, most = chance.randint(-1, 60), chance.randint(-1, 30)
        fit = low
        while fit < len(wanted) and fit - low < most and sum(sizes[low : fit + 1]) <= room:
            fit += 1
        assert group.fitting(low, most, room) == fit
