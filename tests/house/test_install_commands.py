"""Pages, templates and messages → how they tell people to install urlset, which is not on the package index yet."""

from __future__ import annotations

import re

import pytest

from tests.house.source_tree import ROOT

INSTALLS = re.compile(
    r"\b(?:pip3? install|uv tool (?:install|run)|uv (?:add|pip install)|uvx|pipx (?:install|run))\s(?P<rest>.*)"
)
NAMED = re.compile(r"""(?:^|[\s'"])urlset(?:\[[\w,]+\])?(?:[=<>~!]=?[\w.]+)?(?=$|[\s'"`,;.)])""")
FILES = sorted(
    path
    for pattern in ("README.md", "CONTRIBUTING.md", "action.yml", "Dockerfile", ".pre-commit-hooks.yaml", "templates/*")
    for path in ROOT.glob(pattern)
) + sorted(path for path in (ROOT / "docs").rglob("*") if path.suffix in {".md", ".ipynb", ".yml"})


def from_the_index(text: str) -> list[str]:
    """Commands that take urlset by its name alone."""
    found = (match["rest"] for match in INSTALLS.finditer(text))
    return [rest for rest in found if NAMED.search(rest) and "urlset/urlset" not in rest]


def test_no_page_installs_from_an_index_that_lacks_it() -> None:
    found = {path: from_the_index(path.read_text(encoding="utf-8")) for path in FILES}
    assert {path: commands for path, commands in found.items() if commands} == {}


@pytest.mark.parametrize(
    ("text", "is_wrong"),
    [
        ("pip install urlset", True),
        ("pip install 'urlset[seo]'", True),
        ("uv tool install urlset==0.1.0", True),
        ("uvx urlset check", True),
        ("pipx install urlset", True),
        ("pip install git+https://github.com/urlset/urlset", False),
        ("pip install 'urlset[seo] @ git+https://github.com/urlset/urlset'", False),
        ("pip install -r requirements.txt", False),
    ],
)
def test_the_search_knows_both(text: str, is_wrong: bool) -> None:
    assert bool(from_the_index(text)) is is_wrong
