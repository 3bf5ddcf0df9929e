"""Pages of a folder with the same content: named by a build, and by an audit of the folder."""

from __future__ import annotations

import csv
import io
from pathlib import Path

from tests.cli.commands import run
from tests.workflows.planted_shop import page, prose
from urlset.model.entry import Alternate

BASE = "https://example.com/"
SAME = ("a", "bb", "ccc", "dddd", "eeeee", "ffffff")


def site(folder: Path) -> Path:
    for number in range(6):
        (folder / f"own-{number}.html").write_text(page(f"Own {number}", prose(f"own {number}")))
    for name in SAME:
        (folder / f"{name}.html").write_text(page("The same", prose("same")))
    (folder / "gallery-1.html").write_text("<title>1</title><h1>Gallery</h1><img src=1.jpg>")
    (folder / "gallery-2.html").write_text("<title>2</title><h1>Gallery</h1><img src=2.jpg>")
    return folder


def test_a_build_names_them_with_the_one_to_keep(tmp_path: Path) -> None:
    folder = site(tmp_path)
    ran = run("build", folder, "--base-url", BASE, "--out", tmp_path / "out", "--state", tmp_path / "state")
    said = " ".join(f"{ran.text} {ran.err}".split())
    assert f"6 listed pages have the same content: keep {BASE}a" in said
    assert said.count("have the same content") == 1


def test_an_audit_of_the_folder_finds_the_same(tmp_path: Path) -> None:
    folder = site(tmp_path)
    run("build", folder, "--base-url", BASE, "--out", folder, "--state", tmp_path / "state")
    ran = run("audit", folder, "--base-url", BASE, "--select", "A043,A044", "--format", "csv")
    rows = list(csv.DictReader(io.StringIO(ran.text)))
    assert sorted(Path(row["url"]).stem for row in rows) == sorted(SAME[1:])
    assert {row["code"] for row in rows} == {"A043"}
    assert all(f"{BASE}a" in row["evidence"] for row in rows)


def test_language_versions_may_be_alike() -> None:
    from urlset.building.candidate import Candidate
    from urlset.model.entry import Entry, Media
    from urlset.workflows.build.pages import IdenticalPages

    same = IdenticalPages()
    links = Media(alternates=(Alternate("en-GB", f"{BASE}gb"), Alternate("en-US", f"{BASE}us")))
    for name in ("gb", "us"):
        same.add(Candidate(Entry(f"{BASE}{name}", media=links), origin=name, blocks=(1, 2, 3, 4)))
    assert list(same.notes()) == []
