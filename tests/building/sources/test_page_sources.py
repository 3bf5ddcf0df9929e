"""Sources beside a build folder → the dates their front matter states, for the pages they became."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.building.sources.sites import BASE, candidates, html, lay_out
from tests.cli.commands import run
from urlset.building.candidate import EvidenceKind
from urlset.building.sources.folder import from_folder
from urlset.building.sources.page_sources import PageSources
from urlset.building.sources.source import SourceOptions
from urlset.reading.read import read


def post(**fields: str) -> str:
    return "---\n" + "".join(f"{name}: {value}\n" for name, value in fields.items()) + "---\nText\n"


def dates(folder: Path, source_dir: Path | None = None) -> dict[str, tuple[str, str] | None]:
    sources = PageSources((source_dir,)) if source_dir is not None else None
    found = candidates(from_folder(folder, SourceOptions(base_url=BASE, page_sources=sources)))
    return {
        each.origin: (each.evidence[0].lastmod, each.evidence[0].detail) if each.evidence else None for each in found
    }


@pytest.mark.parametrize(
    ("source", "page"),
    [
        ("content/blog/post.md", "blog/post/index.html"),
        ("content/blog/post.md", "blog/post.html"),
        ("content/blog/post/index.md", "blog/post/index.html"),
        ("content/_index.md", "index.html"),
        ("content/My Post.mdx", "my-post/index.html"),
        ("src/pages/about.mdx", "about/index.html"),
        ("content/glindex.md", "glindex.html"),
        ("_posts/2024-05-01-title.md", "2024/05/01/title.html"),
    ],
)
def test_a_source_dates_its_page(source: str, page: str, tmp_path: Path) -> None:
    lay_out(tmp_path, {source: post(lastmod="2025-02-03"), f"public/{page}": html(), "public/other.html": html()})
    assert dates(tmp_path / "public") == {page: ("2025-02-03", "front matter, modified"), "other.html": None}


@pytest.mark.parametrize("marker", ["mkdocs.yml", "docusaurus.config.js", None])
def test_a_folder_of_docs_counts_only_beside_a_generator(marker: str | None, tmp_path: Path) -> None:
    lay_out(tmp_path, {"docs/README.md": post(date="2024-01-01"), "public/index.html": html(), marker or "x": ""})
    expected = ("2024-01-01", "front matter, published") if marker else None
    assert dates(tmp_path / "public") == {"index.html": expected}


def test_permalink_and_slug(tmp_path: Path) -> None:
    files = {
        "content/a.md": post(permalink="/here/", date="2024-01-01"),
        "content/b.md": post(slug="there", date="2024-01-02"),
        "public/here/index.html": html(),
        "public/there.html": html(),
    }
    lay_out(tmp_path, files)
    assert {each and each[0] for each in dates(tmp_path / "public").values()} == {"2024-01-01", "2024-01-02"}


def test_two_sources_of_one_page_say_nothing(tmp_path: Path) -> None:
    files = {"content/a.md": post(date="2024-01-01"), "content/a/index.md": post(date="2024-01-02")}
    lay_out(tmp_path, {**files, "public/a/index.html": html()})
    assert dates(tmp_path / "public") == {"a/index.html": None}


def test_a_date_of_publication_gives_way_to_what_the_page_says_of_changes(tmp_path: Path) -> None:
    modified = '<meta property="article:modified_time" content="2025-05-05">'
    lay_out(tmp_path, {"content/a.md": post(date="2024-01-01"), "public/a.html": html(modified)})
    assert dates(tmp_path / "public") == {"a.html": ("2025-05-05", "article:modified_time")}


def test_a_folder_that_is_named(tmp_path: Path) -> None:
    lay_out(tmp_path, {"texts/a.md": post(date="2024-01-01"), "public/a.html": html()})
    assert dates(tmp_path / "public") == {"a.html": None}
    ran = run(
        *("build", tmp_path / "public", "--base-url", BASE, "--state", tmp_path / "state"),
        *("--source-dir", tmp_path / "texts"),
    )
    assert ran.code == 0, ran.err
    (entry,) = read(tmp_path / "public" / "sitemap.xml").entries()
    assert entry.lastmod == "2024-01-01"


def test_a_page_that_is_its_own_source(tmp_path: Path) -> None:
    lay_out(tmp_path, {"public/a.html": "---\nlastmod: 2025-02-03\n---\n" + html()})
    (page,) = candidates(from_folder(tmp_path / "public", SourceOptions(base_url=BASE)))
    assert [(each.kind, each.lastmod) for each in page.evidence] == [(EvidenceKind.PAGE, "2025-02-03")]
