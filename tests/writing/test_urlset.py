"""A urlset is written as the protocol has it, the same bytes each time, and any parser reads it back."""

from __future__ import annotations

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.strategies import core_texts, entries, index_entries
from tests.writing.expat_view import canonical, children_in, entries_in
from urlset.model.entry import Alternate, Entry, Image, IndexEntry, Media
from urlset.spec.namespaces import BAIDU_MOBILE, MOBILE
from urlset.writing.urlset import (
    CHUNK_BYTES,
    CLOSING,
    EXTENSIONS,
    INDEX_CLOSING,
    INDEX_OPENING,
    child_bytes,
    entry_bytes,
    joined,
    line_bytes,
    opening,
    write_index,
    write_urlset,
)
from urlset.writing.xml import Unwritable

HEAD = '<?xml version="1.0" encoding="UTF-8"?>\n<urlset xmlns="http://www.sitemaps.org/schemas/sitemap/0.9"'


def written(*listed: Entry) -> str:
    return b"".join(write_urlset(listed)).decode()


def test_an_empty_urlset_is_a_whole_file() -> None:
    assert written() == f"{HEAD}>\n</urlset>\n"


def test_one_element_a_line_in_the_order_of_the_schema() -> None:
    entry = Entry("https://example.com/?a=1&b='2'", "2024-05-06", "daily", "0.5")
    assert written(entry) == (
        f"{HEAD}>\n"
        "  <url>\n"
        "    <loc>https://example.com/?a=1&amp;b=&apos;2&apos;</loc>\n"
        "    <lastmod>2024-05-06</lastmod>\n"
        "    <changefreq>daily</changefreq>\n"
        "    <priority>0.5</priority>\n"
        "  </url>\n"
        "</urlset>\n"
    )


@pytest.mark.parametrize(
    ("entry", "fields"),
    [
        (Entry("https://e.com/", "2024"), "    <loc>https://e.com/</loc>\n    <lastmod>2024</lastmod>\n"),
        (Entry("https://e.com/"), "    <loc>https://e.com/</loc>\n"),
        (Entry("https://e.com/é", "2024"), "    <loc>https://e.com/é</loc>\n    <lastmod>2024</lastmod>\n"),
        (Entry("", ""), "    <loc></loc>\n    <lastmod></lastmod>\n"),
        (Entry(None, "2024"), "    <lastmod>2024</lastmod>\n"),
        (Entry(None), ""),
        (Entry("<", ">"), "    <loc>&lt;</loc>\n    <lastmod>&gt;</lastmod>\n"),
        (Entry("a", "\r"), "    <loc>a</loc>\n    <lastmod>&#13;</lastmod>\n"),
    ],
)
def test_the_bytes_of_one_entry(entry: Entry, fields: str) -> None:
    assert entry_bytes(entry) == f"  <url>\n{fields}  </url>\n".encode()


@pytest.mark.parametrize("field", ["loc", "lastmod", "changefreq", "priority"])
def test_a_forbidden_character_is_refused_in_every_field(field: str) -> None:
    with pytest.raises(Unwritable, match=r"U\+0000, character 2 of 'a\\x00'"):
        entry_bytes(msgspec.structs.replace(Entry("https://e.com/", "2024"), **{field: "a\x00"}))


def test_only_namespaces_in_use_are_declared() -> None:
    alternate = Media(alternates=(Alternate("de", "https://e.com/de"),))
    image = Media(images=(Image("https://e.com/a.png"),))
    listed = [
        Entry("https://e.com/1", media=image),
        Entry("https://e.com/2"),
        Entry("https://e.com/3", media=alternate),
    ]
    assert written(*listed).startswith(
        f'{HEAD} xmlns:xhtml="http://www.w3.org/1999/xhtml"'
        ' xmlns:image="http://www.google.com/schemas/sitemap-image/1.1">\n'
    )


@pytest.mark.parametrize(
    ("marks", "namespace"),
    [(("",), MOBILE), (("autoadapt",), BAIDU_MOBILE), (("", "autoadapt"), BAIDU_MOBILE)],
)
def test_the_mobile_prefix_means_one_namespace_per_file(marks: tuple[str, ...], namespace: str) -> None:
    listed = [Entry("https://e.com/", media=Media(mobile=mark)) for mark in marks]
    text = written(*listed)
    assert text.count("xmlns:mobile=") == 1
    assert f'xmlns:mobile="{namespace}"' in text
    assert entries_in(text.encode()) == listed


