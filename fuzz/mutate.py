"""A sitemap and chance → a damaged sitemap: bytes, tags, values and whole entries changed, doubled, moved or cut."""

from __future__ import annotations

import re
from random import Random

PIECES = (
    b"&", b"<", b">", b'"', b"'", b" ", b"\n", b"\t", b"\r", b"\r\n", b"\x00", b"\x1f", b"\x7f", b"%", b"%41", b"#",
    b"?", b"/", b"//", b"/../", b":", b"@", b"[", b"]", b"]]>", b"A", b"z", b"_", b"-", b".", b"0", b"9", b"+", b"Z",
    b"T", b"\xc3\xbc", b"\xff", b"\x80", b"\xe2\x82", b"\xed\xa0\x80", b"\xef\xbf\xbe", b"\xef\xbf\xbf",
    b"\xf0\x9f\x98\x80", b"\xf4\x90\x80\x80", b"\xc0\xaf", b"\xe2\x80\xa8", b"\xc2\xa0", b"&amp;", b"&lt;", b"&gt;",
    b"&quot;", b"&apos;", b"&amp;amp;", b"&#38;", b"&#x26;", b"&eacute;", b"&am;", b"&nbsp;", b"&#160;", b"&#0;",
    b"&#x110000;", b"<?xml?>", b"<!-- & -->", b"<!-- <url> -->", b"<!---->", b"--", b"<![CDATA[<url>]]>",
    b"<image:url>", b" xml:lang='de'", b" image:a='1'", b" a='1' a='2'", b"<b>", b"</b>", b"<b/>", b"\x85", b"\x0b",
    b"<!-- x -->", b"<!--", b"-->", b"<?x y?>", b"<![CDATA[", b"<![CDATA[a]]>", b"<!DOCTYPE a>", b"<url>", b"</url>",
    b"<url/>", b"<url >", b"<loc>", b"</loc>", b"<loc/>", b"</loc >", b"<lastmod>", b"</lastmod>", b"<lastmod/>",
    b"<changefreq>", b"<priority>", b"<image:image>", b"</image:image>", b"<image:loc>a</image:loc>",
    b'<xhtml:link rel="alternate" hreflang="de" href="https://e.com/"/>', b"<news:news/>", b"<a:b/>", b"xmlns:a='b'",
    b' xmlns="x"', b' a="b"', b" a='b'", b"/>", b"</urlset>", b"<urlset>", b"https://", b"http://", b"undefined",
    b"null", b"page/2", b"cart", b"feed/", b"utm_source=a", b"sid=9f86d081884c7d659a2f", b".html", b".xml",
    b"2026-02-30", b"2027-01-01", b"2026-11-15T10:00:00+14:00", b"1.0", b"0.55", b"2.0", b"daily", b"always",
    b"Daily", b"xn--a.com", b"EXAMPLE", b"localhost", b"example.org", b"XInclude", b"http://www.w3.org/2001/XInclude",
    b' a=">"', b" a='/>'", b' a="]>"', b"",
)  # fmt: skip
_ENTRY = re.compile(rb"<(?:s:)?url>.*?</(?:s:)?url>\s*", re.DOTALL)
_TAG = re.compile(rb"</?[\w:]+[^<>]*>")
_TOKEN = re.compile(rb"<!--.*?-->|<\?.*?\?>|</?[\w:]+[^<>]*>|[^\s<>]+", re.DOTALL)
_VALUE = re.compile(rb">([^<>]+)<")


_BYTES = tuple(
    bytes((value,)) for value in (*range(0x30), *range(0x3A, 0x41), 0x5B, 0x5D, 0x5F, 0x7F, 0x80, 0xC2, 0xFF)
)


def behind_a_batch(data: bytes) -> bytes:
    """With plain entries before the first entry, more than the scanner reads in one batch."""
    at = data.find(b"<url>")
    many = b"".join(b"<url><loc>https://example.com/many/%d</loc></url>\n" % number for number in range(520))
    return data if at < 0 else data[:at] + many + data[at:]


