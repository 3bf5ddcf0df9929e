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


def explained() -> dict[str, list[str]]:
    """The tables of docs/dependencies.md before those of floors and of what is not used: cells by package."""
    text = (ROOT / "docs" / "dependencies.md").read_text(encoding="utf-8").partition("\n## Considered")[0]
    rows = [line.strip("| ").split(" | ") for line in text.splitlines() if line.startswith("| `")]
    names = [row[0].strip("`") for row in rows]
    assert sorted(names) == sorted(set(names)), "a package has two rows"
    return dict(zip(names, rows, strict=True))


def test_every_dependency_is_explained() -> None:
    assert explained().keys() == every_dependency() | {"cython", "setuptools"}


def test_the_versions_are_those_that_are_pinned() -> None:
    """The column before the last one; a package may be pinned differently for each Python."""
    pinned: dict[str, set[str]] = {}
    for name, version, _ in pins("dev.txt"):
        pinned.setdefault(name, set()).add(version)
    wrong = {name: row[-2] for name, row in explained().items() if row[-2].split()[0] not in pinned[name]}
    assert wrong == {}


def test_the_extras_are_those_of_the_project() -> None:
    extras: dict[str, list[str]] = project()["optional-dependencies"]
    own = {name: wanted(needed) for name, needed in extras.items() if name not in ("all", "dev")}
    for name, row in explained().items():
        named = {extra for extra, needed in own.items() if name in needed}
        assert not named or set(re.findall(r"`([^`]+)`", row[1])) == named, name


def test_a_package_has_one_floor_unless_an_extra_needs_more() -> None:
    floors: dict[str, set[str]] = {}
    tables = {name: needed for name, needed in project()["optional-dependencies"].items() if name not in ("all", "dev")}
    for needed in (project()["dependencies"], *tables.values()):
        for requirement in needed:
            found = re.match(r"([A-Za-z0-9-]+)(?:\[\w+\])?>=([0-9.]+)", requirement)
            assert found or requirement.startswith("urlset["), requirement
            if found:
                floors.setdefault(found[1], set()).add(found[2])
    assert {name: each for name, each in floors.items() if len(each) > 1} == {"starlette": {"0.37.2", "1.0.1"}}
