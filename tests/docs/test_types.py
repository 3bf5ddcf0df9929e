"""The Python of README.md and docs/library.md → accepted by a strict type checker, as a user's editor shows it."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from mypy import api

from tests.house.installed import once
from tests.house.source_tree import ROOT

BLOCK = re.compile(r"^```python[^\n]*\n(.*?)^```", re.MULTILINE | re.DOTALL)
STRICT = ["--strict", "--no-error-summary", "--hide-error-context"]
MORE = """
def sizes(document: urlset.Document, tree: urlset.Tree) -> dict[str | None, int]:
    assert "https://example.com/" in document
    dates = [entry.moment.interval() for entry in document if entry.moment is not None]
    print(dates, tree.missing, [len(each) for each in tree], tree.to_polars("images"))
    return {entry.loc: len(entry.alternates) + len(entry.videos) for entry in document}
"""


@once
@pytest.mark.slow
def test_a_type_checker_accepts_the_front_page(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Looping over a document offered `Entry | IndexEntry`, of which one had no images."""
    (code,) = BLOCK.findall((ROOT / "README.md").read_text(encoding="utf-8"))
    wrong = "urlset.read(b'').to_plars()\nurlset.read('x', allow_privat=True)\n"
    (tmp_path / "front.py").write_text(f"{code}\n\n{MORE}\n", encoding="utf-8")
    (tmp_path / "wrong.py").write_text(f"import urlset\n\n{wrong}", encoding="utf-8")
    monkeypatch.setenv("MYPYPATH", str(ROOT / "src"))
    cache = ["--cache-dir", str(ROOT / ".mypy_cache"), "--config-file", str(ROOT / "pyproject.toml")]
    found, trouble, _ = api.run([*STRICT, *cache, str(tmp_path / "front.py"), str(tmp_path / "wrong.py")])
    assert not trouble
    assert re.findall(r"(\w+)\.py:\d+: error: .*\[(.+)\]", found) == [
        ("wrong", "attr-defined"),
        ("wrong", "call-arg"),
    ], found
