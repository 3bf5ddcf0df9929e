"""A real Pelican build with the plug-in → a sitemap with the dates of the sources, and working hreflang."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

import urlset
from tests.building.test_git_evidence import Repository, _day

pytest.importorskip("pelican")
pytestmark = pytest.mark.slow
ROOT = Path(__file__).parents[2]
CONFIG = """SITEURL = "https://example.com"
SITENAME, TIMEZONE, DEFAULT_LANG = "S {}", "UTC", "en"
PLUGINS = ["urlset.integrations.pelican"]
FEED_ALL_ATOM = CATEGORY_FEED_ATOM = TRANSLATION_FEED_ATOM = None
"""


def generate(site: Repository) -> dict[str, urlset.Entry]:
    done = subprocess.run(
        [sys.executable, "-m", "pelican", "content", "-s", "pelicanconf.py", "-o", "output"],
        cwd=site.folder,
        env=os.environ | {"PYTHONPATH": str(ROOT / "src")},
        capture_output=True,
        text=True,
        timeout=60,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    assert "urlset could not" not in done.stderr
    return {entry.loc or "": entry for entry in urlset.read(site.folder / "output/sitemap.xml").entries()}


def days(found: dict[str, urlset.Entry]) -> dict[str, int | None]:
    return {loc: _day(entry.lastmod) if entry.lastmod else None for loc, entry in found.items()}


def article(title: str, text: str, *more: str) -> str:
    return "\n".join([f"Title: {title}", "Date: 2020-01-01", *more, "", text, ""])


def test_dates_are_those_of_the_sources_and_translations_are_linked(tmp_path: Path) -> None:
    site = Repository(tmp_path / "site")
    site.write(".gitignore", "output/\n")
    site.write("pelicanconf.py", CONFIG.format("2024"))
    site.write("content/lamp.md", article("Lamp", "All about lamps.", "Slug: lamp", "Lang: en"))
    site.write("content/lampe.md", article("Lampe", "Alles über Lampen.", "Slug: lamp", "Lang: de"))
    site.write("content/draft.md", article("Draft", "Not yet.", "Status: draft"))
    site.write("content/stated.md", article("Stated", "With a date.", "Modified: 2021-02-03"))
    site.write("content/pages/about.md", article("About", "About us & them."))
    first = site.commit()
    site.write("content/lampe.md", article("Lampe", "Neu gefasst.", "Slug: lamp", "Lang: de"))
    second = site.commit()
    found = generate(site)
    base = "https://example.com/"
    assert set(found) == {
        base, f"{base}lamp.html", f"{base}lamp-de.html", f"{base}stated.html", f"{base}pages/about.html",
    }  # fmt: skip
    assert days(found)[f"{base}lamp.html"] == first
    assert days(found)[f"{base}lamp-de.html"] == second
    assert days(found)[f"{base}pages/about.html"] == first
    assert (found[f"{base}stated.html"].lastmod or "").startswith("2021-02-03")
    both = {("en", f"{base}lamp.html"), ("de", f"{base}lamp-de.html")}
    for name in ("lamp.html", "lamp-de.html"):
        assert {(each.hreflang, each.href) for each in found[f"{base}{name}"].alternates} == both
    verdict = urlset.check(site.folder / "output/sitemap.xml", at=f"{base}sitemap.xml")
    assert verdict.severity_counts.get("error", 0) == 0
    site.write("pelicanconf.py", CONFIG.format("2025"))
    site.commit()
    assert days(generate(site)) == days(found)


def test_the_mistake_of_another_plug_in_is_found() -> None:
    """It writes `ref` for `href`, so that no engine sees the translation."""
    text = (
        '<?xml version="1.0" encoding="utf-8"?><urlset xmlns="http://www.sitemaps.org/schemas/sitemap/0.9" '
        'xmlns:xhtml="http://www.w3.org/1999/xhtml"><url><loc>https://example.com/a</loc>'
        '<xhtml:link rel="alternate" hreflang="de" ref="https://example.com/b"/></url></urlset>'
    )
    verdict = urlset.check(text.encode())
    assert any("href" in finding.message for finding in verdict.findings if finding.severity == "error")
