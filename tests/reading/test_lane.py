"""The fast lane gives what the reference reader gives, offsets included."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.reading.sitemaps import url, with_extensions
from tests.reading.test_properties import MARKUP, snapshot
from tests.strategies import entries
from urlset import Document, Entry, read
from urlset.reading import scan
from urlset.writing.urlset import write_urlset


@contextmanager
def lane_closed() -> Iterator[None]:
    patch = pytest.MonkeyPatch()
    patch.setattr(scan, "open_lane", lambda *_: None)
    patch.setattr(scan, "is_usual", lambda *_: False)
    yield
    patch.undo()


def media(document: Document) -> list[object]:
    return [document.media(row) for row in range(len(document))]


def assert_agree(data: bytes) -> None:
    fast = read(data)
    with lane_closed():
        slow = read(data)
    assert snapshot(fast) == snapshot(slow)
    assert media(fast) == media(slow)


IMAGE = b"<image:image><image:loc>https://e.com/i.png?a=1&amp;b=2</image:loc></image:image>"
LINK = b'<xhtml:link rel="alternate" hreflang="de" href="https://e.com/de?a=1&amp;b=2"/>'
CASES = [
    url("1", b"<lastmod>2026-01-01</lastmod><changefreq>daily</changefreq><priority>0.5</priority>"),
    url("&amp;&lt;&gt;&quot;&apos;"),
    url("&#38;"),
    url("caf\u00e9"),
    url(" padded "),
    url("1", IMAGE + LINK),
    url("1", b"<image:image><image:loc>a</image:loc></image:image><image:loc>b</image:loc>"),
    url("1", b"<image:image><image:loc>a</image:loc><video:title>b</video:title></image:image>"),
    url("1", b"<video:video><video:title>a<![CDATA[b]]></video:title><video:tag>t</video:tag></video:video>"),
    url("1", b"<video:video><video:title><![CDATA[<image:image>]]></video:title></video:video>"),
    url("1", b"<video:video><video:tvshow><video:show_title>s</video:show_title></video:tvshow></video:video>"),
    url("1", b'<video:video><video:price currency="EUR">1</video:price></video:video>'),
    url("1", b'<video:video><video:uploader info="a&amp;b">u</video:uploader><video:live/></video:video>'),
    url("1", b"<video:video><video:uploader info='a'>u</video:uploader></video:video>"),
    url("1", b'<xhtml:link rel="alternate" hreflang="de" href="https://e.com/de"></xhtml:link>'),
    url("1", b'<xhtml:link xml:lang="de" rel="alternate" hreflang="de" href="https://e.com/de"/>'),
    url("1", b"<news:news><news:publication><news:name>N</news:name></news:publication></news:news>"),
    url("1", LINK + b"<lastmod>2026-01-01</lastmod>"),
    url("1", b"<video:video><video:title><![CDATA[A & <b>]]></video:title></video:video>"),
    url("1", b"<video:video><video:title>caf\xc3\xa9 &amp; \xc2\x85</video:title></video:video>"),
    url("1", b'<xhtml:link rel="alternate" rel="x"/>'),
    url("1", b"<image:image></image:loc></image:image>"),
    url("1", b"<image:image><image:loc/></image:image>"),
    url("1", b"<image:image a='1'/>"),
    url("1", b"<image:image><!-- c --></image:image>"),
    url("1", b"<image:image>\xef\xbf\xbf</image:image>"),
    url("1", b"<image:image>\x7f</image:image>"),
    url("1", b"<image:image>]]></image:image>"),
    url("1", b'<image:image xmlns="urn:x"/>'),
    url("1", b'<xhtml:link rel="alternate" hreflang="de" href="a&#9;b"/>'),
    url("1", b'<xhtml:link rel="alternate" hreflang="de" href="a\tb"/>'),
    url("1", b"<image:image><image:loc>a\r\nb</image:loc></image:image>"),
    b"<url></url>",
    b"<url/>",
    b"<url><loc></loc></url>",
    b"<url><loc/></url>",
]


@pytest.mark.parametrize("entry", CASES)
def test_lane_and_reference_agree(entry: bytes) -> None:
    assert_agree(with_extensions(url("before"), entry, url("after")))


@given(st.lists(st.sampled_from([*CASES, *MARKUP]), max_size=12))
def test_lane_and_reference_agree_on_anything(parts: list[bytes]) -> None:
    assert_agree(with_extensions(*parts))


@given(st.lists(entries(), max_size=8))
def test_lane_and_reference_agree_on_written_sitemaps(written: list[Entry]) -> None:
    assert_agree(b"".join(write_urlset(written)))
