"""Addresses on a page are what the URL standard makes of them, whether or not a parser is called."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from urlset.model.page import PageFacts, _joined, join

BASES = st.sampled_from(
    (
        *("https://www.example.com/", "https://www.example.com/a/b/page.html?q=a/b#c/d", "https://bücher.example/x/y"),
        *("http://h:8080", "https://h/a b/c", "HTTPS://H.com:443/ä/./b/../c", "https://[::1]/a/", "https://u:p@h/x/"),
        *("file:///x/y", "mailto:a@b", "foo", "", "https://1.2/x/"),
    )
)
PIECES = st.sampled_from(
    (
        *(
            "/",
            "//",
            "a",
            "b.html",
            ".",
            "..",
            "%2e",
            "%2E",
            "%C3%A9",
            "%",
            "é",
            "größe",
            " ",
            "?",
            "#x",
            "&",
            "'",
            '"',
        ),
        *(
            "<",
            ":",
            "@",
            "https://",
            "HTTP://",
            "h.example",
            "bücher.example",
            "WWW.X.com",
            ":443",
            ":8443",
            "\\",
            "\t",
        ),
        *("\n", "^", "|", "[", "{", "`", "*", "\ufffd", "\u200b", "\xa0", "\x85", "\x7f", "\x1f", "mailto:", "user@"),
        *("0x7f", "1.2.3.4", "xn--", "[::1]", "\ud800", "😀", "~", "www.example.com"),
    )
)
HREFS = st.builds(
    "{}{}".format,
    st.sampled_from(("", "/", "/my shop/", "https://www.example.com/", "https://bücher.example/größe/")),
    st.lists(PIECES, max_size=7).map("".join),
)


@given(BASES, HREFS)
def test_an_address_is_what_the_parser_makes_of_it(base: str, href: str) -> None:
    assert join(base, href) == _joined(base, href)


@pytest.mark.parametrize(
    ("base_href", "href", "found"),
    [
        (None, "name?q=1", "https://example.com/a/name?q=1"),
        ("/shop/", "name", "https://example.com/shop/name"),
        ("https://bücher.example/", "/größe x", "https://xn--bcher-kva.example/gr%C3%B6%C3%9Fe%20x"),
        ("https://[", "name", "https://example.com/a/name"),
    ],
)
def test_addresses_are_relative_to_the_base_element(base_href: str | None, href: str, found: str) -> None:
    assert PageFacts(base_href=base_href).resolve(href, "https://example.com/a/b") == found
