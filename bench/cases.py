"""Axes → cases in which each pair of values occurs, in another order and combination for each seed."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping, Sequence
from itertools import combinations
from random import Random
from typing import NamedTuple

SOURCES = (
    *("JSONL", "CSV", "TSV", "text", "SQLite", "PostgreSQL", "Parquet", "Python dicts", "Python tuples", "folder"),
    *("feed", "existing sitemap"),
)
SPELLINGS = (
    *("plain", "&", "escape", "space", "IDN host", "umlaut", "uppercase", "port", "query of five"),
    "300 characters",
)
ADDRESSES = ("absolute", "relative")
MEDIA = ("no media", "images", "captions", "video", "news", "hreflang 3", "hreflang 30")
STATES = ("first", "unchanged", "1 % changed", "shuffled")
FORMS = (
    *("indented", "one line", "CRLF", "CDATA", "comments", "attributes", "lastmod first", "numeric references"),
    *("text", "RSS", "Atom"),
)
"""ways to write the same sitemap"""
WAYS = ("dicts", "tuples", "entries", "ASGI", "WSGI", "FastAPI", "Flask", "SQLAlchemy", "Django")
"""to a file in memory: `render` of three kinds of items, and one request of each integration"""
TABLES = ("to_arrow", "to_polars", "to_pandas")
FAULTS = (
    *("a bare &", "an HTML entity", "a stray <", "a space in loc", "a tracking parameter", "a fragment"),
    *("relative loc", "no loc", "each loc twice", "a date as 01/02/2025", "a date in the future"),
    *("priority 0,5", "changefreq Daily", "an unknown element", "a space in an image URL", "relative hreflang links"),
    *("one broken entry in ten", "four faults in loc", "a fault in each of four fields"),
)
EXCLUDED = {
    **dict.fromkeys(("text", "feed", "RSS", "Atom", "Python tuples", "tuples"), MEDIA[1:]),
    "folder": ("captions", "news", "shuffled", "query of five"),
    "Django": ("absolute",),
}
"""pairs that cannot be written: a text list has no media, a folder no order"""

Axes = Mapping[str, Sequence[str]]
Pair = tuple[tuple[str, str], tuple[str, str]]
BUILD: Axes = {"source": SOURCES, "spelling": SPELLINGS, "address": ADDRESSES, "media": MEDIA, "state": STATES}
RENDER: Axes = {"way": WAYS, "spelling": SPELLINGS, "address": ADDRESSES, "media": MEDIA}
TABLE: Axes = {"way": TABLES, "form": FORMS[:9], "media": MEDIA}
CHECK: Axes = {"form": FORMS, "spelling": SPELLINGS, "media": MEDIA}


class Case(NamedTuple):
    """One shape of input; what an axis does not apply to has its first value."""

    source: str = "JSONL"
    spelling: str = "plain"
    address: str = "absolute"
    media: str = "no media"
    state: str = "first"
    form: str = "indented"
    way: str = "dicts"
    fault: str = ""

    def named(self, axes: Iterable[str]) -> str:
        return ", ".join(filter(None, (getattr(self, axis) for axis in axes)))


def excluded(first: tuple[str, str], second: tuple[str, str]) -> bool:
    return second[1] in EXCLUDED.get(first[1], ()) or first[1] in EXCLUDED.get(second[1], ())


def pairwise(axes: Axes, seed: int) -> list[Case]:
    """A small set of cases with each pair of values that can be written."""
    random = Random(seed)
    wanted = {
        pair
        for one, two in combinations(axes, 2)
        for pair in (((one, first), (two, second)) for first in axes[one] for second in axes[two])
        if not excluded(*pair)
    }
    found: list[Case] = []
    while wanted:
        start = random.choice(sorted(wanted))
        row = max(
            (_row(axes, start, wanted, random) for _ in range(20)), key=lambda each: len(_pairs(axes, each) & wanted)
        )
        wanted -= _pairs(axes, row)
        found.append(Case(**row))
    random.shuffle(found)
    return found


def _row(axes: Axes, start: Pair, wanted: Collection[Pair], random: Random) -> dict[str, str]:
    row = dict(start)
    for axis in random.sample([each for each in axes if each not in row], len(axes) - len(row)):
        fitting = [each for each in axes[axis] if not any(excluded(given, (axis, each)) for given in row.items())]
        random.shuffle(fitting)
        row[axis] = max(fitting, key=lambda each: len(_pairs(axes, row | {axis: each}) & set(wanted)))
    return row


def _pairs(axes: Axes, row: Mapping[str, str]) -> set[Pair]:
    given = [(axis, row[axis]) for axis in axes if axis in row]
    return set(combinations(given, 2))
