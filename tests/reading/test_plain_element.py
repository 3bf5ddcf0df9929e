"""The pattern against the parser: where it has an answer, it is the same one, down to every place."""

from __future__ import annotations

from pyexpat import ExpatError, ParserCreate

import pytest
from hypothesis import given
from hypothesis import strategies as st

from urlset.reading.row_reader import DetailReader, SourceMap, plain_element
from urlset.spec.namespaces import SITEMAP

FRAMES = {SITEMAP: f'<urlset xmlns="{SITEMAP}" xmlns:x="urn:x">'.encode(), "": b'<urlset xmlns:x="urn:x">'}
NAMES = ("loc", "lastmod", "LOC", "x:loc", "url", "Priority")
TEXTS = (
    "",
    " ",
    "a",
    "https://www.example.com/ä?b=1",
    " 2025 ",
    "a\nb",
    "\n",
    "\t",
    "&amp;",
    "a\r\nb",
    "]]",
    ">",
    "😀",
    '"',
)

field = st.builds(
    "<{0}{2}>{1}</{0}>".format, st.sampled_from(NAMES), st.sampled_from(TEXTS), st.sampled_from(("", "", "", ' a="b"'))
)
between = st.sampled_from(("", " ", "\n    ", "\t", "\r\n", "text", "<!-- c -->", "<loc/>", "<![CDATA[x]]>"))
row = st.builds(
    "<{0}>{1}{2}</{0}>".format,
    st.sampled_from(("url", "x:url", "sitemap")),
    st.lists(st.builds("{}{}".format, between, field), max_size=5).map("".join),
    between,
)


def is_well_formed(text: bytes, frame: bytes) -> bool:
    parser = ParserCreate("utf-8", " ")
    try:
        parser.Parse(frame + text + b"</urlset>", True)
    except ExpatError:
        return False
    return True


@pytest.mark.parametrize("namespace", FRAMES)
@given(row, st.integers(0, 1000))
def test_it_says_what_the_parser_says_or_nothing(namespace: str, text: str, start: int) -> None:
    raw = text.encode()
    found = plain_element(raw, start, namespace)
    if found is not None:
        assert is_well_formed(raw, FRAMES[namespace])
        assert found == DetailReader(raw, FRAMES[namespace], SourceMap(start, ())).read()


@pytest.mark.parametrize(
    "text",
    [
        "<url><loc>https://www.example.com/a b</loc></url>",
        "<url>\n    <loc>https://www.example.com/ä</loc>\n    <lastmod>2025-01-01T10:00:00</lastmod>\n  </url>",
        "<url> <loc></loc>\t<priority>0,5</priority> </url>",
    ],
)
def test_it_has_an_answer_for_the_usual_rows(text: str) -> None:
    found = plain_element(text.encode(), 7, SITEMAP)
    assert found is not None
    assert found == DetailReader(text.encode(), FRAMES[SITEMAP], SourceMap(7, ())).read()


@pytest.mark.parametrize(
    "text",
    [
        "<url></url>",
        "<url>\n</url>",
        "<url><loc>a&amp;b</loc></url>",
        "<url><loc>a\nb</loc></url>",
        "<url><loc a='b'>a</loc></url>",
        "<url><loc>a</loc><!-- c --></url>",
        "<url><loc>a</loc>b</url>",
        "<url><x:loc>a</x:loc></url>",
        "<url><loc>a</LOC></url>",
        "<url><loc>a</loc></url> ",
    ],
)
def test_it_leaves_anything_else_to_the_parser(text: str) -> None:
    assert plain_element(text.encode(), 0, SITEMAP) is None
