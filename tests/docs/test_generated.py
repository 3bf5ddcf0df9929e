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
PAGES: dict[str, str] = generate.pages()
GENERATED = ("rules/", "reference/")


@pytest.mark.parametrize("name", sorted(PAGES))
def test_page_is_up_to_date(name: str) -> None:
    assert (DOCS / name).read_text(encoding="utf-8") == PAGES[name], "run `make docs`"


def test_no_page_is_left_over() -> None:
    on_disk = {path.relative_to(DOCS).as_posix() for folder in GENERATED for path in (DOCS / folder).glob("*.md")}
    assert on_disk == {name for name in PAGES if name.startswith(GENERATED)}


def test_the_readme_shows_a_real_screen() -> None:
    readme = (DOCS.parent / "README.md").read_text(encoding="utf-8")
    assert "](docs/screens/check.svg)" in readme
    assert "bare-ampersand" in PAGES["screens/check.svg"]


def test_every_severity_that_differs_from_the_catalogue_is_explained() -> None:
    from docs.catalog_codes import SCHEMA, SEVERITY_REASONS

    text = PAGES["coverage.md"]
    assert SCHEMA in text
    assert [code for code, reason in SEVERITY_REASONS.items() if f"| {code} | {reason} |" not in text] == []
