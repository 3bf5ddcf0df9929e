"""`make new-rule` → a file that is a rule, its line in the list, and what is left to do."""

from __future__ import annotations

import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from tests.house.source_tree import ROOT


@pytest.fixture
def tree(tmp_path: Path) -> Path:
    leave_out = shutil.ignore_patterns("__pycache__", "samples", "screens")
    shutil.copytree(ROOT / "src", tmp_path / "src", ignore=leave_out)
    shutil.copytree(ROOT / "docs", tmp_path / "docs", ignore=leave_out)
    shutil.copy(ROOT / "CHANGELOG.md", tmp_path)
    return tmp_path


def new_rule(tree: Path, *arguments: str) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, str(tree / "docs" / "new_rule.py"), *arguments]
    return subprocess.run(command, env={"PYTHONPATH": str(tree / "src")}, capture_output=True, text=True, check=False)


EXAMPLES = """
from urlset.checking.examples import example_failures
from urlset.rules.catalogue import find
print(list(example_failures(find("L099"))))
"""


def test_a_rule_begins_with_an_example_that_passes(tree: Path) -> None:
    wrote = new_rule(tree, "L099", "too-many-dots")
    assert wrote.returncode == 0, wrote.stderr
    assert wrote.stdout.startswith("wrote L099 too-many-dots to src/urlset/rules/loc/too_many_dots.py\nnext:\n")
    for step in ("TODO: a key of spec/citations", "make docs", "CHANGELOG.md", "tests/rules -k L099"):
        assert step in wrote.stdout
    command = [sys.executable, "-c", EXAMPLES]
    done = subprocess.run(command, env={"PYTHONPATH": str(tree / "src")}, capture_output=True, text=True, check=False)
    assert done.stdout == "[]\n", done.stderr
    again = new_rule(tree, "L099")
    assert again.stdout == "next:\n" + wrote.stdout.partition("next:\n")[2]


@pytest.mark.parametrize(
    ("arguments", "complaint"),
    [
        (["A999", "x"], "is no code of a rule on files"),
        (["L099"], "L099 is new: add NAME="),
        (["L099", "Too Many"], "in lower case with hyphens"),
    ],
)
def test_what_cannot_be_written_is_explained(arguments: list[str], complaint: str) -> None:
    done = new_rule(ROOT, *arguments)
    assert done.returncode == 2
    assert complaint in done.stderr