def edited(data: bytes, chance: Random) -> bytes:
    """One small change: a byte or a piece put in, taken out, doubled or exchanged; most often around the body."""
    at = _around_the_body(data, chance) if chance.random() < 0.4 else chance.randint(0, len(data))
    gone = chance.choice((0, 1))
    way = chance.randrange(8)
    if way < 3:
        return data[:at] + chance.choice(_BYTES) + data[at + gone :]
    if way == 3:
        return data[:at] + data[at + 1 :]
    if way == 4:
        return data[:at] + chance.choice(PIECES) + data[at + gone :]
    if way == 5:
        return data[: at + 1] + data[at : at + chance.choice((1, 1, 4, 30))] + data[at + 1 :]
    if way == 6:
        return _double_tag(data, (), chance) if chance.random() < 0.5 else _drop_tag(data, (), chance)
    return _swap(data, chance)


def _around_the_body(data: bytes, chance: Random) -> int:
    head, tail = data.find(b"<url>"), data.rfind(b"</url")
    if chance.random() < 0.7:
        return chance.randint(0, head if head > 0 else len(data))
    return chance.randint(max(0, tail), len(data))


def _swap(data: bytes, chance: Random) -> bytes:
    """Two tokens change places."""
    tokens = list(_TOKEN.finditer(data))
    if len(tokens) < 2:
        return data
    one, other = sorted(chance.sample(tokens, 2), key=lambda token: token.start())
    return data[: one.start()] + other[0] + data[one.end() : other.start()] + one[0] + data[other.end() :]


def mutated(data: bytes, others: tuple[bytes, ...], chance: Random) -> bytes:
    """A few changes, seldom many."""
    for _ in range(chance.choice((1, 1, 1, 2, 2, 3, 5, 9))):
        data = chance.choice(_WAYS)(data, others, chance)
    return data[: 1 << 16]


def _put(data: bytes, _others: tuple[bytes, ...], chance: Random) -> bytes:
    at, gone = chance.randint(0, len(data)), chance.choice((0, 0, 0, 1, 2, 5, 20))
    return data[:at] + chance.choice(PIECES) + data[at + gone :]


def _put_in_value(data: bytes, _others: tuple[bytes, ...], chance: Random) -> bytes:
    values = list(_VALUE.finditer(data))
    if not values:
        return data
    start, end = chance.choice(values).span(1)
    at, gone = chance.randint(start, end), chance.choice((0, 0, 1, 3))
    return data[:at] + chance.choice(PIECES) + data[min(at + gone, end) :]


def _flip(data: bytes, _others: tuple[bytes, ...], chance: Random) -> bytes:
    at = chance.randrange(len(data)) if data else 0
    return data[:at] + bytes((chance.randrange(256),)) + data[at + 1 :]


def _cut(data: bytes, _others: tuple[bytes, ...], chance: Random) -> bytes:
    start = chance.randint(0, len(data))
    end = min(len(data), start + chance.choice((1, 4, 16, 64, 1 << 16)))
    return data[:start] + data[end:]


def _double_tag(data: bytes, _others: tuple[bytes, ...], chance: Random) -> bytes:
    tags = list(_TAG.finditer(data))
    if not tags:
        return data
    tag, at = chance.choice(tags), chance.choice(tags).start()
    return data[:at] + tag[0] + data[at:]


def _drop_tag(data: bytes, _others: tuple[bytes, ...], chance: Random) -> bytes:
    tags = list(_TAG.finditer(data))
    if not tags:
        return data
    start, end = chance.choice(tags).span()
    return data[:start] + data[end:]


def _graft(data: bytes, others: tuple[bytes, ...], chance: Random) -> bytes:
    """Entries of another file, or of this one, put between the entries."""
    taken: list[bytes] = _ENTRY.findall(chance.choice(others)) or [b"<url/>"]
    places = [match.start() for match in _ENTRY.finditer(data)] or [len(data)]
    at = chance.choice(places)
    return data[:at] + chance.choice(taken) * chance.choice((1, 1, 2, 40)) + data[at:]


def _respace(data: bytes, _others: tuple[bytes, ...], chance: Random) -> bytes:
    places = [match.end() for match in _TAG.finditer(data)] or [0]
    at = chance.choice(places)
    return data[:at] + chance.choice((b" ", b"\n", b"\t", b"\r\n", b"  \n  ")) + data[at:]


_WAYS = (_put, _put, _put_in_value, _put_in_value, _flip, _cut, _double_tag, _drop_tag, _graft, _respace)
