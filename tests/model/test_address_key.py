"""The key of an address, and the repair of its characters, hold to what a crawler makes of the text."""

from __future__ import annotations

import re

import ada_url
import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from urlset.model.address import _OWN_KEY, Address, Illegality, _normalise, as_written, percent_encode
from urlset.model.address_grammar import is_plain

# A row: one spelling, and the key it shares with the others.
KEYS = [
    ("https://e.com/a", "https://e.com/a"),
    ("https://e.com", "https://e.com/"),
    ("https://e.com?q", "https://e.com/?q"),
    ("HTTPS://E.COM/A", "https://e.com/A"),
    ("https://e.com:443/a", "https://e.com/a"),
    ("http://e.com:80/a", "http://e.com/a"),
    ("http://e.com:443/a", "http://e.com:443/a"),
    ("https://e.com:/a", "https://e.com/a"),
    ("https://e.com/a/./b/../c", "https://e.com/a/c"),
    ("https://e.com/../..", "https://e.com/"),
    ("https://e.com/a/%2E%2e/b", "https://e.com/b"),
    ("https://e.com/%7Ejoe/%41", "https://e.com/~joe/A"),
    ("https://e.com/%c3%bc", "https://e.com/%C3%BC"),
    ("https://e.com/ü", "https://e.com/%C3%BC"),
    ("https://e.com/%2f", "https://e.com/%2F"),
    ("https://e.com/%FC", "https://e.com/%FC"),
    ("https://e.com/%252e", "https://e.com/%252e"),
    ("https://bücher.de/", "https://xn--bcher-kva.de/"),
    ("https://BÜCHER.de/", "https://xn--bcher-kva.de/"),
    ("https://b%C3%BCcher.de/", "https://xn--bcher-kva.de/"),
    ("https://e.com/a#b", "https://e.com/a"),
    ("https://e.com/a?b#c?d", "https://e.com/a?b"),
    ("https://e.com/a b|c", "https://e.com/a%20b%7Cc"),
    ("https://e.com/a\\b", "https://e.com/a/b"),
    ("https://e.com/?a\\b", "https://e.com/?a%5Cb"),
    ("https://e.com/100%", "https://e.com/100%25"),
    ("https://e.com/%%34%31", "https://e.com/%2541"),
    ("https://e.com/?q[]='1'", "https://e.com/?q%5B%5D=%271%27"),
    (" https://e.com/a\n", "https://e.com/a"),
    ("http://[::0:1]:80/", "http://[::1]/"),
    ("http://0x7f.1/", "http://127.0.0.1/"),
    ("http://0x7f/", "http://0.0.0.127/"),
    ("https://e.com/?", "https://e.com/?"),
    ("https://e.com/a/", "https://e.com/a/"),
    ("https://e.com//a", "https://e.com//a"),
    ("https://e.com/.well-known/x", "https://e.com/.well-known/x"),
    ("/a b#c", "/a%20b"),
    ("../x", "../x"),
    ("https://a b/%41", "https://a%20b/%41"),
    ("MAILTO:a@e.com", "mailto:a@e.com"),
    ("https://e.com/\ud800", "https://e.com/%EF%BF%BD"),
    ("", ""),
]


@pytest.mark.parametrize(("raw", "key"), KEYS)
def test_key(raw: str, key: str) -> None:
    assert Address.parse(raw).key == key
    assert Address.parse(key).key == key


# Texts dense in everything that parsing an address has to decide about.
PIECES = st.sampled_from(
    [
        *"/?#:@[]%.\\ \t\n|'\"<^`{}&=+;~-_aZ09",
        *(
            "..",
            "%2e",
            "%2E",
            "%41",
            "%c3%bc",
            "%zz",
            "%25",
            "%",
            "%4",
            "ü",
            "İ",
            "ß",
            "日",
            "😀",
            "\x00",
            "\x7f",
        ),
        *(
            "\ud800",
            "\u00ad",
            "\u3002",
            "\ufffd",
            "xn--",
            "xn--bcher-kva",
            "0x7f",
            "127.1",
            "[::1]",
            "[v1.a]",
        ),
        *(
            "http://",
            "https://",
            "HTTPS:",
            "ftp://",
            "file:///C|",
            "mailto:",
            "foo:",
            "e.com",
            ":443",
            ":80",
            "//",
        ),
    ]
)
ROUGH = st.lists(PIECES, max_size=12).map("".join)
WEB = ROUGH.map("https://e.com".__add__) | ROUGH.map("http://e.com/".__add__) | ROUGH.map("HTTP:".__add__)
ADDRESSES = ROUGH | ROUGH.map("https://e.com".__add__) | ROUGH.map("http://".__add__) | st.text()


@given(ADDRESSES)
@example("foo:/.//p")
@example("foo: #")
@example("foo://@[")
@example("HTTP::\\@0")
def test_key_is_idempotent(raw: str) -> None:
    key = Address.parse(raw).key
    assert Address.parse(key).key == key


@given(ADDRESSES)
def test_key_agrees_with_the_address_a_crawler_asks_for(raw: str) -> None:
    address = Address.parse(raw)
    if address.normalised is not None:
        assert Address.parse(address.normalised).key == address.key


@given(WEB)
@example("https://e.com%@[::1]")
def test_key_of_a_web_address_is_legal(raw: str) -> None:
    address = Address.parse(raw)
    if address.whatwg is not None:
        assert Address.parse(address.key).illegal is None
        assert "#" not in address.key


