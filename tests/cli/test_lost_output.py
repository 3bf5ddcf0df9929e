"""Standard streams that are full or closed: the exit code still says what became of the files."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

FULL = Path("/dev/full")
pytestmark = pytest.mark.skipif(not FULL.exists(), reason="the system has no device that is always full")


def shell(line: str, home: Path) -> subprocess.CompletedProcess[str]:
    """`urlset` in the line is the command."""
    script = f'urlset() {{ "{sys.executable}" -m urlset "$@"; }}; {line}'
    return subprocess.run(["/bin/sh", "-c", script], cwd=home, capture_output=True, text=True, check=False)


def listed(home: Path) -> int:
    return (home / "out/sitemap.xml").read_text().count("<loc>")


@pytest.mark.posix
def test_what_is_published_is_never_exit_code_2(tmp_path: Path) -> None:
    pages = [f"https://www.example.com/p{number}\n" for number in range(4)]
    (tmp_path / "three.txt").write_text("".join(pages[:3]))
    (tmp_path / "four.txt").write_text("".join(pages))
    built = "--out out --base-url https://www.example.com/"
    ran = shell(f"urlset build three.txt {built} >/dev/full", tmp_path)
    assert (ran.returncode, listed(tmp_path)) == (0, 3)
    assert ran.stderr == "urlset: cannot write the report: no space left on device\n"
    assert shell(f"urlset build four.txt {built} --format json >/dev/full 2>/dev/full", tmp_path).returncode == 0
    assert listed(tmp_path) == 4
    assert shell("urlset publish rollback out <&- >&- 2>&-", tmp_path).returncode == 0
    assert listed(tmp_path) == 3


@pytest.mark.posix
def test_a_closed_stream_is_no_internal_error(tmp_path: Path) -> None:
    (tmp_path / "empty.txt").write_text("")
    ran = shell("urlset check empty.txt >&-", tmp_path)
    assert (ran.returncode, "internal error" in ran.stderr) == (1, False)
