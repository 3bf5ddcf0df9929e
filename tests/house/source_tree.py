"""The project's own files → modules that the house tests walk over."""

from __future__ import annotations

import ast
from functools import cache
from pathlib import Path
from typing import NamedTuple

ROOT = Path(__file__).resolve().parents[2]
PACKAGE = ROOT / "src" / "urlset"


class Module(NamedTuple):
    path: Path
    text: str

    @property
    def tree(self) -> ast.Module:
        """Parsed anew each time: to keep the trees of a thousand modules takes half a gigabyte and slows collection of
        garbage for every test after it. To parse all takes a second, so look at the text first."""
        return ast.parse(self.text, str(self.path))

    @property
    def shown(self) -> str:
        return self.path.relative_to(ROOT).as_posix()

    @property
    def room(self) -> str:
        """The folder (or single file) directly under src/urlset; empty for files outside the package."""
        if not self.path.is_relative_to(PACKAGE):
            return ""
        return self.path.relative_to(PACKAGE).parts[0].removesuffix(".py")


@cache
def modules(*folders: str) -> tuple[Module, ...]:
    """Every Python file below the named folders of the project."""
    paths = sorted(path for folder in folders for path in (ROOT / folder).rglob("*.py") if _is_ours(path))
    return tuple(Module(path, path.read_text(encoding="utf-8")) for path in paths)


def _is_ours(path: Path) -> bool:
    """Benchmarks keep environments of their own in hidden folders below bench/."""
    return not any(part.startswith(".") for part in path.relative_to(ROOT).parts)


def package() -> tuple[Module, ...]:
    found = modules("src")
    assert found, "no source files found: the house tests would pass on nothing"
    return found


def everything() -> tuple[Module, ...]:
    return modules("src", "tests", "bench")
