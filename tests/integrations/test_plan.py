"""Shards: every page in one file, always the same one, in files that are never too large."""

from __future__ import annotations

import uuid
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.integrations.asking import ask
from tests.integrations.rows import Rows
from urlset.integrations.calls import run
from urlset.integrations.plan import SERVED_LONGER, ServedSection, ServingPlan, hashed_plan, keyed_plan
from urlset.integrations.store import FolderStore, Keeper, packed, unpacked
from urlset.integrations.wsgi import SitemapApp

BASE = "https://www.example.com"
SIZE = 10


def planned(rows: Rows, last: ServingPlan | None = None, size: int = SIZE) -> ServingPlan:
    plan: ServingPlan = run(keyed_plan(ServedSection("pages", rows, size), BASE, last))
    return plan


def homes(plan: ServingPlan, rows: Rows) -> dict[Any, int]:
    """Where each key is listed, as the shards are served."""
    found: dict[Any, int] = {}
    for shard in plan.listed:
        pages = list(rows.rows(shard.after, shard.upto, plan.width))
        assert len(pages) <= SIZE
        for path, _ in pages:
            assert path not in found, f"{path} is listed twice"
            found[path] = shard.number
    return found


def test_dense_integers_need_no_memory() -> None:
    """A key alone decides, so processes that know nothing of each other agree."""
    rows = Rows(dict.fromkeys(range(1, 96)))
    before = homes(planned(rows), rows)
    for key in range(1, 60, 2):
        del rows.dates[key]
    rows.dates.update(dict.fromkeys(range(96, 130)))
    after = homes(planned(rows), rows)
    assert planned(rows).mode == "range"
    assert {path: after[path] for path in before if path in after} == {
        path: number for path, number in before.items() if path in after
    }
    assert len(after) == len(rows.dates)


@pytest.mark.parametrize("keys", [range(0, 95_000, 1000), range(-5, 90)], ids=["sparse", "negative"])
def test_other_integers_are_cut(keys: range) -> None:
    rows = Rows(dict.fromkeys(keys))
    plan = planned(rows)
    assert plan.mode == "cut"
    assert len(homes(plan, rows)) == len(keys)
    assert len(plan.shards) == 10


CHANGES = st.lists(
    st.one_of(
        st.tuples(st.just("insert"), st.integers(1, 15)),
        st.tuples(st.just("delete"), st.integers(0, 10_000)),
        st.tuples(st.just("renew"), st.just(0)),
    ),
    max_size=40,
)


@settings(deadline=None, max_examples=30)
@given(first=st.integers(0, 60), step=st.sampled_from([1, 3, 1000]), changes=CHANGES)
def test_growing_keys_never_move(first: int, step: int, changes: list[tuple[str, int]]) -> None:
    """Whatever is inserted at the end and deleted anywhere, with reads before and after each renewal."""
    rows = Rows({number * step: None for number in range(first)})
    following = first
    plan = planned(rows)
    known: dict[Any, int] = {}
    for what, amount in changes:
        if what == "insert":
            rows.dates.update({(following + number) * step: None for number in range(amount)})
            following += amount
        elif what == "delete" and rows.dates:
            del rows.dates[sorted(rows.dates)[amount % len(rows.dates)]]
        else:
            plan = planned(rows, plan)
        found = homes(plan, rows)
        assert {path: found[path] for path in known.keys() & found.keys()} == {
            path: known[path] for path in known.keys() & found.keys()
        }
        assert {path for path in known if path not in found} <= {
            path for path in known if int(path[1:]) not in rows.dates
        }
        known |= found
    plan = planned(rows, plan)
    assert homes(plan, rows).keys() == {f"/{key}" for key in rows.dates}


@settings(deadline=None, max_examples=30)
@given(st.lists(st.lists(st.uuids(), min_size=1, max_size=6), max_size=20))
def test_keys_that_come_anywhere_are_never_lost_or_doubled(arrivals: list[list[uuid.UUID]]) -> None:
    rows = Rows({})
    plan = planned(rows)
    indexes: list[tuple[list[int], set[uuid.UUID]]] = []
    """what an index listed, and the keys there were"""
    for some in arrivals:
        rows.dates.update(dict.fromkeys(some))
        plan = planned(rows, plan)
        assert homes(plan, rows).keys() == {f"/{key}" for key in rows.dates}
        indexes.append(([shard.number for shard in plan.listed], set(rows.dates)))
        for numbers, keys in indexes:  # a reader that began with any earlier index
            served = [each for number in numbers if (each := plan.shard(number)) is not None]
            found = [path for each in served for path, _ in rows.rows(each.after, each.upto, plan.most_rows(each))]
            assert len(found) == len(set(found))
            assert set(found) >= {f"/{key}" for key in keys}


def test_a_shard_that_was_replaced_is_served_for_a_week() -> None:
    rows = Rows({f"{letter}{number}": None for letter in "abcdefgh" for number in range(4)})
    section, clock = ServedSection("pages", rows, SIZE), 1_000_000.0
    plan: ServingPlan = run(keyed_plan(section, BASE, None, lambda: clock))
    before = {shard.number for shard in plan.listed}
    rows.dates.update({f"b0{number}": None for number in range(9)})
    replaced: ServingPlan = run(keyed_plan(section, BASE, plan, lambda: clock))
    (gone,) = before - {shard.number for shard in replaced.listed}
    assert replaced.shard(gone) is not None
    assert unpacked(packed(replaced)) == replaced
    later: ServingPlan = run(keyed_plan(section, BASE, replaced, lambda: clock + SERVED_LONGER + 1))
    assert later.shard(gone) is None
    assert max(shard.number for shard in later.shards) >= max(shard.number for shard in replaced.shards)


