"""Sitemaps and chance → one joined from several, in another encoding, or with a prolog, root or epilog of its own.

Where `fuzz.mutate` changes a byte or a tag, these changes are larger: each part may be sound by itself.
"""

from __future__ import annotations

import re
from random import Random

_TOKEN_EDGE = re.compile(rb"(?=<)|(?<=>)|\s")
_DECLARATION = re.compile(rb"\A\xef\xbb\xbf|\A\s*<\?xml[^>]*\?>\s*")
_ROOT = re.compile(rb"<[A-Za-z][\w:.-]*(?:[^<>\"']|\"[^\"]*\"|'[^']*')*>")
_ENCODINGS = ("utf-16", "utf-16-le", "utf-16-be", "utf-32", "latin-1", "cp1252", "utf-8-sig", "iso8859-15", "utf-8")
_NAMES = ("UTF-8", "utf-8", "UTF-16", "UTF-16LE", "ISO-8859-1", "windows-1252", "US-ASCII", "utf8", "UTF-7", "x", "")
_CHARACTERS = (
    *("\u00e9", "\u0130", "\u4e2d", "\U0001f600", "\u200b", "\u202e", "\ufeff", "\u2028", "\u0085", "\u00ad"),
    *("\ufffd", "\ufffe", "\uffff", "\U0001fffe", "\ud800", "\udfff", "\U0010ffff", "\x0b", "\x7f", "\u0301"),
)
_TORN = (
    b"\xc3",
    b"\xe4\xb8",
    b"\xf0\x9f\x98",
    b"\xc0\x80",
    b"\xe0\x80\x80",
    b"\xf8\x88\x80\x80\x80",
    b"\xfe\xff",
    b"\xff\xfe",
)
_SPACE = (b"", b" ", b"\n", b"\t", b"\r\n", b"\r", b"  \n\n", b"\x0c", b"\xc2\xa0")
_NAME = (b"a", b"xml", b"XML", b"x-y", b"xml-stylesheet", b"1a", b"a:b", b"-", b"\xc3\xbc", b"a\xff")
_TEXT = (
    b"",
    b"a",
    b"a b",
    b"-",
    b"--",
    b"a -- b",
    b"a-",
    b"<",
    b"&",
    b"&amp;",
    b"]]>",
    b"?",
    b"\x01",
    b"\xff",
    b"<url>",
    b"\xc3\xbc",
)
_ATTRIBUTE_NAME = (
    b"a",
    b"xmlns",
    b"xmlns:a",
    b"xmlns:xml",
    b"xmlns:xmlns",
    b"a:b",
    b"xml:lang",
    b"a:b:c",
    b"1",
    b"",
    b"\xc3\xa9",
    b":a",
)
_VALUE = (
    b'"b"',
    b"'b'",
    b'""',
    b"b",
    b'"b',
    b'"\'"',
    b'"<"',
    b'"&amp;"',
    b'"&"',
    b'"&#10;"',
    b'"\n"',
    b'"http://www.w3.org/XML/1998/namespace"',
)
_PSEUDO = (
    *(b'version="1.0"', b"version='1.0'", b'version="1.1"', b'version="2.0"', b"version=1.0", b'Version="1.0"'),
    *(
        b'encoding="UTF-8"',
        b"encoding='utf-8'",
        b'encoding="ISO-8859-1"',
        b'encoding=""',
        b'encoding="-a"',
        b"encoding",
    ),
    *(b'standalone="yes"', b'standalone="no"', b'standalone="true"', b"standalone='yes'", b'x="y"', b'"', b""),
)


def crossed(data: bytes, others: tuple[bytes, ...], chance: Random) -> bytes:
    """One large change, seldom two."""
    for _ in range(chance.choice((1, 1, 1, 2))):
        data = chance.choice(_WAYS)(data, others, chance)
    return data[: 1 << 16]


def _spliced(data: bytes, others: tuple[bytes, ...], chance: Random) -> bytes:
    """The beginning of this file and the end of another, each cut between tokens."""
    return data[: _edge(data, chance)] + (other := chance.choice(others))[_edge(other, chance) :]


def _exchanged(data: bytes, _others: tuple[bytes, ...], chance: Random) -> bytes:
    """Two ranges change places."""
    one, two, three, four = sorted(_edge(data, chance) for _ in range(4))
    return data[:one] + data[three:four] + data[two:three] + data[one:two] + data[four:]


