"""docs/architecture.md → every file and function it names is there, and its walk of a check is that of a run."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from tests.house.test_check_path import way_to_first_rule

ROOT = Path(__file__).resolve().parents[2]
TEXT = (ROOT / "docs" / "architecture.md").read_text(encoding="utf-8")
NAMED = sorted(set(re.findall(r"`([a-z_]+(?:/[a-z_0-9]+)+\.(?:py|pyx|pxi))(?::(\w+))?`", TEXT)))


@pytest.mark.parametrize(("file", "name"), NAMED)
def test_what_is_named_is_there(file: str, name: str) -> None:
    path = ROOT / file if file.startswith(("src/", "tests/")) else ROOT / "src" / "urlset" / file
    text = path.read_text(encoding="utf-8")
    assert not name or re.search(rf"^\s*(?:async )?(?:def|class) {name}\b", text, re.MULTILINE)


def test_the_walk_of_a_check_is_that_of_a_run(tmp_path: Path) -> None:
    walk = TEXT[TEXT.index("**check**") : TEXT.index("**build**")]
    stated = [f"{file}:{name}" for file, name in re.findall(r"^\d+\. `([\w/]+\.py):(\w+)`", walk, re.MULTILINE)]
    assert stated == way_to_first_rule(tmp_path)[:-1]
