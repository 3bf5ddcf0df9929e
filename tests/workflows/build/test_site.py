"""A generated site of 3,000 pages → the right list, honest dates, and files that move only when they must."""

from __future__ import annotations

import json
from collections import Counter
from pathlib import Path
from typing import Any

import pytest

from tests.cli.commands import run
from tests.workflows.generated_site import BASE, GeneratedSite
from urlset.model.entry import Entry
from urlset.reading.read import read
from urlset.reading.tree import read_tree

SECTIONS = ("--section", "journal=/blog/*", "--section", "shop=/p/*", "--section", "guides=/guides/*")
FIRST, SECOND, THIRD, FOURTH, FIFTH = "1767225600", "1767312000", "1767398400", "1767484800", "1767571200"
"""days from 2026-01-01 on"""


class Built:
    def __init__(self, site: GeneratedSite, monkeypatch: pytest.MonkeyPatch) -> None:
        self.site = site
        self._patch = monkeypatch
        self.state = site.folder.parent / "state"

    def build(self, when: str, *more: str) -> dict[str, Any]:
        self._patch.setenv("SOURCE_DATE_EPOCH", when)
        ran = run(
            *("build", self.site.folder, self.site.rows, "--base-url", BASE, "--state", self.state),
            *("--exclude", "/never/*", *SECTIONS, "--format", "json", *more),
        )
        assert ran.code == 0, ran.err + ran.text
        report: dict[str, Any] = json.loads(ran.out)
        return report

    def entries(self) -> list[Entry]:
        tree = read_tree(self.site.folder / "sitemap.xml")
        return [entry for document in tree for entry in document.entries()]

    def dates(self) -> dict[str, str | None]:
        return {entry.loc or "": entry.lastmod for entry in self.entries()}

    def files(self) -> dict[str, tuple[bytes, int, int]]:
        """Content, time and inode: a file that was not touched has all three as before."""
        found = sorted(self.site.folder.glob("sitemap*"))
        return {path.name: (path.read_bytes(), path.stat().st_mtime_ns, path.stat().st_ino) for path in found}


@pytest.fixture
def built(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Built:
    site = GeneratedSite(tmp_path / "public")
    site.write()
    monkeypatch.chdir(tmp_path)
    return Built(site, monkeypatch)


def differing(before: dict[str, Any], after: dict[str, Any]) -> set[str]:
    return {name for name in before.keys() | after.keys() if before.get(name) != after.get(name)}


def index_dates(folder: Path) -> dict[str, str | None]:
    document = read(folder / "sitemap.xml")
    return {(child.loc or "").rpartition("/")[2]: child.lastmod for child in document.children()}


def test_a_site_through_its_life(built: Built) -> None:
    """One long test: each step needs the set that the step before left."""
    site = built.site
    report = built.build(FIRST)
    _has_the_right_pages(built, report)
    _says_why(built)
    first = built.files()
    assert set(first) == {
        "sitemap.xml", "sitemap-guides-1.xml", "sitemap-journal-1.xml", "sitemap-pages-1.xml", "sitemap-shop-1.xml",
    }  # fmt: skip

    # again: nothing changes, byte for byte
    report = built.build(SECOND)
    assert report["changes"]["added"] == report["changes"]["changed"] == report["changes"]["removed"] == []
    assert built.files() == first

    # the footer on every page: no date moves, no file is touched
    dates = built.dates()
    site.change_footer("Example Ltd has moved to 3 Mill Lane. All rights reserved 2026. Imprint.")
    report = built.build(SECOND)
    assert (report["added"], report["removed"], report["redated"]) == (0, 0, 0)
    assert built.files() == first
    assert built.dates() == dates

    # one article: one date, one shard, the index entry
    article = next(file for file in _journal(site) if dates[site.address(file)] is None)
    site.change_text(article, "An entirely new text about the harbour at dawn.")
    report = built.build(THIRD)
    changed = built.files()
    assert differing(first, changed) == {"sitemap.xml", "sitemap-journal-1.xml"}
    assert differing(dates, built.dates()) == {site.address(article)}
    assert built.dates()[site.address(article)] == "2026-01-03"
    assert index_dates(site.folder)["sitemap-journal-1.xml"] == "2026-01-03"
    assert report["redated"] == 1

    # a page less: its shard, and nothing else but perhaps the index
    gone = site.delete("guides/guide-7.html")
    report = built.build(FOURTH)
    assert differing(changed, built.files()) == {"sitemap-guides-1.xml"}
    assert gone not in built.dates()
    assert report["removed"] == 1

    # and once more nothing
    last = built.files()
    report = built.build(FIFTH)
    assert built.files() == last
    assert not any(report["changes"][kind] for kind in ("added", "changed", "removed"))


def _journal(site: GeneratedSite) -> list[str]:
    return [str(path.relative_to(site.folder)) for path in sorted(site.folder.glob("blog/*-*/index.html"))]


def _has_the_right_pages(built: Built, report: dict[str, Any]) -> None:
    listed = [entry.loc for entry in built.entries()]
    assert set(listed) == built.site.listed
    assert len(listed) == len(set(listed)) == report["listed"]
    assert len(listed) + len(built.site.left_out) > 3_000
    assert report["left_out"] == dict(Counter(built.site.left_out.values()))
    dates = built.dates()
    assert dates[f"{BASE}about.html"] is None
    assert {dates[loc] for loc in dates if "/guides/" in loc} == {None}, "no evidence, no date"
    assert all((date or "2025").startswith("2025") for date in dates.values()), "never the time of the build"
    assert report["dated"]["page"] == sum(date is not None for date in dates.values()) > 1_500
    assert not [found for found in report["findings"] if "error[" in found]


def _says_why(built: Built) -> None:
    for loc, reason in built.site.left_out.items():
        ran = run("explain", loc, "--state", built.state)
        assert ran.code == 0
        assert reason in ran.text, loc
    ran = run("explain", f"{BASE}blog/", "--state", built.state)
    assert "is listed" in ran.lines[0]
    assert run("explain", f"{BASE}nowhere", "--state", built.state).code == 2


@pytest.mark.parametrize("option", ["--gzip", "--text", "--human-view"])
def test_its_own_output_is_never_listed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, option: str) -> None:
    """A second run in the folder finds what the first one wrote there."""
    folder = tmp_path / "public"
    folder.mkdir()
    for name in ("index", "about", "contact"):
        (folder / f"{name}.html").write_text(f"<title>{name}</title><p>All about {name} and its friends.</p>")
    monkeypatch.chdir(tmp_path)
    common = ("build", folder, "--base-url", BASE, "--section", "about=/about*", option, "--format", "json")
    first = json.loads(run(*common).out)
    names = sorted(folder.iterdir())
    second = json.loads(run(*common).out)
    assert first["listed"] == second["listed"] == 3
    assert second["changes"]["changed"] == second["changes"]["added"] == []
    assert sorted(folder.iterdir()) == names
