"""The generated pages are what the declarations say today."""

from __future__ import annotations

import importlib.util
from pathlib import Path

import pytest

DOCS = Path(__file__).parents[2] / "docs"
spec = importlib.util.spec_from_file_location("docs_generate", DOCS / "generate.py")
assert spec is not None
assert spec.loader is not None
generate = importlib.util.module_from_spec(spec)
spec.loader.exec_module(generate)
GENERATED = ("rules/", "reference/")


@pytest.fixture(scope="module")
def pages() -> dict[str, str]:
    made: dict[str, str] = generate.pages()
    return made


def test_pages_are_up_to_date(pages: dict[str, str]) -> None:
    old = [name for name, text in pages.items() if (DOCS / name).read_text(encoding="utf-8") != text]
    assert old == [], "run `make docs`"


def test_no_page_is_left_over(pages: dict[str, str]) -> None:
    on_disk = {path.relative_to(DOCS).as_posix() for folder in GENERATED for path in (DOCS / folder).glob("*.md")}
    assert on_disk == {name for name in pages if name.startswith(GENERATED)}


def test_the_readme_shows_a_real_screen(pages: dict[str, str]) -> None:
    readme = (DOCS.parent / "README.md").read_text(encoding="utf-8")
    assert "](docs/screens/check.svg)" in readme
    assert "bare-ampersand" in pages["screens/check.svg"]


def test_every_severity_that_differs_from_the_catalogue_is_explained(pages: dict[str, str]) -> None:
    from docs.catalog_codes import SCHEMA, SEVERITY_REASONS

    text = pages["coverage.md"]
    assert SCHEMA in text
    assert [code for code, reason in SEVERITY_REASONS.items() if f"| {code} | {reason} |" not in text] == []