def test_only_a_split_moves_a_key() -> None:
    rows = Rows({f"{letter}{number}": None for letter in "abcdefgh" for number in range(4)})
    plan = planned(rows)
    before = homes(plan, rows)
    rows.dates.update({f"b0{number}": None for number in range(9)})
    plan = planned(rows, plan)
    after = homes(plan, rows)
    moved = {path for path in before if before[path] != after[path]}
    assert {before[path] for path in moved} == {before["/b0"]}
    new = {shard.number for shard in plan.shards} - set(before.values())
    assert {after[path] for path in moved} <= new


def test_plans_survive_storage(tmp_path: Path) -> None:
    for keys in ([1, 5_000_000, 10**12], ["a", "ü"], [uuid.uuid4() for _ in range(15)]):
        plan = planned(Rows(dict.fromkeys(keys, "2026-01-02")))
        assert unpacked(packed(plan)) == plan
    assert unpacked(b"{}") is None
    assert unpacked(b"not json") is None
    store = FolderStore(tmp_path / "new")
    assert store.load("pages") is None
    store.save("pages", b"1")
    assert store.load("pages") == b"1"


def test_a_restart_keeps_what_the_store_remembers(tmp_path: Path) -> None:
    """Deleted rows would shift every boundary that is found by counting again."""
    rows = Rows({number * 1000: None for number in range(95)})

    def app() -> SitemapApp:
        return SitemapApp(sections={"a": rows}, base_url=BASE, shard_size=SIZE, refresh=0, store=FolderStore(tmp_path))

    before = {path: ask(app(), f"/sitemap-a-{path}.xml").locs for path in range(1, 11)}
    for number in range(0, 40, 3):
        del rows.dates[number * 1000]
    after = app()
    for number, locs in before.items():
        assert set(ask(after, f"/sitemap-a-{number}.xml").locs) <= set(locs)


def test_the_date_of_a_shard_moves_when_a_page_goes() -> None:
    clock = [1_000_000_000.0]
    rows = Rows(dict.fromkeys(range(5), "2026-01-02T00:00:00Z"))
    keeper = Keeper(ServedSection("pages", rows), BASE, refresh=60, now=lambda: clock[0])
    first = keeper.plan().shards[0].modified
    assert first == 1_767_312_000.0
    del rows.dates[3]
    clock[0] = first + 500
    keeper.renew()
    assert keeper.plan().shards[0].modified == first + 500
    clock[0] += 100
    keeper.renew()
    assert keeper.plan().shards[0].modified == first + 500


def test_a_plan_is_renewed_in_the_background() -> None:
    clock = [0.0]
    rows = Rows(dict.fromkeys(range(5)))
    keeper = Keeper(ServedSection("pages", rows), BASE, refresh=60, now=lambda: clock[0])
    assert keeper.plan().shards[0].tally.count == 5
    rows.dates[5] = None
    assert keeper.plan().shards[0].tally.count == 5
    clock[0] = 61
    assert keeper.plan().shards[0].tally.count == 5
    with keeper._lock:  # the thread is done
        assert keeper._plan is not None
        assert keeper._plan.shards[0].tally.count == 6


def test_large_pages_make_smaller_shards() -> None:
    class Large(Rows):
        def rows(self, after: Any, upto: Any, limit: int) -> Any:
            return ((f"{path}/{'x' * 1900}", date) for path, date in super().rows(after, upto, limit))

    plan = planned(Large(dict.fromkeys(range(1000))), size=50_000)
    assert plan.width == 13_300


@pytest.mark.parametrize("count", [1, 10, 11, 300])
def test_iterables_are_cut_by_their_addresses(count: int) -> None:
    pages = [f"/p/{number}" for number in range(count)]
    app = SitemapApp(sections={"a": pages}, base_url=BASE, shard_size=10)
    files = [loc.removeprefix(BASE) for loc in ask(app, "/sitemap.xml").locs]
    before = {loc: file for file in files for loc in ask(app, file).locs}
    assert len(before) == count
    assert (len(files) == 1) == (count <= 10)
    del pages[::3]
    after = {loc: file for file in files for loc in ask(app, file).locs}
    assert after == {f"{BASE}{page}": before[f"{BASE}{page}"] for page in pages}


def test_a_plan_of_an_iterable_grows_by_doubling() -> None:
    """Half of each file stays where it is."""
    pages = [f"/p/{number}" for number in range(40)]
    section = ServedSection("a", pages, 10)
    small: ServingPlan = run(hashed_plan(section, BASE, None))
    pages += [f"/p/{number}" for number in range(40, 80)]
    large: ServingPlan = run(hashed_plan(section, BASE, small))
    assert large.width > small.width
    assert sum(shard.tally.count for shard in large.shards) == 80
    assert max(shard.tally.count for shard in large.shards) <= 10
    del pages[5:]
    assert run(hashed_plan(section, BASE, large)).width == large.width
