"""An audit of several hosts in worker processes → the report of one process, at the pace of each host."""

from __future__ import annotations

import os
import signal
import subprocess
import time
from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest

from bench.kills import children
from tests.servers.process import SiteProcess
from tests.workflows.audit.test_killed import Requests, finish, result, start
from urlset.testing.exchange import gaps
from urlset.workflows.audit.sites import _shares, site_of

pytestmark = [pytest.mark.slow, pytest.mark.network]
FACTORY = f"{Path(__file__).parents[1] / 'audit_sites.py'}:hosts"
HOSTS = ("127.0.0.1", "127.0.0.2", "127.0.0.3")
WORKERS = ("--executor", "process", "--jobs", "2")
DELAY = 0.03
PAGES = 25


@contextmanager
def served(log: Path) -> Iterator[SiteProcess]:
    with SiteProcess(FACTORY, log_file=log, addresses=HOSTS, count=PAGES, names=HOSTS) as site:
        yield site


def started(site: SiteProcess, folder: Path, *more: str) -> subprocess.Popen[bytes]:
    folder.mkdir(exist_ok=True)
    opened = [word for host in HOSTS for word in ("--private-host", f"{host}:{site.port}")]
    return start(site.url("/sitemap.xml"), folder, *opened, "--delay", str(DELAY), *more)


def audited(site: SiteProcess, folder: Path, *more: str) -> dict[str, Any]:
    finish(started(site, folder, *more))
    return result(folder)


def requested(site: SiteProcess, since: int) -> Counter[tuple[str, str]]:
    return Counter((each.host, each.path) for each in site.log[since:] if each.path != "/robots.txt")


def assert_polite(site: SiteProcess, since: int) -> None:
    for host in HOSTS:
        assert min(gaps([each for each in site.log[since:] if each.host == host])) >= DELAY


def test_hosts_in_workers_give_the_report_of_one_process(tmp_path: Path) -> None:
    with served(tmp_path / "requests.jsonl") as site:
        here = audited(site, tmp_path / "here")
        before = len(site.log)
        there = audited(site, tmp_path / "there", *WORKERS)
        assert_polite(site, before)
        again = requested(site, before) - requested(site, 0)
        states = {page["state"] for page in here["pages"]}
    assert states >= {"ok", "redirected", "gone"}
    assert there == here
    assert not again
    assert not list((tmp_path / "there" / "state").glob("*.hosts"))


def test_killed_workers_and_commands_cost_time_only(tmp_path: Path) -> None:
    log = tmp_path / "requests.jsonl"
    with served(log) as site:
        whole = audited(site, tmp_path / "whole")
        before, requests = len(site.log), Requests(log)
        process = started(site, tmp_path / "killed", *WORKERS)
        for number, role in enumerate(("worker", "command", "worker"), 1):
            assert requests.wait_for(before + 15 * number, process)
            if role == "worker":
                kill_worker(process)
            else:
                process.kill()
                process.communicate()
                process = started(site, tmp_path / "killed", *WORKERS)
        finish(process)
        assert_polite(site, before)
        fetched = requested(site, before)
    assert result(tmp_path / "killed") == whole
    # /p6 leads to another worker's host, so the command requests it again; /p1 is where it leads
    alone = {path: times for (_, path), times in fetched.items() if path not in ("/p6", "/p1")}
    assert max(alone.values()) <= 2, alone


def test_ctrl_c_keeps_what_workers_have_seen(tmp_path: Path) -> None:
    log = tmp_path / "requests.jsonl"
    with served(log) as site:
        process = started(site, tmp_path / "stopped", *WORKERS)
        assert Requests(log).wait_for(20, process)
        process.send_signal(signal.SIGINT)
        _, said = process.communicate(timeout=90)
        assert process.returncode == 130
        assert b"run the same command to resume" in said
        known = sum(page["asked"] for page in result(tmp_path / "stopped")["pages"])
        assert 5 <= known < PAGES * len(HOSTS)
        before, stopped = requested(site, 0), len(site.log)
        finish(started(site, tmp_path / "stopped", *WORKERS))
        again = before.keys() & requested(site, stopped).keys()
    # a page that redirects is under way with two requests; the finished audit checks the sitemap
    under_way = {(host, path.rstrip("/")) for host, path in again if path not in ("/p1", "/p6", "/sitemap.xml")}
    assert len(under_way) <= len(HOSTS)


def kill_worker(process: subprocess.Popen[bytes]) -> None:
    until = time.monotonic() + 30
    while time.monotonic() < until:
        for child in children(process.pid):
            os.kill(child, signal.SIGKILL)
            return
        time.sleep(0.02)
    pytest.fail("there is no worker")


@pytest.mark.parametrize(
    ("url", "site"),
    [
        ("https://www.example.com/a", "example.com"),
        ("http://example.com:8080/", "example.com"),
        ("https://shop.example.com/", "shop.example.com"),
        ("https://[bad", ""),
    ],
)
def test_spellings_of_a_host_stay_together(url: str, site: str) -> None:
    assert site_of(url) == site


def test_shares_have_about_as_many_pages() -> None:
    assert _shares({"a": 9, "b": 5, "c": 4, "d": 1}, 2) == [["a", "d"], ["b", "c"]]
    assert _shares({"a": 9}, 4) == [["a"]]
