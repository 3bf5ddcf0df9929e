"""Feeds of the newest changes: the right pages in the right order, as files that feed readers and urlset can read."""

from __future__ import annotations

from datetime import UTC, datetime
from pathlib import Path
from xml.etree import ElementTree as ET

import pytest

import urlset
from urlset.building.extras import feed_bytes, newest_changes
from urlset.model.entry import Entry

BASE = "https://www.example.com/"
NOW = datetime(2026, 6, 1, tzinfo=UTC)
ENTRIES = [
    Entry(f"{BASE}old", "2025-01-01"),
    Entry(f"{BASE}new?a=1&b=2", "2026-05-06T12:00:00+02:00"),
    Entry(f"{BASE}undated"),
    Entry(f"{BASE}future", "2027-01-01"),
    Entry(f"{BASE}middle", "2026-05-06"),
    Entry(f"{BASE}wrong", "yesterday"),
]


def test_the_newest_come_first() -> None:
    assert [item.loc for item in newest_changes(ENTRIES, NOW)] == [f"{BASE}new?a=1&b=2", f"{BASE}middle", f"{BASE}old"]
    assert [item.loc for item in newest_changes(ENTRIES, NOW, most=1)] == [f"{BASE}new?a=1&b=2"]


@pytest.mark.parametrize(("kind", "date"), [("atom", "2026-05-06T10:00:00Z"), ("rss", "Wed, 06 May 2026 10:00:00 GMT")])
def test_readers_find_the_pages(kind: str, date: str) -> None:
    data = b"".join(feed_bytes(kind, newest_changes(ENTRIES, NOW), BASE))
    ET.fromstring(data)
    assert date.encode() in data
    document = urlset.read(data)
    assert [entry.loc for entry in document] == [f"{BASE}new?a=1&b=2", f"{BASE}middle", f"{BASE}old"]
    assert urlset.check(data, at=f"{BASE}sitemap.{kind}").at_or_above(urlset.Severity.ERROR) == 0


def test_an_empty_feed_is_well_formed() -> None:
    for kind in ("atom", "rss"):
        ET.fromstring(b"".join(feed_bytes(kind, [], BASE)))


def test_a_build_writes_feeds_and_a_page_for_people(tmp_path: Path) -> None:
    pages: list[str | Entry] = [*ENTRIES[:2], f"{BASE}x"]
    report = urlset.build(
        pages, tmp_path, base_url=BASE, feed=["atom", "rss"], human_view=True, now=NOW, sections=["old=/old"]
    )
    assert {"sitemap.atom", "sitemap.rss", "sitemap.html"} <= set(report.files)
    assert [entry.loc for entry in urlset.read(tmp_path / "sitemap.atom")] == [f"{BASE}new?a=1&b=2", f"{BASE}old"]
    index = (tmp_path / "sitemap.xml").read_bytes()
    assert b"<?xml-stylesheet" not in index
    assert "sitemap.css" not in report.files
    assert urlset.check(index).at_or_above(urlset.Severity.ERROR) == 0