OWN_KEY_LIKE = st.from_regex(re.compile(_OWN_KEY.pattern, re.ASCII), fullmatch=True)


@given(OWN_KEY_LIKE)
def test_the_short_way_to_a_key_agrees_with_the_long_way(raw: str) -> None:
    try:
        href = ada_url.URL(raw).href
    except ValueError:
        href = raw
    assert Address.parse(raw).key == _normalise(href.partition("#")[0], decode=True)


@given(ADDRESSES)
def test_plain_is_never_illegal(raw: str) -> None:
    address = Address.parse(raw)
    if is_plain(raw):
        assert address._illegal == []
        assert address.is_web


@given(ADDRESSES)
def test_nothing_raises(raw: str) -> None:
    address = Address.parse(raw)
    assert isinstance(address.host_faults(), list)
    assert address.origin is None or address.is_absolute
    assert address.host_ascii is None or address.host_ascii.isascii()


# (as written, repaired, repaired when stray percent signs are meant)
REPAIRS = [
    ("https://e.com/a", "https://e.com/a", None),
    ("https://e.com/a b", "https://e.com/a%20b", None),
    ("https://e.com/ü?ü#ü", "https://e.com/%C3%BC?%C3%BC#%C3%BC", None),
    ("https://e.com/%C3%BC%c3 ", "https://e.com/%C3%BC%c3", None),
    ("https://e.com/a|b[c]", "https://e.com/a%7Cb%5Bc%5D", None),
    ("https://e.com/100%", "https://e.com/100%", "https://e.com/100%25"),
    ("https://e.com/%zz ü", "https://e.com/%zz%20%C3%BC", "https://e.com/%25zz%20%C3%BC"),
    ("https://e.com/a\n\tb", "https://e.com/ab", None),
    ("https://e.com\\a\\b?c\\d", "https://e.com/a/b?c%5Cd", None),
    ("foo:a\\b", "foo:a%5Cb", None),
    ("https://Bücher.de/", "https://xn--bcher-kva.de/", None),
    ("https://b%C3%BCcher.de/", "https://b%C3%BCcher.de/", None),
    ("https://ü\u00a0ü.de/", "https://%C3%BC%C2%A0%C3%BC.de/", None),
    ("http://[::1]/[", "http://[::1]/%5B", None),
    ("http://[::g]/ ", "http://[::g]/", None),
    ("https://a@b@e.com/#x#y", "https://a%40b@e.com/#x%23y", None),
    ("https://e.com:8o/ü", "https://e.com:8o/%C3%BC", None),
    ("1http://e.com/ü", "1http://e.com/%C3%BC", None),
    ("/a b", "/a%20b", None),
    ("https://e.com/\x7f\ud800", "https://e.com/%7F%EF%BF%BD", None),
    ("", "", None),
    (" ", "", None),
]


@pytest.mark.parametrize(("raw", "repaired", "with_percent"), REPAIRS)
def test_percent_encode(raw: str, repaired: str, with_percent: str | None) -> None:
    assert percent_encode(raw) == repaired
    assert percent_encode(raw, stray_percent=True) == (with_percent or repaired)


BEYOND_ESCAPING = {Illegality.EMPTY, Illegality.BAD_SCHEME, Illegality.BAD_PORT, Illegality.BAD_IP_LITERAL}


@given(ADDRESSES)
def test_repair_leaves_only_what_escaping_cannot_mend(raw: str) -> None:
    left = {each.reason for each in Address.parse(percent_encode(raw, stray_percent=True)).illegal_all()}
    assert left <= BEYOND_ESCAPING
    left = {each.reason for each in Address.parse(percent_encode(raw)).illegal_all()}
    assert left <= BEYOND_ESCAPING | {Illegality.BAD_PERCENT_ESCAPE}


@given(ADDRESSES)
def test_repair_is_idempotent_and_leaves_legal_text_alone(raw: str) -> None:
    repaired = percent_encode(raw)
    assert percent_encode(repaired) == repaired
    if Address.parse(raw).illegal is None:
        assert repaired == raw


@given(WEB)
@example("HTTP://0\x08")
def test_repair_stays_on_the_same_page(raw: str) -> None:
    address = Address.parse(raw)
    if address.is_web and address.whatwg is not None:
        assert Address.parse(percent_encode(raw)).key == address.key


_HOSTS = ("a.com", "127.0.0.1", "1.2", "localhost", "256.1.1.1", "a..com", "0x.de", "-", "a.b.c9", "a.com.", "xn--p1ai")
_PORTS = ("", ":80", ":8080", ":443", ":48211", ":99999", ":5000")


@given(
    st.sampled_from(("http://", "https://")),
    st.one_of(st.sampled_from(_HOSTS), st.text("abz019.-_", min_size=1, max_size=6)),
    st.sampled_from(_PORTS),
    st.text("ab0.-/:?#%&=8 42~'A@", max_size=8),
)
def test_what_is_left_as_written_is_what_parsers_read(scheme: str, host: str, port: str, rest: str) -> None:
    url = f"{scheme}{host}{port}/{rest}"
    found = as_written(url)
    if found is not None:
        parsed = ada_url.URL(url)
        assert parsed.href == url
        assert found == (f"{parsed.protocol}//{parsed.host}", parsed.pathname + parsed.search)
