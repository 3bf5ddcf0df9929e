"""Extensions are written completely and in schema order, raw elements only where they stand alone."""

from __future__ import annotations

import re

import pytest

from urlset.model.entry import Alternate, DataObject, Image, Marked, Media, News, PageMap, Video
from urlset.spec.extensions import IMAGE, NEWS, TVSHOW, VIDEO
from urlset.writing.media import extensions_of, left_out, media_xml, stands_alone
from urlset.writing.xml import Unwritable

MARKED = ("player_loc", "restriction", "platform", "uploader", "gallery_loc")
MANY_MARKED = ("prices", "content_segment_locs", "ids")
FULL_VIDEO = Video(
    **{  # type: ignore[arg-type]
        **dict.fromkeys(Video.__struct_fields__, "t"),
        **dict.fromkeys(MARKED, Marked("m")),
        **dict.fromkeys(MANY_MARKED, (Marked("m"), Marked("n"))),
        "tags": ("a", "b"),
        "tvshow": {field.name: "s" for field in reversed(TVSHOW.fields)},
    }
)


def opened(text: str, prefix: str) -> list[str]:
    """Local names in the order their tags open, neighbours of the same name once."""
    names = re.findall(rf"<{prefix}:(\w+)", text)
    return [name for at, name in enumerate(names) if not at or names[at - 1] != name]


def test_every_field_of_a_video_is_written_in_schema_order() -> None:
    expected = ["video", *VIDEO.xsd_sequence]
    after = expected.index("tvshow") + 1
    expected[after:after] = TVSHOW.xsd_sequence
    assert opened(media_xml(Media(videos=(FULL_VIDEO,))), "video") == expected


def test_every_field_of_an_image_is_written_in_schema_order() -> None:
    image = Image(*("x" for _ in Image.__struct_fields__))
    assert opened(media_xml(Media(images=(image,))), "image") == ["image", *IMAGE.xsd_sequence]


def test_every_field_of_news_is_written_in_schema_order() -> None:
    news = News(*("x" for _ in News.__struct_fields__))
    names = opened(media_xml(Media(news=(news,))), "news")
    assert names == ["news", "publication", "name", "language", *NEWS.xsd_sequence[1:], "geo_locations"]


def test_extensions_stand_in_one_order() -> None:
    media = Media(
        unknown=('<x:a xmlns:x="urn:x"/>',),
        mobile="",
        pagemaps=(PageMap(),),
        news=(News(),),
        videos=(Video(),),
        images=(Image(),),
        alternates=(Alternate(),),
    )
    assert media_xml(media) == (
        '    <xhtml:link rel="alternate"/>\n'
        "    <image:image/>\n"
        "    <video:video/>\n"
        "    <news:news/>\n"
        "    <pagemap:PageMap/>\n"
        "    <mobile:mobile/>\n"
        '    <x:a xmlns:x="urn:x"/>\n'
    )
    assert extensions_of(media) == {"xhtml", "image", "video", "news", "pagemap", "mobile"}


@pytest.mark.parametrize(
    ("media", "text"),
    [
        (
            Media(alternates=(Alternate("de", "https://e.com/?a&b"),)),
            '    <xhtml:link rel="alternate" hreflang="de" href="https://e.com/?a&amp;b"/>\n',
        ),
        (
            Media(alternates=(Alternate(None, "https://m.e.com/", media="only screen"),)),
            '    <xhtml:link rel="alternate" media="only screen" href="https://m.e.com/"/>\n',
        ),
        (Media(alternates=(Alternate("de", None, None),)), '    <xhtml:link hreflang="de"/>\n'),
        (Media(mobile="pc,mobile"), '    <mobile:mobile type="pc,mobile"/>\n'),
        (
            Media(news=(News(title="T"),)),
            "    <news:news>\n      <news:title>T</news:title>\n    </news:news>\n",
        ),
        (
            Media(news=(News("N", "en"),)),
            (
                "    <news:news>\n      <news:publication>\n        <news:name>N</news:name>\n"
                "        <news:language>en</news:language>\n      </news:publication>\n    </news:news>\n"
            ),
        ),
        (
            Media(videos=(Video(restriction=Marked("DE AT", {"relationship": "allow"})),)),
            (
                '    <video:video>\n      <video:restriction relationship="allow">DE AT</video:restriction>\n'
                "    </video:video>\n"
            ),
        ),
        (
            Media(pagemaps=(PageMap((DataObject("d", "1", (("n", "v"), (None, " w "), ("e", ""))),), "t.xml"),)),
            (
                '    <pagemap:PageMap>\n      <pagemap:Template src="t.xml"/>\n'
                '      <pagemap:DataObject type="d" id="1">\n'
                '        <pagemap:Attribute name="n">v</pagemap:Attribute>\n'
                '        <pagemap:Attribute value=" w "/>\n'
                '        <pagemap:Attribute name="e"></pagemap:Attribute>\n'
                "      </pagemap:DataObject>\n    </pagemap:PageMap>\n"
            ),
        ),
    ],
)
def test_the_lines_of_one_extension(media: Media, text: str) -> None:
    assert media_xml(media) == text


