"""Whatever the bytes: no exception, the same result however they are cut, and no good entry lost."""

from __future__ import annotations

import gzip
from collections.abc import Callable
from itertools import pairwise

from hypothesis import given
from hypothesis import strategies as st

from tests.reading.sitemaps import HEAD, TAIL, url, urlset
from urlset import Document, read
from urlset.reading.read import read_chunks

MARKUP = [
    b"<url>", b"</url>", b"<loc>", b"</loc>", b"https://e.com/", b"&", b"&amp;", b"&#0;", b"&x;", b"<", b">", b"<!--",
    b"-->", b"<![CDATA[", b"]]>", b"<?xml version='1.0'?>", b"<?", b"?>", b"<urlset>", b"</urlset>", b"<sitemapindex>",
    b"<sitemap>", b"</sitemap>", b"<lastmod>", b"</lastmod>", b"<image:image>", b"<rss>", b"<channel>", b"<item>",
    b"<link>", b"<feed>", b"<entry>", b"<!DOCTYPE a [", b"]>", b'a="', b'"', b"'", b"/>", b"\x00", b"\xff", b"\xc3\xa9",
    b"\n", b" ", b"\x1f\x8b", b"User-agent: *\n", b"xmlns:a='b'", HEAD, TAIL,
]  # fmt: skip
soup = st.lists(st.sampled_from(MARKUP) | st.binary(max_size=4), max_size=40).map(b"".join)


def snapshot(document: Document) -> tuple[object, ...]:
    columns = document.columns
    return (
        document.kind, document.data, columns.locs, columns.lastmods, columns.changefreqs, columns.priorities,
        columns.starts.tolist(), columns.ends.tolist(),
        bytes(columns.marks), document.troubles,
    )  # fmt: skip


def look_everywhere(document: Document) -> None:
    """Touch everything that is computed late."""
    for row in range(len(document)):
        document.entry(row)
        for element in document.element(row).walk():
            assert 0 <= element.place.offset <= element.place.end <= len(document.data)
    for trouble in document.troubles:
        assert 0 <= trouble.place.offset <= trouble.place.end <= max(len(document.data), trouble.place.offset)
        document.lines.at(min(trouble.place.offset, len(document.data)))


@given(st.binary(max_size=400) | soup)
def test_any_bytes_are_read(data: bytes) -> None:
    look_everywhere(read(data))


@given(soup)
def test_any_bytes_inside_a_urlset_are_read(data: bytes) -> None:
    look_everywhere(read(HEAD + url("1") + data + url("2") + TAIL))


@given(soup, soup, soup)
def test_any_root_tag_is_read(name: bytes, attributes: bytes, data: bytes) -> None:
    look_everywhere(read(b"<urlset" + name + b" xmlns=" + attributes + b">" + url("1") + data + TAIL))
    look_everywhere(read(b"<" + name + b"urlset " + attributes + b'"a">' + url("1") + data + TAIL))


@given(soup, st.lists(st.integers(0, 400), max_size=6), st.booleans())
def test_cutting_the_input_anywhere_changes_nothing(data: bytes, cuts: list[int], packed: bool) -> None:
    whole = urlset(url("1"), data, url("2"))
    if packed:
        whole = gzip.compress(whole, mtime=0)
    points = [0, *sorted(min(cut, len(whole)) for cut in cuts), len(whole)]
    pieces = [whole[a:b] for a, b in pairwise(points)]
    assert snapshot(read_chunks(pieces)) == snapshot(read(whole))


def delete_close(entry: bytes) -> bytes:
    return entry.replace(b"</loc>", b"")


DAMAGE: dict[str, Callable[[bytes], bytes]] = {
    "bare ampersand": lambda entry: entry.replace(b"</loc>", b"?a=1&b=2</loc>"),
    "stray lt": lambda entry: entry.replace(b"</loc>", b"a<b</loc>"),
    "bad utf-8": lambda entry: entry.replace(b"</loc>", b"\xe9\xff</loc>"),
    "control character": lambda entry: entry.replace(b"</loc>", b"\x07</loc>"),
    "deleted </loc>": delete_close,
    "deleted </url>": lambda entry: entry.replace(b"</url>", b""),
    "deleted </lastmod>": lambda entry: entry.replace(b"</lastmod>", b""),
}


@given(st.lists(st.none() | st.sampled_from(sorted(DAMAGE)), min_size=1, max_size=30))
def test_all_good_entries_survive_damaged_neighbours(plan: list[str | None]) -> None:
    good = []
    entries = []
    for number, damage in enumerate(plan):
        entry = url(f"{number}/", b"<lastmod>2026-01-01</lastmod>")
        if damage is None:
            good.append(f"https://example.com/{number}/")
        else:
            entry = DAMAGE[damage](entry)
        entries.append(entry)
    document = read(urlset(*entries))
    found = [entry.loc for entry in document]
    assert [loc for loc in found if loc in set(good)] == good
    assert len(found) == len(plan), "every damage of this kind can be salvaged"
