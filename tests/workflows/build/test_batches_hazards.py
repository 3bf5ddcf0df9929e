"""What happens to a site between builds: lost and edited files, limits, broken input, steps back."""

from __future__ import annotations

import gzip
import json
import re
import shutil
from functools import partial
from pathlib import Path
from typing import Any

import msgspec
import pytest

from tests.workflows.batch_cases import (
    BASE,
    HEAD,
    NOW,
    ODD,
    PLAIN,
    case,
    entries_of,
    files_of,
    killed_when_published,
    lines_of,
    listed_places,
    locs_of,
    places_of,
    remembered,
    remembered_places,
    reported,
    row_of,
    run,
    run_source,
    small_files,
)
from urlset.building import known_pages, shards
from urlset.building.file_backed import pack_builds
from urlset.building.guard import Guard
from urlset.building.ledger import Ledger
from urlset.building.ledger_rows import LEDGER_FILE
from urlset.building.shards import FRAME_BYTES, ShardLimits
from urlset.building.sources import lists
from urlset.building.sources.source import SourceBroken
from urlset.building.staging import rollback
from urlset.reading.limits import is_compiled
from urlset.settings.build import BuildSettings
from urlset.workflows.build.build import build
from urlset.workflows.build.pages import PageCollector
from urlset.workflows.build.result import LEDGER, BuildError

compiled_pages = pytest.importorskip("urlset.building.compiled_pages", reason="the compiled modules were not built")
pytestmark = pytest.mark.skipif(not is_compiled(), reason="the compiled modules are not to be used")

ROWS = [row_of(loc, "2026-01-01") for loc in PLAIN]


@pytest.mark.parametrize("seed", range(16))
def test_whatever_happens_between_builds_both_ways_list_and_remember_alike(seed: int, tmp_path: Path) -> None:
    case(seed, tmp_path)


