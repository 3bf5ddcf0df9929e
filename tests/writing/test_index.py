"""An index is written as the protocol has it, and any parser reads it back."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.strategies import index_entries
from tests.writing.expat_view import children_in
from urlset.model.entry import IndexEntry
from urlset.writing.urlset import INDEX_CLOSING, INDEX_OPENING, child_bytes, write_index
from urlset.writing.xml import Unwritable


def test_one_element_a_line() -> None:
    children = [IndexEntry("https://e.com/a&b.xml", "2024-05-06"), IndexEntry("https://e.com/c.xml")]
    assert b"".join(write_index(children)).decode() == (
        '<?xml version="1.0" encoding="UTF-8"?>\n'
        '<sitemapindex xmlns="http://www.sitemaps.org/schemas/sitemap/0.9">\n'
        "  <sitemap>\n"
        "    <loc>https://e.com/a&amp;b.xml</loc>\n"
        "    <lastmod>2024-05-06</lastmod>\n"
        "  </sitemap>\n"
        "  <sitemap>\n"
        "    <loc>https://e.com/c.xml</loc>\n"
        "  </sitemap>\n"
        "</sitemapindex>\n"
    )


def test_a_forbidden_character_is_refused() -> None:
    with pytest.raises(Unwritable):
        child_bytes(IndexEntry("https://e.com/\x1f"))


@given(st.lists(index_entries(), max_size=5))
def test_any_parser_reads_back_every_value(children: list[IndexEntry]) -> None:
    data = b"".join(write_index(children))
    assert children_in(data) == children
    assert INDEX_OPENING + b"".join(map(child_bytes, children)) + INDEX_CLOSING == data
