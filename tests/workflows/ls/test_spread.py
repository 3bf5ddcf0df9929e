"""Files read by several workers → the same list, notices and order as read one by one."""

from __future__ import annotations

import gzip
from pathlib import Path

import pytest

from urlset.execution.workers import Where, Workers
from urlset.workflows.ls import Batch, ListFilter, Notice
from urlset.workflows.spread_pages import map_pages

BASE = "https://www.example.com/"


def urlset(*names: str) -> bytes:
    rows = "".join(f"<url><loc>{BASE}{name}</loc></url>" for name in names)
    return f'<urlset xmlns="http://www.sitemaps.org/schemas/sitemap/0.9">{rows}</urlset>'.encode()


def index(*names: str) -> bytes:
    rows = "".join(f"<sitemap><loc>{BASE}{name}</loc></sitemap>" for name in names)
    return f'<sitemapindex xmlns="http://www.sitemaps.org/schemas/sitemap/0.9">{rows}</sitemapindex>'.encode()


@pytest.fixture
def site(tmp_path: Path) -> Path:
    """An index with nested, repeated, missing, broken, empty and foreign children, and a circle."""
    files = {
        "sitemap.xml": index(
            "a.xml", "deep.xml", "missing.xml", "a.xml", "page.html", "b.xml.gz", "cut.xml", "empty.xml"
        ),
        "a.xml": urlset("1", "2"),
        "deep.xml": index("c.xml", "sitemap.xml", "d.txt", "b.xml.gz"),
        "c.xml": urlset("3"),
        "d.txt": f"{BASE}4\n{BASE}5\n".encode(),
        "page.html": b"<!doctype html><html><body>not found</body></html>",
        "b.xml.gz": gzip.compress(urlset("6", "7")),
        "cut.xml": urlset("8", "9")[:-30],
        "empty.xml": b"",
    }
    for name, data in files.items():
        (tmp_path / name).write_bytes(data)
    return tmp_path


def locs(batch: Batch) -> list[str]:
    return batch.locs


@pytest.mark.slow
def test_the_list_does_not_depend_on_the_workers(site: Path) -> None:
    starts = [str(site / "sitemap.xml"), str(site / "nowhere.xml"), str(site)]
    found = {
        workers: list(map_pages(starts, locs, ListFilter(), workers, str(site)))
        for workers in (Workers(Where.LOCAL), Workers(Where.PROCESS, 2))
    }
    wanted = found[Workers(Where.LOCAL)]
    assert found[Workers(Where.PROCESS, 2)] == wanted
    listed = [loc.removeprefix(BASE) for item in wanted if not isinstance(item, Notice) for loc in item]
    assert listed[:7] == ["1", "2", "3", "4", "5", "6", "7"]
    assert sum(isinstance(item, Notice) for item in wanted) >= 4
