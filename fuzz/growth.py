"""A run of some size at some position → CPU seconds for reading, checking, fixing and info.

python -m fuzz.growth                             every family of runs at every position, and those that grow too fast
python -m fuzz.growth --sizes 1000000 --limit 60  the same, once each: those that take more than a minute
"""

from __future__ import annotations

import argparse
import heapq
import itertools
import json
import os
import resource
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


def measured(family: str, position: str, verbs: Sequence[str], sizes: Sequence[int], floor: float) -> Seconds:
    """CPU seconds by verb and size, the largest first; smaller sizes only where it costs more than `floor`."""
    found: Seconds = {}
    for verb in verbs:
        times = found[verb] = {}
        for size in sorted(sizes, reverse=True):
            times[size] = seconds(verb, document(family, position, size))
            if times[size] < floor:
                break
    return found


def apart(limit: int, work: Callable[[], Seconds]) -> Seconds | None:
    """The same in a process of its own; None where it needs more CPU than the limit, or ends in any other way."""
    receiving, sending = os.pipe()
    child = os.fork()
    if child == 0:
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
    parser.add_argument("--sizes", type=int, nargs="+", default=[25_000, 50_000, 100_000])
    parser.add_argument("--floor", type=float, default=0.25, help="CPU seconds below which growth is not measured")
    parser.add_argument("--limit", type=int, default=60, help="CPU seconds for one family at one position")
    parser.add_argument("--verb", choices=tuple(VERBS), action="append")
    parser.add_argument("--position", choices=tuple(POSITIONS), action="append")
    parser.add_argument("--family", choices=tuple(FAMILIES), action="append")
    chosen = parser.parse_args(arguments)
    verbs = tuple(chosen.verb or VERBS)
    wanted = [
        (family, position)
        for family, position in cases()
        if position in (chosen.position or POSITIONS) and family in (chosen.family or FAMILIES)
    ]
    for verb in verbs:
        VERBS[verb](document("spaces", "body", 64))  # loads the rules, once for all children
    bad = 0
    slowest: list[tuple[float, str]] = []
    for family, position in wanted:
        work = partial(measured, family, position, verbs, chosen.sizes, chosen.floor)
        found = apart(chosen.limit, work)
        words = ["more CPU than the limit"] if found is None else list(faults(found))
        if words and found is not None:  # another process may have been in the way
            found = apart(chosen.limit, work)
            words = ["more CPU than the limit"] if found is None else list(faults(found))
        bad += bool(words)
        for each in words:
            print(f"{family} in {position}: {each}", flush=True)
        most = max(chosen.sizes)
        slowest += [(times[most], f"{verb}: {family} in {position}") for verb, times in (found or {}).items()]
        slowest = heapq.nlargest(_SLOWEST, slowest)
    for spent, case in slowest:
        print(f"{spent:7.2f} s  {case}")
    print(f"{len(wanted):,} cases, {len(verbs)} verbs: {bad} grow too fast or exceed the limit")
    return 1 if bad else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
