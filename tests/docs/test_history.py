"""docs/history.md → its Python block, run on the files of the page, prints what the page says."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from tests.house.source_tree import ROOT

PAGE = (ROOT / "docs" / "history.md").read_text(encoding="utf-8")
FILE = re.compile(r'^```xml title="(?P<name>[^"]+)"\n(?P<text>.*?)^```', re.MULTILINE | re.DOTALL)
BLOCK = re.compile(r"^```python\n(?P<code>.*?)^```\n\n```text\n(?P<output>.*?)^```", re.MULTILINE | re.DOTALL)


def test_the_python_example_prints_what_the_page_says(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    for file in FILE.finditer(PAGE):
        Path(file["name"]).parent.mkdir(exist_ok=True)
        Path(file["name"]).write_text(file["text"], encoding="utf-8")
    (block,) = BLOCK.finditer(PAGE)
    exec(block["code"], {})
    assert capsys.readouterr().out == block["output"]
