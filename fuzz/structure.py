"""A sitemap and chance → one with a DOCTYPE, entities, other namespaces, nesting, or around or inside foreign XML.

Where `fuzz.crossing` joins files, these changes keep most files well-formed: expat reads them, so every difference
between what it reads before and after `fix` counts.
"""

from __future__ import annotations

import re
from random import Random

_DECLARATION = re.compile(rb"\A(?:\xef\xbb\xbf)?\s*(?:<\?xml[^>]*\?>\s*)?")
_TEXT = re.compile(rb"(?<=>)[^<>]+(?=<)")
_ENTRY = re.compile(rb"<(\w+:)?(url|sitemap|item|entry)>.*?</\1?\2>", re.DOTALL)
_ELEMENT = re.compile(rb"<([\w:]+)(?:\s[^<>]*)?>[^<>]*</\1>")
_TAG = re.compile(rb"<[A-Za-z][\w:.-]*(?=[\s/>])")
_NAMES = (b"h", b"a", b"eacute", b"amp", b"lt", b"\xc3\xa9", b"x.y-z", b"nbsp")
_VALUES = (
    b"http://d.example.com/",
    b"b",
    b"",
    b"&#38;#38;",
    b"&#38;",
    b"&#60;",
    b"&#38;#60;",
    b"&a;",
    b"]>",
    b">",
    b"-->",
    b"<loc>https://example.com/inside</loc>",
    b"<url><loc>https://example.com/inside</loc></url>",
    b"\xc3\xa9",
    b"%a;",
    b"?a=1&#38;amp;b=2",
    b"&amp;",
)
_DECLARED = (
    b"<!ELEMENT urlset ANY>",
    b'<!ATTLIST urlset a CDATA "]>">',
    b"<!ATTLIST loc xml:space (default|preserve) 'preserve'>",
    b'<!ATTLIST url xmlns CDATA #FIXED "http://www.sitemaps.org/schemas/sitemap/0.9">',
    b'<!NOTATION n SYSTEM "a>b">',
    b"<!ENTITY % p \"<!ENTITY q 'r'>\">",
    b"%p;",
    b'<!ENTITY e SYSTEM "file:///etc/hosts">',
    b'<!ENTITY u PUBLIC "-//a" "]>" NDATA n>',
    b"<!-- ]> -->",
    b'<!-- " -->',
    b"<!-- <!ENTITY h 'x'> -->",
    b"<?p ]> ?>",
    b"<?p \"'?>",
    b" ",
    b"\n",
)
_IDS = (b"", b"", b"", b' SYSTEM "a.dtd"', b" PUBLIC '-//x' \"b>[\"", b' SYSTEM "a]>b"', b" SYSTEM '\"'")
_NAMESPACES = (
    b"http://www.sitemaps.org/schemas/sitemap/0.9",
    b"http://www.google.com/schemas/sitemap/0.84",
    b"http://www.google.com/schemas/sitemap-image/1.1",
    b"http://www.google.com/schemas/sitemap-video/1.1",
    b"http://www.google.com/schemas/sitemap-news/0.9",
    b"http://www.w3.org/1999/xhtml",
    b"http://www.w3.org/2001/XMLSchema-instance",
    b"urn:x",
    b"",
)
_FOREIGN = (
    (
        b'<siteMap xmlns="http://schemas.microsoft.com/AspNet/SiteMap-File-1.0">'
        b'<siteMapNode url="~/a.aspx" title="A"><siteMapNode url="~/b.aspx" title="B"/></siteMapNode></siteMap>'
    ),
    b'<SiteMap><Area Id="a" ShowGroups="true"><Group Id="g"><SubArea Id="s" Url="/x"/></Group></Area></SiteMap>',
    b"<root><url><loc>https://example.com/f</loc></url></root>",
    b'<svg xmlns="http://www.w3.org/2000/svg"><a><url>x</url></a></svg>',
    b'<opml version="2.0"><body><outline text="a" xmlUrl="https://example.com/feed"/></body></opml>',
    b"<html><body><p>not found</p></body></html>",
    b"<Error><Code>AccessDenied</Code><Message>no</Message></Error>",
    b"<project><url>https://example.com/</url><loc>src</loc></project>",
    b"---\nlayout: null\n---\n",
    b"{% for p in site.pages %}<url><loc>{{ p.url }}</loc></url>{% endfor %}",
    b"<?php echo $url; ?>",
    b"<%= url %>",
)


def structured(data: bytes, others: tuple[bytes, ...], chance: Random) -> bytes:
    """One or two changes of structure."""
    for _ in range(chance.choice((1, 1, 1, 2, 2, 3))):
        data = chance.choice(_WAYS)(data, others, chance)
    return data[: 1 << 16]


