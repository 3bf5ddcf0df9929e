"""A run of some size at some position → CPU seconds for reading, checking, fixing and info.

python -m fuzz.growth --size 20000          every family of runs at every position, and those that grow too fast
python -m fuzz.growth --size 1000000 --only "spaces root tag"
"""

from __future__ import annotations

import argparse
import sys
import time
from collections.abc import Callable, Iterator, Sequence

from fuzz.fixing import rules
from fuzz.judge import CONTEXT
from urlset.checking.engine import check
from urlset.fixing.fix import FixOptions, fix_document
from urlset.reading.read import read
from urlset.workflows.info.info import describe

Run = Callable[[int], bytes]

_NS = b'xmlns="http://www.sitemaps.org/schemas/sitemap/0.9"'
_MEDIA = (
    b' xmlns:image="http://www.google.com/schemas/sitemap-image/1.1"'
    b' xmlns:xhtml="http://www.w3.org/1999/xhtml"'
    b' xmlns:video="http://www.google.com/schemas/sitemap-video/1.1"'
)
_DECLARATION = b'<?xml version="1.0" encoding="UTF-8"?>\n'
_LOC = b"<loc>https://example.com/</loc>"
_ENTRY = b"<url>" + _LOC + b"</url>\n"


def _document(body: bytes, *, before: bytes = _DECLARATION, root: bytes = b"", after: bytes = b"\n") -> bytes:
    return before + b"<urlset " + _NS + _MEDIA + root + b">\n" + body + b"</urlset>" + after


