"""Any iterable → sitemaps, in one pass and in memory that does not grow."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Iterator
from datetime import UTC, date, datetime
from pathlib import Path

import pytest

from tests.house.source_tree import ROOT
from tests.workflows.listed_sites import BASE, listed_in
from urlset.model.entry import Entry, Image, Media
from urlset.reading.read import read
from urlset.workflows.build.result import BuildError
from urlset.workflows.library.build import BuildRefused, build
from urlset.workflows.library.sources import Page


def test_addresses_entries_and_mappings(tmp_path: Path) -> None:
    offers: list[Page] = [
        f"{BASE}plain",
        Entry(f"{BASE}entry", "2025-01-02", media=Media(images=(Image(f"{BASE}1.jpg"),))),
        {"url": "/mapping", "updated_at": date(2025, 3, 4), "priority": 0.5},
    ]
    report = build(iter(offers), tmp_path, base_url=BASE)
    assert (report.published, report.listed) == (True, 3)
    found = {entry.loc: entry for entry in read(tmp_path / "sitemap.xml").entries()}
    assert found[f"{BASE}entry"].images[0].loc == f"{BASE}1.jpg"
    assert (found[f"{BASE}mapping"].lastmod, found[f"{BASE}mapping"].priority) == ("2025-03-04", "0.5")
    assert [path.name for path in tmp_path.iterdir()] == ["sitemap.xml"], "nothing else is left behind"


def test_with_a_state_folder_it_remembers(tmp_path: Path) -> None:
    out, state = tmp_path / "out", tmp_path / "state"
    pages = [f"{BASE}p/{number}" for number in range(10)]
    build(pages, out, base_url=BASE, state=state)
    assert build(pages, out, base_url=BASE, state=state).changes.touched == ()
    with pytest.raises(BuildRefused, match="8 of 10 pages of the last set are missing from the new set") as refused:
        build(pages[:2], out, base_url=BASE, state=state)
    assert refused.value.report.refusals[0].name == "shrink"
    assert len(listed_in(out)) == 10
    assert build(pages[:2], out, base_url=BASE, state=state, force=["shrink"]).listed == 2


def test_what_cannot_be_is_said(tmp_path: Path) -> None:
    with pytest.raises(ValueError, match="base_url: 'example' is not a URL"):
        build([], tmp_path / "out", base_url="example")
    with pytest.raises(BuildError, match="item:1: 'nonsense'"):
        build(["nonsense"], tmp_path / "out", base_url=BASE, strict=True)
    with pytest.raises(BuildRefused, match="the new set is empty"):
        build([], tmp_path / "out", base_url=BASE)
    assert not list((tmp_path / "out").glob("*"))


def test_an_iterable_that_breaks_leaves_all_as_it_was(tmp_path: Path) -> None:
    def broken() -> Iterator[str]:
        yield f"{BASE}a"
        raise RuntimeError("the database went away")

    build([f"{BASE}a", f"{BASE}b"], tmp_path, base_url=BASE)
    with pytest.raises(RuntimeError, match="went away"):
        build(broken(), tmp_path, base_url=BASE)
    assert listed_in(tmp_path) == ["a", "b"]


def test_news_grow_old(tmp_path: Path) -> None:
    """Nothing was changed, and still the article is news no longer."""
    article = {
        "loc": f"{BASE}a",
        "news": {"name": "P", "language": "en", "publication_date": "2026-01-01", "title": "T"},
    }
    out, state = tmp_path / "out", tmp_path / "state"
    build([article], out, base_url=BASE, state=state, now=datetime(2026, 1, 1, 12, tzinfo=UTC))
    assert b"<news:title>T</news:title>" in (out / "sitemap.xml").read_bytes()
    build([article], out, base_url=BASE, state=state, now=datetime(2026, 1, 9, tzinfo=UTC))
    assert b"news" not in (out / "sitemap.xml").read_bytes()


MEASURE = f"""
import sys
from pathlib import Path
from urlset.workflows.library.build import build
count = int(sys.argv[2])
build((f"{BASE}shop/a-page-with-a-name-{{n * 7919 % count}}" for n in range(count)), sys.argv[1], base_url="{BASE}",
      state=sys.argv[1] + ".state", gzip=True)
status = Path("/proc/self/status").read_text().splitlines()
print(next(line.split()[1] for line in status if line.startswith("VmHWM")))
"""


@pytest.mark.skipif(sys.platform != "linux", reason="/proc tells the most memory used")
def test_memory_is_flat(tmp_path: Path) -> None:
    def peak(pages: int) -> float:
        done = subprocess.run(
            [sys.executable, "-c", MEASURE, str(tmp_path / str(pages)), str(pages)],
            capture_output=True, check=True, text=True, env={"PYTHONPATH": str(ROOT / "src")},
        )  # fmt: skip
        return int(done.stdout) / 1024

    some, many = peak(60_000), peak(180_000)
    assert many < 170
    assert many - some < 45, "three times the pages, a few bytes each"
