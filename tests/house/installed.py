"""This tree → a copy in git that pip can install without an index, as users of hooks and actions install it."""

from __future__ import annotations

import os
import shutil
import subprocess
import sysconfig
from pathlib import Path

import pytest

from tests.house.source_tree import ROOT

once = pytest.mark.skipif(
    os.environ.get("URLSET_SCANNER") == "python", reason="the gate runs it with the other scanner"
)
"""for what takes long and does not depend on the scanner"""
PARTS = ("LICENSE", "README.md", "pyproject.toml", "setup.py", ".pre-commit-hooks.yaml", "action.yml")


def source_copy(folder: Path) -> Path:
    """A repository with one commit; without the compiled parts, which take long to build and are tested elsewhere."""
    leave_out = shutil.ignore_patterns("__pycache__", "*.so", "*.pyx", "*.pxi", "*.pxd", "*.egg-info")
    shutil.copytree(ROOT / "src", folder / "src", ignore=leave_out)
    for name in PARTS:
        shutil.copy(ROOT / name, folder / name)
    committed(folder)
    return folder


def committed(folder: Path) -> None:
    identity = ("-c", "user.name=Test", "-c", "user.email=test@example.com", "-c", "commit.gpgsign=false")
    for command in (("init", "--quiet"), ("add", "--all"), (*identity, "commit", "--quiet", "--message", "All of it")):
        subprocess.run(["git", *command], cwd=folder, check=True, capture_output=True)


def offline() -> dict[str, str]:
    """The environment in which pip builds and finds everything in the packages that are installed already."""
    kept = {name: value for name, value in os.environ.items() if not name.startswith(("GIT_", "URLSET_", "PIP_"))}
    return kept | {
        "PYTHONPATH": sysconfig.get_path("purelib"),
        "PIP_NO_BUILD_ISOLATION": "0",  # pip reads this one the other way round
        "PIP_NO_COMPILE": "1",
        "PIP_NO_INDEX": "1",
        "PIP_NO_DEPS": "1",
        "PIP_DISABLE_PIP_VERSION_CHECK": "1",
    }
