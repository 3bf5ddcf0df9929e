"""What an address says of its own text: parts with spans, legality, host, origin."""

from __future__ import annotations

import pickle
from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from urlset.model.address import Address, HostFault, IllegalAt, Illegality, Origin

# A row: the text, then its scheme, userinfo, host, port, path, query and fragment.
PARTS = [
    ("https://e.com/a?b#c", "https", None, "e.com", None, "/a", "b", "c"),
    ("https://e.com", "https", None, "e.com", None, "", None, None),
    ("HTTP://U:P@E.com:8080/", "HTTP", "U:P", "E.com", "8080", "/", None, None),
    ("https://e.com:/?#", "https", None, "e.com", "", "/", "", ""),
    ("http://[::1]:80/x", "http", None, "[::1]", "80", "/x", None, None),
    ("https://a@b@e.com/", "https", "a@b", "e.com", None, "/", None, None),
    ("https://e.com:80:90/", "https", None, "e.com", "80:90", "/", None, None),
    ("//e.com/a", None, None, "e.com", None, "/a", None, None),
    ("/a/b:c", None, None, None, None, "/a/b:c", None, None),
    ("page.html", None, None, None, None, "page.html", None, None),
    ("1http://e.com/", None, None, None, None, "1http://e.com/", None, None),
    ("mailto:a@e.com", "mailto", None, None, None, "a@e.com", None, None),
    ("https:///a", "https", None, "", None, "/a", None, None),
    ("\n  https://e.com/a \t", "https", None, "e.com", None, "/a", None, None),
    ("https://bücher.de/ü ?ä#ö", "https", None, "bücher.de", None, "/ü ", "ä", "ö"),
    ("https://e.com/?a=http://x/#y", "https", None, "e.com", None, "/", "a=http://x/", "y"),
    ("", None, None, None, None, "", None, None),
    (" \n", None, None, None, None, "", None, None),
]


@pytest.mark.parametrize(("raw", "scheme", "userinfo", "host", "port", "path", "query", "fragment"), PARTS)
def test_parts(
    raw: str,
    scheme: str | None,
    userinfo: str | None,
    host: str | None,
    port: str | None,
    path: str,
    query: str | None,
    fragment: str | None,
) -> None:
    address = Address.parse(raw)
    assert (address.scheme, address.userinfo, address.host, address.port) == (scheme, userinfo, host, port)
    assert (address.path, address.query, address.fragment) == (path, query, fragment)


def test_spans_point_into_the_raw_text() -> None:
    address = Address.parse(" https://u@e.com:81/a?b#c\n")
    parts = address.parts
    assert parts.core == (1, 25)
    assert (parts.scheme, parts.userinfo, parts.host, parts.port) == ((1, 6), (9, 10), (11, 16), (17, 19))
    assert (parts.path, parts.query, parts.fragment) == ((19, 21), (22, 23), (24, 25))
    assert parts.authority == (9, 19)
    assert address.padded
    assert not Address.parse("https://e.com/").padded


@given(st.text())
def test_parts_put_together_are_the_text(raw: str) -> None:
    address = Address.parse(raw)
    text = f"{address.scheme}:" if address.scheme is not None else ""
    if address.host is not None:
        text += "//" + (f"{address.userinfo}@" if address.userinfo is not None else "")
        text += address.host + (f":{address.port}" if address.port is not None else "")
    text += address.path
    text += f"?{address.query}" if address.query is not None else ""
    text += f"#{address.fragment}" if address.fragment is not None else ""
    start, end = address.parts.core
    assert text == raw[start:end]


# (text, first illegal position, offending text, reason)
ILLEGAL = [
    ("", 0, "", Illegality.EMPTY),
    (" \t", 0, " \t", Illegality.EMPTY),
    (" https://e.com/", 0, " ", Illegality.PADDING),
    ("https://e.com/\n", 14, "\n", Illegality.PADDING),
    ("https://e.com/a  b", 15, "  ", Illegality.SPACE),
    ("https://e.com/a\tb", 15, "\t", Illegality.CONTROL),
    ("https://e.com/\x00", 14, "\x00", Illegality.CONTROL),
    ("https://e.com/\x85", 14, "\x85", Illegality.CONTROL),
    ("https://e.com/üß", 14, "üß", Illegality.NON_ASCII),
    ("https://bücher.de/", 9, "ü", Illegality.NON_ASCII),
    ("https://e.com/100%", 17, "%", Illegality.BAD_PERCENT_ESCAPE),
    ("https://e.com/%zz", 14, "%zz", Illegality.BAD_PERCENT_ESCAPE),
    ("https://e.com/%4/", 14, "%4", Illegality.BAD_PERCENT_ESCAPE),
    ("https://e.com/%%41", 14, "%", Illegality.BAD_PERCENT_ESCAPE),
    ("https://e.com/a|b", 15, "|", Illegality.ILLEGAL_CHARACTER),
    ("https://e.com/a[b]", 15, "[", Illegality.ILLEGAL_CHARACTER),
    ("https://e.com/?q[]=1", 16, "[]", Illegality.ILLEGAL_CHARACTER),
    ("https://e.com/{{x}}", 14, "{{", Illegality.ILLEGAL_CHARACTER),
    ("https://e.com/#a#b", 16, "#", Illegality.ILLEGAL_CHARACTER),
    ("https://a@b@e.com/", 9, "@", Illegality.ILLEGAL_CHARACTER),
    ("https://[::1/", 8, "[", Illegality.ILLEGAL_CHARACTER),
    ("https://[::g]/", 8, "[::g]", Illegality.BAD_IP_LITERAL),
    ("https://[fe80::1%25eth0]/", 8, "[fe80::1%25eth0]", Illegality.BAD_IP_LITERAL),
    ("https://[::1]x/", 8, "[::1]x", Illegality.BAD_IP_LITERAL),
    ("https://e.com:8o/", 14, "8o", Illegality.BAD_PORT),
    ("1http://e.com/", 5, ":", Illegality.BAD_SCHEME),
]


