"""Bytes of HTML pages → what they say about themselves."""

from __future__ import annotations

import time
from unittest import mock

import pytest
from hypothesis import given
from hypothesis import strategies as st

from urlset.model.entry import Alternate
from urlset.model.page import BotDirectives, Canonical, DateOrigin, PageFacts, PageImage, PageLink, Refresh
from urlset.reading import html
from urlset.reading.html import read_page
from urlset.reading.html_bytes import affordable
from urlset.reading.html_facets import largest
from urlset.reading.html_text import ids_of


def page(head: str = "", body: str = "", *, images: bool = False, videos: bool = False) -> PageFacts:
    text = f"<!doctype html><html lang=en><head>{head}</head><body>{body}</body></html>"
    return read_page(text.encode(), images=images, videos=videos)


@pytest.mark.parametrize(
    ("head", "body", "expected"),
    [
        ("<link rel=canonical href=/a>", "", [Canonical("/a")]),
        ("<LINK REL='Canonical' HREF=' /a '>", "", [Canonical("/a")]),
        ("<link rel='nofollow canonical' href=/a>", "", [Canonical("/a")]),
        ("", "<link rel=canonical href=/b>", [Canonical("/b", in_head=False)]),
        ("<div></div><link rel=canonical href=/b>", "", [Canonical("/b", in_head=False)]),
        ("<noscript><link rel=canonical href=/n></noscript>", "", []),
        ("<!-- <link rel=canonical href=/c> -->", "", []),
        ("<template><link rel=canonical href=/t></template>", "", []),
        ("<link rel=canonical href=''>", "", []),
        ("<link rel=canonical href=/a><link rel=canonical href=/b>", "", [Canonical("/a"), Canonical("/b")]),
    ],
)
def test_canonicals_and_where_they_stand(head: str, body: str, expected: list[Canonical]) -> None:
    facts = page(head, body)
    assert list(facts.canonicals) == expected
    assert facts.canonical == next((each.href for each in expected if each.in_head), None)


def test_addresses_are_resolved_against_the_base() -> None:
    facts = page("<base href='/x/'>")
    assert facts.resolve("a", "https://e.com/q/") == "https://e.com/x/a"
    assert page().resolve("../a", "https://e.com/q/r") == "https://e.com/a"
    assert page().resolve("http://[", "https://e.com/") is None


@pytest.mark.parametrize(
    ("head", "directives", "noindex"),
    [
        ("<meta name=robots content=noindex>", ("noindex",), True),
        ("<META NAME=ROBOTS CONTENT='NONE'>", ("none",), True),
        ("<meta name=robots content='max-image-preview:none'>", ("max-image-preview:none",), False),
        ("<meta name=robots content='index'><meta name=robots content='nofollow,noindex'>", None, True),
        ("<meta name=googlebot content=noindex>", (), False),
        ("<meta name=description content=noindex>", (), False),
        ("<meta name=robots>", (), False),
    ],
)
def test_robots(head: str, directives: tuple[str, ...] | None, noindex: bool) -> None:
    facts = page(head)
    assert facts.noindex is noindex
    if directives is not None:
        assert facts.directives() == directives


def test_robots_in_the_body_count_and_bots_are_kept_apart() -> None:
    facts = page("<meta name=Googlebot content=nofollow>", "<meta name=robots content=noindex>")
    assert facts.robots == (BotDirectives("googlebot", ("nofollow",)), BotDirectives("robots", ("noindex",)))
    assert facts.directives("googlebot") == ("nofollow", "noindex")


@pytest.mark.parametrize(
    ("content", "expected"),
    [
        ("0; url=/new", Refresh(0, "/new")),
        ("5;URL='https://e.com/'", Refresh(5, "https://e.com/")),
        ("0;/new", Refresh(0, "/new")),
        (".5; url=/new", Refresh(0, "/new")),
        ("30", None),
        ("0; url=", None),
        ("x; url=/a", None),
    ],
)
def test_refresh(content: str, expected: Refresh | None) -> None:
    assert page(f'<meta http-equiv=Refresh content="{content}">').refresh == expected


def test_a_refresh_for_browsers_without_scripts_is_none() -> None:
    assert page("<noscript><meta http-equiv=refresh content='0;url=/n'></noscript>").refresh is None


def ld(text: str) -> str:
    return f'<script type="application/ld+json">{text}</script>'


