"""Extensions are read completely: every field, every attribute, every repetition."""

from __future__ import annotations

import pytest

from tests.reading.sitemaps import EXTENSIONS, HEAD, TAIL, url, with_extensions
from urlset import Alternate, Entry, Image, News, Video, read
from urlset.model.entry import DataObject, Marked, PageMap

IMAGE = b"""<image:image><image:loc>https://e.com/i.png</image:loc><image:caption>C</image:caption>
<image:geo_location>Berlin</image:geo_location><image:title>T</image:title>
<image:license>https://e.com/l</image:license></image:image>"""
VIDEO = b"""<video:video><video:thumbnail_loc>https://e.com/t.jpg</video:thumbnail_loc><video:title>T</video:title>
<video:description><![CDATA[A & B]]></video:description><video:content_loc>https://e.com/v.mp4</video:content_loc>
<video:player_loc allow_embed="yes" autoplay="ap=1">https://e.com/p</video:player_loc><video:duration>600</video:duration>
<video:expiration_date>2027-01-01</video:expiration_date><video:rating>4.2</video:rating>
<video:view_count>12</video:view_count><video:publication_date>2026-01-01</video:publication_date>
<video:tag>a</video:tag><video:tag>b</video:tag><video:category>c</video:category>
<video:family_friendly>yes</video:family_friendly><video:restriction relationship="allow">DE AT</video:restriction>
<video:gallery_loc title="G">https://e.com/g</video:gallery_loc>
<video:price currency="EUR" type="rent">1.99</video:price><video:price currency="USD">2.99</video:price>
<video:requires_subscription>no</video:requires_subscription>
<video:uploader info="https://e.com/u">U</video:uploader><video:platform relationship="deny">tv</video:platform>
<video:live>no</video:live><video:id type="url">https://e.com/id</video:id>
<video:content_segment_loc duration="60">https://e.com/s1</video:content_segment_loc>
<video:tvshow><video:show_title>S</video:show_title><video:episode_number>3</video:episode_number></video:tvshow>
</video:video>"""
NEWS = b"""<news:news><news:publication><news:name>N</news:name><news:language>en</news:language></news:publication>
<news:access>Subscription</news:access><news:genres>Blog</news:genres>
<news:publication_date>2026-11-15</news:publication_date><news:title>T</news:title>
<news:keywords>k</news:keywords><news:stock_tickers>NASDAQ:A</news:stock_tickers></news:news>"""
LINKS = b"""<xhtml:link rel="alternate" hreflang="de" href="https://e.com/de?a=1&amp;b=2"/>
<xhtml:link href='https://e.com/m' media="only screen" rel="alternate"/>"""
PAGEMAP = b"""<PageMap xmlns="http://www.google.com/schemas/sitemap-pagemap/1.0"><Template src="t"/>
<DataObject type="doc" id="1"><Attribute name="a" value="1"/><Attribute name="b">2</Attribute></DataObject></PageMap>"""


def only(extension: bytes) -> Entry:
    return next(read(with_extensions(url("1", extension))).entries())


def test_image() -> None:
    image = Image("https://e.com/i.png", "C", "Berlin", "T", "https://e.com/l")
    assert only(IMAGE + IMAGE).images == (image, image)


def test_video() -> None:
    assert only(VIDEO).videos == (
        Video(
            thumbnail_loc="https://e.com/t.jpg", title="T", description="A & B", content_loc="https://e.com/v.mp4",
            player_loc=Marked("https://e.com/p", {"allow_embed": "yes", "autoplay": "ap=1"}), duration="600",
            expiration_date="2027-01-01", rating="4.2", view_count="12", publication_date="2026-01-01",
            family_friendly="yes", restriction=Marked("DE AT", {"relationship": "allow"}),
            platform=Marked("tv", {"relationship": "deny"}), requires_subscription="no",
            uploader=Marked("U", {"info": "https://e.com/u"}), live="no", category="c",
            gallery_loc=Marked("https://e.com/g", {"title": "G"}), tags=("a", "b"),
            prices=(Marked("1.99", {"currency": "EUR", "type": "rent"}), Marked("2.99", {"currency": "USD"})),
            content_segment_locs=(Marked("https://e.com/s1", {"duration": "60"}),),
            ids=(Marked("https://e.com/id", {"type": "url"}),),
            tvshow={"show_title": "S", "episode_number": "3"},
        ),
    )  # fmt: skip


def test_news() -> None:
    assert only(NEWS).news == News("N", "en", "2026-11-15", "T", "Subscription", "Blog", "k", "NASDAQ:A")


def test_alternates() -> None:
    assert only(LINKS).alternates == (
        Alternate("de", "https://e.com/de?a=1&b=2"),
        Alternate(None, "https://e.com/m", "alternate", "only screen"),
    )


def test_pagemap() -> None:
    assert only(PAGEMAP).pagemaps == (PageMap((DataObject("doc", "1", (("a", "1"), ("b", "2"))),), "t"),)


@pytest.mark.parametrize(
    ("extension", "mobile"),
    [
        (b'<m:mobile xmlns:m="http://www.google.com/schemas/sitemap-mobile/1.0"/>', ""),
        (b'<m:mobile xmlns:m="http://www.baidu.com/schemas/sitemap-mobile/1/" type="autoadapt"/>', "autoadapt"),
    ],
)
def test_mobile(extension: bytes, mobile: str) -> None:
    assert only(extension).media.mobile == mobile


def test_unknown_namespaces_are_kept_and_stand_alone() -> None:
    root = HEAD.replace(b'0.9">', b'0.9" xmlns:x="urn:x">')
    document = read(root + url("1", b'<x:a b="1">t<x:c/></x:a>') + TAIL)
    assert next(document.entries()).media.unknown == ('<x:a xmlns:x="urn:x" b="1">t<x:c/></x:a>',)


@pytest.mark.parametrize(
    "wrong", [b"https://www.google.com/schemas/sitemap-image/1.1", b"http://www.google.com/schemas/sitemap-image/1.0"]
)
def test_a_misspelt_extension_namespace_hides_nothing(wrong: bytes) -> None:
    declared = EXTENSIONS.replace(b"http://www.google.com/schemas/sitemap-image/1.1", wrong)
    document = read(HEAD.replace(b'0.9">', b'0.9"' + declared + b">") + url("1", IMAGE) + TAIL)
    assert len(next(document.entries()).images) == 1
