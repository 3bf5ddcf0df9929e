"""docs/frameworks.md → its Python blocks, run in order in a process of their own, each printing what the page says."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import pytest

from tests.docs.test_library import BLOCK
from tests.house.source_tree import ROOT

RUN = """
import contextlib as _contextlib, io as _io, json as _json, sys as _sys
_printed = []
for _code in _json.load(_sys.stdin):
    with _contextlib.redirect_stdout(_io.StringIO()) as _out:
        exec(compile(_code, "docs/frameworks.md", "exec"), globals())
    _printed.append(_out.getvalue())
print(_json.dumps(_printed))
"""


@pytest.mark.slow
def test_every_example_prints_what_the_page_says(tmp_path: Path) -> None:
    for name in ("fastapi", "flask", "django", "sqlalchemy"):
        pytest.importorskip(name)
    page = (ROOT / "docs" / "frameworks.md").read_text(encoding="utf-8")
    blocks = list(BLOCK.finditer(page))
    assert len(blocks) == page.count("```python")
    command = [sys.executable, "-c", RUN]
    given = json.dumps([block["code"] for block in blocks])
    ran = subprocess.run(command, input=given, capture_output=True, text=True, cwd=tmp_path, check=False)
    assert ran.returncode == 0, ran.stderr
    for block, printed in zip(blocks, json.loads(ran.stdout), strict=True):
        assert printed == block["output"], f"docs/frameworks.md:{page.count(chr(10), 0, block.start('code'))}"
