"""Rows of many spellings → the bytes that an earlier version wrote of them, by Python code alone."""

from __future__ import annotations

import json
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest

from urlset.settings.build import BuildSettings
from urlset.workflows.build.build import build
from urlset.workflows.build.result import BuildRun
from urlset.workflows.library.build import render

RECORDED = Path(__file__).parent / "recorded"
BASE = "https://www.example.com/"
NOW = datetime(2026, 11, 15, 12, tzinfo=UTC)


@pytest.fixture(name="rows", scope="module")
def _rows() -> list[dict[str, Any]]:
    return [json.loads(line) for line in (RECORDED / "rows.jsonl").read_text(encoding="utf-8").splitlines()]


@pytest.mark.parametrize("scanner", ["", "python"])
def test_a_served_sitemap_has_the_bytes_it_had(
    rows: list[dict[str, Any]], scanner: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    if scanner:
        monkeypatch.setenv("URLSET_SCANNER", scanner)
    assert render(rows, base_url=BASE, strict=False) == (RECORDED / "rendered.xml").read_bytes()


@pytest.mark.parametrize("scanner", ["", "python"])
@pytest.mark.parametrize("as_offers", [False, True])
def test_a_build_has_the_bytes_it_had(
    rows: list[dict[str, Any]], scanner: str, as_offers: bool, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    if scanner:
        monkeypatch.setenv("URLSET_SCANNER", scanner)
    sources = () if as_offers else (str(RECORDED / "rows.jsonl"),)
    settings = BuildSettings(sources=sources, base_url=BASE, out=str(tmp_path), now=NOW)
    build(settings, BuildRun(offers=rows) if as_offers else BuildRun())
    assert (tmp_path / "sitemap.xml").read_bytes() == (RECORDED / "built.xml").read_bytes()
