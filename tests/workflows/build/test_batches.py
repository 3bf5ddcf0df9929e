"""Compiled code against its twin in Python: the same pages, dates, reasons and memory, build after build."""

from __future__ import annotations

import gzip
import io
import json
import os
import random
import re
import subprocess
import sys
import time
import xml.etree.ElementTree as ET
from array import array
from collections.abc import Iterator
from datetime import UTC, datetime
from itertools import accumulate
from pathlib import Path
from typing import Any

import msgspec
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from tests.house.source_tree import ROOT
from tests.workflows.batch_cases import (
    BASE,
    DATES,
    HEAD,
    LEFT_OUT,
    NOW,
    ODD,
    PLAIN,
    entries_of,
    files_of,
    lines_of,
    remembered,
    reported,
    row_of,
    run,
    run_source,
    small_files,
)
from urlset.building.candidate import EvidenceKind
from urlset.building.guard import Guard
from urlset.building.ledger import Ledger, LedgerRow
from urlset.building.pages import EntryRun
from urlset.building.sources import lists
from urlset.reading.limits import is_compiled
from urlset.settings.build import BuildSettings
from urlset.workflows.build.build import build
from urlset.workflows.build.result import LEDGER, BuildRun

compiled_pages = pytest.importorskip("urlset.building.compiled_pages", reason="the compiled modules were not built")
pytestmark = pytest.mark.skipif(not is_compiled(), reason="the compiled modules are not to be used")


@pytest.fixture(name="small_files")
def _small_files() -> Iterator[None]:
    with small_files():
        yield


ROWS = st.lists(
    st.builds(
        row_of,
        st.sampled_from(PLAIN + PLAIN + ODD + LEFT_OUT),
        st.sampled_from(DATES),
        st.sampled_from([False, False, False, True]),
    ),
    min_size=1,
    max_size=25,
)


