"""The main contents of all pages → groups of pages with the same or nearly the same content, and the one to keep.

Equal contents have one key. Nearly equal ones share most of their word sequences: a page has a sample of those
(`reading.fingerprint.sketch_of`), of which eight bands of four minima each are compared by value. Two pages that share
nine of ten sequences have a band in common with a probability of 0.9998. Everything lies in a temporary database, and
a page is compared with a few representatives of a band, so time grows with the number of pages and memory does not.
"""

from __future__ import annotations

import sqlite3
from array import array
from collections.abc import Iterator
from functools import lru_cache
from itertools import groupby
from typing import NamedTuple

import msgspec

from urlset.reading.fingerprint import hash_of

_BINS, _BANDS = 32, 8
_PER_BAND = _BINS // _BANDS
_FEWEST = 40
"""word sequences of a page that is compared; of fewer a share says little"""
_REPRESENTATIVES = 6
"""pages of one band that another is compared with: a band of a whole section must not cost its square"""
_SAMPLED_UP_TO = 1 << 32


class ContentTwin(msgspec.Struct, frozen=True):
    """Another listed page with the same main content, which is the one to keep."""

    keep: str
    alike: float = 1.0
    """share of equal word sequences"""
    pages: int = 2
    """in the group, with the one to keep"""


class PageSketch(NamedTuple):
    """What is compared of one page."""

    url: str
    same: int | None
    """equal for pages with equal main content; None where it has too little"""
    own: tuple[int, ...] = ()
    """hashes of its own word sequences, ascending"""
    whole: bool = True
    """`own` has all of them"""
    others: frozenset[int] = frozenset()
    """hashes of addresses that are meant to be alike: its language versions"""


class Duplicates:
    """Fed with every page that may be indexed; `found` is called once, at the end."""

    def __init__(self, share: float) -> None:
        self._share = share
        self._db = sqlite3.connect("")  # a temporary file
        self._db.executescript(
            "CREATE TABLE pages (id INTEGER PRIMARY KEY, url TEXT, same INTEGER, own BLOB, whole INTEGER, others BLOB);"
            "CREATE TABLE bands (key INTEGER, page INTEGER);"
        )
        self._sketch = lru_cache(maxsize=2_000)(self._read)

    def add(self, page: PageSketch) -> None:
        own = array("I", page.own).tobytes()
        others = array("q", page.others).tobytes()
        values = (page.url, page.same, own, page.whole, others)
        number = self._db.execute(
            "INSERT INTO pages (url, same, own, whole, others) VALUES (?, ?, ?, ?, ?)", values
        ).lastrowid
        if len(page.own) >= _FEWEST:
            minima = [0] * _BINS
            for each in reversed(page.own):  # the smallest of each bin is written last
                minima[each % _BINS] = each
            bands = ([band, *minima[band * _PER_BAND : (band + 1) * _PER_BAND]] for band in range(_BANDS))
            rows = [(hash_of(array("Q", band).tobytes()), number) for band in bands]
            self._db.executemany("INSERT INTO bands VALUES (?, ?)", rows)

    def found(self) -> dict[str, ContentTwin]:
        """By the URL of each page but the one to keep."""
        self._db.execute("CREATE INDEX by_content ON pages (same)")
        self._db.execute("CREATE INDEX by_band ON bands (key, page)")
        twins: dict[str, ContentTwin] = {}
        copies: set[int] = set()
        rows = self._db.execute(
            "SELECT same, id, url FROM pages WHERE same IN"
            " (SELECT same FROM pages WHERE same IS NOT NULL GROUP BY same HAVING count(*) > 1) ORDER BY same, id"
        )
        for _, same in groupby(rows, key=lambda row: row[0]):
            members = self._unrelated([(number, url) for _, number, url in same])
            if len(members) > 1:
                copies.update(number for number, _ in members[1:])
                twins.update((url, ContentTwin(members[0][1], 1.0, len(members))) for _, url in members[1:])
        for group, alike in self._near(copies):
            for number, url in group[1:]:
                twins[url] = ContentTwin(group[0][1], alike[number], len(group))
        self._db.close()
        return twins

    def _unrelated(self, group: list[tuple[int, str]]) -> list[tuple[int, str]]:
        """The one to keep first, then those that are not its language versions."""
        keep, *others = sorted(group, key=_worth)
        related, mine = self._sketch(keep[0]).others, hash_of(keep[1])
        apart = (hash_of(url) in related or mine in self._sketch(number).others for number, url in others)
        return [keep, *(page for page, is_version in zip(others, apart, strict=True) if not is_version)]

    def _near(self, copies: set[int]) -> Iterator[tuple[list[tuple[int, str]], dict[int, float]]]:
        parents: dict[int, int] = {}

        def root(number: int) -> int:
            while (above := parents.get(number, number)) != number:
                number = above
            return number

        rows = self._db.execute("SELECT key, page FROM bands ORDER BY key, page")
        for _, band in groupby(rows, key=lambda row: row[0]):
            known: list[int] = []
            for _, number in band:
                if number in copies:
                    continue
                for each in known:
                    top = root(each)
                    if top == root(number) or _alike(self._sketch(each), self._sketch(number)) >= self._share:
                        if top != root(number):
                            parents.setdefault(top, top)
                            parents[root(number)] = top
                        break
                else:
                    if len(known) < _REPRESENTATIVES:
                        known.append(number)
        groups: dict[int, list[tuple[int, str]]] = {}
        for number in parents:
            groups.setdefault(root(number), []).append((number, self._sketch(number).url))
        for top, members in groups.items():
            every = {*members, (top, self._sketch(top).url)}
            group = self._unrelated(list(every))
            keep = self._sketch(group[0][0])
            alike = {number: _alike(keep, self._sketch(number)) for number, _ in group[1:]}
            near = [group[0], *(each for each in group[1:] if alike[each[0]] >= self._share)]
            if len(near) > 1:
                yield near, alike

    def _read(self, number: int) -> PageSketch:
        row = self._db.execute("SELECT url, same, own, whole, others FROM pages WHERE id = ?", (number,)).fetchone()
        url, same, own, whole, others = row
        return PageSketch(url, same, tuple(array("I", own)), bool(whole), frozenset(array("q", others)))


def _alike(one: PageSketch, other: PageSketch) -> float:
    """The share of equal word sequences, as far as both samples reach."""
    reach = min(_reach(one), _reach(other))
    first, second = ({each for each in page.own if each <= reach} for page in (one, other))
    every = len(first | second)
    return len(first & second) / every if every >= _FEWEST // 2 else 0.0


def _reach(page: PageSketch) -> int:
    return _SAMPLED_UP_TO if page.whole or not page.own else page.own[-1]


def _worth(page: tuple[int, str]) -> tuple[bool, bool, int, int]:
    """The one to keep is without a query, secure, short, and listed first."""
    number, url = page
    return "?" in url, not url.startswith("https:"), len(url), number
