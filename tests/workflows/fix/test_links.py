"""`fix` of a folder or pattern, and into a folder, writes nothing outside of it, whatever links there are."""

from __future__ import annotations

import gzip
import os
from pathlib import Path

import pytest

from tests.cli.commands import run
from tests.reading.sitemaps import HEAD, TAIL, url

BROKEN = HEAD + url("a", b"<lastmod> 2026-02-03 </lastmod>") + TAIL
INDEX = (
    b'<?xml version="1.0" encoding="UTF-8"?>\n<sitemapindex xmlns="http://www.sitemaps.org/schemas/sitemap/0.9">'
    b"<sitemap><loc>https://example.com/child.xml</loc></sitemap></sitemapindex>\n"
)


@pytest.fixture
def outside(tmp_path: Path) -> Path:
    folder = tmp_path / "outside"
    folder.mkdir()
    (folder / "real.xml").write_bytes(BROKEN)
    (folder / "real.xml.gz").write_bytes(gzip.compress(BROKEN, mtime=0))
    return folder


@pytest.fixture
def site(tmp_path: Path) -> Path:
    folder = tmp_path / "site"
    folder.mkdir()
    return folder


def content(folder: Path) -> dict[str, bytes]:
    return {path.name: path.read_bytes() for path in sorted(folder.iterdir())}


def linked(case: str, site: Path, outside: Path) -> None:
    match case:
        case "file":
            (site / "sitemap.xml").symlink_to(outside / "real.xml")
        case "packed":
            (site / "sitemap.xml.gz").symlink_to(outside / "real.xml.gz")
        case "relative":
            (site / "sitemap.xml").symlink_to("../outside/real.xml")
        case "chain":
            (site / "b.xml").symlink_to(outside / "real.xml")
            (site / "a.xml").symlink_to("b.xml")
        case "child":
            (site / "index.xml").write_bytes(INDEX)
            (site / "child.xml").symlink_to(outside / "real.xml")
        case "folder":
            (site / "sub").symlink_to(outside)


@pytest.mark.parametrize("backup", [[], ["--backup"]], ids=["plain", "backup"])
@pytest.mark.parametrize("what", [".", "*.xml*", "**/*.xml*"])
@pytest.mark.parametrize("case", ["file", "packed", "relative", "chain", "child", "folder"])
def test_a_link_out_of_the_folder_is_not_followed(
    case: str, what: str, backup: list[str], site: Path, outside: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    linked(case, site, outside)
    before = content(outside)
    monkeypatch.chdir(site)
    done = run("fix", what, "--unsafe", *backup)
    assert content(outside) == before
    if case not in ("child", "folder"):
        assert "is a symlink that points outside" in done.err
        assert done.code == 2


def test_a_link_inside_the_folder_is_followed_once(site: Path) -> None:
    (site / "real.xml").write_bytes(BROKEN)
    (site / "sitemap.xml").symlink_to("real.xml")
    assert run("fix", str(site)).code == 0
    assert (site / "sitemap.xml").is_symlink()
    assert b"<lastmod>2026-02-03</lastmod>" in (site / "real.xml").read_bytes()


def test_a_link_that_is_named_is_followed(site: Path, outside: Path) -> None:
    (site / "sitemap.xml").symlink_to(outside / "real.xml")
    assert run("fix", str(site / "sitemap.xml")).code == 0
    assert (outside / "real.xml").read_bytes() != BROKEN


def test_a_folder_that_is_a_link_is_the_folder(site: Path, outside: Path) -> None:
    (site / "public").symlink_to(outside)
    assert run("fix", str(site / "public")).code == 0
    assert (outside / "real.xml").read_bytes() != BROKEN


def test_another_name_of_the_same_file_is_untouched(site: Path, outside: Path) -> None:
    os.link(outside / "real.xml", site / "sitemap.xml")
    assert run("fix", str(site)).code == 0
    assert (outside / "real.xml").read_bytes() == BROKEN
    assert (site / "sitemap.xml").read_bytes() != BROKEN


@pytest.mark.parametrize("link", ["sitemap.xml", "sub"])
def test_results_stay_in_their_folder(link: str, site: Path, outside: Path, tmp_path: Path) -> None:
    (site / "sub").mkdir()
    for name in ("sitemap.xml", "sub/a.xml"):
        (site / name).write_bytes(BROKEN)
    out = tmp_path / "out"
    out.mkdir()
    (out / link).symlink_to(outside / "real.xml" if link == "sitemap.xml" else outside)
    before = content(outside)
    done = run("fix", str(site / "sitemap.xml"), str(site / "sub" / "a.xml"), "-o", str(out))
    assert content(outside) == before
    assert done.code == 2
    assert f"is a symlink that points outside {out}" in done.err


def test_results_of_linked_files_may_be_written_elsewhere(site: Path, outside: Path, tmp_path: Path) -> None:
    (site / "sitemap.xml").symlink_to(outside / "real.xml")
    assert run("fix", str(site), "-o", str(tmp_path / "out")).code == 0
    assert (outside / "real.xml").read_bytes() == BROKEN
    assert (tmp_path / "out" / "sitemap.xml").read_bytes() != BROKEN
