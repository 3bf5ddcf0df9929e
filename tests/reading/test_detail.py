"""The second look: every element, attribute and character at its exact bytes."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.reading.sitemaps import url, urlset, with_extensions
from urlset import read
from urlset.model.entry import Element

PIECES = ["a", "é", "\U0001f600", "&amp;", "&#233;", "&#x1F600;", "<![CDATA[<&>]]>", "<!-- c -->", "\n", "\r\n", " "]
MEANING = {
    "&amp;": "&",
    "&#233;": "é",
    "&#x1F600;": "\U0001f600",
    "<![CDATA[<&>]]>": "<&>",
    "<!-- c -->": "",
    "\r\n": "\n",
}


def assert_places(element: Element, data: bytes) -> None:
    tag = element.open_tag.cut(data)
    assert tag.startswith(b"<" + element.written.encode())
    assert tag.endswith(b">")
    close = element.close_tag.cut(data)
    assert close == b"" or close.startswith(b"</" + element.written.encode())
    assert element.place.cut(data) == tag + element.inner.cut(data) + close
    for attribute in element.attributes:
        assert attribute.place.cut(data).startswith(attribute.written.encode())
    for child in element.children:
        assert element.place.offset < child.place.offset <= child.place.end <= element.place.end
        assert_places(child, data)


@given(st.lists(st.sampled_from(PIECES), max_size=12))
def test_every_character_of_a_value_is_found(pieces: list[str]) -> None:
    data = urlset(b"<url><loc>" + "".join(pieces).encode() + b"</loc></url>")
    element = read(data).element(0)
    assert_places(element, data)
    value = element.children[0].value
    assert value.text == "".join(MEANING.get(piece, piece) for piece in pieces)
    for index, character in enumerate(value.text):
        written = value.locate(index).cut(data).decode()
        assert MEANING.get(written, written) == character
    assert value.locate(0, len(value.text)).cut(data).decode().strip("<!- c>") in "".join(pieces)


def test_attributes_have_places() -> None:
    data = with_extensions(
        url("1", b'<xhtml:link  rel=\'alternate\'\n hreflang = "de" href="https://e.com/?a&amp;b"/>')
    )
    link = read(data).element(0).children[1]
    assert [attribute.value.place.cut(data) for attribute in link.attributes] == [
        b"alternate", b"de", b"https://e.com/?a&amp;b",
    ]  # fmt: skip
    href = link.attributes[2].value
    assert (href.text, href.locate(16).cut(data), href.locate(17).cut(data)) == ("https://e.com/?a&b", b"&amp;", b"b")


@pytest.mark.parametrize("entry", [b"<url/>", b"<url></url>", b"<url ><loc/><lastmod ></lastmod ></url >", url("1")])
def test_empty_elements_have_places(entry: bytes) -> None:
    data = urlset(entry)
    element = read(data).element(0)
    assert_places(element, data)
    assert element.place.cut(data) == entry.strip()
