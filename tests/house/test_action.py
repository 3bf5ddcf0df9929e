"""action.yml and the GitLab template → their commands, run as the runners run them."""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
from pathlib import Path
from typing import Any, NamedTuple

import pytest
from ruamel.yaml import YAML

from tests.house.installed import offline, once, source_copy
from tests.house.source_tree import ROOT
from urlset.checking.declare import wrap

ACTION: dict[str, Any] = YAML(typ="safe").load(ROOT / "action.yml")
INSTALL, RUN = ACTION["runs"]["steps"]
GITLAB: dict[str, Any] = YAML(typ="safe").load(ROOT / "templates" / "gitlab.yml")["urlset"]
BASE = "https://www.example.com/"
FRAGMENT = wrap(f"<url><loc>{BASE}guide#setup</loc><lastmod>2026-11-01</lastmod></url>")
PAGE = "<!doctype html><html lang=en><title>Guide</title><h1>Guide</h1><p>How to set up a lamp in five steps."


class Step(NamedTuple):
    code: int
    log: str
    outputs: dict[str, str]
    summary: str


def bash(script: str, folder: Path, environment: dict[str, str]) -> subprocess.CompletedProcess[str]:
    """As `shell: bash` of an action: stop at the first failure, also inside a pipe."""
    command = ["bash", "--noprofile", "--norc", "-eo", "pipefail", "-c", script]
    return subprocess.run(command, cwd=folder, env=environment, capture_output=True, text=True, check=False)


def step(site: Path, environment: dict[str, str], **inputs: str) -> Step:
    """The second step, with the inputs of the action where its environment names them."""
    given = {name: str(each.get("default", "")) for name, each in ACTION["inputs"].items()}
    given |= {name.replace("_", "-"): value for name, value in inputs.items()}
    named = {key: re.fullmatch(r"\$\{\{ inputs\.([\w-]+) \}\}", value) for key, value in RUN["env"].items()}
    values = {key: given[match[1]] for key, match in named.items() if match}
    assert len(values) == len(named)
    outputs, summary = site.parent / "outputs", site.parent / "summary"
    for file in (outputs, summary):
        file.write_text("")
    files = {"GITHUB_OUTPUT": str(outputs), "GITHUB_STEP_SUMMARY": str(summary)}
    done = bash(RUN["run"], site, environment | files | values)
    said = dict(line.split("=", 1) for line in outputs.read_text().splitlines())
    return Step(done.returncode, done.stdout + done.stderr, said, summary.read_text())


@pytest.fixture
def site(tmp_path: Path) -> Path:
    folder = tmp_path / "site"
    (folder / "public" / "guide").mkdir(parents=True)
    (folder / "public" / "sitemap.xml").write_text(FRAGMENT)
    (folder / "public" / "guide" / "index.html").write_text(PAGE)
    return folder


@pytest.fixture
def runner(tmp_path: Path) -> dict[str, str]:
    """A runner on which urlset is installed already: its command is this tree's."""
    home = tmp_path / "runner" / "urlset" / "bin"
    home.mkdir(parents=True)
    command = home / "urlset"
    command.write_text(f'#!/bin/sh\nexec "{sys.executable}" -m urlset "$@"\n')
    command.chmod(0o755)
    path = f"{home}:{os.environ['PATH']}"
    return offline() | {"RUNNER_TEMP": str(tmp_path / "runner"), "PYTHONPATH": str(ROOT / "src"), "PATH": path}


def test_check_annotates_summarizes_and_writes_sarif(site: Path, runner: dict[str, str]) -> None:
    ran = step(site, runner, targets="public/", args=f"--root public\n--base-url {BASE}", fail_on="warning")
    assert (ran.code, ran.outputs["exit-code"]) == (1, "1"), ran.log
    assert "::warning file=public/sitemap.xml,line=3," in ran.log
    assert "L013" in ran.summary
    sarif = json.loads(Path(ran.outputs["sarif"]).read_text())
    assert "L013" in {result["ruleId"] for result in sarif["runs"][0]["results"]}


def test_audit_judges_the_pages(site: Path, runner: dict[str, str]) -> None:
    ran = step(site, runner, command="audit", targets="public", args=f"--base-url {BASE} --ignore Q")
    assert ran.outputs["exit-code"] == str(ran.code)
    assert ran.code in (0, 1), ran.log
    assert "| ok | 1 |" in ran.summary


def test_what_is_not_there_fails_the_job(site: Path, runner: dict[str, str]) -> None:
    assert step(site, runner, targets="nowhere/").code == 2
    assert step(site, runner, targets="guide with spaces.xml\nx.xml").code == 2
    wrong = step(site, runner, command="rollback", targets="public/")
    assert (wrong.code, wrong.outputs) == (2, {})
    assert "::error::command must be check or audit" in wrong.log


def test_gitlab_gets_its_report(site: Path, runner: dict[str, str]) -> None:
    variables = {name: str(value) for name, value in GITLAB["variables"].items()}
    ran = bash("\n".join(GITLAB["script"]), site, runner | variables | {"SITEMAP_ARGS": "--fail-on warning"})
    assert ran.returncode == 1, ran.stderr
    report = json.loads((site / GITLAB["artifacts"]["reports"]["codequality"]).read_text())
    assert "L013" in {finding["check_name"] for finding in report}
    assert "warning[L013]" in ran.stdout


@once
@pytest.mark.slow
def test_the_install_step_installs_the_action_itself(tmp_path: Path) -> None:
    (tmp_path / "action").mkdir()
    source = source_copy(tmp_path / "action")
    assert INSTALL["env"]["SITEMAP_REQUIREMENT"].endswith("|| github.action_path }}")
    environment = offline() | {"RUNNER_TEMP": str(tmp_path), "SITEMAP_REQUIREMENT": str(source)}
    done = bash(INSTALL["run"], tmp_path, environment | {"PATH": f"{Path(sys.executable).parent}:{os.environ['PATH']}"})
    assert done.returncode == 0, done.stderr
    command = [str(tmp_path / "urlset" / "bin" / "urlset"), "--version"]
    assert "urlset" in subprocess.run(command, env=environment, capture_output=True, text=True, check=True).stdout
