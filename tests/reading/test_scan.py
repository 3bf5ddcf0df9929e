"""The compiled scanner gives what the reference reader gives, offsets included."""

from __future__ import annotations

import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from fuzz.judge import by_reference
from tests.reading.scanners import chosen, needs_compiled
from tests.reading.sitemaps import url, with_extensions
from tests.reading.test_properties import MARKUP, snapshot
from tests.strategies import entries
from urlset import Document, Entry, read
from urlset.reading.limits import COMPILED
from urlset.writing.urlset import write_urlset

pytestmark = needs_compiled


def media(document: Document) -> list[object]:
    return [document.media(row) for row in range(len(document))]


def assert_agree(data: bytes) -> None:
    with chosen(COMPILED):
        fast = read(data)
    slow = by_reference(data)
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
    url("1", b"<video:video><video:title>a</video:title></video:video ></url><url><loc>b</loc>"),
    url("1", b"<news:news><news:a><news:b><news:c><news:d/>x</news:c></news:b></news:a></news:news>"),
    url("1", LINK) + url("2", b"\n" + LINK[1:]) + url("3", b"\n" + LINK),
    url("1", b"<news:a>" * 9 + b"</news:a>" * 9),
    url("1", b'<news:a b="1" c="2" d="3" e="4"/><news:a b="1" c="2" d="3" e="4" f="5"/>'),
    url("1", b'<news:a b="1"c="2"/>'),
    url("1", b"<image:image>a]]b<![CDATA[]]]]><![CDATA[>\x7f\xc3\xa9]]></image:image>"),
    url("1", b"<image:image><![CDATA[\x01]]></image:image>"),
    url("1", b"<image:image><![CDATA[\xff]]></image:image>"),
    url("\n  padded\t\n"),
    url("1", b"<lastmod>\n2026-01-01\r\n</lastmod>"),
    url(b"\xed\xa0\x80"),
    url(b"\xc0\xaf"),
    url(b"\xf4\x90\x80\x80"),
    url(b"\xf0\x9f\x98\x80\xef\xbf\xbd\xef\xb7\x90"),
    url(b"\xef\xbf\xbe"),
    url(b"\xe2\x82"),
    url("x" * 5000 + "&amp;"),
    url("1", b"<lastmod>" + b"9" * 50 + b"</lastmod><priority>&lt;0.5</priority>"),
    url("1", b"<lastmod></lastmod><priority></priority>"),
    b"<url></url>",
    b"<url/>",
    b"<url><loc></loc></url>",
    b"<url><loc/></url>",
]


@pytest.mark.parametrize("entry", CASES)
def test_scanner_and_reference_agree(entry: bytes) -> None:
    assert_agree(with_extensions(url("before"), entry, url("after")))


@pytest.mark.parametrize("prefix", [b"sm", b"a-b", b"x.y"])
@pytest.mark.parametrize("entry", CASES)
def test_they_agree_under_any_prefix(entry: bytes, prefix: bytes) -> None:
    data = with_extensions(url("before"), entry, url("after")).replace(b"xmlns=", b"xmlns:" + prefix + b"=")
    for name in (b"urlset", b"url", b"loc", b"lastmod", b"changefreq", b"priority"):
        for bracket in (b"<", b"</"):
            data = re.sub(bracket + name + rb"(?=[\s/>])", bracket + prefix + b":" + name, data)
    assert_agree(data)


@given(parts=st.lists(st.sampled_from([*CASES, *MARKUP]), max_size=12))
def test_scanner_and_reference_agree_on_anything(parts: list[bytes]) -> None:
    assert_agree(with_extensions(*parts))


@given(written=st.lists(entries(), max_size=8))
def test_scanner_and_reference_agree_on_written_sitemaps(written: list[Entry]) -> None:
    assert_agree(b"".join(write_urlset(written)))


NUMBERED_IMAGE = b"<image:image><image:loc>https://e.com/%d.png</image:loc></image:image>"
FORMS = {
    "fields in another order": b"<url><lastmod>2026-01-01</lastmod>\n<loc>https://e.com/%d</loc></url>",
    "media before a field": b"<url><loc>https://e.com/%d</loc>"
    + NUMBERED_IMAGE
    + b"<lastmod>2026-01-01</lastmod></url>",
    "attributes": b'<url id="u%d" xml:lang="en"><loc a="1">https://e.com/%d</loc></url >'.replace(
        b"</url >", b"</url>"
    ),
    "section": b"<url><loc>\r\n <![CDATA[https://e.com/?a=%d&b=]]] > 2]]>\r\n</loc></url>",
    "comments": b"<!-- %d --><url><!-- a-b %d --><loc>https://e.com/%d</loc><!-- <loc>x</loc> --></url>",
    "references": b"<url><loc>https://e.com/%d?a=1&#38;b=2&#xE9;&amp;lt;</loc><lastmod>\r\n2026\r\n</lastmod></url>",
    "namespaces": b'<url xmlns:i="urn:i"><loc>https://e.com/%d</loc><i:a xmlns:j="urn:%d"><j:b/></i:a></url>',
    "three levels": b"<url><loc>https://e.com/%d</loc><news:news><news:a><news:b>%d</news:b></news:a></news:news></url>",
    "quotes": b"<url><loc>https://e.com/%d</loc><xhtml:link rel='alternate' hreflang='de' href='https://e.com/%d'/></url>",
    "no address": b"<url><lastmod>2026-01-%d</lastmod></url>",
    "empty": b"<url><loc> </loc><priority>0.%d</priority></url>",
    "instruction": b"<url><?php %d?><loc>https://e.com/%d</loc></url>",
    "stray text": b"<url>%d<loc>https://e.com/%d</loc></url>",
    "blank as stray text": b"<url>\xc2\xa0<loc>https://e.com/%d</loc></url>",
    "two addresses": b"<url><loc>https://e.com/%d</loc><loc>https://e.com/%d</loc></url>",
}
HARMFUL = (
    b"]]>",
    b"&eacute;",
    b"&#1;",
    b"&#x1F;",
    b"\x01",
    b"\0",
    b"\xff",
    b"\xef\xbf\xbf",
    b"<",
    b"-->",
    b"--",
    b'"',
    b"?>",
)


def rows(form: bytes, count: int) -> bytes:
    return b"\n".join(form.replace(b"%d", b"%d" % (1000 + number)) for number in range(count))


@pytest.mark.parametrize("form", FORMS.values(), ids=FORMS)
def test_they_agree_on_entries_of_one_form(form: bytes) -> None:
    assert_agree(with_extensions(rows(form, 3)))


@pytest.mark.parametrize("form", FORMS.values(), ids=FORMS)
def test_they_agree_on_values_that_change_the_markup(form: bytes) -> None:
    known = rows(form, 3)
    for harmful in HARMFUL:
        assert_agree(with_extensions(known + form.replace(b"%d", harmful) + known))