def test_an_extension_nobody_knows_is_refused_at_once() -> None:
    with pytest.raises(ValueError, match="unknown extension 'images'"):
        opening(["images"])


def test_chunks_come_as_they_are_made() -> None:
    listed = [Entry(f"https://example.com/{number}") for number in range(10_000)]
    first, *others = write_urlset(listed)
    assert CHUNK_BYTES <= len(first) < CHUNK_BYTES + 200
    assert sum(chunk.count(b"<url>") for chunk in (first, *others)) == len(listed)


@given(st.lists(entries(), max_size=4))
def test_every_way_of_calling_gives_the_same_bytes(listed: list[Entry]) -> None:
    data = b"".join(write_urlset(listed))
    assert b"".join(write_urlset(msgspec.convert(msgspec.to_builtins(listed), list[Entry]))) == data


@given(st.lists(entries(), max_size=4))
def test_any_parser_reads_back_every_value(listed: list[Entry]) -> None:
    found = entries_in(b"".join(write_urlset(listed)))
    assert found == [with_canonical_unknowns(entry) for entry in listed]


@given(entries())
def test_all_extensions_may_be_declared_whatever_is_used(entry: Entry) -> None:
    everything = opening(EXTENSIONS) + entry_bytes(entry) + CLOSING
    assert entries_in(everything) == [with_canonical_unknowns(entry)]


def with_canonical_unknowns(entry: Entry) -> Entry:
    unknown = tuple(map(canonical, entry.media.unknown))
    return msgspec.structs.replace(entry, media=msgspec.structs.replace(entry.media, unknown=unknown))


# An index is written as the protocol has it, and any parser reads it back.


def test_an_index_has_one_element_a_line() -> None:
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


def test_a_forbidden_character_in_a_child_is_refused() -> None:
    with pytest.raises(Unwritable):
        child_bytes(IndexEntry("https://e.com/\x1f"))


@given(st.lists(index_entries(), max_size=5))
def test_any_parser_reads_back_every_child(children: list[IndexEntry]) -> None:
    data = b"".join(write_index(children))
    assert children_in(data) == children
    assert INDEX_OPENING + b"".join(map(child_bytes, children)) + INDEX_CLOSING == data


# A text sitemap has one address a line, unescaped, and refuses what would not stay one line.


def test_nothing_is_escaped() -> None:
    locs = ["https://e.com/?a=1&b=<'2'>", "https://e.com/é"]
    assert b"".join(map(line_bytes, locs)) == "https://e.com/?a=1&b=<'2'>\nhttps://e.com/é\n".encode()


def test_no_addresses_no_bytes() -> None:
    assert list(map(line_bytes, [])) == []


@pytest.mark.parametrize(
    ("loc", "message"),
    [
        ("", "cannot write '': a text sitemap cannot contain a blank line"),
        (" \t", "a text sitemap cannot contain a blank line"),
        ("a\nb", r"U\+000A, character 2 of 'a\\nb': a URL cannot contain a line break"),
        ("a\rb", r"U\+000D, character 2 of"),
        ("a\x00b", r"U\+0000, character 2 of 'a\\x00b': a text sitemap cannot contain control characters"),
        ("a\ud800", r"U\+D800, character 2 of"),
    ],
)
def test_what_is_no_line_is_refused(loc: str, message: str) -> None:
    with pytest.raises(Unwritable, match=message):
        line_bytes(loc)


@given(st.lists(core_texts().filter(bool)))
def test_lines_are_the_addresses(locs: list[str]) -> None:
    assert b"".join(map(line_bytes, locs)).decode().split("\n") == [*locs, ""]


# Joining pieces changes where the bytes are cut and nothing else.


@given(st.lists(st.binary(max_size=12)), st.integers(1, 40))
def test_the_bytes_stay_and_chunks_are_large(pieces: list[bytes], size: int) -> None:
    chunks = list(joined(pieces, size))
    assert b"".join(chunks) == b"".join(pieces)
    assert all(len(chunk) >= size for chunk in chunks[:-1])
    assert all(chunks)
    assert all(len(chunk) < size + 12 for chunk in chunks)