@pytest.mark.parametrize(
    ("head", "body", "expected"),
    [
        (ld('{"@type":"Article","dateModified":"2024-05-01"}'), "", [("JSON_LD_MODIFIED", "2024-05-01")]),
        (
            ld('{"@graph":[{"@type":"WebPage","datePublished":"2020","dateModified":"2021"},{"@type":"Person"}]}'),
            "",
            [("JSON_LD_MODIFIED", "2021"), ("JSON_LD_PUBLISHED", "2020")],
        ),
        (
            ld('[{"@type":["Article","BlogPosting"],"dateModified":{"@value":"2021"}}]'),
            "",
            [("JSON_LD_MODIFIED", "2021")],
        ),
        (ld('{"@type":"WebPage","mainEntity":{"dateModified":"2022"}}'), "", [("JSON_LD_MODIFIED", "2022")]),
        (ld('{"@type":"Article","comment":[{"@type":"Comment","dateModified":"2025"}]}'), "", []),
        (ld('{"@type":"Comment","dateModified":"2025"}'), "", []),
        (ld('<!-- {"dateModified":"2021"} -->'), "", [("JSON_LD_MODIFIED", "2021")]),
        (ld('{"headline":"two\nlines","dateModified":"2021"}'), "", [("JSON_LD_MODIFIED", "2021")]),
        (ld("{not json"), "", []),
        (ld("[" * 100_000), "", []),
        ("<meta property=article:modified_time content=2023>", "", [("ARTICLE_MODIFIED", "2023")]),
        ("<meta property=og:updated_time content=2023>", "", [("OG_UPDATED", "2023")]),
        ("<meta itemprop=dateModified content=2023>", "", [("ITEMPROP_MODIFIED", "2023")]),
        ("", "<time itemprop=dateModified datetime=2023>x</time>", [("ITEMPROP_MODIFIED", "2023")]),
        ("", "<time class='entry-date updated' datetime=2023>x</time>", [("TIME_UPDATED", "2023")]),
        ("", "<time datetime=2023>x</time>", [("TIME", "2023")]),
        ("", "<time datetime=2023>x</time><time datetime=2024>y</time>", []),
        ("", "<time>yesterday</time>", []),
        (
            "<meta property=article:published_time content=2020><meta property=article:modified_time content=2021>",
            "<time datetime=2019>x</time>",
            [("ARTICLE_MODIFIED", "2021"), ("ARTICLE_PUBLISHED", "2020"), ("TIME", "2019")],
        ),
    ],
)
def test_dates_with_their_origin(head: str, body: str, expected: list[tuple[str, str]]) -> None:
    assert [(date.origin, date.raw) for date in page(head, body).dates] == [
        (DateOrigin[name], raw) for name, raw in expected
    ]


def test_title_language_hreflang() -> None:
    facts = page(
        "<title> A\n title </title><link rel=alternate hreflang=de-AT href=/at>"
        "<link rel=alternate type=application/rss+xml href=/feed>",
        "<svg><title>icon</title></svg>",
    )
    assert (facts.title, facts.language) == ("A title", "en")
    assert facts.alternates == (Alternate("de-AT", "/at"),)


def test_images() -> None:
    body = (
        "<img src=a.jpg alt=' A '><img src='data:image/gif;base64,R0' srcset='s.jpg 1x, l.jpg 2x'>"
        "<img src='data:,' data-src=lazy.jpg><img src=pixel.gif width=1 height=1><img src=a.jpg><img>"
    )
    assert page(body=body, images=True).images == (PageImage("a.jpg", "A"), PageImage("l.jpg"), PageImage("lazy.jpg"))
    assert page(body=body).images == ()


@pytest.mark.parametrize(
    ("srcset", "expected"),
    [
        ("a 100w, b 300w, c 200w", "b"),
        ("a, b 2x", "b"),
        ("a", "a"),
        ("a,b.jpg 2x", "a,b.jpg"),
        ("", ""),
        (",,", ""),
        ("a 9.9.9x", "a"),
    ],
)
def test_the_largest_of_a_srcset(srcset: str, expected: str) -> None:
    assert largest(srcset) == expected


def test_videos_when_complete() -> None:
    head = ld(
        '{"@type":"Article","video":{"@type":"VideoObject","name":"N","description":"D","thumbnailUrl":["/t.jpg"],'
        '"contentUrl":"/v.mp4","uploadDate":"2024-01-01","duration":"PT1H2M3S"}}'
    ) + ld('{"@type":"VideoObject","name":"no thumbnail","contentUrl":"/v.mp4"}')
    (video,) = page(head, videos=True).videos
    assert (video.title, video.thumbnail_loc, video.content_loc, video.duration) == ("N", "/t.jpg", "/v.mp4", "3723")
    assert page(head).videos == ()


def test_links() -> None:
    assert page(body="<a href=/a rel='NoFollow ugc'>x</a><a name=y>y</a><area href=/b>").links == (
        PageLink("/a", ("nofollow", "ugc")),
        PageLink("/b"),
    )


