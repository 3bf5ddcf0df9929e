"""What a document is comes from its content; each kind is read in its own way."""

from __future__ import annotations

import gzip

import pytest

from tests.reading.sitemaps import SITEMAP, url, urlset
from urlset import Document, Kind, TroubleKind, read

RSS = b"""<?xml version="1.0"?><rss version="2.0"><channel><title>t</title><link>https://e.com/</link>
<item><title>a</title><link>https://e.com/a</link><pubDate>Sun, 15 Nov 2026 10:00:00 GMT</pubDate></item>
<item><link>https://e.com/b?x=1&y=2</link></item><item><title>no link</title></item></channel></rss>"""
ATOM = b"""<feed xmlns="http://www.w3.org/2005/Atom"><link href="https://e.com/"/>
<entry><link rel="self" href="https://e.com/self"/><link href="https://e.com/a"/><updated>2026-11-15T10:00:00Z</updated>
<published>2020-01-01T00:00:00Z</published></entry><entry><link rel="alternate" href="https://e.com/b"/>
<published>2020-01-01T00:00:00Z</published></entry></feed>"""
ATOM03 = b"""<feed version="0.3" xmlns="http://purl.org/atom/ns#"><entry><link rel="alternate" href="https://e.com/a"/>
<modified>2026-11-15T10:00:00Z</modified></entry></feed>"""
RDF = b"""<rdf:RDF xmlns:rdf="http://www.w3.org/1999/02/22-rdf-syntax-ns#" xmlns="http://purl.org/rss/1.0/"
xmlns:dc="http://purl.org/dc/elements/1.1/"><channel><link>https://e.com/</link></channel>
<item><link>https://e.com/a</link><dc:date>2026-11-15</dc:date></item></rdf:RDF>"""


def rows(document: Document) -> list[tuple[str | None, str | None]]:
    return [(entry.loc, entry.lastmod) for entry in document]


KINDS = [
    (urlset(url("1")), Kind.URLSET, [("https://example.com/1", None)]),
    (b"<sitemapindex><sitemap><loc>https://e.com/s.xml</loc><lastmod>2026-01-01</lastmod></sitemap></sitemapindex>",
     Kind.SITEMAPINDEX, [("https://e.com/s.xml", "2026-01-01")]),
    (RSS, Kind.RSS,
     [("https://e.com/a", "Sun, 15 Nov 2026 10:00:00 GMT"), ("https://e.com/b?x=1&y=2", None), (None, None)]),
    (ATOM, Kind.ATOM, [("https://e.com/a", "2026-11-15T10:00:00Z"), ("https://e.com/b", "2020-01-01T00:00:00Z")]),
    (ATOM03, Kind.ATOM, [("https://e.com/a", "2026-11-15T10:00:00Z")]),
    (RDF, Kind.RSS, [("https://e.com/a", "2026-11-15")]),
    (b"https://e.com/a\r\nhttps://e.com/b\n", Kind.TEXT, [("https://e.com/a", None), ("https://e.com/b", None)]),
    (b"User-agent: *\nDisallow: /x\nSitemap: https://e.com/s.xml\n", Kind.ROBOTS, []),
    (b"<!doctype html><html><body>Not found</body></html>", Kind.HTML, []),
    (b"<html><head><title>x</title></head></html>", Kind.HTML, []),
    (b"", Kind.EMPTY, []),
    (b" \n\t", Kind.EMPTY, []),
    (b'<?xml version="1.0"?><kml xmlns="http://www.opengis.net/kml/2.2"/>', Kind.OTHER_XML, []),
    (b"\x00\x01\x02\x03", Kind.UNKNOWN, []),
    (b'{"a": 1}', Kind.UNKNOWN, []),
]  # fmt: skip


@pytest.mark.parametrize(("data", "kind", "expected"), KINDS)
@pytest.mark.parametrize("packed", [False, True])
def test_kind_by_content(
    data: bytes, kind: Kind, expected: list[tuple[str | None, str | None]], *, packed: bool
) -> None:
    document = read(gzip.compress(data) if packed else data, name="page.html")
    assert document.kind is kind
    assert rows(document) == expected


@pytest.mark.parametrize("kind", [Kind.HTML, Kind.EMPTY, Kind.OTHER_XML, Kind.UNKNOWN])
def test_what_is_no_sitemap_says_so(kind: Kind) -> None:
    data = next(data for data, of, _ in KINDS if of is kind)
    wanted = TroubleKind.EMPTY if kind is Kind.EMPTY else TroubleKind.NOT_A_SITEMAP
    assert [trouble.kind for trouble in read(data).troubles] == [wanted]


ROOTS = [
    b"<urlset>",
    b'<urlset xmlns="https://www.sitemaps.org/schemas/sitemap/0.9">',
    b'<urlset xmlns="http://www.google.com/schemas/sitemap/0.84">',
    b'<urlset xmlns="http://www.sitemaps.org/schemas/sitemap/0.9/">',
    b'<urlset xmlns="urn:something-else">',
    b'<URLSET xmlns="http://www.sitemaps.org/schemas/sitemap/0.9">',
]


@pytest.mark.parametrize("root", ROOTS)
def test_a_wrong_or_missing_namespace_hides_nothing(root: bytes) -> None:
    close = b"</" + root[1:].split(b" ")[0].rstrip(b">") + b">"
    document = read(root + url("1") + url("2", b"<lastmod>2026-01-01</lastmod>") + close)
    assert document.kind is Kind.URLSET
    assert rows(document) == [("https://example.com/1", None), ("https://example.com/2", "2026-01-01")]
    assert document.troubles == ()


@pytest.mark.parametrize("encoding", ["utf-16", "utf-16-le", "utf-16-be", "iso-8859-1", "windows-1252"])
def test_other_encodings_are_read(encoding: str) -> None:
    text = f'<?xml version="1.0" encoding="{encoding}"?><urlset xmlns="{SITEMAP}"><url><loc>https://e.com/ü</loc></url></urlset>'
    document = read(text.encode(encoding))
    assert rows(document) == [("https://e.com/ü", None)]
    assert TroubleKind.NOT_UTF8 in {trouble.kind for trouble in document.troubles}
    at = document.columns.starts[0]
    raw = text.encode(encoding)
    assert raw[document.source_offset(at) :].startswith("<url>".encode(encoding)[2 if encoding == "utf-16" else 0 :])


def test_wrong_case_is_read_and_marked() -> None:
    document = read(urlset(b"<Url><LOC>https://e.com/1</LOC></Url>", url("2")))
    assert [entry.loc for entry in document] == ["https://e.com/1", "https://example.com/2"]
    assert list(document.columns.marks) == [2, 0]


@pytest.mark.parametrize(
    "text",
    [
        b"<![CDATA[https://e.com/1]]>",
        b"https://e.com/<!-- c -->1",
        b"https://e.com/&#49;",
        b"\n  https://e.com/1\n ",
    ],
)
def test_cdata_comments_references_and_space(text: bytes) -> None:
    assert [entry.loc for entry in read(urlset(b"<url><loc>" + text + b"</loc></url>"))] == ["https://e.com/1"]
