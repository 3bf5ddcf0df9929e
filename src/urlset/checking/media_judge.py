"""The images, videos, news and links of entries → signals, in pure Python: the twin of the compiled `MediaJudge`.

Most entries of a file have one of a few forms. Each field is judged for all entries of a form together, by one pattern.
"""

from __future__ import annotations

from array import array
from collections import defaultdict
from collections.abc import Iterable, Iterator, Sequence
from itertools import chain, compress, repeat
from operator import not_
from typing import NamedTuple

from urlset.checking.media_fields import ADDRESS, TEXT, Medium, Member
from urlset.checking.media_forms import Form, FormReader, resolved, without_asides
from urlset.checking.media_values import Test, are_addresses
from urlset.model.columns import Mark
from urlset.model.document import Document
from urlset.reading.forms import form_of, split
from urlset.reading.salvage import apply_edits
from urlset.spec.signals import Signal

UNUSUAL_LINKS = Signal.LINKS | Signal.LINK_CODE | Signal.LINK_HREF
ALL = (
    UNUSUAL_LINKS
    | Signal.LINK_SELF
    | Signal.CAPTIONED
    | Signal.MEDIA_MISSING
    | Signal.MEDIA_SHAPE
    | (Signal.MEDIA_ADDRESS | Signal.MEDIA_TEXT | Signal.MEDIA_DATE | Signal.MEDIA_VALUE)
)
MOST_KNOWN = 1 << 16
"""values whose judgment is kept"""
TOGETHER = 1 << 10
"""rows that are judged together"""


class RowLinks(NamedTuple):
    """What the links of an entry say, where all of them are ordinary."""

    languages: tuple[str, ...]
    """in lowercase"""
    hrefs: tuple[str, ...]


class PythonJudge:
    """Of one document."""

    def __init__(self, core: str, kinds: dict[str, int], media: tuple[Medium, ...]) -> None:
        self._reader = FormReader(core, kinds, media)
        self._known: dict[tuple[Test, str], bool] = {}

    def signals(self, document: Document, links: dict[int, RowLinks]) -> array[int]:
        """For each row; links that are ordinary are noted."""
        columns = document.columns
        found = array("Q", bytes(8 * len(columns)))
        for first in range(0, len(columns), TOGETHER):
            alike: defaultdict[bytes, _Rows] = defaultdict(lambda: _Rows(columns.locs))
            for row, mark in enumerate(columns.marks[first : first + TOGETHER], first):
                if mark & Mark.EXTENDED:
                    parts = split(_written(document, row))
                    alike[form_of(parts)].append(row, parts)
            for key, rows in alike.items():
                form = self._reader.read(key, rows.parts[0])
                if form is None:
                    rows.raise_in(found, ALL)
                else:
                    self._judge(form, rows, found)
                    self._note_links(form, rows, found, links)
        return found

    def _judge(self, form: Form, rows: _Rows, found: array[int]) -> None:
        """Sets what is found in rows of one form, except for what URLs of links raise."""
        rows.raise_in(found, form.raised)
        for member, places in form.values.items():
            columns = [rows.column(place) for place in places]
            if not self._are_ordinary(member, list(chain(*columns))):
                for column in columns:
                    rows.raise_in(found, member.raised, (not self._are_ordinary(member, [text]) for text in column))
        if len(form.differing) > 1:
            differing = rows.tuples(form.differing)
            rows.raise_in(found, Signal.MEDIA_SHAPE, (len(set(texts)) < len(texts) for texts in differing))
        for raised, test, noted in form.together:
            rows.raise_in(found, raised, map(not_, map(test, rows.tuples(noted), rows.pages)))

    def _note_links(self, form: Form, rows: _Rows, found: array[int], links: dict[int, RowLinks]) -> None:
        if not form.languages:
            return
        languages, is_usual = tuple(form.languages), not form.raised & UNUSUAL_LINKS
        are_usual = are_addresses([href for place in form.hrefs for href in rows.column(place)])
        for row, page, hrefs in zip(rows.numbers, rows.pages, rows.tuples(form.hrefs), strict=True):
            ordinary = hrefs if are_usual else tuple(href for href in hrefs if are_addresses([href]))
            if len(ordinary) < len(hrefs):
                found[row] |= Signal.LINK_HREF
            elif is_usual:
                links[row] = RowLinks(languages, hrefs)
            if page not in ordinary:
                found[row] |= Signal.LINK_SELF

    def _are_ordinary(self, member: Member, texts: Sequence[str]) -> bool:
        if member.form == ADDRESS:
            ordinary = are_addresses(texts)
        elif member.form == TEXT:
            ordinary = max(map(len, texts)) <= member.most_characters
        else:
            ordinary = member.test is not None
        return ordinary and (member.test is None or all(self._passes(member.test, text) for text in set(texts)))

    def _passes(self, test: Test, text: str) -> bool:
        """Most values of a field are met again and again."""
        known = self._known.get((test, text))
        if known is None:
            known = test(text)
            if len(self._known) < MOST_KNOWN:
                self._known[test, text] = known
        return known


class _Rows:
    """Entries of one form."""

    def __init__(self, locs: Sequence[str | None]) -> None:
        self._locs = locs
        self.numbers: list[int] = []
        self.parts: list[list[bytes]] = []

    def append(self, row: int, parts: list[bytes]) -> None:
        self.numbers.append(row)
        self.parts.append(parts)

    @property
    def pages(self) -> Iterator[str]:
        return ((self._locs[row] or "").strip() for row in self.numbers)

    def column(self, place: int) -> list[str]:
        """The values at one place of the form."""
        joined = b"\0".join([parts[place] for parts in self.parts])
        return resolved(joined.decode("utf-8", "replace")).split("\0")

    def tuples(self, places: Sequence[int]) -> Iterable[tuple[str, ...]]:
        """The values at these places, row by row."""
        return zip(*map(self.column, places), strict=True) if places else repeat((), len(self.numbers))

    def raise_in(self, found: array[int], signals: int, which: Iterable[bool] = repeat(True)) -> None:
        if signals:
            for row in compress(self.numbers, which):
                found[row] |= signals


def _written(document: Document, row: int) -> bytes:
    """An entry as it reads after repairs; nothing if tags may be among them."""
    columns, data = document.columns, document.data
    start, end = columns.starts[row], columns.ends[row]
    written = data[start:end]
    if columns.marks[row] & Mark.SALVAGED:
        edits = columns.edits.get(row, ())
        if any(not edit.place.length or not data.startswith(b"&", edit.place.offset) for edit in edits):
            return b""
        written = apply_edits(data, start, end, edits)
    return without_asides(written) if b"<!" in written or b"<?" in written else written
