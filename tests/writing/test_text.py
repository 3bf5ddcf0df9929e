"""A text sitemap has one address a line, unescaped, and refuses what would not stay one line."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.strategies import core_texts
from urlset.writing.urlset import line_bytes, write_text
from urlset.writing.xml import Unwritable


def test_nothing_is_escaped() -> None:
    locs = ["https://e.com/?a=1&b=<'2'>", "https://e.com/é"]
    assert b"".join(write_text(locs)) == "https://e.com/?a=1&b=<'2'>\nhttps://e.com/é\n".encode()


def test_no_addresses_no_bytes() -> None:
    assert list(write_text([])) == []


@pytest.mark.parametrize(
    ("loc", "message"),
    [
        ("", "cannot write '': a text sitemap cannot contain a blank line"),
        (" \t", "a text sitemap cannot contain a blank line"),
        ("a\nb", r"U\+000A, character 2 of 'a\\nb': a URL cannot contain a line break"),
        ("a\rb", r"U\+000D, character 2 of"),
        ("a\x00b", r"U\+0000, character 2 of 'a\\x00b': a text sitemap cannot contain control characters"),
        ("a\ud800", r"U\+D800, character 2 of"),
    ],
)
def test_what_is_no_line_is_refused(loc: str, message: str) -> None:
    with pytest.raises(Unwritable, match=message):
        line_bytes(loc)


@given(st.lists(core_texts().filter(bool)))
def test_lines_are_the_addresses(locs: list[str]) -> None:
    assert b"".join(write_text(locs)).decode().split("\n") == [*locs, ""]
