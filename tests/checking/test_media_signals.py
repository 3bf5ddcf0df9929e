"""Ordinary media raise nothing, in whatever way they are written; without compiled modules all media raise all."""

from __future__ import annotations

from datetime import UTC, datetime

import pytest

from tests.reading.scanners import chosen, needs_compiled
from urlset.checking import media_signals as media_values
from urlset.checking.media_signals import ALL, media_signals
from urlset.reading.limits import COMPILED, PYTHON
from urlset.reading.read import read
from urlset.reading.signals import MediaNotes, RowLinks
from urlset.rules.hreflang.link_graph import read_graph
from urlset.spec import namespaces
from urlset.spec.signals import Signal

NOW = datetime(2026, 11, 15, 12, tzinfo=UTC)
ROOT = b"""<urlset xmlns="http://www.sitemaps.org/schemas/sitemap/0.9"
  xmlns:image="http://www.google.com/schemas/sitemap-image/1.1" xmlns:xhtml="http://www.w3.org/1999/xhtml"
  xmlns:video="http://www.google.com/schemas/sitemap-video/1.1" xmlns:news="http://www.google.com/schemas/sitemap-news/0.9">
<url>\n<loc>https://example.com/1?a=1&amp;b=2</loc>\n<lastmod>2026-01-01</lastmod>\n{}</url>\n</urlset>\n"""
SELF = '<xhtml:link rel="alternate" hreflang="{}" href="https://example.com/1?a=1&amp;b=2"/>\n'
IMAGE = "<image:image><image:loc>https://example.com/1.jpg?w=1&amp;h=2</image:loc>{}</image:image>\n"
VIDEO = (
    "<video:video><video:thumbnail_loc>https://example.com/1.jpg</video:thumbnail_loc><video:title>{}</video:title>"
    "<video:description>Words</video:description><video:content_loc>https://example.com/1.mp4</video:content_loc>"
    "{}</video:video>\n"
)
OPTIONAL = (
    "<video:player_loc>https://example.com/player?v=1</video:player_loc><video:duration>60</video:duration>"
    "<video:rating>4.2</video:rating><video:publication_date>2026-01-01</video:publication_date>"
    "<video:expiration_date>2029-01-01T10:00:00+08:00</video:expiration_date>"
    '<video:restriction relationship="allow">IE GB</video:restriction><video:tag>a</video:tag><video:tag>b</video:tag>'
    '<video:platform relationship="deny">tv</video:platform><video:live>no</video:live>'
    '<video:uploader info="https://example.com/ann">Ann</video:uploader>'
)
NEWS = (
    "<news:news><news:publication><news:name>The Example Times</news:name><news:language>en</news:language>"
    "</news:publication><news:publication_date>{}</news:publication_date><news:title>{}</news:title></news:news>\n"
)
ORDINARY = (
    SELF.format("en") + SELF.format("de-AT").replace("/1", "/2") + SELF.format("x-default").replace("/1", "/3"),
    SELF.format("zh-Hant-TW"),
    SELF.format("en-gb"),
    "<xhtml:link href='https://example.com/1?a=1&amp;b=2'  hreflang='en'\n rel='alternate' />",
    SELF.format("en").replace("/>", "></xhtml:link>"),
    IMAGE.format("") + IMAGE.format("").replace("1.jpg", "2.jpg"),
    f"<!-- shown first -->{IMAGE.format('')}",
    IMAGE.format("")
    .replace("https:", "<![CDATA[https:")
    .replace("&amp;", "&")
    .replace("</image:loc>", "]]></image:loc>"),
    VIDEO.format("One", ""),
    VIDEO.format("<![CDATA[Salt & pepper]]>", ""),
    VIDEO.format("Salt &amp; pepper", OPTIONAL),
    NEWS.format("2026-11-14", "Breaking: storm reaches the coast"),
    NEWS.format("2026-11-15T11:00:00Z", "Storm"),
    SELF.format("en") + IMAGE.format("") + VIDEO.format("日本", ""),
    IMAGE.format("").replace("&amp;", "&"),
    VIDEO.format("<![CDATA[a &amp;amp; <b>b</b> - c ]] d]]>", ""),
    VIDEO.format('Tying a &lt;b&gt;bowline&lt;/b&gt; "fast"', ""),
    "<!-- <image:loc> - twice -->" + IMAGE.format(""),
)
SUSPECT = (
    (SELF.format("en-UK"), Signal.LINK_CODE),
    (SELF.format("en") + SELF.format("EN").replace("/1", "/2"), Signal.LINKS),
    (SELF.format("en").replace("/1", "/2"), Signal.LINK_SELF),
    (IMAGE.format("").replace(".jpg", " .jpg"), Signal.MEDIA_ADDRESS),
    (IMAGE.format("") + IMAGE.format(""), Signal.MEDIA_SHAPE),
    (IMAGE.format("<image:title>A</image:title>"), Signal.CAPTIONED),
    (VIDEO.format("One", "<video:duration>0</video:duration>"), Signal.MEDIA_VALUE),
    (VIDEO.format("One", "").replace("1.mp4", "1?a=1&amp;b=2"), Signal.MEDIA_ADDRESS),
    (NEWS.format("2026-11-12", "Storm"), Signal.MEDIA_DATE),
    (NEWS.format("2026-11-15T13:00:00Z", "Storm"), Signal.MEDIA_DATE),
    (NEWS.format("2026-11-14", "Storm - The Example Times"), Signal.MEDIA_TEXT),
    (SELF.format("en") + SELF.format("de").replace("https:", ""), Signal.LINK_HREF),
    (SELF.format("en").replace("/>", ' media="print"/>'), Signal.LINKS),
    (
        IMAGE.format("").replace("1.jpg", " ").replace("https://example.com/ ?w=1&amp;h=2", " "),
        Signal.MEDIA_MISSING | Signal.MEDIA_ADDRESS,
    ),
    (VIDEO.format("One", "").replace("<video:title>One</video:title>", ""), Signal.MEDIA_MISSING),
    (VIDEO.format("One", "<video:title>Two</video:title>"), Signal.MEDIA_SHAPE),
    (VIDEO.format("One", "<video:publication_date>2026</video:publication_date>"), Signal.MEDIA_DATE),
)


