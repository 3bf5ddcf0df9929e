"""Files of writers → what suite/writers.py finds wrong with them."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from suite.writers import Judge

SUITE = Path(__file__).resolve().parents[2] / "suite"
HEAD = '<urlset xmlns="http://www.sitemaps.org/schemas/sitemap/0.9">'
LOC = "<loc>https://example.com/</loc>"
ROW = {"loc": "https://example.com/", "lastmod": "2026-11-15T00:30:00+02:00"}
RIGHT = f"{HEAD}<url>{LOC}<lastmod>2026-11-14T22:30:00Z</lastmod></url></urlset>"


def problems(folder: Path, *files: str, rows: list[dict[str, Any]] | None = None) -> list[str]:
    names = []
    for number, text in enumerate(files):
        names.append(f"sitemap-{number}.xml")
        (folder / names[-1]).write_text(text, encoding="utf-8")
    return [what for what, _ in Judge({"rows": rows or [ROW]}, folder, names).problems()]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        (RIGHT, []),
        (RIGHT.replace("</urlset>", ""), ["not well-formed", "lost URL"]),
        (RIGHT.replace("http://www", "https://www"), ["invalid", "lost URL"]),
        (RIGHT.replace("14T22", "15T22"), ["wrong date"]),
        (RIGHT.replace("22:30:00Z", "22:30"), ["invalid"]),
        (RIGHT.replace("com/<", "com/a<"), ["lost URL", "invented URL"]),
        (f"{HEAD}<url><lastmod>2026-11-14T22:30:00Z</lastmod>{LOC}</url></urlset>", ["invalid"]),
        (f"{HEAD}<url>{LOC}</url></urlset>", ["wrong date"]),
    ],
)
def test_each_fault_has_its_name(tmp_path: Path, text: str, expected: list[str]) -> None:
    assert problems(tmp_path, text) == expected


def test_several_files_need_an_index(tmp_path: Path) -> None:
    other = RIGHT.replace("com/<", "com/b<")
    rows = [ROW, ROW | {"loc": "https://example.com/b"}]
    index = '<sitemapindex xmlns="http://www.sitemaps.org/schemas/sitemap/0.9">{}</sitemapindex>'
    listed = [f"<sitemap><loc>https://example.com/sitemap-{n}.xml</loc></sitemap>" for n in (0, 1)]
    assert problems(tmp_path, RIGHT, other, rows=rows) == ["no index"]
    assert problems(tmp_path, RIGHT, other, index.format("".join(listed)), rows=rows) == []
    assert problems(tmp_path, RIGHT, other, index.format(listed[0]), rows=rows) == ["no index"]


@pytest.mark.slow
def test_urlset_writes_every_input_correctly() -> None:
    command = [sys.executable, str(SUITE / "run.py"), "--timeout", "60", "--memory", "0"]
    adapter = f"{sys.executable} {SUITE / 'adapters' / 'write_urlset.py'}"
    done = subprocess.run([*command, "--writer", adapter], capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout
