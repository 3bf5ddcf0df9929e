"""Seeds and seconds → how many mutated lists of rows the compiled lane takes as the patterns of the ordinary way allow.

python -m fuzz.rows --seconds 60

Lines of JSON are cut, flipped, doubled and put together; whatever `feed` takes must be a row that the ordinary way
lists without a closer look, and comes out as that way writes it. Files of an earlier build are damaged in the same
manner and given to `know`, and entries to an `Arranger`.
"""

from __future__ import annotations

import argparse
import json
import sys
import time
from array import array
from collections.abc import Sequence
from contextlib import suppress
from importlib import import_module
from pathlib import Path
from random import Random
from typing import Any

from urlset.building.evidence import _USUAL
from urlset.building.variants import is_plain_path
from urlset.model.entry import Entry
from urlset.spec.protocol import LOC_LENGTH_BELOW
from urlset.writing.urlset import CLOSING, entry_bytes, opening

compiled_rows: Any = import_module("urlset.building.compiled_rows")

FOUND = Path("build") / "fuzz-found.jsonl"
HEAD = "https://www.example.com"
TODAY = "2026-11-15"
BUILD = 7

SEEDS = tuple(
    line.encode()
    for line in (
        f'{{"loc": "{HEAD}/p/1", "lastmod": "2026-01-01"}}\n',
        f'{{"loc":"{HEAD}/p/2","lastmod":"2025-12-28T23:59:59Z"}}\r\n',
        f'{{"loc": "{HEAD}/a/b_c~d-e.html", "lastmod": "2024-02-28T00:00:00+13:59"}}\n',
        f'{{"loc": "{HEAD}/"}}\n',
        f'{{"loc": "{HEAD}/page.php"}}\n{{"loc": "{HEAD}/feed-1"}}\n',
        f'{{"loc": "{HEAD}/{"x" * (LOC_LENGTH_BELOW - len(HEAD) - 2)}"}}\n',
        f'{{"loc": "{HEAD}/{"x" * (LOC_LENGTH_BELOW - len(HEAD) - 1)}"}}\n',
        f'{{"loc": "{HEAD}/p/1", "lastmod": "{TODAY}"}}\n',
        f'{{"loc": "{HEAD}/q?a=1&b=2", "images": ["/i.png"]}}\n',
        '"/p/3"\n\n{"loc": "\\u002f"}\n',
    )
)
PIECES = (
    *(b'"', b"\\", b"\n", b"\r", b"\r\n", b" ", b",", b"}", b"{", b"/", b".", b"//", b"\x00", b"\xff", b"<", b"&amp;"),
    *(b"page", b"feed", b"comments-", b".html", b".pdf", b'"lastmod": "', b'{"loc": "', HEAD.encode(), b"2026-01-01"),
    *(b"T10:00:00Z", b"+02:00", b"2026-02-29", b"xn--", b"%20", b"  <url>\n    <loc>", b"</loc>\n", b"  </url>\n"),
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


def judge(data: bytes, chance: Random) -> None:
    """Every row that is taken is one of those that the ordinary way takes without a closer look."""
    lane = compiled_rows.RowLane(HEAD.encode(), TODAY.encode(), BUILD, most_bytes=chance.choice([64, 4096, 1 << 16]))
    taken: list[bytes] = []
    met: set[str] = set()
    at = 0
    while at < len(data):
        before = at
        at = lane.feed(data, at)
        assert before <= at <= len(data)
        taken.extend(_expected(line, met) for line in data[before:at].splitlines(keepends=True))
        if lane.why == compiled_rows.FULL:
            _compare(lane, taken)
        elif lane.why == compiled_rows.DOUBLE:
            assert data[lane.loc_start : lane.loc_end].decode() in met
        if lane.why in (compiled_rows.ODD, compiled_rows.DOUBLE):
            end = data.find(b"\n", at) + 1
            assert not _is_taken(data[at:end], met), data[at:end]
            at = end or len(data)
    _compare(lane, taken)


def _read(line: bytes) -> tuple[Any, Any]:
    row = json.loads(line)
    assert list(row) in (["loc"], ["loc", "lastmod"])
    return row["loc"], row.get("lastmod")


def _is_usual(loc: str, lastmod: str | None) -> bool:
    plain = loc.startswith(HEAD) and is_plain_path(loc, len(HEAD)) and len(loc) < LOC_LENGTH_BELOW
    return plain and (lastmod is None or (_USUAL.fullmatch(lastmod) is not None and lastmod[:10] < TODAY))


def _expected(line: bytes, met: set[str]) -> bytes:
    loc, lastmod = _read(line)
    assert line.endswith(b"\n")
    assert _is_usual(loc, lastmod), line
    assert loc not in met
    met.add(loc)
    return entry_bytes(Entry(loc, lastmod))


def _is_taken(line: bytes, met: set[str]) -> bool:
    """A line in the one spelling the lane takes, that it should have taken."""
    try:
        loc, lastmod = _read(line)
    except (ValueError, AssertionError, TypeError, KeyError):
        return False
    if not isinstance(loc, str) or not isinstance(lastmod, str | None):
        return False
    row = {"loc": loc} if lastmod is None else {"loc": loc, "lastmod": lastmod}
    spelled = (json.dumps(row) + "\n").encode()
    return line == spelled and loc not in met and _is_usual(loc, lastmod)


def _compare(lane: Any, taken: list[bytes]) -> None:
    """What came out, and the same by address."""
    dealt = lane.deal()
    if not taken:
        assert not dealt
        return
    entries, ends, first_seen, changed = dealt[compiled_rows.NEW]
    assert bytes(entries) == b"".join(taken)
    assert set(first_seen) == set(changed) == {BUILD}
    ordered, numbers = compiled_rows.Arranger().in_order(bytes(entries), ends)
    by_address = sorted(taken, key=_address)
    assert ordered == b"".join(by_address)
    assert [taken[number] for number in numbers] == by_address
    taken.clear()


def _address(entry: bytes) -> bytes:
    return entry.partition(b"</loc>")[0]


def judge_memory(data: bytes, chance: Random) -> None:
    """A damaged file of an earlier build, and damaged ends: an error of ours or a number, and no byte from outside."""
    lane = compiled_rows.RowLane(HEAD.encode(), TODAY.encode(), BUILD, 1)
    entries = [entry_bytes(Entry(f"{HEAD}/p/{number}", chance.choice([None, "2026-01-01"]))) for number in range(9)]
    file = mutated(b"".join((opening(()), *entries, CLOSING)), chance)
    count = file.count(b"\n  <url>\n") if chance.random() < 0.8 else chance.randint(0, 12)
    builds = array("I", (chance.randint(0, 3) for _ in range(count)))
    with suppress(ValueError):  # it is not as it was written
        assert 0 <= lane.know(file, 0, builds, builds) <= count
    lane.feed(data + chance.choice(SEEDS), 0)
    lane.deal()
    _, kept, size = lane.share(0)
    for found in (file, mutated(file, chance)):
        with suppress(ValueError):  # the same, or it is not what was made known
            part = lane.kept(found, 0, builds, builds)
            assert (len(part[0]), *map(len, part[1:])) == (size, kept, kept, kept)
    body = mutated(b"".join(entries), chance)
    ends = array("I", sorted(chance.randint(0, len(body) + 2) for _ in range(chance.randint(1, 9))))
    try:
        compiled_rows.Arranger().in_order(body, ends)
    except IndexError:
        return


def by_chance(seconds: float, seed: int) -> int:
    chance = Random(seed)
    runs = 0
    end = time.monotonic() + seconds
    while time.monotonic() < end:
        data = mutated(b"".join(chance.choices(SEEDS, k=chance.randint(1, 5))), chance)
        try:
            judge(data, chance)
            judge_memory(data, chance)
        except BaseException:
            FOUND.parent.mkdir(exist_ok=True)
            FOUND.write_bytes(data)
            raise
        runs += 1
    return runs


def main(arguments: Sequence[str]) -> int:
    parser = argparse.ArgumentParser(description="the compiled lane against the patterns of the ordinary way")
    parser.add_argument("--seconds", type=float, default=60.0)
    parser.add_argument("--seed", type=int, default=1)
    chosen = parser.parse_args(arguments)
    print(f"{by_chance(chosen.seconds, chosen.seed):,} lists of rows, taken as the ordinary way allows")
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
