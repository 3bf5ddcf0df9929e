"""Seeds and seconds → how many mutated lists of rows compiled code takes as the Python functions say.

python -m fuzz.rows --seconds 60

Lines of JSON are cut, flipped, doubled and put together. A row that is READY must be what the source makes
of it in Python, with nothing for `variants_of` and `doubt`, and its entry what `entry_bytes` writes. Files of an
earlier build are damaged in the same manner and given to `know` of both indexes, and entries to `in_order`.
"""

from __future__ import annotations

import argparse
import sys
import time
from array import array
from collections.abc import Sequence
from contextlib import suppress
from datetime import UTC, datetime
from importlib import import_module
from itertools import accumulate
from pathlib import Path
from random import Random
from typing import Any

from urlset.building import pages
from urlset.building.candidate import Candidate, Evidence, EvidenceKind
from urlset.building.evidence import doubt
from urlset.building.pages import EntryRun
from urlset.building.policy import ListingPolicy, variants_of
from urlset.building.sources.lists import _JsonLines
from urlset.building.sources.source import SourceOptions
from urlset.model.address import Address
from urlset.model.entry import Entry
from urlset.spec.protocol import LOC_LENGTH_BELOW
from urlset.workflows.build.batches import screen_of
from urlset.writing.urlset import CLOSING, entry_bytes, opening

compiled_pages: Any = import_module("urlset.building.compiled_pages")

FOUND = Path("build") / "fuzz-found.jsonl"
HEAD = "https://www.example.com"
BASE = f"{HEAD}/"
NOW = datetime(2026, 11, 15, 12, tzinfo=UTC)
BUILD = 7

VIDEO = f'"thumbnail_loc": "{HEAD}/v.jpg", "title": "<T>", "description": "D", "content_loc": "{HEAD}/v.mp4"'
NEWS = '"name": "N & N", "language": "en", "publication_date": "2026-01-01", "title": "<T>"'
SEEDS = tuple(
    line.encode()
    for line in (
        f'{{"loc": "{HEAD}/p/1", "lastmod": "2026-01-01"}}\n',
        f'{{"loc":"{HEAD}/p/2","lastmod":"2025-12-28T23:59:59Z"}}\r\n',
        f'{{"loc": "{HEAD}/a/b_c~d-e.html", "lastmod": "2024-02-29T00:00:00.5-11:59"}}\n',
        f'{{"loc": "{HEAD}/"}}\n',
        f'{{"url": "{HEAD}/caf\\u00e9?a=1&b=%C3%A9#x", "lastmod": null}}\n',
        '{"loc": "https://WWW.example.com/日本/%7e%c3"}\n',
        f'{{"loc": "{HEAD}/page/2"}}\n{{"loc": "{HEAD}/feed/rss"}}\n',
        f'{{"loc": "{HEAD}/{"x" * (LOC_LENGTH_BELOW - len(HEAD) - 2)}"}}\n',
        f'{{"loc": "{HEAD}/{"x" * (LOC_LENGTH_BELOW - len(HEAD) - 1)}"}}\n',
        f'{{"loc": "{HEAD}/p/1", "lastmod": "2026-11-15"}}\n',
        f'{{"loc": "{HEAD}/q?a=1&b=2", "images": ["/i.png"]}}\n',
        f'{{"loc": "{HEAD}/i?a=1", "images": ["{HEAD}/i.png", "http:\\/\\/x:8\\/%20?a&b=\'"], "priority": 0.5}}\n',
        f'{{"changefreq": "daily", "priority": "1.0", "id": [-2.5, {{"é": "\\ud83d\\ude00"}}], "url": "{HEAD}/h"}}\n',
        f'{{"loc": "{HEAD}/t", "alternates": {{"de": "{HEAD}/t", "fr": "{HEAD}/u"}}, "section": "s", "lang": "é"}}\n',
        '"/p/3"\n\n{"loc": "\\u002f"}\n',
        f'{{"loc": "{HEAD}/i", "images": [{{"loc": "{HEAD}/i.jpg", "title": "\\"b\\" & é", "caption": "\\u00e9"}}]}}\n',
        f'{{"loc": "{HEAD}/v", "videos": {{{VIDEO}, "duration": 30, "rating": 4.5, "live": true, "tag": ["a"]}}}}\n',
        f'{{"loc": "{HEAD}/n", "news": {{{NEWS}, "keywords": "a, b", "genres": "Blog"}}, "lastmod": "2026-01-02"}}\n',
    )
)
PIECES = (
    *(b'"', b"\\", b"\n", b"\r", b"\r\n", b" ", b",", b"}", b"{", b"/", b".", b"//", b"\x00", b"\xff", b"<", b"&amp;"),
    *(b"page", b"feed", b"comments-", b".html", b".pdf", b'"lastmod": "', b'{"loc": "', HEAD.encode(), b"2026-01-01"),
    *(b"T10:00:00Z", b"+02:00", b"2026-02-29", b"xn--", b"%20", b"  <url>\n    <loc>", b"</loc>\n", b"  </url>\n"),
    *(
        b"?utm_source=",
        b"&sid=",
        b"%2e",
        b"\\u0041",
        b"\\ud83d\\ude00",
        "é".encode(),
        b"'",
        b"[",
        b"#",
        b"\xef\xbf\xbd",
    ),
)