@pytest.mark.parametrize(("raw", "start", "text", "reason"), ILLEGAL)
def test_first_illegal_place(raw: str, start: int, text: str, reason: Illegality) -> None:
    assert Address.parse(raw).illegal == IllegalAt(start, len(text), text, reason)


@pytest.mark.parametrize("character", list('"<>\\^`{|}[]'))
@pytest.mark.parametrize("place", ["https://e.com/{}", "https://e.com/?{}", "https://e.com/#{}"])
def test_characters_that_are_legal_nowhere(character: str, place: str) -> None:
    raw = place.replace("{}", character)
    assert Address.parse(raw).illegal == IllegalAt(raw.index(character, 8), 1, character, Illegality.ILLEGAL_CHARACTER)


LEGAL = [
    "https://e.com/",
    "https://e.com",
    "http://[2001:db8::1]:8080/a",
    "http://[v1.a:b]/",
    "https://u:p@e.com:/;a=1,2/@x!$&'()*+=~?/?:@#/?",
    "https://e.com/%C3%BC%2f",
    "https://a_b.e.com/",
    "/relative",
    "mailto:a@e.com",
    "../a:b",
    "urn:isbn:1",
]


@pytest.mark.parametrize("raw", LEGAL)
def test_legal(raw: str) -> None:
    address = Address.parse(raw)
    assert address.illegal is None
    assert address.illegal_all() == []


def test_all_illegal_places_in_order() -> None:
    found = Address.parse(" https://ü.de/a b?%#<# ").illegal_all()
    assert [(each.start, each.text) for each in found] == [
        (0, " "),
        (9, "ü"),
        (15, " "),
        (18, "%"),
        (20, "<"),
        (21, "#"),
        (22, " "),
    ]
    assert all(each.end == each.start + each.length for each in found)


@given(st.text(alphabet=st.characters(max_codepoint=0x2FF)) | st.from_regex(r"https?://[!-~]{1,40}", fullmatch=True))
def test_illegal_places_never_overlap_and_quote_the_text(raw: str) -> None:
    address = Address.parse(raw)
    found = address.illegal_all()
    assert address.illegal == (found[0] if found else None)
    for each in found:
        assert raw[each.start : each.end] == each.text
    for left, right in pairwise(found):
        assert left.end <= right.start


