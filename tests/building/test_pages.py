"""Files of the last build and pages of this one, given to the compiled index and to its twin in Python."""

from __future__ import annotations

from array import array
from itertools import accumulate
from pathlib import Path
from random import Random
from typing import Any

import pytest

from urlset.building import pages
from urlset.building.file_backed import HAS_ROW
from urlset.building.pages import EntryRun
from urlset.model.entry import Entry
from urlset.reading.limits import is_compiled
from urlset.writing.urlset import CLOSING, entry_bytes, opening

compiled_pages = pytest.importorskip("urlset.building.compiled_pages", reason="the compiled modules were not built")
pytestmark = pytest.mark.skipif(not is_compiled(), reason="the compiled modules are not to be used")

HEAD = "https://www.example.com"
DATES = [None, "2025-01-01", "2025-02-02T10:00:00Z"]
BUILD = 9
HELD: list[dict[str, int]] = [
    {},
    {"most_keys": 16},
    {"most_keys": 16, "most_known": 20, "most_alone": 3},
    {"most_keys": 16, "most_known": 20, "most_alone": 3, "key_bits": 7},
]
"""what is kept in memory; with keys of seven bits most pages have the key of another one"""


def _file(chance: Random, locs: list[str]) -> tuple[bytes, array[int]]:
    """A file of the last build, and the builds its entries were met in; some pages have rows of their own."""
    entries = [entry_bytes(Entry(loc, chance.choice(DATES))) for loc in sorted(locs)]
    builds = array("I", (chance.choice([HAS_ROW, 1, 2, 3]) for _ in entries))
    return b"".join((opening(()), *entries, CLOSING)), builds


def _dealt(index: Any) -> dict[int, list[tuple[bytes, int, int, int]]]:
    found = {}
    for group, part in index.flush_groups().items():
        pieces = list(part.pieces())
        assert sum(map(len, pieces)) == len(part.entries)
        found[group] = list(zip(pieces, part.first_seen, part.changed, part.masks, strict=True))
    return found


@pytest.mark.parametrize(
    ("size", "seed"), [*((size, seed) for size in (3, 40, 400) for seed in range(20)), (20_000, 2)]
)
@pytest.mark.parametrize("held", HELD)
def test_the_compiled_book_says_what_its_twin_says(size: int, seed: int, held: dict[str, int], tmp_path: Path) -> None:
    chance = Random(seed)
    pool = [
        f"{HEAD}/{chance.choice(['a', 'b?x=1&y', 'it%27s/', 'a-long-one/' * 9])}/{number}" for number in range(size)
    ]
    sections = [chance.randrange(3) for _ in range(chance.randint(0, 3))]
    compiled = compiled_pages.PageIndex(BUILD, sections, folder=tmp_path, **held)
    indexes = compiled, pages.PageIndex(BUILD, tuple(sections))
    for index in indexes:
        index.expect(size)
    for loc in chance.sample(pool, size // 10):
        for index in indexes:
            index.load_row(loc.encode())
    last = [_file(chance, chance.sample(pool, chance.randint(1, size // 2 + 1))) for _ in sections]
    for number, (data, builds) in enumerate(last):
        reported = [index.load_file(data, number, builds, builds) for index in indexes]
        assert reported[0] == reported[1]
    for loc in chance.choices(pool, k=size):
        assert len({index.known(loc.encode()) for index in indexes}) == 1
        met = {index.meet(loc.encode()) for index in indexes}
        assert len(met) == 1
        if not met.pop():
            continue
        section, entry = chance.randrange(3), entry_bytes(Entry(loc, chance.choice(DATES)))
        if chance.random() < 0.1:
            for index in indexes:
                index.put_anew(loc.encode(), entry, index.group_of(pages.NEW, section), 4, 5, 6)
        else:
            for index in indexes:
                index.put(loc.encode(), entry, section, 1)
    assert indexes[0].groups == indexes[1].groups
    assert _dealt(indexes[0]) == _dealt(indexes[1])
    assert size < 400 or any(tmp_path.iterdir()) == bool(held)
    for index in indexes:
        index.forget_keys()
    assert not any(tmp_path.iterdir())
    for number, (data, builds) in enumerate(last):
        assert indexes[0].share(number) == indexes[1].share(number)
        found = [index.entries(data, number, builds, builds) for index in indexes]
        assert found[0] == found[1]


def test_a_file_that_is_not_as_it_was_written_is_refused() -> None:
    data, builds = _file(Random(1), [f"{HEAD}/{number}" for number in range(5)])
    for module in (compiled_pages, pages):
        index = module.PageIndex(BUILD, (0,))
        for broken, numbers in ((data, builds[:3]), (data.replace(b"  <url>\n", b"<url>\n", 1), builds)):
            with pytest.raises(ValueError, match="entries that were written"):
                index.load_file(broken, 0, numbers, numbers)


@pytest.mark.parametrize("seed", range(20))
def test_entries_are_arranged_alike(seed: int) -> None:
    chance = Random(seed)
    locs = [f"{HEAD}/{''.join(chance.choices('ab-&', k=chance.randint(0, 30)))}" for _ in range(chance.randint(1, 80))]
    entries = [entry_bytes(Entry(loc, chance.choice(DATES))) for loc in dict.fromkeys(locs)]
    fresh = chance.choice([0, 1, len(entries) // 8, len(entries)])
    cut = chance.randint(0, len(entries))
    builds = array("I", range(len(entries)))
    ends = array("I", accumulate(map(len, entries[:cut])))
    one = EntryRun(b"".join(entries[:cut]), ends, builds[:cut], builds[:cut])
    spread = b"".join(b"gap" + entry for entry in entries[cut:])
    ends = array("I", accumulate(len(entry) + 3 for entry in entries[cut:]))
    starts = array("I", (end - len(entry) for end, entry in zip(ends, entries[cut:], strict=True)))
    two = EntryRun(spread, ends, builds[cut:], builds[: len(entries) - cut], b"", starts)
    found = [module.in_order([one, two], b"<", b">", fresh) for module in (compiled_pages, pages)]
    assert found[0] == found[1]
    assert all(entry in found[0][3] for entry in entries[:fresh])