def test_equal_mappings_give_equal_bytes() -> None:
    one = {"currency": "EUR", "type": "rent", "resolution": "hd", "zeta": "1", "alpha": "2"}
    other = dict(reversed(one.items()))
    shows = (
        {"show_title": "a", "premier_date": "b", "x": "c"},
        {"x": "c", "premier_date": "b", "show_title": "a"},
    )
    first, second = (
        media_xml(Media(videos=(Video(prices=(Marked("1", attributes),), tvshow=show),)))
        for attributes, show in ((one, shows[0]), (other, shows[1]))
    )
    assert first == second
    assert 'currency="EUR" type="rent" resolution="hd" alpha="2" zeta="1"' in first
    assert re.findall(r"<video:(show_title|premier_date|x)>", first) == ["show_title", "premier_date", "x"]


@pytest.mark.parametrize(
    "video",
    [
        Video(uploader=Marked("a", {"info url": "b"})),
        Video(uploader=Marked("a", {"xmlns": "b"})),
        Video(uploader=Marked("a", {'x="" y': "b"})),
        Video(tvshow={"a><b": "c"}),
        Video(title="a\x0b"),
        Video(uploader=Marked("a", {"info": "\ud800"})),
    ],
)
def test_what_would_break_the_file_is_refused(video: Video) -> None:
    with pytest.raises(Unwritable):
        media_xml(Media(videos=(video,)))


@pytest.mark.parametrize(
    ("element", "alone"),
    [
        ('<x:a xmlns:x="urn:x"/>', True),
        ('<a xmlns="urn:x"><b>&amp;&#13;</b></a>', True),
        ('<x:a xmlns:x="urn:x"><![CDATA[&]]><!-- c --><?p i?></x:a>', True),
        ("<xml:a/>", True),
        ("<x:a/>", False),
        ('<x:a xmlns:x="urn:x" y:b="1"/>', False),
        ("<a/>", False),
        ('<loc xmlns="http://www.sitemaps.org/schemas/sitemap/0.9">b</loc>', False),
        ('<loc xmlns="https://www.sitemaps.org/schemas/sitemap/0.9/">b</loc>', False),
        ('<x:a xmlns:x="urn:x">', False),
        ('<x:a xmlns:x="urn:x"/></url>', False),
        ('<x:a xmlns:x="urn:x"/><x:a xmlns:x="urn:x"/>', False),
        ('<x:a xmlns:x="urn:x">&nbsp;</x:a>', False),
        ('<x:a xmlns:x="urn:x">\x00</x:a>', False),
        ('<x:a xmlns:x="urn:x">\ud800</x:a>', False),
        ('<?xml version="1.0"?><x:a xmlns:x="urn:x"/>', False),
        ('<!DOCTYPE a [<!ENTITY e "f">]><x:a xmlns:x="urn:x">&e;</x:a>', False),
        ('text <x:a xmlns:x="urn:x"/>', False),
        ("", False),
    ],
)
def test_raw_elements_are_written_only_where_they_stand_alone(element: str, alone: bool) -> None:
    media = Media(unknown=(element,))
    assert stands_alone(element) is alone
    assert media_xml(media) == (f"    {element}\n" if alone else "")
    assert left_out(media) == (() if alone else (element,))