def mutated(data: bytes, chance: Random) -> bytes:
    for _ in range(chance.randint(0, 4)):
        at, to = sorted((chance.randint(0, len(data)), chance.randint(0, len(data))))
        kind = chance.randrange(6)
        if kind == 0:
            data = data[:at] + chance.choice(PIECES) + data[at:]
        elif kind == 1 and at < len(data):
            data = data[:at] + bytes([data[at] ^ 1 << chance.randrange(8)]) + data[at + 1 :]
        elif kind == 2:
            data = data[:at] if chance.random() < 0.5 else data[at:]
        elif kind == 3:
            data = data[:at] + data[to:]
        elif kind == 4 and len(data) < 1 << 14:
            data = data[:to] + data[at:to] + data[to:]
        else:
            data += chance.choice(SEEDS)
    return data


def judge(data: bytes) -> None:
    """Every row that is READY is what the Python functions make of its line, and so is its entry."""
    batch = compiled_pages.Batch(screen_of(ListingPolicy(BASE, now=NOW), NOW))
    batch.clear()
    batch.read_json(data)
    lines = data.split(b"\n")
    assert len(batch) == len(lines) - (not lines[-1])
    index, expected, met = compiled_pages.PageIndex(BUILD), [], set()
    suspects = set(batch.suspects())
    block = _JsonLines(data, 1, "rows.jsonl", SourceOptions(base_url=BASE))
    for row in batch.of_status(compiled_pages.READY):
        (candidate,) = block.items(row)  # and no trouble
        assert isinstance(candidate, Candidate), lines[row]
        loc, lastmod = candidate.loc, candidate.entry.lastmod
        address = Address.parse(loc)
        assert (batch.loc(row), batch.key(row) or loc) == (loc, address.key), lines[row]
        assert row in suspects or not list(variants_of(address)), lines[row]
        assert lastmod is None or doubt(Evidence(EvidenceKind.GIVEN, lastmod), NOW) is None
        if address.key not in met:
            met.add(address.key)
            if not candidate.entry.alternates:
                expected.append(entry_bytes(candidate.entry))
    at = 0
    while at < len(batch):
        at = index.take(batch, at)
        at += index.why != compiled_pages.END
    dealt = [bytes(part[0]) for part in index.flush_groups().values()]
    assert b"".join(dealt) == b"".join(expected)


def judge_memory(chance: Random) -> None:
    """A damaged file of an earlier build and damaged ends: an error of ours or a number, and no byte from outside."""
    entries = [entry_bytes(Entry(f"{HEAD}/p?{number}&x", chance.choice([None, "2026-01-01"]))) for number in range(9)]
    file = mutated(b"".join((opening(()), *entries, CLOSING)), chance)
    count = file.count(b"\n  <url>\n") if chance.random() < 0.8 else chance.randint(0, 12)
    builds = array("I", (chance.randint(0, 3) for _ in range(count)))
    index = compiled_pages.PageIndex(BUILD, (0,))
    with suppress(ValueError):  # it is not as it was written
        assert 0 <= index.load_file(file, 0, builds, builds) <= count
    for entry in chance.sample(entries, 4):
        index.put(entry[17 : entry.index(b"</loc>")].replace(b"&amp;", b"&"), entry, 0, 0)
    _, kept, size = index.share(0)
    for found in (file, mutated(file, chance)):
        with suppress(ValueError):  # the same, or it is not what was made known
            part = index.entries(found, 0, builds, builds)[0].packed()
            assert (len(part.entries), *map(len, part[1:4])) == (size, kept, kept, kept)
    body = mutated(b"".join(entries), chance)
    ends = array("I", sorted(chance.randint(0, len(body) + 2) for _ in range(chance.randint(1, 9))))
    starts = array("I", (chance.randint(0, len(body) + 2) for _ in range(chance.randint(1, 9))))
    for begins in (None, starts):
        with suppress(IndexError):
            compiled_pages.in_order([EntryRun(body, ends, ends, ends, starts=begins)])
    whole = array("I", accumulate(map(len, entries)))
    run = EntryRun(b"".join(entries), whole, whole, whole)
    given = [run, run._replace(starts=array("I", [0, *whole[:-1]]))], b"<", b">", chance.randint(0, 9)
    arranged = [module.in_order(*given) for module in (compiled_pages, pages)]
    assert arranged[0] == arranged[1]


def by_chance(seconds: float, seed: int) -> int:
    chance = Random(seed)
    runs = 0
    end = time.monotonic() + seconds
    while time.monotonic() < end:
        data = mutated(b"".join(chance.choices(SEEDS, k=chance.randint(1, 5))), chance)
        try:
            judge(data)
            judge_memory(chance)
        except BaseException:
            FOUND.parent.mkdir(exist_ok=True)
            FOUND.write_bytes(data)
            raise
        runs += 1
    return runs


def main(arguments: Sequence[str]) -> int:
    parser = argparse.ArgumentParser(description="compiled batches of rows against the functions in Python")
    parser.add_argument("--seconds", type=float, default=60.0)
    parser.add_argument("--seed", type=int, default=1)
    chosen = parser.parse_args(arguments)
    print(f"{by_chance(chosen.seconds, chosen.seed):,} lists of rows, taken as the functions in Python say")
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
