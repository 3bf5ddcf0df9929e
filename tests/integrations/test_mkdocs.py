"""A real MkDocs build with the plug-in → a sitemap with the git dates of the sources."""

from __future__ import annotations

import os
import subprocess
import sys
import tomllib
from pathlib import Path

import pytest

from tests.building.test_git_evidence import Repository, _day
from urlset.reading.read import read

ROOT = Path(__file__).parents[2]
CONFIG = (
    "site_name: S\nsite_url: https://example.com/docs/\nplugins: [urlset]\n"
    "copyright: Since {}\nexclude_docs: draft.md\n"
)


def generate(site: Repository, plugins: Path) -> dict[str, int | None]:
    """Run `mkdocs build`, with the entry point that pyproject.toml declares."""
    declared = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]["entry-points"]["mkdocs.plugins"]
    about = plugins / "urlset_declared-1.dist-info"
    about.mkdir(parents=True, exist_ok=True)
    (about / "METADATA").write_text("Metadata-Version: 2.1\nName: urlset-declared\nVersion: 1\n")
    lines = "".join(f"{name} = {value}\n" for name, value in declared.items())
    (about / "entry_points.txt").write_text(f"[mkdocs.plugins]\n{lines}")
    path = os.pathsep.join((str(ROOT / "src"), str(plugins)))
    done = subprocess.run(
        [sys.executable, "-m", "mkdocs", "build", "-q"],
        cwd=site.folder,
        env=os.environ | {"PYTHONPATH": path},
        capture_output=True,
        text=True,
        timeout=60,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    entries = read(site.folder / "site/sitemap.xml").entries()
    return {entry.loc or "": _day(entry.lastmod) if entry.lastmod else None for entry in entries}


def test_the_sitemap_has_the_dates_of_the_sources(tmp_path: Path) -> None:
    site = Repository(tmp_path / "site")
    site.write(".gitignore", "site/\n")
    site.write("mkdocs.yml", CONFIG.format("2024"))
    for name in ("index", "guide", "draft"):
        site.write(f"docs/{name}.md", f"# {name}\n\nAll about {name}.\n")
    site.write("docs/secret.md", "---\nhidden: true\n---\n# Secret\n")
    first = site.commit()
    site.write("docs/guide.md", "# guide\n\nRevised.\n")
    second = site.commit()
    expected = {"https://example.com/docs/": first, "https://example.com/docs/guide/": second}
    assert generate(site, tmp_path / "plugins") == expected
    assert not (site.folder / "site/sitemap.xml.gz").exists()
    site.write("mkdocs.yml", CONFIG.format("2025"))
    site.commit()
    assert generate(site, tmp_path / "plugins") == expected


LANGUAGES = """site_name: S
site_url: https://example.com/
plugins:
  - urlset
  - i18n:
      docs_structure: {}
      fallback_to_default: true
      languages:
        - {{locale: en, default: true, name: English, build: true}}
        - {{locale: de, name: Deutsch, build: true}}
"""


@pytest.mark.slow
def test_translations_of_static_i18n_are_linked_and_copies_left_out(tmp_path: Path) -> None:
    pytest.importorskip("mkdocs_static_i18n")
    site = Repository(tmp_path / "site")
    site.write(".gitignore", "site/\n")
    site.write("mkdocs.yml", LANGUAGES.format("suffix"))
    site.write("docs/index.md", "# Home\n\nWelcome.\n")
    site.write("docs/index.de.md", "# Start\n\nWillkommen.\n")
    site.write("docs/only.md", "# Only\n\nIn English.\n")
    first = site.commit()
    site.write("docs/index.de.md", "# Start\n\nNeu.\n")
    second = site.commit()
    base = "https://example.com/"
    assert generate(site, tmp_path / "plugins") == {base: first, f"{base}de/": second, f"{base}only/": first}
    entries = {entry.loc: entry for entry in read(site.folder / "site/sitemap.xml").entries()}
    both = {("en", base), ("de", f"{base}de/")}
    assert {(each.hreflang, each.href) for each in entries[base].alternates} == both
    assert {(each.hreflang, each.href) for each in entries[f"{base}de/"].alternates} == both
    assert not entries[f"{base}only/"].alternates