FAMILIES: dict[str, Run] = {
    **{
        name: (lambda size, piece=piece: piece * (size // len(piece)))  # type: ignore[misc]
        for name, piece in {
            "spaces": b" ",
            "lines": b"\n",
            "letters": b"a",
            "<": b"<",
            ">": b">",
            "&": b"&",
            "%": b"%",
            '"': b'"',
            "'": b"'",
            "-": b"-",
            "]": b"]",
            ";": b";",
            "?": b"?",
            "/": b"/",
            "=": b"=",
            ":": b":",
            ".": b".",
            "#": b"#",
            "digits": b"7",
            "control": b"\x01",
            "bad UTF-8": b"\xff",
            "umlauts": b"\xc3\xbc",
            "&amp;": b"&amp;",
            "&eacute;": b"&eacute;",
            "&#38;": b"&#38;",
            "%41": b"%41",
            "</": b"</",
            "<!--": b"<!--",
            "<?": b"<?",
            "<![CDATA[": b"<![CDATA[",
            "]]>": b"]]>",
            "comments": b"<!-- a -->",
            "bad comments": b"<!-- a -- b -->",
            "instructions": b"<?a b?>",
            "CDATA": b"<![CDATA[a]]>",
            "empty elements": b"<a/>",
            "open elements": b"<a>",
            "unknown prefix": b"<q:a/>",
            "<url/>": b"<url/>",
            "<url>": b"<url>",
            "</url>": b"</url>",
            "<loc>": b"<loc>",
            "locs": b"<loc>https://e.com/</loc>",
            "lastmods": b"<lastmod>2026-01-01</lastmod>",
            "a b": b"a b ",
            "a=b": b" a=b",
            "a/": b"a/",
            "a.": b"a.",
            "?a=b&amp;": b"?a=b&amp;",
            "https://": b"https://",
            "images": b"<image:image><image:loc>https://e.com/</image:loc></image:image>",
            "links": b'<xhtml:link rel="alternate" hreflang="de" href="https://e.com/"/>',
        }.items()
    },
    "name": lambda size: b"</" + b"a" * size,
    "long tag": lambda size: b"<a " + b"b" * size,
    "attributes": lambda size: b"".join(b' a%d="b"' % number for number in range(size // 10)),
    "namespaces": lambda size: b"".join(b' xmlns:a%d="b"' % number for number in range(size // 16)),
    "nested": lambda size: b"<a>" * (size // 7) + b"</a>" * (size // 7),
    "nested urls": lambda size: b"<url><loc>https://e.com/</loc>" * (size // 36) + b"</url>" * (size // 36),
}
POSITIONS: dict[str, Run | Callable[[bytes], bytes]] = {
    "start": lambda run: run + _document(_ENTRY),
    "declaration": lambda run: _document(_ENTRY, before=b'<?xml version="1.0" ' + run + b"?>\n"),
    "encoding": lambda run: _document(_ENTRY, before=b'<?xml version="1.0" encoding=' + run + b"?>\n"),
    "comment": lambda run: _document(_ENTRY, before=_DECLARATION + b"<!-- " + run + b" -->\n"),
    "instruction": lambda run: _document(_ENTRY, before=_DECLARATION + b"<?a " + run + b" ?>\n"),
    "doctype": lambda run: _document(_ENTRY, before=_DECLARATION + b"<!DOCTYPE urlset " + run + b">\n"),
    "subset": lambda run: _document(_ENTRY, before=_DECLARATION + b"<!DOCTYPE urlset [" + run + b"]>\n"),
    "prolog": lambda run: _document(_ENTRY, before=_DECLARATION + run),
    "root tag": lambda run: _document(_ENTRY, root=run),
    "root attribute": lambda run: _document(_ENTRY, root=b' a="' + run + b'"'),
    "body": lambda run: _document(_ENTRY + run + _ENTRY),
    "entry": lambda run: _document(b"<url>" + _LOC + run + b"</url>"),
    "entry tag": lambda run: _document(b"<url " + run + b">" + _LOC + b"</url>"),
    "loc": lambda run: _document(b"<url><loc>https://example.com/" + run + b"</loc></url>"),
    "query": lambda run: _document(b"<url><loc>https://example.com/?" + run + b"</loc></url>"),
    "host": lambda run: _document(b"<url><loc>https://" + run + b"/</loc></url>"),
    "loc alone": lambda run: _document(b"<url><loc>" + run + b"</loc></url>"),
    "loc CDATA": lambda run: _document(b"<url><loc><![CDATA[https://example.com/" + run + b"]]></loc></url>"),
    "lastmod": lambda run: _document(b"<url>" + _LOC + b"<lastmod>2026-01-01" + run + b"</lastmod></url>"),
    "priority": lambda run: _document(b"<url>" + _LOC + b"<priority>0.5" + run + b"</priority></url>"),
    "changefreq": lambda run: _document(b"<url>" + _LOC + b"<changefreq>" + run + b"</changefreq></url>"),
    "image loc": lambda run: _document(
        b"<url>" + _LOC + b"<image:image><image:loc>https://e.com/" + run + b"</image:loc></image:image></url>"
    ),
    "image": lambda run: _document(b"<url>" + _LOC + b"<image:image>" + run + b"</image:image></url>"),
    "video title": lambda run: _document(
        b"<url>" + _LOC + b"<video:video><video:title>" + run + b"</video:title></video:video></url>"
    ),
    "link href": lambda run: _document(
        b"<url>" + _LOC + b'<xhtml:link rel="alternate" hreflang="de" href="https://e.com/' + run + b'"/></url>'
    ),
    "hreflang": lambda run: _document(
        b"<url>" + _LOC + b'<xhtml:link rel="alternate" hreflang="' + run + b'" href="https://e.com/"/></url>'
    ),
    "unclosed": lambda run: _document(b"<url>" + _LOC + run, after=b"")[: -len(b"</urlset>")],
    "epilog": lambda run: _document(_ENTRY, after=run),
    "index": lambda run: b"<sitemapindex " + _NS + b"><sitemap>" + _LOC + run + b"</sitemap></sitemapindex>",
    "text list": lambda run: b"https://example.com/a\nhttps://example.com/" + run + b"\n",
    "robots.txt": lambda run: b"User-agent: *\nDisallow: /" + run + b"\nSitemap: https://example.com/" + run + b"\n",
    "rss": lambda run: (
        b'<rss version="2.0"><channel><item><link>https://e.com/' + run + b"</link></item></channel></rss>"
    ),
    "rss item": lambda run: b'<rss version="2.0"><channel><item>' + run + b"</item></channel></rss>",
    "alone": lambda run: run,
}


def _read(data: bytes) -> None:
    read(data)


def _check(data: bytes) -> None:
    check(read(data, name="sitemap.xml"), rules(), CONTEXT)


def _fix(data: bytes) -> None:
    fix_document(read(data, name="sitemap.xml"), rules(), CONTEXT, FixOptions(unsafe=True))


def _info(data: bytes) -> None:
    describe(read(data, name="sitemap.xml"))


VERBS: dict[str, Callable[[bytes], None]] = {"read": _read, "check": _check, "fix": _fix, "info": _info}


def seconds(verb: str, data: bytes) -> float:
    started = time.process_time()
    VERBS[verb](data)
    return time.process_time() - started


def cases() -> Iterator[tuple[str, str]]:
    return ((family, position) for position in POSITIONS for family in FAMILIES)


def document(family: str, position: str, size: int) -> bytes:
    return POSITIONS[position](FAMILIES[family](size))  # type: ignore[arg-type]


def too_fast(verb: str, family: str, position: str, size: int, *, floor: float, most: float = 2.5) -> str | None:
    """What grows by more than `most` when the run doubles, in words; None where it does not, or costs little."""
    twice = document(family, position, 2 * size)
    long = seconds(verb, twice)
    if long < floor:
        return None
    short = seconds(verb, document(family, position, size))
    for _ in range(3):  # another process may have been in the way
        if long <= most * short:
            return None
        long, short = min(long, seconds(verb, twice)), max(short, seconds(verb, document(family, position, size)))
    return f"{verb}: {family} in {position}: {short:.2f} s for {size:,}, {long:.2f} s for twice that"


def main(arguments: Sequence[str]) -> int:
    parser = argparse.ArgumentParser(description="does twice the input cost more than 2.5 times the CPU?")
    parser.add_argument("--size", type=int, default=20_000)
    parser.add_argument("--floor", type=float, default=0.25)
    parser.add_argument("--verb", choices=tuple(VERBS), action="append")
    parser.add_argument("--position", choices=tuple(POSITIONS), action="append")
    parser.add_argument("--family", choices=tuple(FAMILIES), action="append")
    chosen = parser.parse_args(arguments)
    found = 0
    for family, position in cases():
        if (chosen.position and position not in chosen.position) or (chosen.family and family not in chosen.family):
            continue
        for verb in chosen.verb or VERBS:
            words = too_fast(verb, family, position, chosen.size, floor=chosen.floor)
            if words:
                found += 1
                print(words, flush=True)
    print(f"{found} of {len(POSITIONS) * len(FAMILIES)} cases grow too fast")
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
