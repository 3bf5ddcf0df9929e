"""More files than one index may list → several indexes, each named in robots.txt."""

from __future__ import annotations

from pathlib import Path

import pytest

from urlset.building import staging
from urlset.building.guard import Guard
from urlset.reading.read import read
from urlset.settings.build import BuildSettings
from urlset.workflows.build.build import build
from urlset.workflows.build.result import BuildReport

BASE = "https://www.example.com/"


@pytest.fixture(autouse=True)
def small_indexes(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(staging, "MAX_INDEX_ENTRIES", 3)


def built(folder: Path, sections: int, *, write_robots: bool = False) -> BuildReport:
    source = folder / "urls.txt"
    source.write_text("".join(f"{BASE}s{number:02}/page\n" for number in range(sections)))
    rules = {f"s{number:02}": f"/s{number:02}/*" for number in range(sections)}
    options = BuildSettings(
        sources=(str(source),),
        out=folder / "out",
        state=folder / "state",
        base_url=BASE,
        sections=tuple(f"{name}={pattern}" for name, pattern in rules.items()),
        shrink_percent=99,
        force=(Guard.SECTION,),
        write_robots=write_robots,
    )
    return build(options)


def listed(path: Path) -> list[str]:
    return [(loc or "").removeprefix(BASE) for loc in read(path).columns.locs]


def test_each_index_lists_its_share_and_robots_txt_names_them_all(tmp_path: Path) -> None:
    report = built(tmp_path, 7, write_robots=True)
    out = tmp_path / "out"
    names = ["sitemap.xml", "sitemap.2.xml", "sitemap.3.xml"]
    assert [len(listed(out / name)) for name in names] == [3, 3, 1]
    assert sorted(loc for name in names for loc in listed(out / name)) == sorted(set(report.files) - set(names))
    assert (out / "robots.txt").read_text() == "".join(f"Sitemap: {BASE}{name}\n" for name in names)


def test_without_robots_txt_the_indexes_are_named(tmp_path: Path) -> None:
    assert any("the set has 3 indexes" in note for note in built(tmp_path, 7).notes)


def test_an_index_that_is_not_needed_any_more_is_removed_everywhere(tmp_path: Path) -> None:
    built(tmp_path, 7, write_robots=True)
    built(tmp_path, 5)
    out = tmp_path / "out"
    assert sorted(path.name for path in out.glob("sitemap*.xml") if "-" not in path.name) == [
        "sitemap.2.xml",
        "sitemap.xml",
    ]
    assert (out / "robots.txt").read_text() == f"Sitemap: {BASE}sitemap.xml\nSitemap: {BASE}sitemap.2.xml\n"


def test_an_unchanged_set_stays_as_it_is(tmp_path: Path) -> None:
    built(tmp_path, 7)
    before = {path: path.stat().st_mtime_ns for path in (tmp_path / "out").iterdir()}
    assert built(tmp_path, 7).changes.touched == ()
    assert {path: path.stat().st_mtime_ns for path in (tmp_path / "out").iterdir()} == before
