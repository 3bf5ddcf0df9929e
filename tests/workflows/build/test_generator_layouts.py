"""The folders of Jekyll, Eleventy, Astro and Next.js → pages with the git dates of their sources."""

from __future__ import annotations

from pathlib import Path
from typing import NamedTuple

import pytest

import urlset
from tests.building.test_git_evidence import Repository, _day


class Layout(NamedTuple):
    """As the generator lays out its files; the first source is revised, the template is no source."""

    source_dir: str
    built: str
    pages: dict[str, str]
    """source → built page"""
    template: str


LAYOUTS = {
    "jekyll": Layout(
        ".",
        "_site",
        {
            "_posts/2024-05-01-lamps.md": "2024/05/01/lamps.html",
            "shop/_posts/2024-06-02-sale.md": "shop/2024/06/02/sale.html",
            "about.md": "about.html",
            "index.html": "index.html",
        },
        "_layouts/default.html",
    ),
    "eleventy": Layout(
        "src",
        "_site",
        {
            "src/blog/post.njk": "blog/post/index.html",
            "src/index.liquid": "index.html",
            "src/about.md": "about/index.html",
        },
        "src/_includes/layout.njk",
    ),
    "astro": Layout(
        "",
        "dist",
        {"src/content/blog/post.md": "blog/post/index.html", "src/pages/index.astro": "index.html"},
        "src/layouts/Layout.astro",
    ),
    "next": Layout(
        "app",
        "out",
        {"app/(shop)/lamps/page.tsx": "lamps.html", "app/page.tsx": "index.html", "app/about/page.mdx": "about.html"},
        "app/layout.tsx",
    ),
}


def generate(site: Repository, layout: Layout, footer: str) -> dict[str, int | None]:
    built = site.folder / layout.built
    for source, page in layout.pages.items():
        path = built / page
        path.parent.mkdir(parents=True, exist_ok=True)
        text = (site.folder / source).read_text()
        path.write_text(
            f"<!doctype html><title>{page}</title><main><p>{text}</p></main><footer>{footer} {page}</footer>"
        )
    source_dir = site.folder / layout.source_dir if layout.source_dir else None
    urlset.build(sources=[str(built)], out=built, base_url="https://e.com/", source_dir=source_dir)
    entries = urlset.read(built / "sitemap.xml").entries()
    return {entry.loc or "": _day(entry.lastmod) if entry.lastmod else None for entry in entries}


@pytest.mark.parametrize("name", LAYOUTS)
def test_pages_have_the_dates_of_their_sources_and_a_footer_moves_none(name: str, tmp_path: Path) -> None:
    layout = LAYOUTS[name]
    site = Repository(tmp_path / "site")
    site.write(".gitignore", f"{layout.built}/\n")
    for source in layout.pages:
        site.write(source, f"All about {source}.\n")
    site.write(layout.template, "2024")
    first = site.commit()
    revised = next(iter(layout.pages))
    site.write(revised, "Revised.\n")
    second = site.commit()
    found = generate(site, layout, "2024")
    assert len(found) == len(layout.pages)
    assert sorted(found.values(), key=str) == sorted([second, *[first] * (len(found) - 1)], key=str)
    site.write(layout.template, "2025")
    site.commit()
    assert generate(site, layout, "2025") == found
