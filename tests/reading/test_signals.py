"""Addresses and fields → signals: both evaluators agree, and each signal is raised by what its name says."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from fuzz.signals import names_of
from tests.reading.scanners import BOTH, chosen, needs_compiled
from urlset.reading.signals import batch, changefreq_signals, lastmod_signals, loc_signals, priority_signals
from urlset.spec.signals import BYTES, ESCAPES, WORDS, Region, Signal


def own(signals: int) -> int:
    """Without the one that compares an address with the one before."""
    return signals & ~Signal.OTHER_HEAD


CASES: list[tuple[str | None, int]] = [
    (None, Signal.MISSING),
    ("", Signal.EMPTY),
    (" \n\u2003", Signal.EMPTY),
    ("https://www.example.com/products/item-1", 0),
    ("https://www.example.com/caf%C3%A9/%E2%82%AC/%F0%9F%98%80?q=%26%20", 0),
    ("https://www.example.com:8443/Products/Item.HTML", 0),
    ("https://www.example.com/p;v=1/a,b+c@d:e!$()*'", 0),
    ("https://www.example.com/web/2026/", Signal.SLASHED),
    ("https://www.example.com", Signal.NO_PATH),
    ("https://www.example.com?a=1", Signal.NO_PATH),
    ("http://a.io/x", 0),
    ("http://a.io", Signal.SHORT | Signal.NO_PATH),
    (" https://www.example.com/a\u00a0", Signal.PADDED),
    ("ftp://www.example.com/a", Signal.NOT_WEB),
    ("//www.example.com/a", Signal.NOT_WEB),
    ("https://:80/a-long-path", Signal.NOT_WEB),
    ("https://www.example.com/a#b", Signal.FRAGMENT),
    ("https://www.example.com/a b", Signal.SPACE),
    ("https://www.example.com/a\x01b", Signal.CONTROL),
    ("https://www.example.com/a\x85b", Signal.CONTROL | Signal.NON_ASCII),
    ("https://www.example.com/é", Signal.NON_ASCII),
    ("https://www.example.com/a|b", Signal.ILLEGAL),
    ("https://www.example.com/a?b='", Signal.QUOTED_QUERY),
    ("https://www.example.com/100%", Signal.ESCAPE_BROKEN),
    ("https://www.example.com/%c3%a9", Signal.ESCAPE_RESPELLED),
    ("https://www.example.com/%41", Signal.ESCAPE_RESPELLED),
    ("https://www.example.com/%FC", Signal.ESCAPE_NOT_UTF8),
    ("https://www.example.com/%C3-%A9", Signal.ESCAPE_NOT_UTF8),
    ("https://www.example.com/%ED%A0%80", Signal.ESCAPE_NOT_UTF8),
    ("https://www.example.com/%7Bid%7D", Signal.ESCAPED_BRACKET),
    ("https://www.example.com/a//b", Signal.EMPTY_SEGMENT),
    ("https://www.example.com/a/../b", Signal.DOT_SEGMENT),
    ("https://www.example.com/.well-known/a", 0),
    ("https://www.example.com/en/CART", Signal.PRIVATE_PATH),
    ("https://www.example.com/blog/2026/cart", 0),
    ("https://www.example.com/cart-racing", 0),
    ("https://www.example.com/a/page/2", Signal.PAGE_SEGMENT),
    ("https://www.example.com/a.JPG?x", Signal.ASSET),
    ("https://www.example.com/a.jpg/b", 0),
    ("https://www.example.com/sitemap.xml", Signal.DOWNLOAD),
    ("https://www.example.com/a/null", Signal.RESIDUE),
    ("https://www.example.com/a/nullify", 0),
    ("https://www.example.com/a/:id", Signal.RESIDUE),
    ("https://www.example.com/a;JSESSIONID=1", Signal.SESSION),
    ("https://www.example.com/a?sid=1", Signal.AMBIGUOUS_SESSION),
    ("https://www.example.com/a?UTM_source=1", Signal.TRACKING),
    ("https://www.example.com/a?x=utm_source", 0),
    ("https://www.example.com/a?page=1", 0),
    ("https://www.example.com/a?page=12", Signal.PAGED),
    ("https://www.example.com/a?filter%5Bx%5D=1", Signal.FACET | Signal.ESCAPED_BRACKET),
]


@pytest.mark.parametrize("scanner", BOTH)
@pytest.mark.parametrize(("loc", "expected"), CASES)
def test_an_address_raises_just_these(loc: str | None, expected: int, scanner: str) -> None:
    with chosen(scanner):
        assert names_of(own(batch([loc])[0])) == names_of(expected)
    assert names_of(loc_signals(loc)) == names_of(expected)


@pytest.mark.parametrize("scanner", BOTH)
@pytest.mark.parametrize(
    ("size", "expected"),
    [
        (256, 0),
        (257, Signal.LONG_FOR_BAIDU),
        (2047, Signal.LONG_FOR_BAIDU),
        (2048, Signal.LONG_FOR_BAIDU | Signal.LONG),
    ],
)
def test_length_is_counted_without_white_space(size: int, expected: int, scanner: str) -> None:
    loc = "https://example.com/".ljust(size, "a")
    with chosen(scanner):
        assert [own(each) for each in batch([loc, f"\n{loc} "])] == [expected, expected | Signal.PADDED]


KNOWN = sorted({word.decode("latin-1") for words in WORDS for word in words.words})
PIECES = (
    *("https://", "HTTP://", "www.example.com", "e.com", "user@", ":80", "/", "//", "?", "&", "=", "#", ".", "..", ";"),
    *("%C3%A9", "%c3", "%E2%82%AC", "%F0%9F%98%80", "%ED%A0%80", "%41", "%7B", "%5b", "%", "%4", "é", "日本", "\ud800"),
    *(
        " ",
        "\t",
        "\x85",
        "\xa0",
        "\u2003",
        "\u2028",
        "\x1c",
        "\x01",
        "a",
        "Z9",
        "-",
        "_",
        ":",
        "@",
        "[",
        "{",
        "'",
        "en",
    ),
)
ADDRESSES = st.lists(
    st.one_of(
        st.sampled_from(PIECES), st.sampled_from(KNOWN), st.sampled_from(KNOWN).map(str.upper), st.text(max_size=2)
    ),
    max_size=14,
).map("".join)


@needs_compiled
@given(st.lists(st.one_of(ADDRESSES, ADDRESSES.map("https://www.example.com/".__add__)), max_size=8))
@settings(max_examples=400)
def test_both_evaluators_give_equal_integers(locs: list[str | None]) -> None:
    """In one batch, because the compiled one remembers the host of the address before."""
    with chosen("compiled"):
        compiled = batch(locs)
    with chosen("python"):
        assert [names_of(each) for each in compiled] == [names_of(each) for each in batch(locs)]
    assert [names_of(own(each)) for each in compiled] == [names_of(loc_signals(loc)) for loc in locs]


def test_words_behind_a_head_end_with_it() -> None:
    """The head is judged by itself, so no word that counts there may go on behind it."""
    for words in WORDS:
        if words.within & Region.HEAD:
            assert words.until is None or set(b"/?#") <= set(words.until)
            assert not set(b"/?#") & set(b"".join(words.words))


def test_each_signal_is_one_bit_of_its_own() -> None:
    bits = [bit for name, bit in vars(Signal).items() if isinstance(bit, int) and not name.startswith("_")]
    assert all(bit.bit_count() == 1 for bit in bits)
    assert len(set(bits)) == len(bits)
    assert all(row.signal in bits for table in (BYTES, ESCAPES, WORDS) for row in table)


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        (None, 0),
        ("2026-11-15", 0),
        ("2024-02-29", 0),
        ("2026-11-15T10:00:00Z", 0),
        ("2026-11-15T10:00:00.123+14:00", 0),
        ("2026-11-15T10:00+01:00", Signal.NO_SECONDS),
        ("2025-02-29", Signal.ODD_DATE | Signal.DATE_CALENDAR),
        ("2026-11-31", Signal.ODD_DATE | Signal.DATE_CALENDAR),
        ("1970-01-01", Signal.ODD_DATE),
        ("2026-11", Signal.ODD_DATE | Signal.DATE_COARSE),
        ("2026-11-15T10:00:00", Signal.ODD_DATE | Signal.DATE_ZONE),
        ("2026-11-15T10:00:00-00:00", Signal.ODD_DATE | Signal.DATE_ZONE),
        (" 2026-11-15", Signal.ODD_DATE | Signal.DATE_BLANK),
        ("", Signal.ODD_DATE | Signal.DATE_BLANK | Signal.DATE_NOTATION),
        ("x" * 101, Signal.ODD_DATE | Signal.DATE_NOTATION | Signal.LONG_HINT),
    ],
)
def test_dates(text: str | None, expected: int) -> None:
    assert names_of(lastmod_signals(text)) == names_of(expected)


def test_frequencies_and_priorities() -> None:
    assert changefreq_signals("hourly") == 0
    assert names_of(changefreq_signals("Hourly")) == "ODD_CHANGEFREQ"
    assert priority_signals("0.55") == priority_signals("1") == 0
    assert names_of(priority_signals("1.1")) == "ODD_PRIORITY"
    assert changefreq_signals(None) == priority_signals(None) == 0
