"""The spec folder leans on nothing else of urlset."""

from __future__ import annotations

import ast
from pathlib import Path

import pytest

import urlset.spec

FILES = sorted(Path(urlset.spec.__path__[0]).glob("*.py"))


@pytest.mark.parametrize("path", FILES, ids=[path.name for path in FILES])
def test_spec_imports_only_itself(path: Path) -> None:
    tree = ast.parse(path.read_text(encoding="utf-8"))
    names = [node.module or "" for node in ast.walk(tree) if isinstance(node, ast.ImportFrom)]
    names += [alias.name for node in ast.walk(tree) if isinstance(node, ast.Import) for alias in node.names]
    assert [name for name in names if name.startswith("urlset") and not name.startswith("urlset.spec")] == []
