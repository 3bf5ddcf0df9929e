"""Files of the last build and rows of this one, given to the compiled code and to a plain model of it."""

from __future__ import annotations

import json
from array import array
from itertools import accumulate
from random import Random
from typing import Any

import pytest

from urlset.model.entry import Entry
from urlset.reading.scanner import is_compiled
from urlset.writing.urlset import CLOSING, entry_bytes, opening

compiled_rows = pytest.importorskip("urlset.building.compiled_rows", reason="the compiled modules were not built")
pytestmark = pytest.mark.skipif(not is_compiled(), reason="the compiled modules are not to be used")

HEAD = "https://www.example.com"
DATES = [None, "2025-01-01", "2025-02-02T10:00:00Z"]
BUILD = 9
NEW: int = compiled_rows.NEW
APART: int = compiled_rows.APART


class Model:
    """What `RowLane` must say, in dictionaries."""

    def __init__(self) -> None:
        self.pages: dict[str, tuple[int, str | None, int]] = {}
        """file, lastmod and first build of what is known"""
        self.met: set[str] = set()
        self.kept: dict[int, set[str]] = {}
        self.dealt: dict[int, list[tuple[bytes, int, int]]] = {}
        """entries that were written, with the builds they were met first and written last in"""

    def feed(self, loc: str, lastmod: str | None) -> int:
        file, last, seen = self.pages.get(loc, (NEW, None, BUILD))
        if loc in self.met:
            return int(compiled_rows.DOUBLE)
        if file == APART or (file != NEW and last is not None and lastmod is None):
            return int(compiled_rows.ODD)
        self.met.add(loc)
        if file != NEW and last == lastmod:
            self.kept[file].add(loc)
        else:
            self.dealt.setdefault(file, []).append((entry_bytes(Entry(loc, lastmod)), seen, BUILD))
        return int(compiled_rows.END)

    def meet(self, loc: str) -> int | None:
        if loc in self.met:
            return None
        self.met.add(loc)
        return self.pages.get(loc, (NEW, None, 0))[0]


class Last:
    """A file of the last build."""

    def __init__(self, chance: Random, locs: list[str]) -> None:
        self.entries = [(loc, chance.choice(DATES), chance.randint(0, 3)) for loc in sorted(locs)]
        """a page that was met first in build 0 has a row of its own"""
        body = [entry_bytes(Entry(loc, lastmod)) for loc, lastmod, _ in self.entries]
        self.data = b"".join((opening(()), *body, CLOSING))
        self.builds = array("I", (seen for _, _, seen in self.entries))


def _remembered(chance: Random, pool: list[str], apart: int, lane: Any, model: Model, files: int) -> list[Last]:
    for loc in chance.sample(pool, apart):
        model.pages[loc] = APART, None, 0
        lane.know_apart(loc.encode())
    found = []
    for number in range(files):
        # some pages stand in two files: the first counts
        last = Last(chance, chance.sample(pool, chance.randint(1, len(pool) // 2)))
        told = 0
        for loc, lastmod, seen in last.entries:
            if seen and loc not in model.pages:
                model.pages[loc] = number, lastmod, seen
                told += 1
        model.kept[number] = set()
        assert lane.know(last.data, number, last.builds, last.builds) == told
        found.append(last)
    return found


def _feed(lane: Any, model: Model, rows: list[tuple[str, str | None]]) -> None:
    """Rows in one block; those that are not taken are passed over."""
    lines = [
        (json.dumps({"loc": loc} if lastmod is None else {"loc": loc, "lastmod": lastmod}) + "\n").encode()
        for loc, lastmod in rows
    ]
    data, at, row = b"".join(lines), 0, 0
    while at < len(data):
        to = lane.feed(data, at)
        while at < to:
            assert model.feed(*rows[row]) == compiled_rows.END
            at += len(lines[row])
            row += 1
        assert at == to
        if lane.why == compiled_rows.FULL:
            _deal(lane, model)
        elif lane.why != compiled_rows.END:
            assert model.feed(*rows[row]) == lane.why
            at += len(lines[row])
            row += 1


def _deal(lane: Any, model: Model) -> None:
    found = {}
    for file, (entries, ends, first_seen, changed) in lane.deal().items():
        starts = [0, *ends[:-1]]
        pieces = [bytes(entries[start:end]) for start, end in zip(starts, ends, strict=True)]
        assert sum(map(len, pieces)) == len(entries)
        found[file] = list(zip(pieces, first_seen, changed, strict=True))
    assert found == model.dealt
    model.dealt = {}


def _said(chance: Random, model: Model, loc: str, calm: int) -> str | None:
    """Mostly what was said in the last build."""
    return model.pages[loc][1] if loc in model.pages and chance.randrange(calm) else chance.choice(DATES)


CASES = [*((size, seed) for size in (3, 40, 400) for seed in range(25)), (30_000, 2)]
"""the last, so that the tables grow in the middle of everything"""


@pytest.mark.parametrize(("size", "seed"), CASES)
def test_rows_are_kept_written_and_turned_away_as_the_model_has_it(size: int, seed: int) -> None:
    chance = Random(seed)
    pool = [f"{HEAD}/{chance.choice(['a', 'b/c', 'a-long-one/' * 9])}/{number}" for number in range(size)]
    calm = chance.choice([4, 10, 80])  # one row in so many is turned away or changed
    files = chance.randint(0, 3)
    lane = compiled_rows.RowLane(HEAD.encode(), b"2026-11-15", BUILD, files, most_rows=chance.choice([1, 99, 1 << 16]))
    model = Model()
    last = _remembered(chance, pool, len(pool) // calm, lane, model, files)
    for _ in range(3):
        among = chance.sample(pool, chance.randint(1, len(pool)))
        rows = [(loc, _said(chance, model, loc, calm)) for loc in among]
        for at in chance.sample(
            range(len(rows)), len(rows) // calm
        ):  # among the rows that are read at once, or far off
            rows.insert(at + chance.choice([1, 5, len(rows)]), rows[at])
        for loc in chance.sample(pool, len(pool) // calm):
            assert lane.meet(loc.encode()) == model.meet(loc)
        _feed(lane, model, rows)
    _deal(lane, model)
    for loc in pool:
        assert lane.has_met(loc.encode()) == (loc in model.met)
    for number, each in enumerate(last):
        _compare_kept(lane, model, number, each)


def _compare_kept(lane: Any, model: Model, number: int, last: Last) -> None:
    expected = [
        (entry_bytes(Entry(loc, lastmod)), seen)
        for loc, lastmod, seen in last.entries
        if seen and loc in model.kept[number]
    ]
    entries, ends, first_seen, changed = lane.kept(last.data, number, last.builds, last.builds)
    assert entries == b"".join(entry for entry, _ in expected)
    assert list(first_seen) == list(changed) == [seen for _, seen in expected]
    assert list(ends) == list(accumulate(len(entry) for entry, _ in expected))
    _, kept, size = lane.share(number)
    assert (kept, size) == (len(expected), len(entries))
