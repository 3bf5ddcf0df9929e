"""kill -9 at any moment: each file is the original or the complete result, and nothing is unlisted meanwhile."""

from __future__ import annotations

import gzip
import json
import os
import signal
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

import pytest

from tests.house.source_tree import ROOT
from tests.reading.sitemaps import HEAD, TAIL, url
from urlset.model.document import Kind
from urlset.reading.read import read

pytestmark = pytest.mark.skipif(not hasattr(os, "fork"), reason="needs a system with fork and SIGKILL")
PAGES = HEAD + b"".join(url(f"{n} x?a=1&b=2") for n in range(200)) + TAIL
LARGE = HEAD + b"".join(url(str(n)) for n in range(50_001)) + TAIL


def states(tmp_path: Path, files: dict[str, bytes], *arguments: str) -> list[dict[str, Any]]:
    original, folder = tmp_path / "original", tmp_path / "site"
    original.mkdir()
    for name, data in files.items():
        (original / name).write_bytes(data)
    command = [sys.executable, "-m", "tests.workflows.kill_points", str(original), str(folder), "fix", *arguments]
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join([str(ROOT / "src"), str(ROOT)])}
    ran = subprocess.run(command, cwd=ROOT, env=environment, capture_output=True, text=True, check=True)
    found = [json.loads(line) for line in ran.stdout.splitlines()]
    assert not found[-1]["killed"]
    assert len(found) > 3, "it was killed several times on the way"
    if "--backup" in arguments:
        for state in found:
            assert state["left"] == [], "the next run removes what the killed one left"
            assert state["next"] == found[-1]["next"], "and comes to the same result"
    return found


def seen(found: list[dict[str, Any]], name: str) -> list[str]:
    """The different contents of one file, in the order in which they appeared."""
    return list(dict.fromkeys(state["files"][name] for state in found if name in state["files"]))


@pytest.mark.parametrize("options", [(), ("--backup",)])
def test_one_file(tmp_path: Path, options: tuple[str, ...]) -> None:
    found = states(tmp_path, {"sitemap.xml": PAGES}, str(tmp_path / "site" / "sitemap.xml"), *options)
    assert len(seen(found, "sitemap.xml")) == 2, "the original, then the result"
    assert all("sitemap.xml" in state["files"] for state in found)
    if options:
        assert seen(found, "sitemap.xml.bak") == seen(found, "sitemap.xml")[:1], "the backup is never half of one"


def test_gzip(tmp_path: Path) -> None:
    packed = gzip.compress(PAGES)
    found = states(tmp_path, {"sitemap.xml.gz": packed}, str(tmp_path / "site" / "sitemap.xml.gz"), "--backup")
    assert len(seen(found, "sitemap.xml.gz")) == 2


def test_parts_come_before_the_index(tmp_path: Path) -> None:
    path = str(tmp_path / "site" / "sitemap.xml")
    found = states(tmp_path, {"sitemap.xml": LARGE}, path, "--at", "https://example.com/sitemap.xml")
    original, result = seen(found, "sitemap.xml")
    assert len(seen(found, "sitemap-1.xml")) == len(seen(found, "sitemap-2.xml")) == 1
    for state in found:
        if state["files"]["sitemap.xml"] == result:
            assert {"sitemap-1.xml", "sitemap-2.xml"} <= set(state["files"])
        else:
            assert state["files"]["sitemap.xml"] == original


def test_a_tree_never_lists_what_is_not_there(tmp_path: Path) -> None:
    row = "<sitemap><loc>https://example.com/{}</loc></sitemap>"
    root = '<sitemapindex xmlns="http://www.sitemaps.org/schemas/sitemap/0.9">'
    index = f"{root}{row.format('a.xml')}{row.format('big.xml')}</sitemapindex>".encode()
    files = {"index.xml": index, "a.xml": PAGES, "big.xml": LARGE}
    found = states(tmp_path, files, str(tmp_path / "site" / "index.xml"))
    result = seen(found, "index.xml")[-1]
    assert len(seen(found, "index.xml")) == 2
    for state in found:
        if state["files"]["index.xml"] == result:
            assert {"big-1.xml", "big-2.xml"} <= set(state["files"])
    assert len(seen(found, "big.xml")) == 1, "the file that was split stays until somebody deletes it"


def test_killed_at_random_moments(tmp_path: Path) -> None:
    """From outside, whatever it is doing; few times here, for the moments that matter are covered above."""
    path = tmp_path / "sitemap.xml"
    environment = {**os.environ, "PYTHONPATH": str(ROOT / "src")}
    times = int(os.environ.get("URLSET_KILLS", "4"))
    command = [sys.executable, "-m", "urlset", "fix", str(path), "--at", "https://example.com/sitemap.xml"]
    for attempt in range(times):
        path.write_bytes(LARGE)
        with subprocess.Popen(
            command, env=environment, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL
        ) as process:
            time.sleep(0.2 + 2.5 * attempt / times)
            process.send_signal(signal.SIGKILL)
        document = read(path)
        if document.kind is Kind.SITEMAPINDEX:
            parts = [read(tmp_path / str(loc).rpartition("/")[2]) for loc in document.columns.locs]
            assert sum(len(part) for part in parts) == 50_001
        else:
            assert path.read_bytes() == LARGE