def _enclosed(data: bytes, others: tuple[bytes, ...], chance: Random) -> bytes:
    """A stretch of another file in the middle of this one."""
    other = chance.choice(others)
    start, end = sorted((_edge(other, chance), _edge(other, chance)))
    at = _edge(data, chance)
    return data[:at] + other[start:end] + data[at:]


def _with_character(data: bytes, _others: tuple[bytes, ...], chance: Random) -> bytes:
    """A character of several bytes, or a part of one."""
    at = chance.randint(0, len(data))
    character = chance.choice(_CHARACTERS).encode("utf-8", "surrogatepass")
    return (
        data[:at]
        + (character if chance.random() < 0.7 else chance.choice(_TORN)) * chance.choice((1, 1, 2))
        + data[at:]
    )


def _encoded(data: bytes, _others: tuple[bytes, ...], chance: Random) -> bytes:
    """The same text in another encoding, with a declaration that is right or wrong about it."""
    text = data.decode("utf-8", "replace")
    encoding = chance.choice(_ENCODINGS)
    if chance.random() < 0.6:
        name = chance.choice((encoding.upper(), chance.choice(_NAMES)))
        text = f'<?xml version="1.0" encoding="{name}"?>' + _DECLARATION.sub(b"", data).decode("utf-8", "replace")
    return text.encode(encoding, "xmlcharrefreplace" if chance.random() < 0.7 else "replace")


def _in_another_prolog(data: bytes, _others: tuple[bytes, ...], chance: Random) -> bytes:
    parts: list[bytes] = [] if chance.random() < 0.3 else [_declaration(chance)]
    parts += [_misc(chance) for _ in range(chance.randrange(4))]
    if chance.random() < 0.15:
        chance.shuffle(parts)
    return b"".join(parts) + _DECLARATION.sub(b"", data)


def _with_epilog(data: bytes, _others: tuple[bytes, ...], chance: Random) -> bytes:
    return data + b"".join(_misc(chance) for _ in range(chance.randint(1, 4)))


def _with_root(data: bytes, _others: tuple[bytes, ...], chance: Random) -> bytes:
    """Further attributes in the tag of the root, or of any other element."""
    tags = list(_ROOT.finditer(data))
    if not tags:
        return data
    tag = tags[0] if chance.random() < 0.6 else chance.choice(tags)
    at = tag.end() - (2 if tag.group().endswith(b"/>") else 1)
    written = b"".join(
        chance.choice((b" ", b" ", b"\n", b""))
        + chance.choice(_ATTRIBUTE_NAME)
        + chance.choice((b"=", b" = ", b""))
        + chance.choice(_VALUE)
        for _ in range(chance.randint(1, 3))
    )
    return data[:at] + written + data[at:]


def _declaration(chance: Random) -> bytes:
    known = _PSEUDO[: chance.choice((6, 12, 18))]
    parts = [known[0], *(chance.choice(known) for _ in range(chance.randrange(3)))]
    if chance.random() < 0.2:
        chance.shuffle(parts)
    return (
        b"<?xml "
        + chance.choice((b" ", b" ", b"\n", b"")).join(parts)
        + chance.choice((b"?>", b"?>", b" ?>", b">", b"? >"))
    )


def _misc(chance: Random) -> bytes:
    way = chance.randrange(8)
    if way < 3:
        return b"<!--" + chance.choice(_TEXT) + chance.choice((b"-->", b"-->", b"-->", b"--->", b"-- >", b""))
    if way < 5:
        return (
            b"<?"
            + chance.choice(_NAME)
            + chance.choice(_SPACE)
            + chance.choice(_TEXT)
            + chance.choice((b"?>", b"?>", b">"))
        )
    if way == 5:
        return chance.choice((b"<!DOCTYPE urlset>", b"<!DOCTYPE urlset [<!ENTITY a 'b'>]>", *_TEXT))
    return chance.choice(_SPACE)


def _edge(data: bytes, chance: Random) -> int:
    edges = [edge.start() for edge in _TOKEN_EDGE.finditer(data)] if chance.random() < 0.8 else []
    return chance.choice(edges) if edges else chance.randint(0, len(data))


_WAYS = (
    *(_spliced, _exchanged, _enclosed, _with_character, _encoded),
    *(_in_another_prolog, _in_another_prolog, _with_epilog, _with_root),
)
