"""The Python of README.md and docs/library.md, and a user's script → accepted by strict type checkers."""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
from pathlib import Path

import pytest
from mypy import api

from tests.house.installed import once
from tests.house.source_tree import ROOT

BLOCK = re.compile(r"^```python[^\n]*\n(.*?)^```", re.MULTILINE | re.DOTALL)
WITHOUT_TYPES = "needs=pyarrow\n"
"""pyarrow has none, so pyright knows nothing about what a block with it says"""
STRICT = ["--strict", "--no-error-summary", "--hide-error-context"]
PYRIGHT = ROOT / "build" / "pyright" / "node_modules" / "pyright" / "index.js"
SCRIPT = Path(__file__).with_name("user_script.txt")
MORE = """
def sizes(document: urlset.Document, tree: urlset.Tree) -> dict[str | None, int]:
    assert "https://example.com/" in document
    dates = [entry.moment.interval() for entry in document if entry.moment is not None]
    print(dates, tree.missing, [len(each) for each in tree], tree.to_polars("images"))
    return {entry.loc: len(entry.alternates) + len(entry.videos) for entry in document}
"""
WRONG = """import urlset

urlset.nope()
urlset.read(b'').to_plars()
urlset.read('x', allow_privat=True)
urlset.check(5)
urlset.render([5])
"""
"""each line with an error of one kind"""


def examples() -> dict[str, str]:
    """By the name of a module. A page is read from the top, so its blocks are one module."""
    (front,) = BLOCK.findall((ROOT / "README.md").read_text(encoding="utf-8"))
    library = "\n".join(BLOCK.findall((ROOT / "docs" / "library.md").read_text(encoding="utf-8")))
    script = SCRIPT.read_text(encoding="utf-8")
    return {"front": f"{front}\n\n{MORE}\n", "library": library, "script": script, "wrong": WRONG}


@pytest.fixture
def modules(tmp_path: Path) -> Path:
    for name, code in examples().items():
        (tmp_path / f"{name}.py").write_text(code, encoding="utf-8")
    return tmp_path


@once
@pytest.mark.slow
def test_mypy(modules: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Looping over a document offered `Entry | IndexEntry`, of which one had no images."""
    monkeypatch.setenv("MYPYPATH", str(ROOT / "src"))
    cache = ["--cache-dir", str(ROOT / ".mypy_cache"), "--config-file", str(ROOT / "pyproject.toml")]
    found, trouble, _ = api.run([*STRICT, *cache, *map(str, sorted(modules.glob("*.py")))])
    assert not trouble
    assert re.findall(r"(\w+)\.py:(\d+): error: .*\[(.+)\]", found) == [
        ("wrong", "3", "attr-defined"),
        ("wrong", "4", "attr-defined"),
        ("wrong", "5", "call-arg"),
        ("wrong", "6", "arg-type"),
        ("wrong", "7", "list-item"),
    ], found


@once
@pytest.mark.slow
def test_pyright(modules: Path) -> None:
    if not PYRIGHT.is_file():
        assert "REQUIRE_PYRIGHT" not in os.environ
        pytest.skip("pyright is not installed: npm install --prefix build/pyright pyright")
    typed = examples()["library"]
    for block in BLOCK.finditer((ROOT / "docs" / "library.md").read_text(encoding="utf-8")):
        if block[0].partition("```python ")[2].startswith(WITHOUT_TYPES):
            typed = typed.replace(block[1], "")
    (modules / "library.py").write_text(typed, encoding="utf-8")
    settings = {"typeCheckingMode": "strict", "extraPaths": [str(ROOT / "src")]}
    (modules / "pyrightconfig.json").write_text(json.dumps(settings), encoding="utf-8")
    command = ["node", str(PYRIGHT), "--outputjson", "--pythonpath", sys.executable, "--project", str(modules)]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    said = json.loads(done.stdout)
    found = [
        (Path(each["file"]).stem, each["range"]["start"]["line"] + 1, each["message"])
        for each in said["generalDiagnostics"]
    ]
    assert said["summary"]["filesAnalyzed"] == len(examples())
    assert [each for each in found if each[0] != "wrong"] == []
    assert {line for name, line, _ in found if name == "wrong"} == {3, 4, 5, 6, 7}
