"""docs/stability.md → promises that the code keeps."""

from __future__ import annotations

import tarfile
from fnmatch import fnmatch
from pathlib import Path

import pytest

from tests.docs.pages import DOCS
from tests.state.test_released import ARCHIVES
from urlset.cli.exit_codes import MEANINGS

PAGE = (DOCS / "stability.md").read_text(encoding="utf-8")


def test_exit_codes_are_those_of_the_commands() -> None:
    for code, meaning in MEANINGS.items():
        assert f"| {code} | {meaning.replace('--fail-on', '`--fail-on`')} |" in PAGE


@pytest.mark.parametrize("archive", ARCHIVES, ids=lambda path: path.name)
def test_every_file_of_a_state_folder_is_named(archive: Path) -> None:
    """A new kind of state needs a row, and is recorded for the next release."""
    rows = [line.split("|")[2] for line in PAGE.splitlines() if line.startswith("| ") and line.count("|") == 3]
    patterns = [name for row in rows for name in row.split("`")[1::2]]
    with tarfile.open(archive) as recorded:
        names = [member.name.removeprefix("state/") for member in recorded if member.isfile()]
    caches = ("answers/*", "watch-cache/*", "lock")
    others = ("target.txt", "baseline.json", "public/*")
    unnamed = [name for name in names if not any(fnmatch(name, each) for each in (*patterns, *caches, *others))]
    assert unnamed == []
    unused = [each for each in patterns if "." in each and not any(fnmatch(name, each) for name in names)]
    assert unused == []
