"""Each format on three verdicts → exactly the text kept in golden/; URLSET_UPDATE_GOLDEN=1 writes it anew."""

from __future__ import annotations

import os
import re
from pathlib import Path

import pytest

from tests.reports.verdicts import VERDICTS
from tests.reports.written import written
from urlset.reports.format import TEXT
from urlset.reports.html_page import asset

GOLDEN = Path(__file__).parent / "golden"
CASES = {
    **{f"{name}-{case}.txt": (name, case, 100, False) for name in TEXT for case in ("ordinary", "nasty", "clean")},
    "text-ordinary-narrow.txt": ("text", "ordinary", 60, False),
    "text-huge.txt": ("text", "huge", 100, False),
    "text-capped.txt": ("text", "capped", 80, False),
    "text-ordinary-colour.txt": ("text", "ordinary", 80, True),
}


@pytest.mark.parametrize(
    "file",  # with a name of a file that is not UTF-8 in sarif-nasty
    [pytest.param(file, marks=pytest.mark.posix) if file == "sarif-nasty.txt" else file for file in CASES],
)
def test_output_is_as_reviewed(file: str) -> None:
    name, case, width, color = CASES[file]
    text = written(name, VERDICTS[case], width=width, color=color)
    for embedded in ("report.css", "report.js", "table.js"):  # files of their own, with their hashes in the policy
        text = text.replace(asset(embedded), f"[{embedded}]")
    text = re.sub("sha256-[^']+", "sha256-…", text)
    path = GOLDEN / file
    if os.environ.get("URLSET_UPDATE_GOLDEN"):
        path.write_bytes(text.encode())
    assert path.read_bytes().decode() == text


def test_no_golden_file_is_left_over() -> None:
    assert {path.name for path in GOLDEN.iterdir()} == set(CASES)
