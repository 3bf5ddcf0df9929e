"""docs/library.md → its Python blocks, run in order, each printing what the block below it says."""

from __future__ import annotations

import re
from importlib.util import find_spec
from pathlib import Path

import pytest

from tests.house.source_tree import ROOT
from urlset.testing.sample.files import write_samples

BLOCK = re.compile(
    r"^```python(?: needs=(?P<needs>\w+))?\n(?P<code>.*?)^```\n(?:\n```text\n(?P<output>.*?)^```\n)?",
    re.MULTILINE | re.DOTALL,
)


def test_every_example_prints_what_the_page_says(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    write_samples(tmp_path)
    monkeypatch.chdir(tmp_path)
    page = (ROOT / "docs" / "library.md").read_text(encoding="utf-8")
    blocks = list(BLOCK.finditer(page))
    assert len(blocks) == page.count("```python")
    names: dict[str, object] = {}
    for block in blocks:
        if block["needs"] and find_spec(block["needs"]) is None:
            continue
        line = page.count("\n", 0, block.start("code"))
        exec(compile("\n" * line + block["code"], "docs/library.md", "exec"), names)
        assert capsys.readouterr().out == block["output"], f"docs/library.md:{line}"
