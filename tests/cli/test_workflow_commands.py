"""URLs, names and titles that spell commands of CI runners: they stay text wherever a runner may be listening."""

from __future__ import annotations

import io
import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any, cast

import pytest

from urlset.cli.terminal import _Filter, as_written

COMMANDS = [
    "::add-mask::secret",
    "  ::stop-commands::x",
    "\t::error::x",
    "\xa0::error::x",
    "\u3000 ::error::x",
    "##[add-mask]secret",
    "text ##[error]x",
    "a ##vso[task.setvariable variable=x]y",
    "##teamcity[buildStop]",
]
HARMLESS = ["a::b", "# [x]", "#[x]", "http://a.test/::x", ":x", "##vs[", "-::x", "https://a.test/#/##", ":"]


def is_command(line: str) -> bool:
    """As the runners decide: `::` at the start after whitespace, the others anywhere."""
    return line.lstrip().startswith("::") or any(sign in line for sign in ("##[", "##vso[", "##teamcity["))


def filtered(*pieces: bytes) -> bytes:
    target = io.BytesIO()
    stream = _Filter(target)
    for piece in pieces:
        assert stream.write(piece) == len(piece)
    return target.getvalue()


def decoded(data: bytes) -> object:
    """What a JSON string of this text says."""
    text = data.decode().replace("\n", "|").replace("\r", "/").replace("\t", "_")
    return json.loads(f'"{text}"')


@pytest.mark.parametrize("line", COMMANDS)
@pytest.mark.parametrize("before", ["", "a\n", "a\r\n", "a\r", "\n\n", "x" * 100 + "\n", " " * 100])
def test_a_command_is_text_wherever_it_is_cut(line: str, before: str) -> None:
    assert is_command(line)
    data = f"{before}{line}\nend\n".encode()
    whole = filtered(data)
    for part in whole.decode().replace("\r", "\n").split("\n"):
        assert not is_command(part), part
    assert decoded(whole) == decoded(data)
    if not line.startswith(("\xa0", "\u3000")):  # characters are written whole
        assert filtered(*(data[at : at + 1] for at in range(len(data)))) == whole
        assert all(filtered(data[:at], data[at:]) == whole for at in range(len(data)))


@pytest.mark.parametrize("line", HARMLESS)
def test_other_text_stays_as_it_is(line: str) -> None:
    data = f"a\n{line}\n".encode()
    assert filtered(data) == data
    assert filtered(*(data[at : at + 1] for at in range(len(data)))) == data


def test_the_filter_can_be_passed_by() -> None:
    target = io.BytesIO()
    as_written(cast("Any", _Filter(target))).write(b"::error::x\n")
    assert target.getvalue() == b"::error::x\n"


def ran(*arguments: str | Path, runner: str = "GITHUB_ACTIONS", stdout: int = subprocess.PIPE) -> tuple[str, str]:
    environment = {name: value for name, value in os.environ.items() if name not in ("GITHUB_ACTIONS", "TF_BUILD")}
    environment |= {runner: "true"} if runner else {}
    command = [sys.executable, "-m", "urlset", *map(str, arguments)]
    done = subprocess.run(command, stdout=stdout, stderr=subprocess.PIPE, env=environment, check=False, timeout=60)
    return (done.stdout or b"").decode(), done.stderr.decode()


@pytest.fixture
def hostile(tmp_path: Path) -> Path:
    """A sitemap whose URLs and name are commands."""
    path = tmp_path / "##[add-mask]x" / "::add-mask::x.xml"
    path.parent.mkdir()
    locs = "".join(
        f"<url><loc>{loc}</loc><lastmod>{loc}</lastmod></url>" for loc in ("::add-mask::secret", "##[group]x")
    )
    path.write_text(f'<urlset xmlns="http://www.sitemaps.org/schemas/sitemap/0.9">{locs}<x>\n::error::x\n</x></urlset>')
    return path


EVERY = [
    ["ls"],
    ["ls", "--format", "tsv"],
    ["ls", "--format", "csv"],
    ["ls", "--format", "jsonl"],
    ["info"],
    ["check"],
    *(["check", "--format", form] for form in ("concise", "json", "csv", "markdown", "sarif", "html")),
    ["fix", "--diff"],
    ["check", "nothing/##[x]"],
    ["ls", "::add-mask::y.xml"],
]


@pytest.mark.posix
@pytest.mark.parametrize(
    ("arguments", "runner"), [*((each, "GITHUB_ACTIONS") for each in EVERY), (["check"], "TF_BUILD")]
)
def test_no_command_prints_one(hostile: Path, arguments: list[str], runner: str) -> None:
    for text in ran(*arguments, hostile, runner=runner):
        assert [line for line in text.replace("\r", "\n").split("\n") if is_command(line)] == []


@pytest.mark.posix
def test_the_report_of_annotations_still_has_them(hostile: Path) -> None:
    out, _ = ran("check", hostile, "--format", "github")
    lines = [line for line in out.splitlines() if is_command(line)]
    assert lines
    assert all(line.startswith(("::error ", "::warning ", "::notice ", "::error::")) for line in lines)


@pytest.mark.posix
def test_outside_of_a_job_nothing_changes(hostile: Path) -> None:
    assert ran("ls", hostile, runner="")[0] == "::add-mask::secret\n##[group]x\n"
    assert ran("ls", hostile)[0] == ":\\u003aadd-mask::secret\n##\\u005bgroup]x\n"


@pytest.mark.posix
def test_a_file_gets_what_the_sitemap_says(hostile: Path, tmp_path: Path) -> None:
    with (tmp_path / "out").open("wb") as file:
        ran("ls", hostile, stdout=file.fileno())
    assert (tmp_path / "out").read_text() == "::add-mask::secret\n##[group]x\n"
    ran("ls", hostile, "--output", tmp_path / "named")
    assert (tmp_path / "named").read_text() == "::add-mask::secret\n##[group]x\n"
