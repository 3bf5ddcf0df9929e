"""The package builds with a compiler, and without one or without Cython all the same.

The compiled modules are one line long here: their sources are translated and compiled when this tree is installed, and
REQUIRE_COMPILED_SCANNER makes it an error that they were not.
"""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from pathlib import Path
from zipfile import ZipFile

import pytest

pytestmark = pytest.mark.slow

ROOT = Path(__file__).resolve().parents[2]
BUILD = "from setuptools.build_meta import build_wheel; print(build_wheel('dist'))"


@pytest.fixture
def tree(tmp_path: Path) -> Path:
    for name in ("setup.py", "pyproject.toml", "MANIFEST.in", "README.md", "LICENSE"):
        shutil.copy(ROOT / name, tmp_path)
    ignored = shutil.ignore_patterns("*.so", "__pycache__", "*.egg-info")
    shutil.copytree(ROOT / "src", tmp_path / "src", ignore=ignored)
    for declared in (tmp_path / "src").rglob("compiled*.pxd"):
        declared.unlink()
    for source in (tmp_path / "src").rglob("compiled*.pyx"):
        source.write_text("answer = 42\n", encoding="utf-8")
    return tmp_path


def wheel(tree: Path, **variables: str) -> tuple[list[str], str]:
    """The names in the wheel built there, and what was said on the way."""
    pytest.importorskip("setuptools", minversion="77.0.3")
    run = subprocess.run(
        [sys.executable, "-c", BUILD], cwd=tree, env=os.environ | variables, capture_output=True, text=True, check=False
    )
    assert run.returncode == 0, run.stdout + run.stderr
    (built,) = (tree / "dist").glob("*.whl")
    return ZipFile(built).namelist(), run.stderr


def is_compiled(names: list[str]) -> bool:
    assert "urlset/reading/reference.py" in names
    assert {"urlset/reading/compiled.pyi", "urlset/building/compiled_pages.pyi"} <= set(names)
    return any(name.startswith("urlset/reading/compiled.") and name.endswith((".so", ".pyd")) for name in names)


def test_a_failing_compiler_is_no_error(tree: Path) -> None:
    names, _ = wheel(tree, CC=shutil.which("false") or "false")
    assert not is_compiled(names)


def test_a_missing_cython_is_no_error(tree: Path) -> None:
    (tree / "Cython.py").write_text("raise ImportError('not here')\n", encoding="utf-8")
    names, said = wheel(tree, PYTHONPATH=str(tree))
    assert not is_compiled(names)
    assert "urlset.reading.compiled is left out, pure Python takes its place: not here" in said


@pytest.mark.skipif(shutil.which("cc") is None, reason="no C compiler here")
def test_with_a_compiler_the_scanner_is_built(tree: Path) -> None:
    pytest.importorskip("Cython")
    names, _ = wheel(tree, CFLAGS="-O0")
    assert is_compiled(names)
    sources = {path.stem for path in (ROOT / "src").rglob("compiled*.pyx")}
    assert {Path(name).name.partition(".")[0] for name in names if name.endswith((".so", ".pyd"))} == sources


def test_a_pure_wheel_on_request(tree: Path) -> None:
    """For CI, and for systems without a wheel of their own: nothing is translated, and any system may install it."""
    names, said = wheel(tree, URLSET_PURE="1")
    assert not is_compiled(names)
    assert "left out" not in said
    (built,) = (tree / "dist").glob("*.whl")
    assert built.name.endswith("-py3-none-any.whl")
    assert not any(name.endswith((".so", ".pyd", ".pyx", ".pxi", ".c")) for name in names)
