"""A real Hugo site → `urlset build public/ --source-dir content`: the git dates of the sources."""

from __future__ import annotations

import shutil
import subprocess
from pathlib import Path

import pytest

import urlset
from tests.building.test_git_evidence import Repository, _day

pytestmark = pytest.mark.skipif(shutil.which("hugo") is None, reason="Hugo is not installed")
CONFIG = """baseURL = "https://example.com/"
disableKinds = ["taxonomy", "term", "RSS", "sitemap"]
defaultContentLanguage = "en"
[permalinks]
posts = "/:year/:slug/"
[languages.en]
[languages.fr]
"""
LAYOUT = "<!doctype html><title>{{{{ .Title }}}}</title><main>{{{{ .Content }}}}</main><footer>{}</footer>"


def generate(site: Repository) -> dict[str, int | None]:
    subprocess.run(["hugo", "--quiet", "--gc"], cwd=site.folder, check=True, timeout=60, capture_output=True)
    public = site.folder / "public"
    urlset.build(sources=[str(public)], out=public, base_url="https://example.com/", source_dir=site.folder / "content")
    entries = urlset.read(public / "sitemap.xml").entries()
    return {entry.loc or "": _day(entry.lastmod) if entry.lastmod else None for entry in entries}


def page(title: str, text: str, *more: str) -> str:
    return "\n".join(["---", f"title: {title}", "date: 2020-01-01", *more, "---", text, ""])


def test_pages_have_the_dates_of_their_sources(tmp_path: Path) -> None:
    site = Repository(tmp_path / "site")
    site.write(".gitignore", "public/\n.hugo_build.lock\n")
    site.write("config.toml", CONFIG)
    for name in ("single", "list"):
        site.write(f"layouts/_default/{name}.html", LAYOUT.format("2024"))
    site.write("content/_index.md", page("Home", "Welcome."))
    site.write("content/about.md", page("About", "All about lamps."))
    site.write("content/about.fr.md", page("À propos", "Tout sur les lampes."))
    site.write("content/docs/_index.md", page("Docs", "The docs."))
    site.write("content/docs/Install Guide.md", page("Install", "How to install."))
    site.write("content/docs/named.md", page("Named", "By its slug.", "slug: other-name"))
    first = site.commit()
    site.write("content/about.fr.md", page("À propos", "Tout neuf."))
    site.write("content/docs/Install Guide.md", page("Install", "Revised."))
    second = site.commit()
    base = "https://example.com/"
    expected = {
        base: first,
        f"{base}about/": first,
        f"{base}fr/about/": second,
        f"{base}docs/": first,
        f"{base}docs/install-guide/": second,
        f"{base}docs/other-name/": first,
    }
    found = generate(site)
    assert {loc: day for loc, day in found.items() if loc in expected} == expected
    for name in ("single", "list"):
        site.write(f"layouts/_default/{name}.html", LAYOUT.format("2025"))
    site.commit()
    assert generate(site) == found
