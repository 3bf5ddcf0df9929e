"""A sitemap beside its own .gz → one file, wherever folders and patterns are read."""

from __future__ import annotations

import gzip
import json
from pathlib import Path

import pytest

from tests.cli.commands import run
from urlset.reading.disk import is_copy_of_one
from urlset.reading.tree import read_tree

HEAD = '<?xml version="1.0" encoding="UTF-8"?>\n'
NAMESPACE = 'xmlns="http://www.sitemaps.org/schemas/sitemap/0.9"'


def sitemap(count: int = 60) -> bytes:
    entries = "".join(f"<url><loc>https://example.com/{number}</loc></url>\n" for number in range(count))
    return f"{HEAD}<urlset {NAMESPACE}>\n{entries}</urlset>\n".encode()


def index(*names: str) -> bytes:
    children = "".join(f"<sitemap><loc>https://example.com/{name}</loc></sitemap>\n" for name in names)
    return f"{HEAD}<sitemapindex {NAMESPACE}>\n{children}</sitemapindex>\n".encode()


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    (tmp_path / "sitemap.xml").write_bytes(sitemap())
    (tmp_path / "sitemap.xml.gz").write_bytes(gzip.compress(sitemap()))
    return tmp_path


@pytest.mark.parametrize("pattern", ["", "*", "sitemap.xml*"])
def test_a_check_reads_it_once(folder: Path, pattern: str) -> None:
    report = json.loads(run("check", folder / pattern, "--format", "json").out)
    assert [each["entries"] for each in report["documents"]] == [60]
    assert "L021" not in report["counts"]


def test_both_names_as_a_shell_gives_them(folder: Path) -> None:
    assert "L021" not in run("check", folder / "sitemap.xml", folder / "sitemap.xml.gz").text


def test_trees_and_listings_have_it_once(folder: Path) -> None:
    assert [len(document) for document in read_tree(folder)] == [60]
    assert len(run("ls", folder).text.splitlines()) == 60


def test_an_index_that_lists_the_packed_one(folder: Path) -> None:
    (folder / "sitemap-index.xml").write_bytes(index("sitemap.xml.gz"))
    assert "L021" not in run("check", folder).text


def test_an_index_that_lists_both_lists_pages_twice(folder: Path) -> None:
    (folder / "index.xml").write_bytes(index("sitemap.xml", "sitemap.xml.gz"))
    assert "L021" in run("check", folder / "index.xml").text


def test_other_content_under_the_same_name_is_another_sitemap(folder: Path) -> None:
    (folder / "sitemap.xml.gz").write_bytes(gzip.compress(sitemap(59)))
    assert "L021" in run("check", folder).text


@pytest.mark.parametrize("packed", [b"", b"\x1f\x8b", gzip.compress(sitemap())[:-9], gzip.compress(sitemap() + b" ")])
def test_a_broken_copy_is_none(folder: Path, packed: bytes) -> None:
    path = folder / "sitemap.xml.gz"
    path.write_bytes(packed)
    assert not is_copy_of_one(path, {str((folder / "sitemap.xml").resolve())})
