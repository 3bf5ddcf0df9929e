"""An audit in worker processes → the report of one process, at the same pace, though processes are killed."""

from __future__ import annotations

import os
import random
import signal
import subprocess
import time
from collections import Counter
from pathlib import Path
from typing import Any

import pytest

from bench.kills import children
from tests.servers.process import SiteProcess
from tests.workflows.audit.test_killed import SITES, Requests, finish, result, start
from urlset.testing.exchange import gaps

pytestmark = [pytest.mark.slow, pytest.mark.network]
EVERY_STATE = f"{Path(__file__).parents[1] / 'audit_sites.py'}:served_states"
FLEET = ("--executor", "process", "--jobs", "2")
DELAY = 0.03


def report_of(url: str, folder: Path, *more: str) -> dict[str, Any]:
    folder.mkdir()
    _, said = (process := start(url, folder, *more)).communicate(timeout=60)
    assert process.returncode == 1, said
    return result(folder)


def test_worker_processes_give_the_report_of_one_process(tmp_path: Path) -> None:
    with SiteProcess(EVERY_STATE) as site:
        url = site.url("/sitemap.xml")
        here = report_of(url, tmp_path / "here")
        before = len(site.log)
        there = report_of(url, tmp_path / "there", *FLEET)
        counts = [Counter(each.target for each in part) for part in (site.log[:before], site.log[before:])]
    assert {page["state"] for page in here["pages"]} >= {"ok", "redirected", "gone", "unknown"}
    assert there == here
    for requests in counts:
        requests.pop("/robots.txt")
    assert counts[0] == counts[1]


def test_kills_cost_time_only_and_the_pace_is_kept(tmp_path: Path) -> None:
    dice, log = random.Random(19), tmp_path / "requests.jsonl"
    killed: Counter[str] = Counter()
    with SiteProcess(SITES, log_file=log, count=40) as site:
        url, requests = site.url("/sitemap.xml"), Requests(log)
        whole = report_of(url, tmp_path / "whole")
        before = requests()
        (tmp_path / "killed").mkdir()
        wanted = ["worker", "owner", "driver"]
        process = start(url, tmp_path / "killed", "--delay", str(DELAY), *FLEET)
        for number, role in enumerate(wanted, 1):
            assert requests.wait_for(before + 9 * number + dice.randrange(4), process)
            kill(process, role)
            killed[role] += 1
            if role == "driver":
                process.communicate()
                process = start(url, tmp_path / "killed", "--delay", str(DELAY), *FLEET)
        finish(process)
        seen = site.log[before:]
    assert killed == {"worker": 1, "owner": 1, "driver": 1}
    assert result(tmp_path / "killed") == whole
    counts = Counter(each.target for each in seen if each.path != "/robots.txt")
    assert max(counts.values()) <= 2
    assert min(gaps(seen)) >= DELAY


def kill(process: subprocess.Popen[bytes], role: str) -> None:
    if role == "driver":
        process.kill()
        return
    until = time.monotonic() + 30
    while time.monotonic() < until:
        for child, found in children(process.pid, live=True):
            if found == role:
                os.kill(child, signal.SIGKILL)
                return
        time.sleep(0.02)
    pytest.fail(f"there is no {role}")
