"""Files beyond the limits become parts within them; every entry is in exactly one, as it stood."""

from __future__ import annotations

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.reading.sitemaps import HEAD, TAIL, url
from urlset.findings.fix_result import FixedFile, FixResult, Left
from urlset.fixing.shards import SplitLimits, SplitResult, split
from urlset.model.document import Document, Kind
from urlset.reading.read import read

HERE = "https://example.com/maps/sitemap.xml"


def sitemap(count: int, name: str = "maps/sitemap.xml", between: bytes = b"") -> Document:
    entries = (url(str(n), b"<lastmod>2026-01-%02d</lastmod>" % (n % 28 + 1)) + between for n in range(count))
    return read(HEAD + b"\n".join(entries) + TAIL, name=name, url=HERE)


def untouched(document: Document, code: str = "S007") -> FixResult:
    """As `fix_document` leaves a file in which only the size is wrong."""
    left = (Left(code, "too-much", 1, "needs manual review"),)
    return FixResult(document.name, document.data, (FixedFile(document.name, (document.data,)),), (), (), left)


def parted(document: Document, limits: SplitLimits, code: str = "S007", *, unsafe: bool = False) -> SplitResult:
    return split(untouched(document, code), document, limits, unsafe=unsafe)


@pytest.mark.posix
def test_too_many_entries_become_parts_and_an_index() -> None:
    document = sitemap(25)
    result = parted(document, SplitLimits(urls=10, address=HERE))
    assert [piece.name for piece in result.fixed.pieces] == [
        "maps/sitemap.xml",
        "maps/sitemap-1.xml",
        "maps/sitemap-2.xml",
        "maps/sitemap-3.xml",
    ]
    index, *parts = [read(piece.data, name=piece.name) for piece in result.fixed.pieces]
    assert index.kind is Kind.SITEMAPINDEX
    assert [child.loc for child in index.children()] == [f"https://example.com/maps/sitemap-{n}.xml" for n in (1, 2, 3)]
    assert [loc for part in parts for loc in part.columns.locs] == document.columns.locs
    assert [len(part) for part in parts] == [9, 9, 7]
    assert all(not part.troubles for part in parts)
    assert [item.code for item in result.fixed.applied] == ["S007"]
    assert result.fixed.left == ()


def test_the_index_dates_each_part_by_its_newest_page() -> None:
    result = parted(sitemap(25), SplitLimits(urls=10, address=HERE))
    assert [part.lastmod for part in result.parts] == ["2026-01-09", "2026-01-18", "2026-01-25"]


def test_too_many_bytes_become_parts() -> None:
    document = sitemap(100)
    result = parted(document, SplitLimits(bytes=4000, address=HERE), "S008")
    assert all(piece.size <= 4000 for piece in result.fixed.pieces)
    assert sum(len(read(piece.data)) for piece in result.fixed.pieces[1:]) == 100


def test_too_much_news_becomes_parts() -> None:
    result = parted(sitemap(25), SplitLimits(news=10, address=HERE), "N014")
    assert len(result.fixed.pieces) == 4


def test_a_text_list_stays_text() -> None:
    data = b"".join(b"https://example.com/%d\n" % n for n in range(25))
    document = read(data, name="list.txt", url="https://example.com/list.txt")
    limits = SplitLimits(urls=10, address="https://example.com/list.txt")
    assert "--unsafe" in parted(document, limits, "S031").fixed.left[0].reason
    result = parted(document, limits, "S031", unsafe=True)
    assert [piece.name for piece in result.fixed.pieces] == [
        "list.txt", "list-index.xml", "list-1.txt", "list-2.txt", "list-3.txt",
    ]  # fmt: skip
    assert b"".join(piece.data for piece in result.fixed.pieces[2:]) == data
    assert result.fixed.data == data, "the old list stays until the index is announced"


