"""`build --llms` → a map of the site in Markdown, from titles and sections."""

from __future__ import annotations

from pathlib import Path

import pytest

import urlset
from urlset.building.extras import LLMS_PAGES, LlmsMap

BASE = "https://e.com/"


def page(folder: Path, name: str, title: str) -> None:
    path = folder / name
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(f"<!doctype html><html><head><title>{title}</title></head><body><p>{title} text</p></body></html>")


def built(tmp_path: Path) -> str:
    site = tmp_path / "site"
    urlset.build(sources=[str(site)], out=site, base_url=BASE, state=tmp_path / "s", llms=True)
    return (tmp_path / "site" / "llms.txt").read_text()


@pytest.fixture
def site(tmp_path: Path) -> Path:
    folder = tmp_path / "site"
    page(folder, "index.html", "Lamps &amp; more")
    page(folder, "about.html", "About [us](javascript:x) `<b>`")
    page(folder, "blog/first.html", "First post")
    page(folder, "blog/second-post.html", "")
    page(folder, "shop/one.html", "One\n lamp")
    return folder


def test_titles_and_folders_become_links_and_headings(site: Path, tmp_path: Path) -> None:
    assert site.is_dir()
    assert built(tmp_path) == (
        "# Lamps & more\n\n"
        "> 5 pages of e.com. All of them: https://e.com/sitemap.xml\n\n"
        "## Pages\n\n"
        "- [Lamps & more](https://e.com/)\n"
        "- [About \\[us\\](javascript:x) \\`\\<b\\>\\`](https://e.com/about.html)\n"
        "- [One lamp](https://e.com/shop/one.html)\n\n"
        "## Blog\n\n"
        "- [First post](https://e.com/blog/first.html)\n"
        "- [Second post](https://e.com/blog/second-post.html)\n"
    )


def test_sections_of_the_build_are_the_headings_and_lists_have_titles(tmp_path: Path) -> None:
    rows = [{"loc": f"/p/{n}", "title": f"Lamp {n}", "section": "products"} for n in range(3)]
    urlset.build(rows, out=tmp_path, base_url=BASE, llms=True, sections=["products=/p/*"])
    text = (tmp_path / "llms.txt").read_text()
    assert "## Products\n\n- [Lamp 0](https://e.com/p/0)\n" in text


def test_the_same_site_gives_the_same_bytes_and_a_file_of_the_user_stays(site: Path, tmp_path: Path) -> None:
    first = built(tmp_path)
    assert built(tmp_path) == first
    (tmp_path / "other").mkdir()
    (tmp_path / "other" / "llms.txt").write_text("# mine\n")
    report = urlset.build(sources=[str(site)], out=tmp_path / "other", base_url=BASE, llms=True)
    assert (tmp_path / "other" / "llms.txt").read_text() == "# mine\n"
    assert any("llms.txt was not written by urlset" in note for note in report.notes)


def test_a_large_site_gives_a_small_file_with_the_pages_next_to_the_root() -> None:
    found = LlmsMap(BASE)
    for n in range(30_000):
        found.add(f"{BASE}{'a/' * (n % 7)}{n}", f"Page {n} {'x' * 1000}", f"section-{n % 20}")
    text = b"".join(found.text(f"{BASE}sitemap.xml")).decode()
    assert text.count("\n- [") == LLMS_PAGES
    assert "30,000 pages" in text
    assert "/a/a/" not in text