def _with_doctype(data: bytes, _others: tuple[bytes, ...], chance: Random) -> bytes:
    """A DOCTYPE with declarations of its grammar, and references to its entities in texts and attributes."""
    names = chance.sample(_NAMES, chance.randint(0, 3))
    parts = [b"<!ENTITY %s %s>" % (name, _quoted(chance.choice(_VALUES), chance)) for name in names]
    parts += [chance.choice(_DECLARED) for _ in range(chance.choice((0, 0, 1, 2, 4)))]
    chance.shuffle(parts)
    root = re.search(rb"<([A-Za-z][\w:.-]*)", data)
    name = root[1] if root and chance.random() < 0.9 else b"urlset"
    subset = (
        b"[" + b"".join(parts) + chance.choice((b"]", b"]", b"]\n", b" ] ")) if parts or chance.random() < 0.3 else b""
    )
    written = b"<!DOCTYPE " + name + chance.choice(_IDS) + chance.choice((b"", b" ")) + subset + b">"
    if chance.random() < 0.1:
        at = chance.randint(0, len(written))
        written = written[:at] + chance.choice((b"]>", b'"', b"'", b"<", b"<!--", b"]", b">", b"\xff")) + written[at:]
    head = _DECLARATION.match(data)
    assert head is not None
    before = chance.choice((b"", b"", b"", b"<!-- a -->", b"<?b c?>", b"x", b"\n", b"\x00"))
    data = data[: head.end()] + before + written + chance.choice((b"", b"\n")) + data[head.end() :]
    for _ in range(chance.choice((0, 1, 1, 2, 4))):
        data = _with_reference(data, chance.choice(names or list(_NAMES)), chance)
    return data


def _quoted(value: bytes, chance: Random) -> bytes:
    return b"'%s'" % value if chance.random() < 0.5 else b'"%s"' % value


def _with_reference(data: bytes, name: bytes, chance: Random) -> bytes:
    texts = list(_TEXT.finditer(data))
    if not texts:
        return data
    start, end = chance.choice(texts).span()
    at = chance.choice((start, end, chance.randint(start, end)))
    return data[:at] + b"&" + name + b";" + data[at:]


def _with_namespace(data: bytes, _others: tuple[bytes, ...], chance: Random) -> bytes:
    """A declaration in any tag, written in any way; some tags get its prefix."""
    tags = list(_TAG.finditer(data))
    if not tags:
        return data
    at = chance.choice(tags).end()
    prefix = chance.choice((b"", b"", b":image", b":a", b":s", b":xml"))
    equals = chance.choice((b"=", b"=", b" = ", b"\n=", b"=\t"))
    quote = chance.choice((b'"', b"'"))
    declared = b" xmlns" + prefix + equals + quote + chance.choice(_NAMESPACES) + quote
    data = data[:at] + declared + data[at:]
    if prefix and chance.random() < 0.5:
        elements = list(_ELEMENT.finditer(data))
        if elements:
            start, end = chance.choice(elements).span()
            element = data[start:end].replace(b"<", b"<" + prefix[1:] + b":", 1)
            data = data[:start] + re.sub(rb"</(?=[\w:]+>\Z)", b"</" + prefix[1:] + b":", element) + data[end:]
    return data


def _nested(data: bytes, others: tuple[bytes, ...], chance: Random) -> bytes:
    """An entry or a field of this or another file inside another element."""
    sources = chance.choice((data, data, chance.choice(others)))
    pieces = [match.group() for match in (*_ENTRY.finditer(sources), *_ELEMENT.finditer(sources))] or [b"<url/>"]
    tags = list(re.finditer(rb"<[A-Za-z][^<>]*(?<!/)>|</[A-Za-z][^<>]*>", data))
    if not tags:
        return data
    at = chance.choice(tags).end()
    return data[:at] + chance.choice(pieces) * chance.choice((1, 1, 1, 2, 14)) + data[at:]


def _wrapped(data: bytes, _others: tuple[bytes, ...], chance: Random) -> bytes:
    """Elements, or the whole body, in another element."""
    name = chance.choice((b"url", b"urlset", b"loc", b"a", b"sitemap", b"image", b"image:image", b"\xc3\xa9", b"root"))
    found = list(_ENTRY.finditer(data)) + list(_ELEMENT.finditer(data))
    if found and chance.random() < 0.8:
        start, end = chance.choice(found).span()
    else:
        head = _DECLARATION.match(data)
        assert head is not None
        start, end = head.end(), len(data.rstrip())
    times = chance.choice((1, 1, 1, 2, 15))
    return data[:start] + (b"<%s>" % name) * times + data[start:end] + (b"</%s>" % name) * times + data[end:]


def _with_foreign(data: bytes, _others: tuple[bytes, ...], chance: Random) -> bytes:
    """A piece of other XML or of a template: instead of the body, in front of it, inside it or behind it."""
    piece, way = chance.choice(_FOREIGN), chance.randrange(4)
    head = _DECLARATION.match(data)
    assert head is not None
    if way == 0:
        return data[: head.end()] + piece
    if way == 1:
        return chance.choice((piece + data, data[: head.end()] + piece + data[head.end() :]))
    tags = [match.end() for match in re.finditer(rb"<[^<>]*>", data)] or [len(data)]
    at = chance.choice(tags) if way == 2 else len(data)
    return data[:at] + piece + data[at:]


_WAYS = (
    _with_doctype,
    _with_doctype,
    _with_doctype,
    _with_namespace,
    _with_namespace,
    _nested,
    _wrapped,
    _with_foreign,
)
