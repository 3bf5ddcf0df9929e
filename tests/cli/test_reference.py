"""docs/cli.md → proof that it is what the commands would write today."""

from __future__ import annotations

from tests.house.source_tree import ROOT
from urlset.cli.reference import reference
from urlset.workflows.ls.fields import FIELDS


def test_the_page_is_up_to_date() -> None:
    written = (ROOT / "docs" / "cli.md").read_text(encoding="utf-8")
    assert written == reference(), "run: python -m urlset.cli.reference > docs/cli.md"


def test_every_field_is_explained() -> None:
    assert [name for name in FIELDS if f"| `{name}` |" not in reference()] == []