def test_a_large_index_is_split_on_request() -> None:
    rows = b"".join(b"<sitemap><loc>https://example.com/%d.xml</loc></sitemap>" % n for n in range(25))
    root = b'<sitemapindex xmlns="http://www.sitemaps.org/schemas/sitemap/0.9">'
    document = read(root + rows + b"</sitemapindex>", name="index.xml")
    for code in ("I002", "I003"):
        assert "--unsafe" in parted(document, SplitLimits(urls=10), code).fixed.left[0].reason
        result = parted(document, SplitLimits(urls=10), code, unsafe=True)
        assert [piece.name for piece in result.fixed.pieces] == ["index.xml", "index-2.xml", "index-3.xml"]
        found = [read(piece.data) for piece in result.fixed.pieces]
        assert [loc for part in found for loc in part.columns.locs] == document.columns.locs


def test_gzip_names_keep_both_endings() -> None:
    result = parted(sitemap(25, "a.b.xml.gz"), SplitLimits(urls=10, address=HERE))
    assert result.fixed.pieces[1].name == "a.b-1.xml.gz"


def test_without_an_address_nothing_is_split() -> None:
    result = parted(sitemap(25), SplitLimits(urls=10))
    assert len(result.fixed.pieces) == 1
    assert "--at URL" in result.fixed.left[0].reason


def test_a_broken_file_is_not_split() -> None:
    document = read(HEAD + url("1") * 25, name="sitemap.xml", url=HERE)
    assert "well-formed" in parted(document, SplitLimits(urls=10, address=HERE)).fixed.left[0].reason


@pytest.mark.posix
def test_files_that_are_there_are_not_overwritten() -> None:
    result = parted(
        sitemap(25), SplitLimits(urls=10, address=HERE, is_free=lambda piece: "sitemap-1" not in piece.name)
    )
    assert [piece.name for piece in result.fixed.pieces[1:]] == [f"maps/sitemap-part-{n}.xml" for n in (1, 2, 3)]
    none = parted(sitemap(25), SplitLimits(urls=10, address=HERE, is_free=lambda _piece: False))
    assert "already exist" in none.fixed.left[0].reason


def test_in_a_tree_the_file_stays_and_the_index_follows() -> None:
    document = sitemap(25)
    result = parted(document, SplitLimits(urls=10, address=HERE, listed=True))
    assert result.fixed.data == document.data
    assert len(result.parts) == 3
    assert len(result.fixed.pieces) == 4


def test_what_stands_between_parts_is_kept() -> None:
    document = sitemap(20, between=b"<!-- note -->")
    result = parted(document, SplitLimits(urls=10, address=HERE))
    assert sum(piece.data.count(b"<!-- note -->") for piece in result.fixed.pieces) >= 20


def test_a_file_within_the_limits_stays_one() -> None:
    document = sitemap(10)
    assert parted(document, SplitLimits(urls=10, address=HERE)).fixed.pieces == untouched(document).pieces


def test_a_refused_result_is_not_split() -> None:
    document = sitemap(25)
    refused = msgspec.structs.replace(untouched(document), refused="lost")
    assert len(split(refused, document, SplitLimits(urls=10, address=HERE)).fixed.pieces) == 1


@given(st.lists(st.integers(0, 60), min_size=2, max_size=40), st.integers(1, 12), st.integers(400, 3000), st.booleans())
def test_no_entry_is_lost_and_no_limit_broken(sizes: list[int], urls: int, most: int, comments: bool) -> None:
    between = b"<!-- c -->" if comments else b""
    document = read(HEAD + between.join(url("x" * size) for size in sizes) + TAIL, name="s.xml", url=HERE)
    result = parted(document, SplitLimits(urls=urls, bytes=most, address=HERE))
    if len(result.fixed.pieces) == 1:
        return
    parts = [read(piece.data) for piece in result.fixed.pieces[1:]]
    assert [loc for part in parts for loc in part.columns.locs] == document.columns.locs
    assert all(len(part) <= urls for part in parts)
    assert all(len(part.data) <= most or len(part) == 1 for part in parts)


@pytest.mark.parametrize("count", [50_001])
def test_the_real_limit_is_the_protocols(count: int) -> None:
    document = sitemap(count)
    assert [len(read(piece.data)) for piece in parted(document, SplitLimits(address=HERE)).fixed.pieces] == [
        2,
        25_001,
        25_000,
    ]