# (host and port as written, faults)
HOSTS = [
    ("www.example.com", []),
    ("example.com.", []),
    ("e.com:8080", []),
    ("xn--bcher-kva.de", []),
    ("bücher.de", []),
    ("3com.com", []),
    ("e.com:", []),
    ("", [HostFault.EMPTY_HOST]),
    ("a..com", [HostFault.EMPTY_LABEL]),
    (".e.com", [HostFault.EMPTY_LABEL]),
    ("-e..com", [HostFault.EMPTY_LABEL, HostFault.HYPHEN_AT_EDGE]),
    ("e-.com", [HostFault.HYPHEN_AT_EDGE]),
    ("a_b.com", [HostFault.UNDERSCORE]),
    ("a" * 63 + ".com", []),
    ("a" * 64 + ".com", [HostFault.LABEL_TOO_LONG]),
    (".".join(["a" * 49] * 5) + ".com", []),
    (".".join(["a" * 50] * 5) + ".com", [HostFault.HOST_TOO_LONG]),
    ("e!.com", [HostFault.BAD_CHARACTER]),
    ("a b.com", [HostFault.BAD_CHARACTER]),
    ("e.com:0", [HostFault.BAD_PORT]),
    ("e.com:65536", [HostFault.BAD_PORT]),
    ("e.com:00443", []),
    ("e.com:x", [HostFault.BAD_PORT]),
    ("e.com:²", [HostFault.BAD_PORT]),
    ("e.com:" + "9" * 5000, [HostFault.BAD_PORT]),
    ("203.0.113.5", [HostFault.IP_LITERAL]),
    ("[2001:4860::1]", [HostFault.IP_LITERAL]),
    ("10.1.2.3", [HostFault.IP_LITERAL, HostFault.PRIVATE_IP]),
    ("192.168.0.1:3000", [HostFault.IP_LITERAL, HostFault.PRIVATE_IP]),
    ("172.32.0.1", [HostFault.IP_LITERAL]),
    ("[fd00::1]", [HostFault.IP_LITERAL, HostFault.PRIVATE_IP]),
    ("127.0.0.1", [HostFault.IP_LITERAL, HostFault.LOOPBACK_IP]),
    ("0x7f.1", [HostFault.IP_LITERAL, HostFault.LOOPBACK_IP]),
    ("2130706433", [HostFault.IP_LITERAL, HostFault.LOOPBACK_IP]),
    ("[::1]", [HostFault.IP_LITERAL, HostFault.LOOPBACK_IP]),
    ("[::ffff:10.0.0.1]", [HostFault.IP_LITERAL, HostFault.PRIVATE_IP]),
    ("169.254.1.1", [HostFault.IP_LITERAL, HostFault.LINK_LOCAL_IP]),
    ("[fe80::1]", [HostFault.IP_LITERAL, HostFault.LINK_LOCAL_IP]),
    ("999.1.1.1", [HostFault.BAD_IP]),
    ("localhost:3000", [HostFault.LOCAL_NAME]),
    ("printer.local", [HostFault.LOCAL_NAME]),
    ("shop.test", [HostFault.LOCAL_NAME]),
    ("SHOP.Invalid", [HostFault.LOCAL_NAME]),
    ("wiki.internal", [HostFault.LOCAL_NAME]),
    ("nas.home.arpa", [HostFault.LOCAL_NAME]),
    ("localhost.com", []),
    ("shop.example", [HostFault.DOCUMENTATION_NAME]),
    ("staging.example.com", []),
    ("xn--ü.com", [HostFault.NOT_IDNA]),
    ("%FF.com", [HostFault.NOT_IDNA]),
]


@pytest.mark.parametrize(("authority", "faults"), HOSTS)
def test_host_faults(authority: str, faults: list[HostFault]) -> None:
    assert Address.parse(f"https://{authority}/").host_faults() == faults


def test_no_authority_has_no_host_faults() -> None:
    assert Address.parse("/a").host_faults() == []


@pytest.mark.parametrize(
    ("raw", "expected"),
    [
        ("https://e.com/a", Origin("https", "e.com", 443)),
        ("HTTP://E.COM", Origin("http", "e.com", 80)),
        ("https://e.com:0443/", Origin("https", "e.com", 443)),
        ("https://e.com:8443/", Origin("https", "e.com", 8443)),
        ("https://bücher.de/", Origin("https", "xn--bcher-kva.de", 443)),
        ("https://B%C3%BCcher.de/", Origin("https", "xn--bcher-kva.de", 443)),
        ("https://[::0:1]/", Origin("https", "[::1]", 443)),
        ("https://A b.com/", Origin("https", "a b.com", 443)),
        ("https://e.com:x/", Origin("https", "e.com", None)),
        ("gopher://e.com/", Origin("gopher", "e.com", None)),
        ("mailto:a@e.com", None),
        ("//e.com/", None),
        ("/a", None),
        ("https:///a", None),
    ],
)
def test_origin(raw: str, expected: Origin | None) -> None:
    address = Address.parse(raw)
    assert address.origin == expected
    assert address.is_absolute is (expected is not None)


def test_is_web() -> None:
    assert Address.parse("HTTPS://e.com").is_web
    assert not Address.parse("ftp://e.com/").is_web
    assert not Address.parse("https:a").is_web


def test_what_a_crawler_sees() -> None:
    address = Address.parse(" HTTPS://Bücher.de:443/a/../ü?x='#top")
    assert address.normalised == "https://xn--bcher-kva.de/%C3%BC?x=%27"
    assert address.whatwg is not None
    assert address.whatwg.hash == "#top"
    refused = Address.parse("https://a b/")
    assert refused.whatwg is None
    assert refused.normalised is None
    assert Address.parse("https://e.com/\ud800").whatwg is None


def test_value_semantics() -> None:
    address = Address.parse("https://e.com/ü")
    assert address.key
    assert address.whatwg
    assert address == Address.parse("https://e.com/ü")
    assert hash(address) == hash(Address.parse("https://e.com/ü"))
    assert pickle.loads(pickle.dumps(address)) == address
    assert str(address) == "https://e.com/ü"
