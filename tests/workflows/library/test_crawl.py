"""`urlset.crawl` and `urlset.build` → pages and sitemaps for programs, with the options of the commands."""

from __future__ import annotations

import tempfile
from collections.abc import Iterator
from pathlib import Path

import pytest

import urlset
from tests.workflows.audit_sites import page
from urlset.testing import Site


@pytest.fixture
def site() -> Iterator[Site]:
    with Site({}) as served:
        links = "".join(f"<a href='/{number}'>Page {number}</a>" for number in range(3))
        served.routes["/"] = page("home").replace("</body>", f"{links}</body>")
        served.routes.update({f"/{number}": page(f"/{number}") for number in range(3)})
        yield served


def test_every_page_comes_with_what_became_of_it(site: Site, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path))
    with urlset.crawl(site.url("/"), allow_private=True, exclude=["/2"]) as result:
        states = {row.url: row.state for row in result.pages()}
    assert states == {
        site.url("/"): "ok",
        site.url("/0"): "ok",
        site.url("/1"): "ok",
        site.url("/2"): "not asked",
    }
    assert result.report.visited == 3
    assert not list(tmp_path.iterdir()), "nothing is kept without a state folder"


def test_a_site_is_built(site: Site, tmp_path: Path) -> None:
    report = urlset.build(out=tmp_path / "out", sources=[site.url("/")], allow_private=True)
    assert report.listed == 4
    assert (tmp_path / "out" / "sitemap.xml").is_file()


def test_entries_are_listed_along_with_the_pages_of_a_site(site: Site, tmp_path: Path) -> None:
    report = urlset.build([site.url("/unlinked")], tmp_path / "out", sources=[site.url("/")], allow_private=True)
    assert report.listed == 5
    assert site.url("/unlinked") in (tmp_path / "out" / "sitemap.xml").read_text()


def test_two_sites_are_not_crawled_as_one(site: Site, tmp_path: Path) -> None:
    with pytest.raises(ValueError, match="sources: only one site can be crawled at a time"):
        urlset.build(out=tmp_path / "out", sources=[site.url("/"), site.url("/1")], allow_private=True)


def test_a_list_is_built_with_the_options_of_the_command(tmp_path: Path) -> None:
    (tmp_path / "urls.txt").write_text("https://www.example.com/a\nhttps://www.example.com/b?page=2\n")
    report = urlset.build(out=tmp_path / "out", sources=[str(tmp_path / "urls.txt")], keep=["paginated"], dry_run=True)
    assert (report.listed, report.published) == (2, False)
    with pytest.raises(ValueError, match="keep: 'nonsense' is not one of"):
        urlset.build([], tmp_path, base_url="https://www.example.com/", keep=["nonsense"])
    with pytest.raises(ValueError, match="base_url is missing"):
        urlset.build(["https://www.example.com/a"], tmp_path)
