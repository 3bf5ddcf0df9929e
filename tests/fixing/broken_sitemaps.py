"""Hypothesis strategies for sitemaps as people break them: sound ones with damage, and soup inside a root."""

from __future__ import annotations

from collections.abc import Callable

from hypothesis import strategies as st
from hypothesis.strategies import SearchStrategy

from tests.reading.sitemaps import HEAD, TAIL, url
from tests.reading.test_properties import MARKUP, soup
from tests.strategies import entries, index_entries
from urlset.writing.urlset import write_index, write_urlset

JUNK = (
    b"This XML file does not appear to have any style information associated with it.\n", b"\n", b"echo '",
    b"' > x.xml\n", b"Sitemap: https://example.com/sitemap.xml\n", b"-->", b"<!-- a -- b -->", b"<!-- <!-- x --> -->",
    b"<b>Warning</b>: x in <b>y.php</b> on line <b>3</b><br />\n", b"</url>", b"</urlset>", b"<url>", b"19<</lastmod>",
    b"&", b"&eacute;", b"<lochttps://example.com/x</loc>", b"<url><loc>https://example.com/y</url>", b"<foo>",
    b"</foo>", b'<?xml version="1.0"?>', b"\xe9", b"\x07", b"<priority>0,5</priority>",
    b"<lastmod>2026-01-01 10:00</lastmod>",
)  # fmt: skip
TAGS = (
    b"<url>", b"</url>", b"<loc>", b"</loc>", b"<urlset", b"</urlset>", b"<?xml", b">", b'"', b"<lastmod>",
    b"</lastmod>",
)  # fmt: skip

sound = st.one_of(
    st.lists(entries(), min_size=1, max_size=5).map(lambda found: b"".join(write_urlset(found))),
    st.lists(index_entries(), min_size=1, max_size=4).map(lambda found: b"".join(write_index(found))),
    st.lists(st.sampled_from("abcde"), min_size=1, max_size=6).map(
        lambda names: HEAD + b"\n".join(url(f"{name}/", b"<lastmod>2026-01-01</lastmod>") for name in names) + TAIL
    ),
)


def _insert(data: bytes, at: int, what: bytes) -> bytes:
    at %= len(data) + 1
    return data[:at] + what + data[at:]


def _delete(data: bytes, at: int, size: int) -> bytes:
    at %= len(data) + 1
    return data[:at] + data[at + size :]


def _delete_tag(data: bytes, tag: bytes, number: int) -> bytes:
    places = [at for at in range(len(data)) if data.startswith(tag, at)]
    return data if not places else _delete(data, places[number % len(places)], len(tag))


def _between_entries(data: bytes, number: int, what: bytes) -> bytes:
    places = [at for at in range(len(data)) if data.startswith((b"<url>", b"</urlset>"), at)]
    return data + what if not places else _insert(data, places[number % len(places)], what)


Damage = Callable[[bytes], bytes]
numbers = st.integers(0, 2000)
damages: SearchStrategy[Damage] = st.one_of(
    st.builds(lambda at, what: lambda data: _insert(data, at, what), numbers, st.sampled_from((*JUNK, *MARKUP))),
    st.builds(lambda n, what: lambda data: _between_entries(data, n, what), numbers, st.sampled_from(JUNK)),
    st.builds(lambda at, size: lambda data: _delete(data, at, size), numbers, st.integers(1, 12)),
    st.builds(lambda tag, n: lambda data: _delete_tag(data, tag, n), st.sampled_from(TAGS), numbers),
    st.builds(lambda at: lambda data: data[: len(data) - at % (len(data) + 1)], numbers),
    st.builds(lambda what: lambda data: what + data, st.sampled_from(JUNK)),
    st.builds(lambda what: lambda data: data + what, st.sampled_from(JUNK)),
    st.just(lambda data: data + data),
    st.builds(lambda what: lambda data: data + what, sound),
)


def _damaged(data: bytes, plan: list[Damage]) -> bytes:
    for damage in plan:
        data = damage(data)
    return data


damaged = st.builds(_damaged, sound, st.lists(damages, max_size=4))
"""sound sitemaps with up to four faults"""
any_sitemap = st.one_of(
    damaged,
    damaged,
    soup.map(lambda data: HEAD + url("1") + data + url("2") + TAIL),
    soup,
)
