"""The documentation site, built strictly → a page per command, nothing loaded from elsewhere, a sound sitemap."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

from tests.cli.commands import run
from tests.house.installed import once
from tests.house.source_tree import ROOT
from urlset.cli.main import cli

LOADED = re.compile(
    r"""<(?:script|img|source|iframe)\b[^>]*\bsrc="?(https?:[^" >]+)|<link\b[^>]*rel="?stylesheet[^>]*"""
)
HOME = "https://urlset.github.io/urlset/"


@pytest.fixture(scope="module")
def site(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("built") / "urlset"
    command = [sys.executable, "-m", "mkdocs", "build", "--strict", "--site-dir", str(folder)]
    environment = os.environ | {"NO_MKDOCS_2_WARNING": "1"}
    done = subprocess.run(command, cwd=ROOT, env=environment, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    return folder


@once
@pytest.mark.slow
def test_every_command_and_family_has_a_page(site: Path) -> None:
    commands = {path.parent.name for path in (site / "commands").glob("*/index.html")}
    assert commands == set(cli.list_commands(cli.make_context("urlset", ["--help"], resilient_parsing=True)))
    assert (site / "rules" / "L" / "index.html").exists()


@once
@pytest.mark.slow
def test_nothing_is_loaded_from_elsewhere(site: Path) -> None:
    loaded = {
        match[0]
        for path in site.rglob("*.html")
        for match in LOADED.finditer(path.read_text(encoding="utf-8"))
        if "http" in match[0]
    }
    assert loaded == set()


@once
@pytest.mark.slow
def test_its_own_sitemap_is_sound(site: Path) -> None:
    ran = run("check", site / "sitemap.xml", "--root", site, "--base-url", HOME)
    assert ran.code == 0, ran.text
    audited = run("audit", site, "--base-url", HOME, "--state", site.parent / "state", "--select", "A001,A003,A006")
    assert audited.code == 0, audited.text