@pytest.mark.parametrize(
    ("body", "blocks"),
    [
        ("<p>One <b>two</b>\n three</p><p>four</p>", ("One two three", "four")),
        ("<div>a<p>b</p>c</div>", ("a", "b", "c")),
        ("a<br>b", ("a", "b")),
        ("<p>a<script>x</script><style>y</style><noscript>z</noscript>b</p>", ("ab",)),
        ("<template><p>t</p></template><!-- c --><p>x</p>", ("x",)),
        ("<ul><li>1<li>2</ul>", ("1", "2")),
        ("<table><tr><td>1<td>2</table>", ("1", "2")),
        ("<p> </p>", ()),
        ("<p>a<!-- x -->b</p>", ("ab",)),
    ],
)
def test_text_blocks(body: str, blocks: tuple[str, ...]) -> None:
    assert page(body=body).blocks == blocks


@pytest.mark.parametrize(
    ("data", "declared", "charset", "title"),
    [
        ("<title>ü</title>".encode(), None, "utf-8", "ü"),
        ("<meta charset=iso-8859-1><title>ü</title>".encode("latin-1"), None, "cp1252", "ü"),
        ("<meta charset=utf-8><title>ü</title>".encode("latin-1"), "text/html; charset=ISO-8859-1", "cp1252", "ü"),
        ("\ufeff<title>ü</title>".encode("utf-16-le"), None, "utf-16-le", "ü"),
        (b"\xef\xbb\xbf<meta charset=latin1><title>\xc3\xbc</title>", None, "utf-8", "ü"),
        ("<meta charset=shift_jis><title>日</title>".encode("shift_jis"), None, "shift_jis", "日"),
        (b"<meta charset=rot13><title>\xc3\xbc</title>", None, "utf-8", "ü"),
        (b"<meta charset=utf-7><title>+AGE-</title>", None, "utf-8", "+AGE-"),
        (b"<title>\xff</title>", None, "utf-8", "\ufffd"),
    ],
)
def test_charset(data: bytes, declared: str | None, charset: str, title: str) -> None:
    facts = read_page(data, declared=declared)
    assert (facts.charset, facts.title) == (charset, title)


HOSTILE = {
    "deep": b"<div>" * 400_000,
    "formatting kept open": b"<p>" + b"".join(b"<font a=%d>" % n for n in range(20_000)) + b"<p>x" * 200_000,
    "formatting behind walls": b"".join(b"<li><object><b a=%d></object>" % n for n in range(50_000)),
    "attributes": b"<div " + b" ".join(b"a%d=1" % n for n in range(200_000)) + b">",
    "quoted attributes": b"<div " + b" ".join(b'a%d=">"' % n for n in range(200_000)) + b">",
    "hidden depth": b"<div><object></div></object>" * 200_000,
    "closing what is out of reach": b"<div><object>" + b"<span>" * 990 + b"</div>" * 300_000,
    "never ending tags": b"<a " * 500_000,
    "never ending comment": b"<!--" * 400_000,
    "never ending scripts": b"<script>" * 200_000,
    "never ending quotes": b"<a '\"" * 300_000,
    "zero bytes": b"\0" * 1_000_000,
}


@pytest.mark.parametrize("name", HOSTILE)
def test_hostile_pages_are_cheap(name: str) -> None:
    begun = time.process_time()
    read_page(HOSTILE[name], images=True, videos=True)
    assert time.process_time() - begun < 5


def test_what_is_cut_is_said() -> None:
    assert not read_page(HOSTILE["deep"]).complete
    assert read_page(b"<title>x</title>").complete


@pytest.mark.parametrize(
    "data",
    [
        b"<p>text" * 30_000,
        b"<ul>" + b"<li><a href=/x><b>x</b></a>" * 30_000 + b"</ul>",
        b"<table>" + b"<tr><td><b>1</b><td><i>2</i>" * 20_000 + b"</table>",
        b"<div><p>a <em>b</em></p></div>" * 20_000,
        b"<script>" + b"'<b>'" * 50_000 + b"</script><p>x</p>",
        b'<img src="data:image/png;base64,' + b"A" * 500_000 + b'"><p>x</p>',
    ],
)
def test_large_honest_pages_are_read_whole(data: bytes) -> None:
    assert affordable(data) == len(data)


@given(st.binary(max_size=400))
def test_any_bytes(data: bytes) -> None:
    read_page(data, images=True, videos=True)


PIECES = (
    *(
        "<p>",
        "</p>",
        "<b>",
        "<a href=",
        "'",
        '"',
        ">",
        "<",
        "<!--",
        "-->",
        "<script type=application/ld+json>",
        "</script>",
    ),
    *(
        "{",
        "}",
        "[",
        '"@graph"',
        ":",
        '"dateModified"',
        "<meta name=robots content=",
        "<title>",
        "<svg>",
        "<table>",
        "\0",
        "é",
    ),
    *(
        "<link rel=canonical href=",
        "<img srcset=",
        "<template>",
        "<noscript>",
        "<time datetime=",
        "text",
        " ",
        "=",
        "/",
    ),
)


