"""Recalled rows with translations → those that are read again, because a translation changed.

For a user who builds from a table with translations in which little changed: 200,000 rows in three languages, 1.8 s of
CPU against 0.6. What is written about a page depends on all rows that name it, so a row is only noted for the next
build if its set is closed: each of its rows says all lines of the set, and each page that they name is listed with just
these lines. Nothing changes for a closed set as long as each of its pages comes again as it was or says the same
translations, and no other row names one of them. Otherwise the recalled pages of the set are taken back: what their
rows said is read from the published files.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from itertools import chain, groupby
from operator import itemgetter
from typing import TYPE_CHECKING

import msgspec

from urlset.building.alternates import Alternates
from urlset.building.known_pages import KnownPages
from urlset.building.pages import ENTRY
from urlset.building.row_memory import RowFile
from urlset.reading.around import unescaped
from urlset.writing.urlset import mask_of

if TYPE_CHECKING:
    from urlset.building.compiled_pages import PackedRow, PageIndex

_LINK = re.compile(rb'    <xhtml:link rel="alternate" hreflang="([^"]*+)" href="([^"]*+)"/>\n')
_DEFAULT = b"x-default"
_CLOSING = b"  </url>\n"
_MARKS = {b"    <image:": "image", b"    <video:": "video", b"    <news:": "news"}
_NO_LINES = 0
"""in place of a hash"""
_ENCODE = msgspec.json.Encoder().encode

Other = tuple[bytes, int, tuple[str, ...]]
"""a row that was read: its address, the number of what it says or -1, and what else it names"""


class RecalledLinks:
    """Of one build."""

    def __init__(self, index: PageIndex, known: KnownPages, alternates: Alternates, rows: RowFile) -> None:
        self._index, self._known, self._alternates, self._rows = index, known, alternates, rows

    def take_back(self, others: Iterable[Other]) -> Iterator[tuple[PackedRow, int]]:
        """The recalled rows that have to be written again, each with the number of what it says, see `Alternates`."""
        spelled = self._rows.languages | self._alternates.languages
        if len(spelled) > len({name.lower() for name in spelled}):
            members = set(self._index.with_links(kept=True))
            self._rows.languages = frozenset()
        else:
            members = set(self._members(self._touched(others)))
        for number, section, entry in self._known.entries_of(members):
            self._index.take_back(number)
            yield self._said_by(section, entry)

    def _touched(self, others: Iterable[Other]) -> set[int]:
        """Known pages that do not say what they said, and those that are named by a row which says something else."""
        touched, same = set[int](), set[int]()
        for piece, rows in groupby(others, key=itemgetter(1)):
            members = {href.encode() for href in self._alternates.members(piece)} if piece >= 0 else set[bytes]()
            lines = self._index.hash_of(self._alternates.own_lines(piece)) if piece >= 0 else _NO_LINES
            touched.update(self._others_than(lines, members))
            for loc, _, named in rows:
                # a page that does not name itself adds itself to the set, if its language is known
                own = lines if loc in members else _NO_LINES
                if own == _NO_LINES:
                    touched.update(self._others_than(own, chain(members, (href.encode() for href in named))))
                if page := self._index.linked(loc):
                    (same if page[1] == own else touched).add(page[0])
        return touched.union(set(self._index.with_links(kept=False)) - same)

    def _others_than(self, lines: int, locs: Iterable[bytes]) -> Iterator[int]:
        """Known pages that say other translations."""
        return (page[0] for loc in locs if (page := self._index.linked(loc)) and page[1] != lines)

    def _members(self, touched: Iterable[int]) -> Iterator[int]:
        """The recalled pages that they name, and those of them that were recalled."""
        done = set[bytes]()
        for _, _, entry in self._known.entries_of(touched):
            loc, links = entry.partition(b"</loc>")[0].partition(b"<loc>")[2], dict(_LINK.findall(entry))
            links.pop(_DEFAULT, None)
            for href in {loc, *links.values()} - done:
                done.add(href)
                if (page := self._index.linked(unescaped(href).encode())) and page[2]:
                    yield page[0]

    def _said_by(self, section: int, entry: bytes) -> tuple[PackedRow, int]:
        """What a row said that gave this entry."""
        parts = ENTRY.match(entry)
        assert parts is not None
        loc, day = unescaped(parts[1]), parts[3] or b""
        links = {unescaped(name): unescaped(href) for name, href in _LINK.findall(parts[2])}
        rest = _LINK.sub(b"", parts[2].removesuffix(_CLOSING))
        rest = rest.partition(b"</lastmod>\n")[2] if day else rest
        extensions = ("xhtml", *(name for mark, name in _MARKS.items() if mark in rest))
        packed = (loc.encode(), day, rest, section, mask_of(extensions), int("&" in loc or "'" in loc))
        return packed, self._alternates.add_links(loc, _ENCODE(links))
