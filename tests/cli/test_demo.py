"""`urlset demo`: the screen that the docs show, what it leaves behind, and the site alone."""

from __future__ import annotations

import os
import re
import signal
import socket
import subprocess
import sys
import urllib.request
from pathlib import Path

import pytest

from tests.cli.commands import run
from tests.house.source_tree import ROOT

EPOCH = "1794700800"
"""2026-11-15, as in docs/screens.py"""


@pytest.mark.slow
def test_the_screen_is_that_of_the_docs(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr("tempfile.tempdir", str(tmp_path))
    monkeypatch.setenv("SOURCE_DATE_EPOCH", EPOCH)
    ran = run("demo")
    assert (ran.code, ran.err) == (0, "")
    screen = f"$ urlset demo\n\n{ran.text}"
    assert screen == (ROOT / "docs" / "screens" / "demo.txt").read_text(encoding="utf-8"), "run `make docs`"
    assert f"```text\n{screen.rstrip()}\n```" in (ROOT / "docs" / "demo.md").read_text(encoding="utf-8"), (
        "run `make docs`"
    )
    assert max(map(len, ran.lines)) <= 106
    assert list(tmp_path.iterdir()) == []


@pytest.mark.slow
def test_on_a_terminal_it_is_in_colour_and_files_are_kept_where_told(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delenv("NO_COLOR", raising=False)
    monkeypatch.setenv("TERM", "xterm")
    folder = tmp_path / "tour"
    ran = run("demo", "--into", folder, terminal=True)
    assert ran.code == 0
    assert "\x1b[32m" in ran.text
    assert re.search(r"Served by this program on http://127\.0\.0\.1:\d+;", ran.text)
    assert {path.name for path in folder.iterdir()} >= {"public", "fixed", "built", "audit.json", "good", "broken.xml"}


def test_nothing_is_written_where_something_lies(tmp_path: Path) -> None:
    (tmp_path / "mine.txt").write_text("mine")
    ran = run("demo", "--into", tmp_path)
    assert (ran.code, "is not empty" in ran.err) == (2, True)
    assert [path.name for path in tmp_path.iterdir()] == ["mine.txt"]


@pytest.mark.posix
def test_a_port_that_is_taken_is_told() -> None:
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        taken.listen()
        port = taken.getsockname()[1]
        ran = run("demo", "--serve", "--port", port)
    assert ran.code == 2
    assert ran.err == f"urlset: cannot serve on port {port}: address already in use; set another --port\n"


@pytest.mark.slow
@pytest.mark.skipif(os.name == "nt", reason="SIGINT is another thing on Windows")
def test_the_site_alone_is_served_until_it_is_interrupted() -> None:
    command = [sys.executable, "-u", "-m", "urlset", "demo", "--serve"]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as process:
        assert process.stdout is not None
        address = process.stdout.readline().split()[0]
        with urllib.request.urlopen(f"{address}robots.txt", timeout=10) as answer:
            assert b"Sitemap: " + address.encode() in answer.read()
        process.send_signal(signal.SIGINT)
        assert process.wait(10) == 0
