"""kill -9 again and again during an audit → the result of an undisturbed one, and no page fetched more than twice."""

from __future__ import annotations

import json
import os
import random
import signal
import subprocess
import sys
import time
from collections import Counter
from pathlib import Path
from typing import Any

import pytest

from tests.house.source_tree import ROOT
from tests.servers.process import SiteProcess

SITES = f"{Path(__file__).parents[1] / 'audit_sites.py'}:many"


def start(url: str, folder: Path, *more: str) -> subprocess.Popen[bytes]:
    command = [sys.executable, "-m", "urlset", "audit", url, "--allow-private", "--state", str(folder / "state"),
               "--format", "json", "--output", str(folder / "audit.json"), *more]  # fmt: skip
    environment = {**os.environ, "PYTHONPATH": str(ROOT / "src")}
    return subprocess.Popen(command, env=environment, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE)


def finish(process: subprocess.Popen[bytes]) -> None:
    _, said = process.communicate(timeout=120)
    assert (process.returncode, said.count(b"\n")) == (1, 2), said  # the summary, and where the report is


class Requests:
    """How many the server has answered, by the lines of its log."""

    def __init__(self, log: Path) -> None:
        self._log = log

    def __call__(self) -> int:
        return self._log.read_bytes().count(b"\n")

    def wait_for(self, count: int, process: subprocess.Popen[bytes]) -> bool:
        """False where the audit ended before."""
        patience = time.monotonic() + 60
        while self() < count:
            if process.poll() is not None:
                return False
            assert time.monotonic() < patience, "the audit does not get on"
            time.sleep(0.002)
        return True


def result(folder: Path) -> dict[str, Any]:
    """The report without what no two runs share."""
    report: dict[str, Any] = json.loads((folder / "audit.json").read_bytes())
    report["speeds"] = []
    for page in report["pages"]:
        page["seconds"] = page["first_byte"] = 0
    return report


def killed_and_whole(tmp_path: Path, count: int, kills: int) -> tuple[int, Counter[str]]:
    """How often it was really killed, and how often each page was fetched."""
    dice = random.Random(20261115)
    whole, killed = tmp_path / "whole", tmp_path / "killed"
    whole.mkdir()
    killed.mkdir()
    log = tmp_path / "requests.jsonl"
    with SiteProcess(SITES, log_file=log, count=count) as site:
        url = site.url("/sitemap.xml")
        finish(start(url, whole, "--concurrency", "8"))
        before = len(site.log)
        requests = Requests(log)
        done = 0
        for step in range(kills):
            process = start(url, killed, "--concurrency", "8")
            goal = before + count * (step + 1) // (kills + 2) + dice.randrange(count // (kills * 4))
            if requests.wait_for(goal, process):
                process.send_signal(signal.SIGKILL)
                done += 1
            process.communicate()
        finish(start(url, killed, "--concurrency", "8"))
        fetched = Counter(each.path for each in site.log[before:] if each.path[2:3].isdigit())
    assert result(killed) == result(whole)
    return done, fetched


@pytest.mark.parametrize(("count", "kills"), [(1_200, 4)])
def test_kills_cost_nothing(tmp_path: Path, count: int, kills: int) -> None:
    done, fetched = killed_and_whole(tmp_path, count, kills)
    assert done == kills
    assert len([path for path in fetched if not path.endswith("/")]) == count
    assert max(fetched.values()) <= 2
    again = sum(times == 2 for times in fetched.values())
    assert again <= 8 * 2 * kills  # what was under way, and the targets of its redirects


def test_politeness_survives_a_restart(tmp_path: Path) -> None:
    log = tmp_path / "requests.jsonl"
    with SiteProcess(SITES, log_file=log, count=40) as site:
        url = site.url("/sitemap.xml")
        requests = Requests(log)
        for goal in (8, 16, 24):
            process = start(url, tmp_path, "--delay", "0.05")
            assert requests.wait_for(goal, process)
            process.send_signal(signal.SIGKILL)
            process.communicate()
        finish(start(url, tmp_path, "--delay", "0.05"))
        assert site.most_at_once == 1
        assert min(site.gaps()) >= 0.05


def test_ctrl_c_tells_what_is_known_and_how_to_go_on(tmp_path: Path) -> None:
    log = tmp_path / "requests.jsonl"
    with SiteProcess(SITES, log_file=log, count=300, pause=0.02) as site:
        url = site.url("/sitemap.xml")
        process = start(url, tmp_path)
        assert Requests(log).wait_for(60, process)
        process.send_signal(signal.SIGINT)
        _, said = process.communicate(timeout=90)
        assert process.returncode == 130
        assert b"run the same command to resume" in said
        report = result(tmp_path)
        assert report["finished"] is False
        known = sum(page["asked"] for page in report["pages"])
        assert 30 <= known < 300
        assert report["not_asked"] == [{"count": 300 - known, "reason": "the audit was stopped"}]
        finish(start(url, tmp_path))
        assert result(tmp_path)["finished"] is True
        assert max(Counter(each.path for each in site.log if each.path[2:3].isdigit()).values()) == 1
