"""`urlset serve`: what protects it, and what it says where it cannot start."""

from __future__ import annotations

import os
import re
import signal
import subprocess
import sys
from http.client import HTTPConnection
from pathlib import Path

import click
import pytest

from tests.cli.commands import run
from tests.house.source_tree import ROOT
from urlset.testing.site import Site


@pytest.mark.parametrize("host", ["0.0.0.0", "192.168.1.4", "::"])
def test_another_address_needs_a_secret(host: str, tmp_path: Path) -> None:
    ran = run("serve", "--host", host, "--state", tmp_path)
    assert ran.code == 2
    assert "protect it with `urlset serve --set-password`" in ran.err


def test_a_public_url_needs_a_secret(tmp_path: Path) -> None:
    ran = run("serve", "--public-url", "https://urlset.example.com/", "--state", tmp_path)
    assert ran.code == 2
    assert "a public URL can be reached by others" in ran.err


def test_a_short_token_is_refused(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("URLSET_SERVE_TOKEN", "short")
    ran = run("serve", "--state", tmp_path)
    assert ran.code == 2
    assert "at least 16 characters" in ran.err
    assert "short" not in ran.err.replace("too short", "")


def test_a_port_in_use(tmp_path: Path) -> None:
    with Site({}) as site:
        ran = run("serve", "--port", site.port, "--state", tmp_path)
    assert ran.code == 2
    assert f"port {site.port}: is it in use? Set another --port" in ran.err


def test_a_password_is_saved_as_a_hash_that_only_its_owner_can_read(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    answers = iter(["short", "long enough to keep"])
    monkeypatch.setattr(click, "prompt", lambda *_, **__: next(answers))
    assert run("serve", "--set-password", "--state", tmp_path).code == 2
    assert run("serve", "--set-password", "--state", tmp_path).code == 0
    path = tmp_path / "dashboard" / "password"
    assert path.read_text().startswith("$argon2id$")
    assert "long enough" not in path.read_text()
    assert path.stat().st_mode & 0o777 == 0o600


def test_missing_packages_are_named(monkeypatch: pytest.MonkeyPatch) -> None:
    import urlset.cli.serve as options

    monkeypatch.setattr(options, "find_spec", lambda name: None if name == "uvicorn" else object())
    ran = run("serve")
    assert ran.code == 2
    assert "the dashboard needs uvicorn: pip install 'urlset[seo]'" in ran.err


@pytest.mark.slow
def test_it_serves_until_ctrl_c(tmp_path: Path) -> None:
    environment = {**os.environ, "PYTHONPATH": str(ROOT / "src"), "PYTHONUNBUFFERED": "1"}
    command = [sys.executable, "-m", "urlset", "serve", "--state", str(tmp_path), "--port", "0", "-q"]
    with subprocess.Popen(
        command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, env=environment, text=True
    ) as process:
        assert process.stdout is not None
        assert process.stderr is not None
        found = re.fullmatch(r"dashboard: http://127\.0\.0\.1:(\d+)/\n", process.stdout.readline())
        assert found is not None
        connection = HTTPConnection("127.0.0.1", int(found[1]), timeout=20)
        connection.request("GET", "/")
        answer = connection.getresponse()
        assert answer.status == 200
        assert b"No snapshots yet" in answer.read()
        connection.close()
        process.send_signal(signal.SIGINT)
        assert process.wait(20) == 0
        assert process.stderr.read() == ""
