"""A folder whose pages have no date → the reason and the option that would help; stale `.gz` copies → renewed."""

from __future__ import annotations

import gzip
from pathlib import Path
from typing import Any

import pytest

import urlset
from tests.building.test_git_evidence import Repository

BASE = "https://e.com/"
NS = 'xmlns="http://www.sitemaps.org/schemas/sitemap/0.9"'


def page(site: Repository, name: str, head: str = "") -> None:
    site.write(f"public/{name}", f"<!doctype html><title>{name}</title>{head}<main><p>All of {name}</p></main>")


@pytest.fixture
def site(tmp_path: Path) -> Repository:
    made = Repository(tmp_path / "site")
    made.write(".gitignore", "public/\n")
    page(made, "index.html")
    return made


def built(site: Repository, **how: Any) -> urlset.BuildReport:
    public = site.folder / "public"
    return urlset.build(sources=[str(public)], out=public, base_url=BASE, **how)


def test_the_reason_for_a_missing_date_is_given(site: Repository) -> None:
    site.write("texts/index.md", "# Home\n")
    site.commit()
    for name in ("draft", "orphan"):
        page(site, f"{name}/index.html")
    page(site, "late/index.html", '<meta property="article:modified_time" content="2099-01-01">')
    site.write("texts/draft.md", "# Draft\n")
    notes = built(site, source_dir=site.folder / "texts").notes
    expected = {
        "orphan": ("no source file has their path", "source_dir"),
        "draft": ("git does not know their sources", "add the sources"),
        "late": ("'2099-01-01' is in the future", "correct the date"),
    }
    for name, words in expected.items():
        (line,) = [note for note in notes if f"{BASE}{name}" in note]
        assert line.startswith("no date for 1 page")
        assert all(word in line for word in words), line
    assert not any(f"such as {BASE}:" in note for note in notes)


def test_without_sources_the_option_that_names_them_is_given(site: Repository) -> None:
    site.commit()
    assert any("source_dir" in note for note in built(site).notes)
    (only,) = [note for note in built(site, evidence=["page"]).notes if note.startswith("no date")]
    assert "source_dir" in only


def test_a_stale_copy_is_renewed_and_another_file_left_alone(site: Repository, tmp_path: Path) -> None:
    public = site.folder / "public"
    stale = f"<urlset {NS}><url><loc>{BASE}gone</loc></url></urlset>".encode()
    (public / "sitemap.xml.gz").write_bytes(gzip.compress(stale))
    report = built(site, state=tmp_path / "state")
    assert any("renewed sitemap.xml.gz" in note for note in report.notes)
    assert gzip.decompress((public / "sitemap.xml.gz").read_bytes()) == (public / "sitemap.xml").read_bytes()
    assert not any("renewed sitemap" in note for note in built(site, state=tmp_path / "state").notes)
    page(site, "new/index.html")
    built(site, state=tmp_path / "state")
    assert b"/new/" in gzip.decompress((public / "sitemap.xml.gz").read_bytes())
    (public / "sitemap.xml.gz").write_bytes(gzip.compress(b"a backup"))
    built(site)
    assert gzip.decompress((public / "sitemap.xml.gz").read_bytes()) == b"a backup"