@given(st.lists(st.sampled_from(PIECES), max_size=60).map("".join))
def test_any_soup(text: str) -> None:
    read_page(text.encode(), images=True, videos=True)


@pytest.mark.parametrize(
    ("body", "blocks"),
    [
        ("<DIV>a <B>b</B></DIV><P>c", ("a b", "c")),
        ("<p>a\fb</p>", ("a", "b")),  # a form feed of the page's own is white space, and ends a run of text
        ("<table>\n<tr><td>a<td>b</table>c", ("a", "b", "c")),
        ("<p title='<p>x</p>'>a <my-inline>b</my-inline></p>", ("a", "b")),
        ("<select><option>a<option>b</select>", ("a", "b")),
        ("<p>1 < 2 and <3</p>", ("1 < 2 and <3",)),
        ("<p>a\u00a0 b\n\tc</p>", ("a b c",)),
    ],
)
def test_marks_before_blocks_change_nothing_else(body: str, blocks: tuple[str, ...]) -> None:
    assert page(body=body).blocks == blocks


def test_marks_do_not_show_in_values() -> None:
    facts = read_page(
        b'<title>a <p> b</title><link rel="canonical" href="/x?q=<p>y">'
        b'<script type="application/ld+json">{"dateModified":"2026-01-02","description":"<p>x</p>"}</script>'
        b"<h1>a <div>b</h1>"
    )
    assert facts.title == "a <p> b"
    assert facts.canonical == "/x?q=<p>y"
    assert [each.raw for each in facts.dates] == ["2026-01-02"]
    assert facts.heading == "a b"


@pytest.mark.parametrize("attribute", ["hreflang=de", "lang=de", "media=print", 'type="text/html"'])
def test_a_canonical_that_search_engines_ignore(attribute: str) -> None:
    facts = read_page(f"<head><link rel=canonical href=/b {attribute}><link rel=canonical href=/a></head>".encode())
    assert facts.canonical == "/a"
    assert facts.qualified_canonicals == ("/b",)


def test_the_frame_is_what_the_page_marks_as_such() -> None:
    facts = page(
        body="<header><p>Top</p></header><nav><a>One</a></nav><article><header><h1>Own</h1></header></article>"
        "<div role=navigation>Two</div><footer>Below</footer>"
    )
    assert set(facts.frame) == {"Top", "One", "Two", "Below"}
    assert facts.blocks == ("Top", "One", "Own", "Two", "Below")


def test_links_are_left_out_when_nobody_wants_them() -> None:
    assert read_page(b"<a href=/x>x</a>").links
    assert read_page(b"<a href=/x>x</a>", links=False).links == ()


@pytest.mark.parametrize(
    ("body", "main"),
    [
        ("<p>out</p><main><p>in</p></main>", ("in",)),
        ("<div role=main><p>in</p></div><p>out</p>", ("in",)),
        ("<article><h1>in</h1></article><article>a comment</article>", ("in",)),
        ("<h1>out</h1><article>one</article><article>two</article>", ("one", "two")),
        ("<main>in <article>also in</article></main><article>out</article>", ("in", "also in")),
        ("<aside><article>out</article></aside><p>out</p>", ()),
        ("<main hidden>out</main><main>in</main>", ("in",)),
        ("<main>in<nav>out<nav>out</nav></nav></main>", ("in",)),
        ("<p>no main element</p>", ()),
    ],
)
def test_the_main_element(body: str, main: tuple[str, ...]) -> None:
    assert read_page(f"<!doctype html><body>{body}".encode()).main == main


def test_the_cap_on_blocks_holds() -> None:
    assert len(page(body="<p>a" * 25_000).blocks) == 20_000


def test_words_of_a_page_that_is_all_navigation() -> None:
    facts = read_page(b"<html role=navigation><p>one two three", links=False, enough=2)
    assert (facts.words, facts.blocks, facts.frame) == (None, ("one two three",), ("one two three",))


def test_frames_are_looked_at_once_for_all_dates_and_images(monkeypatch: pytest.MonkeyPatch) -> None:
    """Thousands of them would take seconds otherwise."""
    asked = mock.Mock(side_effect=ids_of)
    monkeypatch.setattr(html, "ids_of", asked)
    inside = b"<time datetime=2026-01-02>a</time><img src=a.jpg alt=b>" * 50
    read_page(b"<body>" + b"<nav>x</nav>" * 50 + b"<main>" + inside + b"</main>", facets=True)
    assert asked.call_count == 2
