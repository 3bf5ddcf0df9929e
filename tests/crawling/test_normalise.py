"""Links as pages write them, against what a URL parser makes of them."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from urlset.crawling.scope import Reader, address_of, without_visitor
from urlset.model.address import key_of
from urlset.model.page import join

PAGES = (
    "https://example.com/",
    "https://example.com/shop/list.html?page=2",
    "http://127.0.0.1:8080/a/b/",
    "https://example.com",
    "https://example.com/a%20b/c",
    "https://example.com/x/./y",
)
PIECES = (
    "/",
    "a",
    "B",
    "..",
    ".",
    "%7e",
    "%41",
    "%2F",
    "?",
    "q=1",
    "&",
    "#",
    "x y",
    "é",
    ":",
    "//",
    "\\",
    "-",
    "~",
    "|",
)


def slowly(url: str, href: str) -> str | None:
    found = join(url, href)
    return key_of(found) if found is not None and found.startswith(("http://", "https://")) else None


@given(st.sampled_from(PAGES), st.lists(st.sampled_from(PIECES), max_size=8).map("".join))
def test_the_quick_way_reads_links_as_a_parser_does(url: str, href: str) -> None:
    assert Reader(url).read(href) == slowly(url, href)


@given(st.sampled_from(PAGES), st.text(max_size=30))
def test_no_text_is_read_in_another_way(url: str, href: str) -> None:
    if "\ud800" <= max(href, default="") <= "\udfff":
        return
    assert Reader(url).read(href) == slowly(url, href)


BASES = ("/base/", "//cdn.example/x/", "sub/", "https://b.example/y?z", "mailto:x", "")


@given(st.sampled_from(PAGES), st.sampled_from(BASES), st.lists(st.sampled_from(PIECES), max_size=5).map("".join))
def test_a_base_element_moves_relative_links(url: str, base: str, href: str) -> None:
    resolved = join(url, base) if base else url
    here = resolved if resolved and resolved.startswith("http") else url
    assert Reader(url, base or None).read(href) == slowly(here, href)


@pytest.mark.parametrize(
    "href",
    [
        "mailto:a@b.example",
        "javascript:void(0)",
        "tel:+123",
        "data:text/html,x",
        " JavaScript:alert(1)",
        "ftp://x/",
        "a" * 9000,
    ],
)
def test_what_is_no_page_is_left_alone(href: str) -> None:
    assert Reader("https://example.com/").read(href) is None


@pytest.mark.parametrize(
    ("href", "address"),
    [
        ("/a?utm_source=x&b=1", "https://e.com/a?b=1"),
        ("/a?utm_source=x&utm_medium=y", "https://e.com/a"),
        ("/a?gclid=1", "https://e.com/a"),
        ("/a?ref=x", "https://e.com/a?ref=x"),
        ("/a?b=1&b=2", "https://e.com/a?b=1&b=2"),
        ("/a?", "https://e.com/a?"),
    ],
)
def test_only_tracking_parameters_are_left_out(href: str, address: str) -> None:
    found = Reader("https://e.com/").read(href)
    assert found is not None
    assert without_visitor(found)[0] == address


def test_what_was_left_out_is_named() -> None:
    assert without_visitor("https://e.com/?UTM_Source=a&x=1&fbclid=2") == (
        "https://e.com/?x=1",
        ("utm_source", "fbclid"),
    )


@pytest.mark.parametrize(
    ("written", "address"),
    [
        ("HTTPS://Example.COM:443/a/../b#top", "https://example.com/b"),
        ("https://example.com", "https://example.com/"),
        ("https://example.com/%7euser?x=%e9", "https://example.com/~user?x=%E9"),
        ("ftp://example.com/", None),
        ("example.com", None),
        ("", None),
    ],
)
def test_whole_addresses(written: str, address: str | None) -> None:
    assert address_of(written) == address
