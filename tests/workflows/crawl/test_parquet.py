"""The rows of a crawl as Parquet → the same candidates as from JSON Lines."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.reports.test_crawl_html import summary
from urlset.building.sources.open import open_source
from urlset.building.sources.source import items_of
from urlset.model.entry import Alternate
from urlset.model.visit import CrawlRow
from urlset.reports.crawl import render
from urlset.reports.format import ReportOptions

BASE = "https://www.example.com"
ROWS = [
    CrawlRow(url=f"{BASE}/", state="ok", reason="200", status=200, depth=0, via="start", indexable=True, title="Home"),
    CrawlRow(url=f"{BASE}/gone", state="gone", reason="404", status=404, depth=1, via="link", found_on=f"{BASE}/"),
    CrawlRow(
        url=f"{BASE}/de",
        state="ok",
        reason="200",
        status=200,
        depth=1,
        via="link",
        alternates=(Alternate("de", f"{BASE}/de"), Alternate("en", f"{BASE}/")),
    ),
    CrawlRow(url=f"{BASE}/wait", state="not asked", reason="not requested yet", depth=2, via="link"),
]


def test_a_build_reads_it_like_json_lines(tmp_path: Path) -> None:
    pytest.importorskip("pyarrow")
    for form in ("jsonl", "parquet"):
        pieces = render(summary(), iter(ROWS), ReportOptions(), form)
        (tmp_path / f"pages.{form}").write_bytes(b"".join(each for each in pieces if isinstance(each, bytes)))
    from_lines, from_table = (
        list(items_of(open_source(str(tmp_path / name)))) for name in ("pages.jsonl", "pages.parquet")
    )
    assert len(from_table) == 3
    assert [repr(item).replace("pages.parquet", "pages.jsonl") for item in from_table] == list(map(repr, from_lines))
