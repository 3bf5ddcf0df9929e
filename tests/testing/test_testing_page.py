"""docs/testing.md → its Python blocks, run in order, each printing what the block below it says."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import pytest

PAGE = Path(__file__).parents[2] / "docs" / "testing.md"
BLOCKS = re.compile(r"```python\n(?P<code>.*?)```(?:\n\n```text\n(?P<output>.*?)```)?", re.DOTALL)


def test_the_page_says_what_happens(capsys: pytest.CaptureFixture[str]) -> None:
    page = PAGE.read_text(encoding="utf-8")
    names: dict[str, Any] = {}
    blocks = list(BLOCKS.finditer(page))
    assert len(blocks) > 3
    for block in blocks:
        line = page[: block.start()].count("\n") + 1
        exec(compile("\n" * line + block["code"], str(PAGE), "exec"), names)
        assert capsys.readouterr().out == (block["output"] or ""), f"docs/testing.md:{line}"