@pytest.mark.usefixtures("small_files")
@given(st.lists(ROWS, min_size=1, max_size=3), st.booleans())
@settings(max_examples=12, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
def test_compiled_code_lists_dates_and_remembers_as_python_does(
    tmp_path_factory: pytest.TempPathFactory, builds: list[list[dict[str, Any]]], zipped: bool
) -> None:
    root = tmp_path_factory.mktemp("compiled")
    for rows in builds:
        fast = run(root / "fast", rows, compiled=True, zipped=zipped)
        slow = run(root / "slow", rows, compiled=False, zipped=zipped)
        assert reported(fast) == reported(slow)
        assert entries_of(root / "fast") == entries_of(root / "slow")
        assert remembered(root / "fast") == remembered(root / "slow")
        assert [trouble.reason for trouble in fast.troubles] == [trouble.reason for trouble in slow.troubles]


@pytest.mark.usefixtures("small_files")
@given(st.lists(st.lists(st.sampled_from(PLAIN), min_size=1, max_size=12, unique=True), min_size=1, max_size=3))
@settings(max_examples=10, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
def test_the_files_are_the_same_bytes(tmp_path_factory: pytest.TempPathFactory, builds: list[list[str]]) -> None:
    root = tmp_path_factory.mktemp("compiled")
    before: set[str] = set()
    gone: set[str] = set()
    for number, offered in enumerate(builds):
        # a page that comes back is known by a row of its own, and is placed after the new ones
        locs = [loc for loc in offered if loc not in gone] or [PLAIN[0] + "-else"]
        gone, before = gone | (before - set(locs)), set(locs)
        rows = [row_of(loc, f"2026-01-{number + 1:02}" if loc[-1] in "13" else "2025-01-01") for loc in locs]
        fast, slow = run(root / "fast", rows, compiled=True), run(root / "slow", rows, compiled=False)
        assert files_of(root / "fast") == files_of(root / "slow")
        assert fast.changes == slow.changes


@given(
    st.lists(
        st.tuples(st.sampled_from(["", "a", "garden/", "garden/chairs/teak-"]), st.text(alphabet="abc", max_size=12)),
        min_size=2,
        max_size=200,
        unique=True,
    ),
    st.integers(0, 3000),
)
@settings(deadline=None)
def test_addresses_that_are_much_alike_come_out_by_address(ends: list[tuple[str, str]], alike: int) -> None:
    addresses = [("x" * alike + "".join(end)).encode() for end in ends]
    entries = [b"  <url>\n    <loc>%b</loc>\n  </url>\n" % address for address in addresses]
    for opening, closing in ((b"", b""), (b"<urlset>\n", b"</urlset>\n")):
        numbers = array("I", range(len(entries)))
        run = EntryRun(b"".join(entries), array("I", accumulate(map(len, entries))), numbers, numbers[::-1])
        file, first_seen, changed, _ = compiled_pages.in_order([run], opening, closing)
        order = sorted(range(len(addresses)), key=lambda number: (addresses[number], number))
        assert list(first_seen) == order
        assert list(changed) == [len(entries) - 1 - number for number in order]
        assert file == b"".join((opening, *(entries[number] for number in order), closing))


@pytest.mark.parametrize("cut", range(1, 60, 7))
def test_rows_may_be_cut_anywhere(cut: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(lists, "_BLOCK", cut)
    rows = [row_of(loc, "2026-01-01") for loc in PLAIN + ODD]
    assert run(tmp_path, rows, compiled=True).listed == len(rows)


def test_a_lost_copy_costs_dates_but_no_pages(tmp_path: Path) -> None:
    rows = [row_of(loc, "2026-01-01") for loc in PLAIN]
    run(tmp_path, rows, compiled=True)
    for path in (tmp_path / "state" / "kept").iterdir():
        path.unlink()
    again = run(tmp_path, rows, compiled=True)
    assert again.listed == len(PLAIN)
    assert any("count as new" in note for note in again.notes)
    third = run(tmp_path, rows, compiled=True)
    assert (third.added, third.notes) == (0, ())  # the copy is there again


def test_a_page_can_be_explained_out_of_a_file(tmp_path: Path) -> None:
    run(tmp_path, [row_of(loc, "2026-01-01") for loc in PLAIN], compiled=True)
    with Ledger.open_to_read(tmp_path / "state" / LEDGER) as ledger:
        found = ledger.explain(PLAIN[3])
        assert found is not None
        assert found.listed
        assert found.page is not None
        assert (found.page.lastmod, found.page.evidence_kind) == ("2026-01-01", EvidenceKind.GIVEN.value)
        assert ledger.explain(f"{HEAD}/p/99") is None


def test_pages_that_come_with_images_stay_where_they_are(tmp_path: Path) -> None:
    run(tmp_path, [row_of(loc, "2026-01-01") for loc in PLAIN], compiled=True)
    report = run(tmp_path, [row_of(loc, "2026-01-01", extra=True) for loc in PLAIN], compiled=True)
    assert (report.listed, report.added, report.removed, report.redated) == (len(PLAIN), 0, 0, 0)
    assert remembered(tmp_path)[0][4] == 1


MEDIA: list[dict[str, Any]] = [
    {"images": [{"loc": f"{HEAD}/i.png", "title": "A & B", "caption": " padded "}]},
    {"images": [{"caption": "first", "loc": f"{HEAD}/i.png"}, f"{HEAD}/j.png"], "priority": 0.5},
    {"images": [{"title": "no address"}]},
    {"images": [{"loc": "/relative.png"}, {"loc": f"{HEAD}/\u00e9.png#x", "license": f"{HEAD}/l"}]},
    {"images": [{"loc": f"{HEAD}/i.png", "title": "bell \x07"}]},
    {"images": {"loc": f"{HEAD}/i.png", "unknown": "x"}},
    {"videos": [{"thumbnail_loc": f"{HEAD}/t.jpg", "title": "T", "description": "D", "content_loc": f"{HEAD}/v.mp4"}]},
    {
        "videos": {
            "duration": 60,
            "rating": 4.5,
            "family_friendly": True,
            "tag": ["a", "b"],
            "publication_date": "2026-01-01",
            "title": "<T>",
            "thumbnail_loc": f"{HEAD}/t.jpg",
            "description": "D",
            "player_loc": {"text": f"{HEAD}/p", "allow_embed": "yes"},
        },
        "images": [f"{HEAD}/i.png"],
        "alternates": {"en": f"{HEAD}/media/8", "de": f"{HEAD}/de/8"},
    },
    {"videos": [{"title": "T", "description": "D", "content_loc": f"{HEAD}/v.mp4"}]},
    {"videos": [{"thumbnail_loc": f"{HEAD}/t.jpg", "title": "T", "description": "D"}], "changefreq": "daily"},
    {
        "video_title": "T",
        "video_description": "D",
        "video_thumbnail_loc": f"{HEAD}/t.jpg",
        "video_content_loc": f"{HEAD}/v.mp4",
        "video_publication_date": "12 March 2026",
        "image_loc": f"{HEAD}/i.png",
    },
    {"news": {"name": "Post", "language": "en", "publication_date": "2026-11-14", "title": "N"}},
    {
        "news": {
            "name": "Post & <Co>",
            "language": "en",
            "publication_date": "2026-11-15",
            "title": "é",
            "keywords": "a",
        }
    },
    {"news": {"publication": {"name": "P", "language": "en"}, "publication_date": "2026-11-15", "title": "N"}},
    {"news": {"publication": "P", "language": "en", "publication_date": "15 November 2026", "title": 7}},
    {"news": {"name": "Post", "language": "en", "publication_date": "2026-11-15"}},
    {"news": {"name": "Post", "language": "en", "publication_date": "2023-11-15", "title": "N", "genres": ["Blog"]}},
    {"news": []},
    {
        "news_name": "Post",
        "news_language": "en",
        "news_publication_date": "2026-11-15",
        "news_title": "N",
        "video": {
            "thumbnail_loc": f"{HEAD}/t.jpg",
            "title": "T",
            "description": "D",
            "content_loc": f"{HEAD}/v.mp4",
        },
    },
]


@pytest.mark.parametrize("spelled", [{}, {"images": ""}])
def test_media_are_written_as_python_writes_them(tmp_path: Path, spelled: dict[str, Any]) -> None:
    rows = [{"loc": f"{HEAD}/media/{number}", **spelled, **media} for number, media in enumerate(MEDIA, 1)]
    reports = [run(tmp_path / str(compiled), rows, compiled=compiled) for compiled in (True, False)]
    assert entries_of(tmp_path / "True") == entries_of(tmp_path / "False")
    assert reported(reports[0]) == reported(reports[1])
    assert sorted(map(str, reports[0].troubles)) == sorted(map(str, reports[1].troubles))
    again = run(tmp_path / "True", rows, compiled=True)
    assert (again.added, again.removed, again.redated) == (0, 0, 0)


@pytest.mark.parametrize("compiled", [True, False])
def test_news_grow_old_and_need_no_rows(tmp_path: Path, compiled: bool) -> None:
    said = {"name": "Post", "language": "en", "title": "N"}
    rows: list[dict[str, Any]] = [
        {"loc": f"{HEAD}/a", "lastmod": "2026-01-01", "news": said | {"publication_date": "2026-11-15T08:00:00Z"}},
        {"loc": f"{HEAD}/b", "lastmod": "2026-01-01", "news": said | {"publication_date": "2026-11-17T08:00:00Z"}},
        {"loc": f"{HEAD}/c", "lastmod": "2026-01-01"},
    ]

    def built(day: int) -> tuple[tuple[object, ...], list[bool], list[tuple[int, int]]]:
        now = datetime(2026, 11, day, 9, tzinfo=UTC)
        report = run_source(tmp_path, lines_of(rows).encode(), compiled=compiled, now=now)
        with Ledger.open_to_read(tmp_path / "state" / LEDGER) as ledger:
            assert not ledger._db.execute("SELECT count(*) FROM pages").fetchone()[0]
            builds = [(row.first_seen, row.changed) for row in sorted(ledger.pages(), key=lambda row: row.url)]
        return report.changes.touched, ["<news:" in entry for entry in entries_of(tmp_path)], builds

    assert built(16) == (("sitemap.xml",), [True, True, False], [(1, 1)] * 3)
    assert built(18) == (("sitemap.xml",), [False, True, False], [(1, 1)] * 3)
    assert built(18) == ((), [False, True, False], [(1, 1)] * 3)
    rows[2]["lastmod"] = "2026-02-02"
    assert built(18) == (("sitemap.xml",), [False, True, False], [(1, 1), (1, 1), (1, 4)])
    assert built(20) == (("sitemap.xml",), [False, False, False], [(1, 1), (1, 1), (1, 4)])
    assert built(20) == ((), [False, False, False], [(1, 1), (1, 1), (1, 4)])


def test_pages_of_an_older_ledger_become_file_backed(tmp_path: Path) -> None:
    """Versions before kept a row for each page of a table, with or without the compiled modules."""
    table = "loc,lastmod\n" + "".join(f"{loc}?a=1&b=2,2026-01-01\n" for loc in PLAIN)
    run_source(tmp_path, table.encode(), compiled=True, name="rows.csv")
    before = remembered(tmp_path), files_of(tmp_path)
    with Ledger.open(tmp_path / "state" / LEDGER) as ledger:
        rows = [msgspec.structs.astuple(row)[:12] for row in ledger.pages()]
        names = ", ".join(LedgerRow.__struct_fields__[:12])
        ledger._db.executemany(f"INSERT INTO pages ({names}) VALUES ({', '.join('?' * 12)})", rows)
        ledger._db.execute("DELETE FROM backed")
    again = run_source(tmp_path, table.encode(), compiled=True, name="rows.csv")
    assert (again.listed, again.added, again.removed, again.redated, again.changes.touched) == (12, 0, 0, 0, ())
    assert (remembered(tmp_path), files_of(tmp_path)) == before
    with Ledger.open_to_read(tmp_path / "state" / LEDGER) as ledger:
        assert [file.count for file in ledger.backed()] == [12]
        assert ledger._db.execute("SELECT count(*) FROM pages").fetchone() == (0,)


def test_a_long_line_is_told_and_passed_over(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(lists, "LONGEST_LINE", 300)
    monkeypatch.setattr(lists, "_BLOCK", 64)
    rows = [row_of(PLAIN[0], None), {"loc": PLAIN[1], "title": "x" * 1000}, row_of(PLAIN[2], None)]
    report = run(tmp_path, rows, compiled=True)
    assert report.listed == 2
    assert [trouble.origin for trouble in report.troubles] == ["rows.jsonl:2"]


@pytest.mark.skipif(sys.platform == "win32", reason="there is no SIGKILL")
def test_killed_at_any_moment_a_whole_set_is_published_and_the_next_run_finishes(tmp_path: Path) -> None:
    """Three files of plain rows; every generation drops, adds and redates some."""
    chance = random.Random(7)
    source, out = tmp_path / "rows.jsonl", tmp_path / "out"

    def offer(generation: int) -> set[str]:
        locs = [f"{HEAD}/p/{number}" for number in range(generation * 50, 100_000 + generation * 100)]
        date = f"2026-01-{generation + 1:02}"
        source.write_text(
            "".join(f'{{"loc": "{loc}", "lastmod": "{date if loc[-2:] == "77" else "2025-01-01"}"}}\n' for loc in locs)
        )
        return set(locs)

    def start() -> subprocess.Popen[bytes]:
        return subprocess.Popen(
            [sys.executable, "-m", "urlset", "build", str(source), "--base-url", BASE, "--out", str(out),
             "--state", str(tmp_path / "state")],
            env={**os.environ, "PYTHONPATH": str(ROOT / "src")}, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL,
        )  # fmt: skip

    def listed() -> set[str]:
        found: set[str] = set()
        for child in ET.parse(out / "sitemap.xml").iter("{http://www.sitemaps.org/schemas/sitemap/0.9}loc"):
            text = (out / str(child.text).rpartition("/")[2]).read_text()
            here = re.findall("<loc>(.*?)</loc>", text)
            assert not found.intersection(here)
            found.update(here)
        return found

    complete = [offer(0)]
    began = time.perf_counter()
    assert start().wait() == 0
    whole = time.perf_counter() - began
    killed = 0
    while killed < 6 and len(complete) < 15:
        complete.append(offer(len(complete)))
        process = start()
        time.sleep(whole * chance.uniform(0.3, 1.0))
        process.kill()
        was_killed = process.wait() != 0
        killed += was_killed
        whole *= 1.04 if was_killed else 0.85
        assert listed() in complete
    last = offer(len(complete))
    assert start().wait() == 0
    assert listed() == last


@pytest.mark.parametrize("packed", [False, True])
@pytest.mark.parametrize("more", [[], [row_of(PLAIN[1], "2026-01-01", extra=True)]], ids=["plain", "odd"])
def test_standard_input_is_read_once(tmp_path: Path, more: list[dict[str, Any]], packed: bool) -> None:
    for rows in ([row_of(PLAIN[0], "2026-01-01"), *more], [row_of(f"{HEAD}/q?x=1", "2026-01-01")]):
        data = "".join(json.dumps(row) + "\n" for row in rows).encode()
        options = BuildSettings(
            sources=("-",),
            base_url=BASE,
            out=tmp_path / "out",
            state=tmp_path / "state",
            force=(Guard.SHRINK,),
            now=NOW,
        )
        report = build(options, BuildRun(stdin=io.BytesIO(gzip.compress(data) if packed else data)))
        assert (report.listed, report.published) == (len(rows), True)
