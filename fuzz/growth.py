"""A run of some size at some position → CPU seconds for reading, checking, fixing, info and ls.

python -m fuzz.growth                             every family of runs at every position, and those that grow too fast
python -m fuzz.growth --entries                   the same for entries of one kind, 2,500, 5,000 and 10,000 of them
python -m fuzz.growth --sizes 1000000 --limit 60  the same, once each: those that take more than a minute
"""

from __future__ import annotations

import argparse
import gc
import heapq
import itertools
import json
import os
import sys
import time
from collections.abc import Callable, Iterator, Sequence
from functools import partial

from fuzz.fixing import rules
from fuzz.judge import CONTEXT
from urlset.checking.engine import check
from urlset.fixing.fix import FixOptions, fix_document
from urlset.reading.read import read
from urlset.workflows.info import describe

Run = Callable[[int], bytes]
Seconds = dict[str, dict[int, float]]
_SLOWEST = 20

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
            "entries": b"<url><loc>https://e.com/</loc></url>",
            "unopened entries": b"<loc>https://e.com/</loc></url>",
            "unclosed entries": b"<url><loc>https://e.com/</loc>",
            "unopened values": b"<url>https://e.com/</loc></url>",
            "unclosed values": b"<url><loc>https://e.com/</url>",
            "crossed tags": b"<url><loc>https://e.com/</url></loc>",
            "broken values": b"<url><loc>https://e.com/a<b</loc></url>",
            "broken tags": b"<url a=b><loc>https://e.com/</loc></url>",
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
    "prefixed attributes": lambda size: b"".join(b' a%d:b="c"' % number for number in range(size // 12)),
    "undeclared prefixes": lambda size: b"".join(b"<p%d:x/>" % number for number in range(size // 10)),
    "declaring elements": lambda size: b"".join(
        b'<p%d:x xmlns:p%d="urn:%d"/>' % (number, number, number) for number in range(size // 30)
    ),
    "different links": lambda size: b"".join(
        b'<xhtml:link rel="alternate" hreflang="de" href="https://e.com/%d"/>' % number for number in range(size // 70)
    ),
    "links of all languages": lambda size: b"".join(
        b'<xhtml:link rel="alternate" hreflang="%c%c" href="https://e.com/%d"/>'
        % (97 + number % 26, 97 + number // 26 % 26, number)
        for number in range(size // 70)
    ),
    "numbered entries": lambda size: b"".join(
        b"<url><loc>https://e.com/%d</loc></url>" % number for number in range(size // 40)
    ),
    "entries that declare": lambda size: b"".join(
        b'<url xmlns:q="urn:q"><loc>https://e.com/%d</loc><q:x/></url>' % number for number in range(size // 60)
    ),
    "unclosed items": lambda size: b"<item>" * (size // 6),
    "unclosed feed entries": lambda size: b'<entry><link href="https://e.com/"/>' * (size // 36),
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
    "index body": lambda run: b"<sitemapindex " + _NS + b">" + run + b"</sitemapindex>",
    "index tag": lambda run: (
        b"<sitemapindex " + _NS + run + b">" + b"<sitemap a:b=''>" + _LOC + b"</sitemap></sitemapindex>"
    ),
    "index entry tag": lambda run: (
        b"<sitemapindex " + _NS + b"><sitemap " + run + b">" + _LOC + b"</sitemap></sitemapindex>"
    ),
    "text list": lambda run: b"https://example.com/a\nhttps://example.com/" + run + b"\n",
    "robots.txt": lambda run: b"User-agent: *\nDisallow: /" + run + b"\nSitemap: https://example.com/" + run + b"\n",
    "rss": lambda run: (
        b'<rss version="2.0"><channel><item><link>https://e.com/' + run + b"</link></item></channel></rss>"
    ),
    "rss item": lambda run: b'<rss version="2.0"><channel><item>' + run + b"</item></channel></rss>",
    "rss channel": lambda run: b'<rss version="2.0"><channel>' + run + b"</channel></rss>",
    "rss tag": lambda run: (
        b'<rss version="2.0" ' + run + b"><channel><item><link>https://e.com/</link></item></channel></rss>"
    ),
    "atom": lambda run: (
        b'<feed xmlns="http://www.w3.org/2005/Atom"><entry><link href="https://e.com/"/>' + run + b"</entry></feed>"
    ),
    "atom feed": lambda run: b'<feed xmlns="http://www.w3.org/2005/Atom">' + run + b"</feed>",
    "atom tag": lambda run: (
        b'<feed xmlns="http://www.w3.org/2005/Atom" ' + run + b'><entry><link href="https://e.com/"/></entry></feed>'
    ),
    "root tag and odd entries": lambda run: _document(
        b"".join(b'<url xmlns:q="b"><loc>https://e.com/%d</loc><q:x/></url>' % row for row in range(len(run) // 60)),
        root=run,
    ),
    "root tag and broken entries": lambda run: _document(
        b"".join(b"<url><loc>https://e.com/%d</loc><image:image></url>" % row for row in range(len(run) // 60)),
        root=run,
    ),
    "container and odd entries": lambda run: _document(
        b"<a "
        + run
        + b">"
        + b"".join(b"<url><loc>https://e.com/%d</loc><x/></url>" % row for row in range(len(run) // 60))
        + b"</a>"
    ),
    "alone": lambda run: run,
}


ENTRIES: dict[str, bytes] = {
    "plain": b"<url><loc>https://e.com/%d</loc></url>",
    "own prefix": b"<url><loc>https://e.com/%d</loc><p%d:x/></url>",
    "own declaration": b'<url xmlns:p%d="urn:%d"><loc>https://e.com/%d</loc><p%d:x/></url>',
    "own attribute": b'<url a%d="b"><loc>https://e.com/%d</loc></url>',
    "own element": b"<url><loc>https://e.com/%d</loc><x%d/></url>",
    "own link": b'<url><loc>https://e.com/%d</loc><xhtml:link rel="alternate" hreflang="de" href="/%d"/></url>',
    "own image": b"<url><loc>https://e.com/%d</loc><image:image><image:loc>/%d</image:loc></image:image></url>",
    "nested": b"<url><loc>https://e.com/%d</loc><url><loc>https://e.com/n%d</loc></url></url>",
    "two locs": b"<url><loc>https://e.com/%d</loc><loc>https://e.com/n%d</loc></url>",
    "loc in loc": b"<url><loc>https://e.com/%d<loc>https://e.com/n%d</loc></loc></url>",
    "unclosed": b"<url><loc>https://e.com/%d</loc>",
    "unopened": b"<loc>https://e.com/%d</loc></url>",
    "unclosed loc": b"<url><loc>https://e.com/%d</url>",
    "crossed": b"<url><loc>https://e.com/%d</url></loc>",
    "stray <": b"<url><loc>https://e.com/<%d</loc></url>",
    "stray &": b"<url><loc>https://e.com/?a&b=%d</loc></url>",
    "broken attribute": b"<url a=%d><loc>https://e.com/%d</loc></url>",
    "bad comment": b"<!-- %d -- --><url><loc>https://e.com/%d</loc></url>",
    "text": b"text %d <url><loc>https://e.com/%d</loc></url>",
    "bad date": b"<url><loc>https://e.com/%d</loc><lastmod>%d</lastmod></url>",
    "relative": b"<url><loc>/%d</loc></url>",
    "space": b"<url><loc>https://e.com/ %d</loc></url>",
    "own host": b"<url><loc>https://h%d.com/</loc></url>",
    "twice": b"<url><loc>https://e.com/%d</loc></url><url><loc>https://e.com/%d</loc></url>",
    "wrong case": b"<URL><Loc>https://e.com/%d</Loc></URL>",
    "wrong order": b"<url><lastmod>2026-01-01</lastmod><loc>https://e.com/%d</loc></url>",
    "misspelled": b"<url><lco>https://e.com/%d</lco></url>",
    "control": b"<url><loc>https://e.com/\x01%d</loc></url>",
    "bad UTF-8": b"<url><loc>https://e.com/\xff%d</loc></url>",
    "empty": b"<url><!-- %d --></url>",
    "container": b"<a%d><url><loc>https://e.com/%d</loc></url></a%d>",
    "second root": b"</urlset><urlset><url><loc>https://e.com/%d</loc></url>",
}
"""a fault of each kind; %d is the number of the entry"""
FILES: dict[str, Callable[[bytes], bytes]] = {
    "urlset": _document,
    "index": lambda rows: b"<sitemapindex " + _NS + b">" + _renamed(rows, b"sitemap", b"loc") + b"</sitemapindex>",
    "rss": lambda rows: b'<rss version="2.0"><channel>' + _renamed(rows, b"item", b"link") + b"</channel></rss>",
    "atom": lambda rows: b'<feed xmlns="http://www.w3.org/2005/Atom">' + _renamed(rows, b"entry", b"id") + b"</feed>",
}


def _renamed(rows: bytes, row: bytes, loc: bytes) -> bytes:
    rows = rows.replace(b"<url", b"<" + row).replace(b"</url", b"</" + row)
    return rows.replace(b"<loc>", b"<" + loc + b">").replace(b"</loc>", b"</" + loc + b">")


def entries(kind: str, file: str, count: int) -> bytes:
    """A file with that many entries of one kind."""
    return FILES[file](b"\n".join(ENTRIES[kind].replace(b"%d", b"%d" % number) for number in range(count)))


def _read(data: bytes) -> None:
    read(data)


def _check(data: bytes) -> None:
    check(read(data, name="sitemap.xml"), rules(), CONTEXT)


def _fix(data: bytes) -> None:
    fix_document(read(data, name="sitemap.xml"), rules(), CONTEXT, FixOptions(unsafe=True))


def _info(data: bytes) -> None:
    describe(read(data, name="sitemap.xml"))


def _safe(data: bytes) -> None:
    fix_document(read(data, name="sitemap.xml"), rules(), CONTEXT, FixOptions())


def _ls(data: bytes) -> None:
    for entry in read(data, name="sitemap.xml"):
        entry.media  # noqa: B018 - made on demand


VERBS: dict[str, Callable[[bytes], None]] = {
    "read": _read,
    "check": _check,
    "fix": _fix,
    "safe fix": _safe,
    "info": _info,
    "ls": _ls,
}
Make = Callable[[str, str, int], bytes]


def seconds(verb: str, data: bytes) -> float:
    gc.freeze()  # the objects of earlier runs and of collected tests are not part of this run, nor of later ones
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


def measured(
    make: Make, family: str, position: str, verbs: Sequence[str], sizes: Sequence[int], floor: float
) -> Seconds:
    """CPU seconds by verb and size, the largest first; smaller sizes only where it costs more than `floor`."""
    found: Seconds = {}
    for verb in verbs:
        times = found[verb] = {}
        for size in sorted(sizes, reverse=True):
            times[size] = seconds(verb, make(family, position, size))
            if times[size] < floor:
                break
    return found


def apart(limit: int, work: Callable[[], Seconds]) -> Seconds | None:
    """The same in a process of its own; None where it needs more CPU than the limit, or ends in any other way."""
    receiving, sending = os.pipe()
    child = os.fork()
    if child == 0:
        import resource  # not on Windows

        resource.setrlimit(resource.RLIMIT_CPU, (limit, limit + 1))
        os.write(sending, json.dumps(work()).encode())
        os._exit(0)
    os.close(sending)
    with os.fdopen(receiving, "rb") as pipe:
        answer = pipe.read()
    os.waitpid(child, 0)
    return (
        {verb: {int(size): spent for size, spent in times.items()} for verb, times in json.loads(answer).items()}
        if answer
        else None
    )


def faults(found: Seconds, most: float = 2.5) -> Iterator[str]:
    """Verbs for which a run twice as long costs more than `most` times the CPU."""
    for verb, times in found.items():
        sizes = sorted(times)
        for short, long in itertools.pairwise(sizes):
            if times[long] > most * (long / short / 2) * times[short]:
                yield f"{verb}: {times[short]:.2f} s for {short:,}, {times[long]:.2f} s for {long:,}"


def main(arguments: Sequence[str]) -> int:
    parser = argparse.ArgumentParser(description="does twice the input cost more than 2.5 times the CPU?")
    parser.add_argument("--entries", action="store_true", help="entries of one kind in files of one kind")
    parser.add_argument("--sizes", type=int, nargs="+", help="bytes of a run, or number of entries")
    parser.add_argument("--floor", type=float, default=0.25, help="CPU seconds below which growth is not measured")
    parser.add_argument("--limit", type=int, default=60, help="CPU seconds for one family at one position")
    parser.add_argument("--verb", choices=tuple(VERBS), action="append")
    parser.add_argument("--position", choices=(*POSITIONS, *FILES), action="append")
    parser.add_argument("--family", choices=(*FAMILIES, *ENTRIES), action="append")
    chosen = parser.parse_args(arguments)
    verbs = tuple(chosen.verb or VERBS)
    make: Make = entries if chosen.entries else document
    sizes = chosen.sizes or ([2_500, 5_000, 10_000] if chosen.entries else [25_000, 50_000, 100_000])
    wanted = [
        (family, position)
        for family, position in (itertools.product(ENTRIES, FILES) if chosen.entries else cases())
        if position in (chosen.position or (*POSITIONS, *FILES)) and family in (chosen.family or (*FAMILIES, *ENTRIES))
    ]
    for verb in verbs:
        VERBS[verb](document("spaces", "body", 64))  # loads the rules, once for all children
    bad = 0
    slowest: list[tuple[float, str]] = []
    for family, position in wanted:
        work = partial(measured, make, family, position, verbs, sizes, chosen.floor)
        found = apart(chosen.limit, work)
        words = ["more CPU than the limit"] if found is None else list(faults(found))
        if words and found is not None:  # another process may have been in the way
            found = apart(chosen.limit, work)
            words = ["more CPU than the limit"] if found is None else list(faults(found))
        bad += bool(words)
        for each in words:
            print(f"{family} in {position}: {each}", flush=True)
        most = max(sizes)
        slowest += [(times[most], f"{verb}: {family} in {position}") for verb, times in (found or {}).items()]
        slowest = heapq.nlargest(_SLOWEST, slowest)
    for spent, case in slowest:
        print(f"{spent:7.2f} s  {case}")
    print(f"{len(wanted):,} cases, {len(verbs)} verbs: {bad} grow too fast or exceed the limit")
    return 1 if bad else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
