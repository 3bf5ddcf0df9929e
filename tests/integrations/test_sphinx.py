"""A real Sphinx build with the extension → a sitemap with the git dates of the sources."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

from tests.building.test_git_evidence import Repository, _day
from urlset.reading.read import read

ROOT = Path(__file__).parents[2]
CONFIG = """extensions = ["urlset.integrations.sphinx"]
project, copyright = "P", "{}"
html_baseurl = "https://example.com/docs/"
"""

LANGUAGES = """language, version = "en", "{}"
urlset_languages = {{"en": "https://example.com/docs/", "de": "https://example.com/de/docs"}}
urlset_versions = ["2.0"]
"""


def generate(site: Repository) -> dict[str, int | None]:
    done = subprocess.run(
        [sys.executable, "-m", "sphinx", "-q", "-b", "html", "docs", "out"],
        cwd=site.folder,
        env=os.environ | {"PYTHONPATH": str(ROOT / "src")},
        capture_output=True,
        text=True,
        timeout=60,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    entries = read(site.folder / "out/sitemap.xml").entries()
    return {entry.loc or "": _day(entry.lastmod) if entry.lastmod else None for entry in entries}


def test_documents_have_the_dates_of_their_sources(tmp_path: Path) -> None:
    site = Repository(tmp_path / "site")
    site.write(".gitignore", "out/\n")
    site.write("docs/conf.py", CONFIG.format("2024") + LANGUAGES.format("2.0"))
    site.write("docs/index.rst", "Start\n=====\n\n.. toctree::\n\n   guide\n")
    site.write("docs/guide.rst", "Guide\n=====\n\nText.\n")
    first = site.commit()
    site.write("docs/guide.rst", "Guide\n=====\n\nRevised.\n")
    second = site.commit()
    found = generate(site)
    assert found == {"https://example.com/docs/index.html": first, "https://example.com/docs/guide.html": second}
    guide, _ = read(site.folder / "out/sitemap.xml").entries()
    assert {(each.hreflang, each.href) for each in guide.alternates} == {
        ("en", "https://example.com/docs/guide.html"),
        ("de", "https://example.com/de/docs/guide.html"),
    }
    site.write("docs/conf.py", CONFIG.format("2025") + LANGUAGES.format("2.0"))
    site.commit()
    assert generate(site) == found
    (site.folder / "out/sitemap.xml").unlink()
    site.write("docs/conf.py", CONFIG.format("2025") + LANGUAGES.format("1.0"))
    with pytest.raises(FileNotFoundError):  # another version has no sitemap
        generate(site)