def test_rows_of_long_addresses_wait_on_disk_and_none_is_lost(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Less than a file full of them is more than is held in memory."""
    monkeypatch.setattr(known_pages, "_HELD_IN_ALL", 2000)
    monkeypatch.setattr(shards, "LIMITS", ShardLimits(40, 1 << 20, 60, 1 << 20))
    monkeypatch.setattr(compiled_pages, "PageIndex", partial(compiled_pages.PageIndex, most_bytes=700))
    rows = [row_of(f"{HEAD}/{number:04}/{'x' * 300}", None) for number in range(250)]
    run(tmp_path, rows[:3], compiled=True)
    run(tmp_path, rows, compiled=True)
    assert locs_of(tmp_path) == sorted(f"<loc>{row['loc']}" for row in rows)


def test_after_a_step_back_the_same_rows_are_published_anew(tmp_path: Path) -> None:
    run(tmp_path, ROWS[:10], compiled=True)
    run(tmp_path, ROWS, compiled=True)
    latest = files_of(tmp_path)
    rollback(tmp_path / "state", tmp_path / "out")
    assert files_of(tmp_path) != latest
    again = run(tmp_path, ROWS, compiled=True)
    assert files_of(tmp_path) == latest
    assert (again.listed, again.added, again.removed) == (len(ROWS), 0, 0)


@pytest.mark.parametrize("zipped", [False, True])
def test_a_build_that_is_killed_when_it_has_published_is_taken_up_by_the_next(zipped: bool, tmp_path: Path) -> None:
    """What is published is then not what the ledger knows: the set of before, of now and another one come next."""
    changed = [*(row_of(loc, "2026-02-02") for loc in PLAIN[:3]), *ROWS[4:], row_of(f"{HEAD}/n/1", None)]
    for number, after in enumerate((ROWS, changed, changed[2:] + ROWS[:1])):
        folder = tmp_path / str(number)
        with small_files():
            for way in ("fast", "slow"):
                run(folder / way, ROWS, compiled=way == "fast", zipped=zipped)
                killed_when_published(folder / way, lines_of(changed).encode(), compiled=way == "fast", gzip=zipped)
            fast, slow = (run(folder / way, after, compiled=way == "fast", zipped=zipped) for way in ("fast", "slow"))
        assert reported(fast) == reported(slow)
        assert files_of(folder / "fast") == files_of(folder / "slow")
        assert remembered(folder / "fast") == remembered(folder / "slow")


def test_the_only_file_becomes_the_first_though_a_killed_build_did_that_before(tmp_path: Path) -> None:
    """What is published says what the ledger remembers, under another name."""
    with small_files():
        run(tmp_path, ROWS[:4], compiled=True)
        killed_when_published(tmp_path, lines_of(ROWS[:8]).encode(), compiled=True)
        run(tmp_path, ROWS[:8], compiled=True)
    assert remembered_places(tmp_path) == listed_places(tmp_path)


def test_pages_come_and_go_beside_rows_that_stay_as_they_are(tmp_path: Path) -> None:
    three, odd = ROWS[:3], row_of(ODD[0], None)
    for rows in (three, [*three, odd], [*three, odd], three, [odd, *three[:2], row_of(PLAIN[2], None, extra=True)]):
        fast, slow = (run(tmp_path / way, rows, compiled=way == "fast") for way in ("fast", "slow"))
        assert reported(fast) == reported(slow)
        assert fast.changes == slow.changes
        assert files_of(tmp_path / "fast") == files_of(tmp_path / "slow")


def test_a_page_that_comes_in_another_way_does_not_hide_one_that_is_gone(tmp_path: Path) -> None:
    again = [row_of(PLAIN[0], "2026-01-01", extra=True), *ROWS[1:3]]
    for rows, removed in ((ROWS[:4], 0), (again, 1), (again, 0)):
        fast, slow = (run(tmp_path / way, rows, compiled=way == "fast") for way in ("fast", "slow"))
        assert reported(fast) == reported(slow)
        assert fast.removed == removed


def test_rows_that_stay_as_they_are_take_their_room(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    limits = ShardLimits(50, FRAME_BYTES + 400, 50, FRAME_BYTES + 400)
    monkeypatch.setattr(shards, "LIMITS", limits)
    for rows in (ROWS[:6], ROWS):
        for way in ("fast", "slow"):
            run(tmp_path / way, rows, compiled=way == "fast")
        assert files_of(tmp_path / "fast") == files_of(tmp_path / "slow")
    assert len(files_of(tmp_path / "fast")) > 3


@pytest.mark.parametrize("edited", [False, True])
def test_copies_may_be_lost_while_a_build_runs(edited: bool, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The rows were compared with what stood in them; the files are made of what comes instead."""
    rows = [*ROWS[1:], row_of(PLAIN[0], "2026-02-02")]
    take = PageCollector.take

    def take_and_lose(self: PageCollector, *given: Any) -> None:
        take(self, *given)
        for path in (tmp_path / "state" / "kept").iterdir():
            data = path.read_bytes()
            path.unlink()
            if edited:
                path.write_bytes(data.replace(b"2026-01-01", b"2020-01-01"))

    with small_files():
        run(tmp_path, ROWS, compiled=True)
        with monkeypatch.context() as patch:
            patch.setattr(PageCollector, "take", take_and_lose)
            assert run(tmp_path, rows, compiled=True).listed == len(rows)
    assert locs_of(tmp_path) == sorted(f"<loc>{loc}" for loc in PLAIN)
    assert sorted(re.findall("20[0-9-]+", "".join(entries_of(tmp_path)))) == 11 * ["2026-01-01"] + ["2026-02-02"]


@pytest.mark.parametrize("count", range(3, 10))
def test_a_first_build_at_the_edge_of_a_file(count: int, tmp_path: Path) -> None:
    """With rows of another kind and rows that come twice before, at and after the row that fills the file."""
    odd, twice = [row_of(loc, None) for loc in ODD], ROWS[count - 1]
    with small_files():
        for number, rows in enumerate(
            ([*ROWS[:count], *odd], [*odd, *ROWS[:count], twice], [*ROWS[: count - 1], odd[0], twice, twice, odd[1]])
        ):
            fast, slow = (run(tmp_path / str(number) / way, rows, compiled=way == "fast") for way in ("fast", "slow"))
            assert reported(fast) == reported(slow)
            for found in (entries_of, remembered):
                assert found(tmp_path / str(number) / "fast") == found(tmp_path / str(number) / "slow")


@pytest.mark.parametrize("compiled", [True, False])
def test_a_copy_that_was_edited_is_not_believed(compiled: bool, tmp_path: Path) -> None:
    """It is a second name of the published file, which somebody edits in place."""
    run(tmp_path, ROWS, compiled=True)
    path = tmp_path / "out" / "sitemap.xml"
    with path.open("r+b") as file:
        data = file.read()
        file.seek(0)
        file.write(data.replace(b"2026-01-01", b"2020-01-01"))
    with Ledger.open_to_read(tmp_path / "state" / LEDGER) as ledger:
        assert list(ledger.pages()) == []
        assert ledger.page(PLAIN[0]) is None
    again = run(tmp_path, [row_of(loc, None) for loc in PLAIN], compiled=compiled)
    assert any("was changed" in note and "count as new" in note for note in again.notes)
    assert (again.listed, again.added) == (len(PLAIN), len(PLAIN))
    assert "2020" not in "".join(entries_of(tmp_path))


def test_damaged_memory_of_builds_is_told(tmp_path: Path) -> None:
    run(tmp_path, ROWS, compiled=True)
    for builds in (b"\x00", pack_builds(*2 * [compiled_pages.array("I", [1])])):
        with Ledger.open(tmp_path / "state" / LEDGER) as ledger:
            ledger._db.execute("UPDATE backed SET builds = ?", (builds,))
        again = run(tmp_path, ROWS, compiled=True)
        assert any("count as new" in note for note in again.notes)
        assert again.listed == len(ROWS)


def test_a_state_folder_copied_without_its_files(tmp_path: Path) -> None:
    run(tmp_path / "a", ROWS, compiled=True)
    shutil.copytree(tmp_path / "a", tmp_path / "b", ignore=shutil.ignore_patterns("kept"))
    again = run(tmp_path / "b", ROWS[1:], compiled=True)
    assert (again.listed, again.changes.changed) == (len(ROWS) - 1, ("sitemap.xml",))


def test_pages_whose_rows_were_kept_one_by_one_stay_in_their_files(tmp_path: Path) -> None:
    """As after an update, or a build with sections: new pages come beside them."""
    with small_files():
        run(tmp_path, ROWS[:10], compiled=False)
        before = places_of(tmp_path)
        run(tmp_path, [*ROWS, *(row_of(f"{HEAD}/n/{at}", None) for at in range(20))], compiled=True)
        after = places_of(tmp_path)
    for name, entries in before.items():
        assert set(entries) <= set(after[name])


def test_a_ledger_of_the_first_form_is_brought_up(tmp_path: Path) -> None:
    path = tmp_path / "state" / LEDGER
    msgspec.structs.replace(LEDGER_FILE, migrations=LEDGER_FILE.migrations[:1]).connect(path).close()
    assert run(tmp_path, ROWS, compiled=True).added == len(ROWS)
    assert run(tmp_path, ROWS, compiled=True).added == 0
    with Ledger.open_to_read(path) as ledger:
        assert sum(1 for _ in ledger.pages()) == len(ROWS)
        assert sum(each.count for each in ledger.backed()) == len(ROWS)


def test_a_refused_build_leaves_the_memory_as_it_was(tmp_path: Path) -> None:
    run(tmp_path, ROWS, compiled=True)
    before = remembered(tmp_path), files_of(tmp_path)
    options = BuildSettings(
        sources=(str(tmp_path / "rows.jsonl"),), base_url=BASE, out=tmp_path / "out", state=tmp_path / "state", now=NOW
    )
    (tmp_path / "rows.jsonl").write_text(lines_of([row_of(f"{HEAD}/n/1", None)]))
    report = build(options)
    assert [refusal.name for refusal in report.refusals] == ["shrink"]
    assert (remembered(tmp_path), files_of(tmp_path)) == before


def test_strict_stops_at_the_row_and_changes_nothing(tmp_path: Path) -> None:
    run(tmp_path, ROWS, compiled=True)
    before = remembered(tmp_path), files_of(tmp_path)
    source = (lines_of(ROWS) + "{\n").encode()
    with pytest.raises(BuildError, match=r"rows\.jsonl:13: not JSON"):
        run_source(tmp_path, source, compiled=True, strict=True)
    assert (remembered(tmp_path), files_of(tmp_path)) == before


def test_other_kinds_of_sources_go_on_from_file_backed_pages(tmp_path: Path) -> None:
    run(tmp_path, ROWS, compiled=True)
    table = "loc,lastmod\n" + "".join(f"{loc},2026-01-01\n" for loc in PLAIN)
    again = run_source(tmp_path, table.encode(), compiled=True, name="rows.csv")
    assert (again.added, again.removed, again.redated, again.changes.touched) == (0, 0, 0, ())
    site = tmp_path / "site"
    (site / "p").mkdir(parents=True)
    words = "<p>Some words about this page, so that it is worth a line in the list of pages. " * 8
    for number in range(3):
        (site / "p" / f"{number}.html").write_text(f"<!doctype html><title>{number}</title>{words}{number}")
    options = BuildSettings(
        sources=(str(site),),
        base_url=BASE,
        out=tmp_path / "out",
        state=tmp_path / "state",
        force=(Guard.SHRINK,),
        now=NOW,
    )
    report = build(options)
    assert (report.listed, report.removed) == (3, len(PLAIN))


@pytest.mark.parametrize("count", [1, 45_000, 45_001])
def test_a_file_is_filled_to_its_limit(count: int, tmp_path: Path) -> None:
    source = "".join(f'{{"loc":"{HEAD}/{number:05}"}}\n' for number in range(count)).encode()
    assert run_source(tmp_path, source, compiled=True).listed == count
    expected = {"sitemap.xml": count} if count <= 45_000 else {
        "sitemap-pages-1.xml": 45_000, "sitemap-pages-2.xml": 1, "sitemap.xml": 0
    }  # fmt: skip
    assert {name: len(entries) for name, entries in places_of(tmp_path).items()} == expected


def test_nothing_to_list_is_refused(tmp_path: Path) -> None:
    options = BuildSettings(
        sources=(str(tmp_path / "r"),), base_url=BASE, out=tmp_path / "out", state=tmp_path / "s", now=NOW
    )
    (tmp_path / "r").write_text('{"loc": "https://elsewhere.example/"}\n')
    assert [refusal.name for refusal in build(options).refusals] == ["empty"]


def test_pages_that_get_dates_may_have_to_move(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    frame = FRAME_BYTES
    limits = ShardLimits(12, frame + 12 * 75, 12, frame + 12 * 75)
    monkeypatch.setattr(shards, "LIMITS", limits)
    run(tmp_path, [row_of(loc, None) for loc in PLAIN], compiled=True)
    run(tmp_path, ROWS, compiled=True)
    assert len(locs_of(tmp_path)) == len(PLAIN)
    sizes = [sum(map(len, entries)) for entries in places_of(tmp_path).values()]
    assert max(sizes) <= 12 * 75  # without what stands around them
    assert len([size for size in sizes if size]) == 2


def test_an_entry_larger_than_any_file_is_told(tmp_path: Path) -> None:
    rows = [*ROWS, {"loc": f"{HEAD}/q?x", "images": [f"/{number}" for number in range(100)]}]
    with small_files():
        fast, slow = (run(tmp_path / way, rows, compiled=way == "fast") for way in ("fast", "slow"))
    assert reported(fast) == reported(slow)
    assert [each.reason for each in fast.troubles] == ["entry exceeds the size limit of a sitemap"]


@pytest.mark.parametrize("longer", [-2, -1, 0, 1, 2])
@pytest.mark.parametrize("ending", ["\n", ""])
def test_the_longest_line_is_as_long_as_in_the_ordinary_way(
    longer: int, ending: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(lists, "LONGEST_LINE", 200)
    row = json.dumps({"loc": PLAIN[1], "title": ""})
    long = row.replace('""', f'"{"x" * (200 - len(row) + longer)}"')
    source = (lines_of(ROWS[2:]) + long + ending).encode()
    fast, slow = (run_source(tmp_path / way, source, compiled=way == "fast") for way in ("fast", "slow"))
    assert reported(fast) == reported(slow)
    assert [each.origin for each in fast.troubles] == [each.origin for each in slow.troubles]


def test_packed_rows_that_break_off_are_told(tmp_path: Path) -> None:
    packed = gzip.compress(lines_of([row_of(f"{HEAD}/{at}", None) for at in range(40_000)]).encode())
    middle = len(packed) // 2
    for broken in (packed[:middle], packed[:middle] + b"\xff" * 200 + packed[middle:]):
        with pytest.raises(SourceBroken, match="broke off"):
            run_source(tmp_path, broken, compiled=True, name="rows.jsonl.gz")
    assert not list((tmp_path / "out").iterdir())


def test_a_page_under_another_spelling_takes_the_place_of_the_first(tmp_path: Path) -> None:
    reports: list[tuple[Any, ...]] = []
    for way in ("fast", "slow"):
        run(tmp_path / way, ROWS, compiled=way == "fast")
        spelled = row_of(PLAIN[1].replace("www", "WWW"), "2026-01-01")
        second = run(tmp_path / way, [spelled, *ROWS], compiled=way == "fast")
        third = run(tmp_path / way, ROWS, compiled=way == "fast")
        reports.append((reported(second), reported(third), remembered(tmp_path / way)))
    assert reports[0] == reports[1]
    assert re.search("/p/1<", "".join(entries_of(tmp_path / "fast")))


def test_a_row_that_names_its_section_gets_the_file_of_that_section(tmp_path: Path) -> None:
    run(tmp_path, [*ROWS, {"loc": f"{HEAD}/n/1", "section": "more"}], compiled=True)
    assert [len(entries) for entries in places_of(tmp_path).values()] == [1, len(ROWS), 0]
    assert "sitemap-more-1.xml" in files_of(tmp_path)
