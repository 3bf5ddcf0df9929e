"""A crawl that is killed again and again ends as one that was left in peace, and asks no page more than twice."""

from __future__ import annotations

import subprocess
import sys
import time
from collections import Counter
from pathlib import Path

import pytest

from tests.servers.process import SiteProcess

PROCESS = Path(__file__).parents[1] / "crawl_process.py"
PATIENCE = 60.0


def run_crawl(site: SiteProcess, state: Path, out: Path) -> subprocess.Popen[str]:
    return subprocess.Popen(
        [sys.executable, str(PROCESS), site.url("/"), str(state), str(out), "4"], stdout=subprocess.PIPE, text=True
    )


def finished(process: subprocess.Popen[str]) -> str:
    with process:
        said = process.communicate(timeout=PATIENCE)[0]
    assert process.returncode == 0, said
    return said.strip()


def asked(log: Path) -> int:
    return log.read_bytes().count(b"\n")


def kill_after(process: subprocess.Popen[str], log: Path, requests: int) -> None:
    """Wait until the server has answered so many in all, then kill."""
    until = time.monotonic() + PATIENCE
    while asked(log) < requests and process.poll() is None and time.monotonic() < until:
        time.sleep(0.005)
    process.kill()
    with process:
        process.wait()


@pytest.mark.parametrize(("pages", "kills"), [(1_200, 4)])
def test_killed_again_and_again(pages: int, kills: int, tmp_path: Path) -> None:
    log = tmp_path / "log.jsonl"
    with SiteProcess(f"{PROCESS}:large", count=pages, log_file=log) as site:
        calm, killed = tmp_path / "calm.tsv", tmp_path / "killed.tsv"
        assert finished(run_crawl(site, tmp_path / "calm", calm)).startswith("done")
        before = asked(log)
        for number in range(1, kills + 1):
            kill_after(run_crawl(site, tmp_path / "killed", killed), log, before + number * pages // (kills + 1))
            assert not killed.exists()
        last = finished(run_crawl(site, tmp_path / "killed", killed))
        targets = Counter(request.target for request in site.log[before:])
    assert last.startswith("done")
    assert calm.read_text() == killed.read_text()
    targets.pop("/robots.txt", None)
    assert len(targets) > pages * 0.9
    assert max(targets.values()) <= 2
    assert sum(targets.values()) - len(targets) <= 8 * kills
