"""pyproject.toml, requirements/ and docs/dependencies.md → pins that are hashed, agree and are explained."""

from __future__ import annotations

import re
import tomllib
from typing import Any

import pytest

from tests.house.source_tree import ROOT

PIN = re.compile(r"^(?P<name>[a-z0-9-]+)==(?P<version>\S+)(?: ; (?P<marker>[^\\]+?))? \\$")
HASH = re.compile(r"^    --hash=sha256:[0-9a-f]{64}(?: \\)?$")


def lines(name: str) -> list[str]:
    return (ROOT / "requirements" / name).read_text(encoding="utf-8").splitlines()


def pins(name: str) -> set[tuple[str, str, str | None]]:
    matches = [found for line in lines(name) if (found := PIN.match(line))]
    return {(found["name"], found["version"], found["marker"]) for found in matches}


def project() -> dict[str, Any]:
    table: dict[str, Any] = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    return table


def wanted(requirements: list[str]) -> set[str]:
    """The distribution names in a list of requirements, our own extras left out."""
    names = {re.split(r"[^A-Za-z0-9.-]", requirement, maxsplit=1)[0].lower() for requirement in requirements}
    return names - {"urlset"}


def every_dependency() -> set[str]:
    extras: dict[str, list[str]] = project()["optional-dependencies"]
    return wanted(project()["dependencies"]).union(*map(wanted, extras.values()))


@pytest.mark.parametrize("name", ["runtime.txt", "dev.txt"])
def test_a_pin_file_holds_pins_and_hashes_only(name: str) -> None:
    strange = [line for line in lines(name) if not PIN.match(line) and not HASH.match(line)]
    assert strange == []


@pytest.mark.parametrize("name", ["runtime.txt", "dev.txt"])
def test_every_pin_has_a_hash(name: str) -> None:
    text = lines(name)
    assert [
        line for line, after in zip(text, [*text[1:], ""], strict=True) if PIN.match(line) and not HASH.match(after)
    ] == []


def test_what_runs_is_what_is_tested() -> None:
    """The same versions; what one needs on some systems only, the other may need on all."""
    tested = pins("dev.txt")
    assert {(name, version) for name, version, _ in pins("runtime.txt")} <= {
        (name, version) for name, version, _ in tested
    }
    assert [pin for pin in pins("runtime.txt") if pin[2] is None and pin not in tested] == []


def test_the_pins_cover_the_project() -> None:
    assert wanted(project()["dependencies"]) | {"setuptools"} <= {name for name, _, _ in pins("runtime.txt")}
    assert every_dependency() <= {name for name, _, _ in pins("dev.txt")}


def test_every_dependency_is_explained() -> None:
    text = (ROOT / "docs" / "dependencies.md").read_text(encoding="utf-8")
    explained = set(re.findall(r"^\| `([^`]+)` \|", text, flags=re.MULTILINE))
    assert explained == every_dependency() | {"cython", "setuptools"}
