"""Small sites on disk, and what sources make of them."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path

from urlset.building.candidate import Candidate, RowTrouble
from urlset.building.sources.source import Item

BASE = "https://www.example.com/"


def lay_out(folder: Path, files: dict[str, str]) -> Path:
    for name, text in files.items():
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8")
    return folder


def html(head: str = "", body: str = "<p>text</p>") -> str:
    return f"<!doctype html><html><head>{head}</head><body>{body}</body></html>"


def canonical(address: str) -> str:
    return html(f'<link rel="canonical" href="{address}">')


def candidates(items: Iterable[Item]) -> list[Candidate]:
    return [item for item in items if isinstance(item, Candidate)]


def troubles(items: Iterable[Item]) -> list[RowTrouble]:
    return [item for item in items if isinstance(item, RowTrouble)]
