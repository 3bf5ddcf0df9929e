"""docs/cli.md → proof that it is what the commands would write today."""

from __future__ import annotations

from docs.cli_reference import reference
from tests.house.source_tree import ROOT
from urlset.workflows.ls import FIELDS


def test_the_page_is_up_to_date() -> None:
    written = (ROOT / "docs" / "cli.md").read_text(encoding="utf-8")
    assert written == reference(), "run `make docs`"


def test_every_field_is_explained() -> None:
    assert [name for name in FIELDS if f"| `{name}` |" not in reference()] == []
