"""What is written is read back equal by urlset's own reader, plain, gzipped and as text."""

from __future__ import annotations

from hypothesis import example, given
from hypothesis import strategies as st

from tests.strategies import entries, index_entries, urls
from urlset.model.document import Kind
from urlset.model.entry import Alternate, Entry, Image, IndexEntry, Media
from urlset.reading.read import read_bytes
from urlset.writing.gzip import compress
from urlset.writing.urlset import line_bytes, write_index, write_urlset


@given(st.lists(entries(trimmed=True), max_size=4))
@example([Entry(None, media=Media(images=(Image(),)))])
@example([Entry(None, media=Media(mobile=""))])
@example([Entry("https://example.com/", media=Media(images=(Image("a\rb"),)))])
@example([Entry("https://example.com/", media=Media(alternates=(Alternate("de", "a\nb"),)))])
@example([Entry("https://example.com/", media=Media(alternates=(Alternate("d\te", "b"),)))])
@example([Entry("https://example.com/", media=Media(alternates=(Alternate("", ""),)))])
@example([Entry("https://example.com/", media=Media(alternates=(Alternate("de", "&#10;"),)))])
def test_entries_come_back(listed: list[Entry]) -> None:
    document = read_bytes(b"".join(write_urlset(listed)))
    assert document.kind is Kind.URLSET
    assert list(document) == listed
    assert document.troubles == ()


@given(st.lists(entries(trimmed=True), max_size=4))
def test_writing_again_gives_the_same_bytes(listed: list[Entry]) -> None:
    data = b"".join(write_urlset(listed))
    assert b"".join(write_urlset(list(read_bytes(data).entries()))) == data


@given(st.lists(index_entries(), max_size=4))
def test_children_come_back(children: list[IndexEntry]) -> None:
    document = read_bytes(b"".join(write_index(children)))
    assert document.kind is Kind.SITEMAPINDEX
    assert list(document) == children
    assert document.troubles == ()


@given(st.lists(entries(trimmed=True), max_size=3))
def test_gzipped_entries_come_back(listed: list[Entry]) -> None:
    document = read_bytes(b"".join(compress(write_urlset(listed))), "sitemap.xml.gz")
    assert document.envelope.compression == "gzip"
    assert list(document) == listed


@given(st.lists(urls(), min_size=1, max_size=4))
def test_text_lines_come_back(locs: list[str]) -> None:
    document = read_bytes(b"".join(map(line_bytes, locs)), "sitemap.txt")
    assert document.kind is Kind.TEXT
    assert [entry.loc for entry in document] == locs
