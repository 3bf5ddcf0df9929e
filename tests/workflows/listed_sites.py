"""Small lists of pages → builds of them through the command, and what a reader of the output folder finds."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any

from tests.cli.commands import Ran, run
from urlset.reading.tree import read_tree

BASE = "https://www.example.com/"


class ListedSite:
    """A JSON list and the folders it is built into."""

    def __init__(self, home: Path) -> None:
        self.home = home
        self.source, self.out, self.state = home / "urls.jsonl", home / "out", home / "state"

    def offer(self, paths: Iterable[str], lastmod: str | None = "2025-05-05", **more: object) -> None:
        self.rows({"loc": BASE + path, **({"lastmod": lastmod} if lastmod else {}), **more} for path in paths)

    def rows(self, rows: Iterable[Mapping[str, object] | str]) -> None:
        lines = (row if isinstance(row, str) else json.dumps(row) for row in rows)
        self.source.write_text("".join(f"{line}\n" for line in lines), encoding="utf-8")

    def build(self, *more: object, base: str = BASE) -> Ran:
        return run("build", self.source, "--base-url", base, "--out", self.out, "--state", self.state, *more)

    def report(self, *more: object) -> dict[str, Any]:
        found: dict[str, Any] = json.loads(self.build("--format", "json", *more).out)
        return found

    def published(self) -> dict[str, tuple[bytes, int]]:
        return files_in(self.out)

    def listed(self) -> list[str]:
        return listed_in(self.out)


def files_in(folder: Path) -> dict[str, tuple[bytes, int]]:
    """Everything in a folder: content and time of change."""
    if not folder.exists():
        return {}
    files = sorted(path for path in folder.rglob("*") if path.is_file())
    return {str(path.relative_to(folder)): (path.read_bytes(), path.stat().st_mtime_ns) for path in files}


def listed_in(folder: Path) -> list[str]:
    """Addresses without the base, in order, from the entry point on; fails on what is missing or torn."""
    tree = read_tree(folder / "sitemap.xml")
    documents = list(tree)
    assert not tree.missing
    assert not [trouble for document in documents for trouble in document.troubles]
    return sorted((entry.loc or "").removeprefix(BASE) for document in documents for entry in document.entries())
