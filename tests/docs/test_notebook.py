"""docs/cookbook/notebook.ipynb → every cell runs in a kernel of Jupyter, and prints what the page shows."""

from __future__ import annotations

import json
import os
import re
from pathlib import Path
from typing import Any

import pytest

from tests.docs.pages import DOCS
from tests.house.installed import once
from tests.house.source_tree import ROOT

NOTEBOOK = DOCS / "cookbook" / "notebook.ipynb"
PORT = re.compile(r"127\.0\.0\.1:\d+")


def shown(cells: list[Any]) -> list[list[str]]:
    """What each cell printed and gave, as text."""
    texts = [
        ["".join(output.get("text") or output.get("data", {}).get("text/plain", "")) for output in cell["outputs"]]
        for cell in cells
        if cell["cell_type"] == "code"
    ]
    return [[PORT.sub("127.0.0.1", text) for text in cell] for cell in texts]


@once
@pytest.mark.slow
@pytest.mark.network
def test_the_session_shows_what_the_page_says(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    pytest.importorskip("polars")
    nbclient, nbformat = pytest.importorskip("nbclient"), pytest.importorskip("nbformat")
    monkeypatch.setenv("PYTHONPATH", os.pathsep.join([str(ROOT / "src"), str(ROOT)]))
    monkeypatch.setenv("IPYTHONDIR", str(tmp_path / "ipython"))
    monkeypatch.setenv("JUPYTER_PLATFORM_DIRS", "1")
    notebook = nbformat.read(NOTEBOOK, as_version=4)
    nbformat.validate(notebook)
    folder = {"metadata": {"path": str(tmp_path)}}
    nbclient.NotebookClient(notebook, timeout=60, kernel_name="python3", resources=folder).execute()
    assert shown(notebook.cells) == shown(json.loads(NOTEBOOK.read_text(encoding="utf-8"))["cells"])
    html = [output["data"].get("text/html", "") for cell in notebook.cells for output in cell.get("outputs", [])]
    assert html[0].startswith("<div><b>Document</b><table>")
    assert (tmp_path / "pages.parquet").exists()
