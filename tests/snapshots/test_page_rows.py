"""Pages of a snapshot: every filter finds what a loop over all rows finds, in one go or stretch by stretch."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from urlset.snapshots import page_rows
from urlset.snapshots.page_rows import PAGE, PageFilter, PageSearch, SnapshotPage
from urlset.snapshots.parquet import EntryBlock, SnapshotWriter
from urlset.snapshots.series import FileInfo, SnapshotError, SnapshotInfo

ROWS = 1_000
FILES = ("https://example.com/a.xml", "https://example.com/b.xml")


def _facts(number: int) -> dict[str, Any]:
    return {
        "state": ("ok", "gone", "redirected")[number % 3],
        "status": (200, 404, 200)[number % 3],
        "indexable": number % 3 == 0,
        "indexed": None if number % 5 else number % 2 == 0,
        "title": f"Lamp {number}" if number % 2 else None,
        "codes": ("A001", "A012 A0012", None)[number % 3],
    }


@pytest.fixture(scope="module")
def snapshot(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, SnapshotInfo]:
    path = tmp_path_factory.mktemp("rows") / "one.parquet"
    facts = [_facts(number) for number in range(ROWS)]
    states = {each: sum(fact["state"] == each for fact in facts) for each in ("ok", "gone", "redirected")}
    info = SnapshotInfo(
        target="https://example.com/",
        taken="2026-11-15T06:00:00+00:00",
        entries=ROWS,
        files=tuple(FileInfo(name, ROWS // 2) for name in FILES),
        states=states,
        findings={"A001": sum("A001" in (fact["codes"] or "").split() for fact in facts)},
    )
    writer = SnapshotWriter(path)
    for at, name in enumerate(FILES):
        numbers = range(at * ROWS // 2, (at + 1) * ROWS // 2)
        locs = [f"https://example.com/{'Lamps' if number % 7 else '100%_off'}/{number}" for number in numbers]
        block = EntryBlock(name, range(len(locs)), locs, {"lastmod": ["2026-11-01"] * len(locs)})
        writer.add(block, {key: [facts[number][key] for number in numbers] for key in facts[0]})
    writer.close(info.encode())
    return path, info


@pytest.fixture(scope="module")
def search() -> Iterator[PageSearch]:
    pytest.importorskip("duckdb")
    found = PageSearch()
    yield found
    found.close()


def all_of(search: PageSearch, snapshot: tuple[Path, SnapshotInfo], wanted: PageFilter) -> list[SnapshotPage]:
    """Page after page."""
    rows: list[SnapshotPage] = []
    start: int | None = 0
    while start is not None:
        found = search.find(*snapshot, wanted, start=start, seconds=0)
        assert len(found.rows) <= PAGE
        rows += found.rows
        start = found.after
    return rows


FILTERS: list[tuple[PageFilter, Callable[[SnapshotPage], bool]]] = [
    (PageFilter(), lambda _: True),
    (PageFilter(text="Lamps/99"), lambda row: "Lamps/99" in row.loc),
    (PageFilter(text="%_"), lambda row: "%_" in row.loc),
    (PageFilter(text="nothing like it"), lambda _: False),
    (PageFilter(title="lAMP 99"), lambda row: "lamp 99" in (row.title or "").lower()),
    (PageFilter(state="gone"), lambda row: row.state == "gone"),
    (PageFilter(state="gone", text="7"), lambda row: row.state == "gone" and "7" in row.loc),
    (PageFilter(status=404), lambda row: row.status == 404),
    (PageFilter(code="A012"), lambda row: "A012" in (row.codes or "").split()),
    (PageFilter(code="A001"), lambda row: "A001" in (row.codes or "").split()),
    (PageFilter(code="A00"), lambda _: False),
    (PageFilter(file=FILES[1]), lambda row: row.file == FILES[1]),
    (PageFilter(indexed=False), lambda row: row.indexed is False),
    (PageFilter(indexable=True, code="A001"), lambda row: bool(row.indexable) and "A001" in (row.codes or "")),
    (PageFilter(text="'; DROP TABLE x"), lambda _: False),
]


@pytest.mark.parametrize("stretch", [ROWS * 2, 137])
@pytest.mark.parametrize(("wanted", "fits"), FILTERS)
def test_filters_find_what_a_loop_finds(
    search: PageSearch,
    snapshot: tuple[Path, SnapshotInfo],
    monkeypatch: pytest.MonkeyPatch,
    wanted: PageFilter,
    fits: Callable[[SnapshotPage], bool],
    stretch: int,
) -> None:
    everything = all_of(search, snapshot, PageFilter())
    assert [row.row for row in everything] == list(range(ROWS))
    monkeypatch.setattr(page_rows, "STRETCH", stretch)
    assert all_of(search, snapshot, wanted) == [row for row in everything if fits(row)]


@pytest.mark.parametrize(("wanted", "fits"), FILTERS)
def test_totals_are_exact(
    search: PageSearch, snapshot: tuple[Path, SnapshotInfo], wanted: PageFilter, fits: Callable[[SnapshotPage], bool]
) -> None:
    expected = sum(fits(row) for row in all_of(search, snapshot, PageFilter()))
    found = search.find(*snapshot, wanted, seconds=60)
    assert found.is_complete
    assert (found.found, found.total) == (expected, expected)
    assert len(list(search.all(snapshot[0], wanted))) == expected


def test_a_search_out_of_time_says_how_far_it_got(
    search: PageSearch, snapshot: tuple[Path, SnapshotInfo], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(page_rows, "STRETCH", 100)
    found = search.find(*snapshot, PageFilter(text="nothing like it"), seconds=0)
    assert (found.rows, found.searched, found.after, found.total) == ((), 100, 100, None)
    assert not found.is_complete


def test_a_snapshot_that_was_removed(search: PageSearch, snapshot: tuple[Path, SnapshotInfo]) -> None:
    with pytest.raises(SnapshotError, match="cannot be read, or was removed"):
        search.find(snapshot[0].with_name("gone.parquet"), snapshot[1], PageFilter())


@pytest.mark.parametrize("start", [-5, ROWS, ROWS * 10])
def test_a_start_outside_of_the_snapshot(search: PageSearch, snapshot: tuple[Path, SnapshotInfo], start: int) -> None:
    found = search.find(*snapshot, PageFilter(), start=start)
    assert len(found.rows) == (PAGE if start < 0 else 0)