def judged(extensions: bytes, scanner: str) -> tuple[list[int], dict[int, RowLinks]]:
    notes = MediaNotes()
    with chosen(scanner):
        document = read(ROOT.replace(b"{}", extensions))
        found = list(media_signals(document, NOW, notes))
        graph, again = read_graph(document, notes.links), read_graph(document)
    assert [(block.links, block.whole, block.rows) for block in graph.blocks] == [
        (block.links, block.whole, block.rows) for block in again.blocks
    ]
    return found, notes.links


@needs_compiled
@pytest.mark.parametrize("extensions", ORDINARY)
def test_ordinary_media_raise_nothing(extensions: str) -> None:
    found, links = judged(extensions.encode(), COMPILED)
    assert found == [0]
    assert len(links) == int("xhtml:link" in extensions)


@needs_compiled
@pytest.mark.parametrize(("extensions", "raised"), SUSPECT)
def test_suspect_media_raise_their_own_signal(extensions: str, raised: int) -> None:
    assert judged(extensions.encode(), COMPILED)[0] == [raised]


@needs_compiled
@pytest.mark.parametrize("extensions", ORDINARY)
@pytest.mark.parametrize("broken", ["2</loc>", "2<b</loc>", "2&c</loc>", "2\x01</loc>", "2</lok>", "2"])
def test_a_fault_elsewhere_in_the_entry_makes_no_media_suspect(broken: str, extensions: str) -> None:
    """Else each broken entry with a video was judged by 36 rules: 33 bare parses."""
    written = extensions.replace("a=1&amp;b=2", "a=1&amp;b=2&amp;c=3")
    root = ROOT.replace(b"b=2</loc>", b"b=2&amp;c=3</loc>").replace(b"2&amp;c=3</loc>", broken.encode())
    with chosen(COMPILED):
        document = read(root.replace(b"{}", written.encode()))
        found = list(media_signals(document, NOW, MediaNotes()))
    assert [each & ~Signal.LINK_SELF for each in found] == [0]


@needs_compiled
@pytest.mark.parametrize("loc", ["loc", "LOC"])
def test_the_page_of_a_video_is_that_of_the_column(loc: str) -> None:
    page = "https://example.com/watch.html"
    video = VIDEO.format("One", f"<video:player_loc>{page}</video:player_loc>")
    entries = (f"<url><{loc}>{page}</{loc}>{video}</url>", f"<url>{video}<{loc}>{page}</{loc}></url>")
    data = ROOT.partition(b"<url>")[0] + "".join(entries).encode() + b"</urlset>"
    with chosen(COMPILED):
        assert list(media_signals(read(data), NOW, MediaNotes())) == [Signal.MEDIA_ADDRESS] * 2


@needs_compiled
@pytest.mark.parametrize("uri", ["https://example.com/ns", namespaces.IMAGE])
def test_of_many_prefixes_those_that_are_used_are_known(uri: str) -> None:
    """Else each entry was judged by parsing it: 48 bare parses."""
    declared = (
        "".join(f' xmlns:p{number:02}="https://example.com/{number}"' for number in range(40)) + f' xmlns:q="{uri}"'
    )
    entry = "<url><loc>https://example.com/</loc><q:image><q:loc>https://example.com/a.png</q:loc></q:image></url>"
    with chosen(COMPILED):
        document = read(f'<urlset xmlns="{namespaces.SITEMAP}"{declared}>{entry}</urlset>'.encode())
        assert list(media_signals(document, NOW, MediaNotes())) == [0]


@pytest.mark.parametrize("extensions", ORDINARY)
def test_without_compiled_modules_all_media_raise_all_signals(extensions: str) -> None:
    assert judged(extensions.encode(), PYTHON) == ([ALL], {})


@pytest.mark.parametrize("tag", ["en", "EN-us", "zh-hant", "sr-Latn-RS", "X-Default"])
def test_ordinary_tags(tag: str) -> None:
    assert media_values.is_language_tag(tag)


@pytest.mark.parametrize("tag", ["xx", "en-UK", "ch", "iw", "en_US", "en-", "fil", "es-419", "en-GB-Latn", ""])
def test_other_tags(tag: str) -> None:
    assert not media_values.is_language_tag(tag)
