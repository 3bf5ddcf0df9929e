"""Pages with Python → their blocks, run in order, each printing what the block below it says."""

from __future__ import annotations

import re
from importlib.util import find_spec
from pathlib import Path

import pytest

from tests.docs.pages import DOCS, page_paths
from urlset.workflows.demo.sample.draft import write_samples

BLOCK = re.compile(
    r"^```python(?: needs=(?P<needs>\w+))?\n(?P<code>.*?)^```\n(?:\n```text\n(?P<output>.*?)^```\n)?",
    re.MULTILINE | re.DOTALL,
)
WITH_TESTS_OF_THEIR_OWN = {"engines.md", "frameworks.md", "history.md", "testing.md"}
PAGES = [
    name
    for name in page_paths()
    if name not in WITH_TESTS_OF_THEIR_OWN and "```python" in (DOCS / name).read_text(encoding="utf-8")
]


@pytest.mark.parametrize("name", PAGES)
def test_every_example_prints_what_the_page_says(
    name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    write_samples(tmp_path)
    monkeypatch.chdir(tmp_path)
    page = (DOCS / name).read_text(encoding="utf-8")
    blocks = list(BLOCK.finditer(page))
    assert len(blocks) == page.count("```python")
    names: dict[str, object] = {}
    for block in blocks:
        if block["needs"] and find_spec(block["needs"]) is None:
            continue
        line = page.count("\n", 0, block.start("code"))
        exec(compile("\n" * line + block["code"], f"docs/{name}", "exec"), names)
        assert capsys.readouterr().out == (block["output"] or ""), f"docs/{name}:{line}"
