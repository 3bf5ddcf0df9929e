"""Pages read without their tree say what their tree says; most pages are read so."""

from __future__ import annotations

from random import Random
from unittest.mock import patch

import pytest
from hypothesis import given
from hypothesis import strategies as st

from fuzz.html_pages import Pages, different, is_plain
from urlset.auditing.page_text import words_in
from urlset.reading import fingerprint
from urlset.reading.fingerprint import each_block, weigh
from urlset.reading.html import read_page
from urlset.reading.scanner import is_compiled
from urlset.spec.relative_dates import ASCII_SIGNS, SAYS_HOW_LONG_AGO
from urlset.testing import pages

compiled = pytest.mark.skipif(not is_compiled(), reason="needs the compiled parts")

FRAME = '<!doctype html>\n<html lang="en"><head><title>T</title>{head}</head><body>{body}</body></html>'

PLAIN = {
    "paragraphs left open": "<div><p>One<p>Two<ul><li>a<li>b</ul></div>",
    "a table with implied rows": "<table><tr><td>1<td>2<tr><td>3</table><p>x",
    "an end tag too many": "<div>One</div></div><p>Two</p></span>",
    "references": "<p>a &amp; b &copy; &#8217; &nbsp; &notit; &unknown; & x 1 < 2</p>",
    "unseen elements": "<p>a<script>'<p>'</script>b<noscript><b>c</b></noscript>d<svg><path d=''/><g></g></svg>e</p>",
    "a drawing in a template": "<p>a</p><template><svg><path d=''/></svg><p>b</p></template><p>c</p>",
    "frames": "<header>h</header><nav>n</nav><main><h1>M</h1><nav>in</nav>text</main><footer>f</footer>",
    "dates": '<main><time datetime="2024-01-02">x</time></main><footer><time datetime="2025-01-01">y</time></footer>',
    "text after the body": "<p>a</p></body></html><p>b</p>",
    "whitespace of all kinds": "<p>a\u00a0b\u3000c\x1fd\fe\n\n f</p>",
    "images, some unseen": '<img src=/a alt="A &amp; b"><noscript><img src=/b></noscript><object><img src=/c></object>',
    "images that are small or late": "<img src=/p width=1><img data-src=/d><img srcset='/s 1x, /t 2x'><img src=/d>",
    "upper case": "<DIV>a<SPAN>b</SPAN><Span>c</Span></DIV>",
}
NOT_PLAIN = {
    "formatting that crosses a paragraph": "<p><b>One<p>Two</b></p>",
    "a link around a block inside a paragraph": '<p><a href="/x">a<div>b</div></a></p>',
    "text in a table": "<table>x<tr><td>1</table>",
    "a link in a link": '<a href="/1">a<a href="/2">b</a></a>',
    "a paragraph out of an svg": "<svg><p>a</p></svg>",
    "a reference that is an error": "<p>&#150;</p>",
    "a role on an inline element": '<span role="navigation">a</span>b',
    "another body": "<body>a",
}


@pytest.mark.parametrize("body", PLAIN.values(), ids=PLAIN)
def test_sound_markup_needs_no_tree(body: str) -> None:
    data = FRAME.format(head="", body=body).encode()
    assert is_plain(data) == is_compiled()
    assert different(data) is None


@compiled
@pytest.mark.parametrize("body", NOT_PLAIN.values(), ids=NOT_PLAIN)
def test_what_browsers_repair_is_left_to_the_tree(body: str) -> None:
    data = FRAME.format(head="", body=body).encode()
    assert not is_plain(data)
    assert different(data) is None


@compiled
@pytest.mark.parametrize(
    "page",
    [
        "<html lang=en><title>T</title><meta name=a content=b><p>One<p>Two</html>",
        "<html><head><title>T</title><body class=x><h1>H</h1>",
        "<html><title>T</title></head><link-list>a</link-list>",
        "<html><link rel=canonical href=/a><main>a</main><link rel=canonical href=/b>",
        "<!doctype html><html>\n<!-- c --><body>a",
    ],
)
def test_tags_of_head_and_body_may_be_left_out(page: str) -> None:
    assert is_plain(page.encode())
    assert different(page.encode()) is None


@compiled
@pytest.mark.parametrize(
    "page",
    [
        "<title>T</title><p>a",
        "<html><title>T</title>text",
        "<html><head></head><meta name=a content=b><body>a",
        "<html><head><head><body>a",
        "<html><title>T</title><head><body>a",
        "<html><title>T</title><template><p>a</template>",
        "<html><title>T</title><frameset>",
        "<html><title>T</title><noscript><p>a</noscript>",
        "<html><head><title>T</title></body><p>a",
    ],
)
def test_where_a_body_begins_in_doubt_is_left_to_the_tree(page: str) -> None:
    assert not is_plain(page.encode())
    assert different(page.encode()) is None


@compiled
@pytest.mark.parametrize("head", ["<div>", "<noscript><img src=/pixel></noscript>", "text", "<script><!--<script>"])
def test_a_head_that_ends_early_is_left_to_the_tree(head: str) -> None:
    data = FRAME.format(head=head, body='<link rel="canonical" href="/">').encode()
    assert not is_plain(data)
    assert different(data) is None


@pytest.mark.parametrize("seed", range(60))
def test_random_pages_say_the_same(seed: int) -> None:
    data = Pages(Random(seed)).page()
    assert different(data) is None, data


@given(st.binary(max_size=200), st.integers(0, 5000))
def test_damage_anywhere_says_the_same(piece: bytes, at: int) -> None:
    data = FRAME.format(head="", body=PLAIN["frames"] + PLAIN["references"]).encode()
    at %= len(data)
    assert different(data[:at] + piece + data[at + len(piece) :]) is None


def test_ordinary_pages_say_the_same() -> None:
    for data in (pages.article(3), pages.listing("Topic", [("/a", "A"), ("/b", "B")])):
        assert is_plain(data) == is_compiled()
        assert different(data) is None


def test_the_cap_on_blocks_holds() -> None:
    data = FRAME.format(head="", body="<p>a" * 25_000).encode()
    assert len(read_page(data).blocks) == 20_000


# hashes


@compiled
@given(st.lists(st.text(max_size=300)))
def test_compiled_hashes_are_the_same(texts: list[str]) -> None:
    collapsed = [" ".join(text.split()) for text in texts]
    assert each_block(collapsed) == [fingerprint._block(text) for text in collapsed]


@compiled
@pytest.mark.parametrize("size", [1, 60, 61, 127, 128, 129, 255, 256, 257, 1000])
def test_compiled_hashes_of_all_lengths(size: int) -> None:
    text = ("Some Words " * 100)[:size].strip()
    assert each_block([text]) == [fingerprint._block(text)]


@given(st.from_regex(SAYS_HOW_LONG_AGO.pattern, fullmatch=True))
def test_ascii_that_says_how_long_ago_has_a_sign(text: str) -> None:
    if text.isascii():
        folded = " ".join(text.casefold().split())
        assert any(sign in folded for sign in ASCII_SIGNS)


@compiled
@given(st.lists(st.text(max_size=80)), st.sets(st.integers(0, 9)))
def test_compiled_weights_are_the_same(texts: list[str], framed: set[int]) -> None:
    collapsed = [text for each in texts if (text := " ".join(each.split()))]
    frame = frozenset(collapsed[number] for number in framed if number < len(collapsed))
    apart = frozenset(block for block in each_block(collapsed[::3]) if block is not None)
    found = weigh(collapsed, frame, apart, words_in)
    with patch.object(fingerprint, "_compiled", lambda: None):
        assert found == weigh(collapsed, frame, apart, words_in)
