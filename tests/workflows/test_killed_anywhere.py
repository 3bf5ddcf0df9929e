"""kill -9 in build, rollback, fix, audit and crawl, again and again: fuzz/kills.py runs many more of them."""

from __future__ import annotations

import os
import subprocess
import sys

import pytest

from tests.house.source_tree import ROOT

KILLS = int(os.environ.get("URLSET_KILLS", "6"))

pytestmark = pytest.mark.skipif(not hasattr(os, "fork"), reason="needs a system with fork and SIGKILL")


@pytest.mark.parametrize("command", ["build", "rollback", "fix", "audit", "crawl"])
def test_what_a_kill_leaves(command: str) -> None:
    """Published files whole and old or new, databases intact, files of others untouched, and the next run finishes."""
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join([str(ROOT / "src"), str(ROOT)])}
    line = [sys.executable, "-m", "fuzz.kills", "--kills", str(KILLS), "--seed", "7", "--only", command]
    ran = subprocess.run(line, cwd=ROOT, env=environment, capture_output=True, text=True, check=False, timeout=300)
    assert ran.returncode == 0, ran.stderr
    name, _, count = ran.stdout.splitlines()[0].partition(": ")
    assert name == command
    assert int(count) >= KILLS
