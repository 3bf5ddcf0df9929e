"""A file that lists pages and sitemaps becomes two, and no entry is lost."""

from __future__ import annotations

import pytest

from urlset.checking.context import Context
from urlset.checking.select import select
from urlset.findings.fix_result import FixResult
from urlset.fixing.choose import FixOptions
from urlset.fixing.fix import fix_document
from urlset.fixing.shards import separate
from urlset.model.document import Kind
from urlset.reading.read import read
from urlset.rules.catalogue import all_rules
from urlset.spec.engines import DEFAULT_ENGINES

HERE = "https://example.com/sitemap.xml"
RULES = select(all_rules(), DEFAULT_ENGINES)
PAGE = "  <url><loc>https://example.com/{}</loc></url>\n"
MAP = "  <sitemap><loc>https://example.com/{}.xml</loc></sitemap>\n"


def parted(root: str, *entries: str, unsafe: bool = True, address: str | None = HERE) -> FixResult:
    head = f'<?xml version="1.0" encoding="UTF-8"?>\n<{root} xmlns="http://www.sitemaps.org/schemas/sitemap/0.9">\n'
    text = head + "".join(entries) + f"</{root}>\n"
    document = read(text.encode(), name="sitemap.xml", url=HERE)
    fixed = fix_document(document, RULES, Context(), FixOptions(unsafe=unsafe))
    return separate(fixed, document, unsafe=unsafe, address=address)


def test_pages_and_sitemaps_part_ways() -> None:
    result = parted("urlset", PAGE.format("a"), MAP.format("s"), PAGE.format("b"), MAP.format("t"))
    assert [piece.name for piece in result.pieces] == ["sitemap.xml", "sitemap-index.xml"]
    pages, index = [read(piece.data) for piece in result.pieces]
    assert (pages.kind, pages.columns.locs) == (Kind.URLSET, ["https://example.com/a", "https://example.com/b"])
    assert index.kind is Kind.SITEMAPINDEX
    assert index.columns.locs == [HERE, "https://example.com/s.xml", "https://example.com/t.xml"]
    assert not pages.troubles
    assert not index.troubles
    assert "S006" not in {left.code for left in result.left}


def test_an_index_lists_the_file_that_takes_its_pages() -> None:
    result = parted("sitemapindex", PAGE.format("a"), MAP.format("s"))
    index, pages = [read(piece.data) for piece in result.pieces]
    assert index.columns.locs == ["https://example.com/s.xml", "https://example.com/sitemap-pages.xml"]
    assert pages.columns.locs == ["https://example.com/a"]
    assert pages.kind is Kind.URLSET


@pytest.mark.parametrize(
    ("root", "entry", "kind"), [("urlset", MAP, Kind.SITEMAPINDEX), ("sitemapindex", PAGE, Kind.URLSET)]
)
def test_a_root_that_fits_no_entry_is_renamed(root: str, entry: str, kind: Kind) -> None:
    result = parted(root, entry.format("a"), entry.format("b"))
    assert len(result.pieces) == 1
    again = read(result.data)
    assert again.kind is kind
    assert len(again) == 2
    assert not again.troubles


def test_nothing_happens_unasked_or_without_an_address() -> None:
    entries = (PAGE.format("a"), MAP.format("s"))
    assert len(parted("urlset", *entries, unsafe=False).pieces) == 1
    alone = parted("urlset", *entries, address=None)
    assert len(alone.pieces) == 1
    assert any("--at URL" in left.reason for left in alone.left)
