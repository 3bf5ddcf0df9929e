"""The columns of a document and the clock → one integer of signals per entry, and the rows with signals."""

from __future__ import annotations

import re
import sys
from array import array
from collections.abc import Iterable, Iterator, Sequence
from datetime import datetime, timedelta
from functools import cache
from itertools import repeat
from operator import or_
from typing import TYPE_CHECKING

from urlset.model.columns import Columns, Mark
from urlset.model.document import Document, Kind
from urlset.reading import signals as reading
from urlset.spec.lazy_pattern import lazy_pattern
from urlset.spec.signals import FEED_DATE, ORDINARY_DATES, RESTFUL, RESTLESS, Signal

if TYPE_CHECKING:
    from urlset.checking.media_signals import RowLinks

_LATELY = timedelta(days=9)
"""two days more than F012 allows: time zones shift a date by up to one"""
_YEARS = timedelta(days=728)
_RAISED_BY = {Mark.IRREGULAR: Signal.IRREGULAR, Mark.DISORDERED: Signal.DISORDERED, Mark.EXTENDED: Signal.EXTENDED}
_BY_MARK = [sum(signal for bit, signal in _RAISED_BY.items() if mark & bit) for mark in range(256)]
_SILENT_MARKS = bytes(mark for mark in range(256) if not _BY_MARK[mark])
_REGULAR = bytes(mark for mark in range(256) if not mark & Mark.IRREGULAR)
_RAISED = re.compile(rb"[^\0]")
_LINK_TAG = lazy_pattern(rb"(?i:link)\s")
_PLANES = range(8) if sys.byteorder == "little" else range(7, -1, -1)


class MediaNotes:
    """What was noted of media while their signals were computed."""

    def __init__(self) -> None:
        self.links: dict[int, RowLinks] = {}
        """by row, for entries with ordinary links"""
        self.image_hosts: dict[bytes, int] | None = None
        """how many images each host has; None where not each address is ordinary"""
        self.repeated: set[str] | None = None
        """fields of videos in which a value occurs twice, or may; None where not each is ordinary"""


def signals_of(document: Document, now: datetime, notes: MediaNotes) -> array[int]:
    """The signals of all rows: of URL, fields, structure, and extensions."""
    columns = document.columns
    known = columns.signals
    if len(known) < len(columns):
        known.extend(reading.batch(columns.locs[len(known) :] if known else columns.locs))
    for row in rows_with(known, Signal.UNKNOWN):
        known[row] = reading.loc_signals(columns.loc(row)) | Signal.OTHER_HEAD  # checked separately
    found = known
    every = [*_of_fields(document, now), *_of_structure(document)]
    if columns.extended:
        from urlset.checking.media_signals import media_signals  # imports all languages, regions, and fields

        every.append(media_signals(document, now, notes))
    for raised in every:
        found = array("Q", map(or_, found, raised))
    return found


@cache
def _only(wanted: int) -> bytes:
    return bytes(map(wanted.__and__, range(256)))


def rows_with(signals: array[int], mask: int) -> Sequence[int]:
    """The rows that raise any of the signals, found byte by byte in the integers instead of row by row."""
    written = signals.tobytes()
    rows: list[int] = []
    for number, plane in enumerate(_PLANES):
        wanted = mask >> 8 * number & 255
        if not wanted:
            continue
        raised = written[plane::8].translate(_only(wanted))
        if len(raised) != raised.count(0):
            rows += [match.start() for match in _RAISED.finditer(raised)]
    return sorted(set(rows))


def _of_structure(document: Document) -> Iterator[Iterable[int]]:
    columns = document.columns
    if columns.marks.translate(None, _SILENT_MARKS):
        yield map(_BY_MARK.__getitem__, columns.marks)
    if columns.marks.translate(None, _REGULAR):
        data, starts, ends = document.data, columns.starts, columns.ends
        yield (
            Signal.ODD_LINK if mark & Mark.IRREGULAR and _LINK_TAG.search(data, starts[row], ends[row]) else 0
            for row, mark in enumerate(columns.marks)
        )


def _of_fields(document: Document, now: datetime) -> Iterator[Iterable[int]]:
    """For each field with a text that raises something: the signals by row. Each text is checked once."""
    columns, yesterday, this_year = document.columns, f"{now - timedelta(days=1):%Y-%m-%d}", f"{now:%Y}"
    in_index = Signal.IRREGULAR if document.kind.lists_sitemaps else 0

    def lastmod(text: str | None) -> int:
        if text is not None and document.kind is Kind.RSS:
            feed_date = FEED_DATE.fullmatch(text)
            if feed_date is not None and feed_date[1] < this_year:
                return 0
        found = reading.lastmod_signals(text)
        if text is not None and not found & Signal.ODD_DATE and text[:10] > yesterday and _is_ahead(text, now):
            found |= Signal.FUTURE_DATE
        return found

    def hint(text: str | None, found: int) -> int:
        return found if text is None else found | in_index

    dates: dict[str | None, int] = {
        text: found for text in _unusual_dates(columns, yesterday) if (found := lastmod(text))
    }
    if dates:
        yield map(dates.get, columns.lastmods, repeat(0))
    words = {text: hint(text, reading.changefreq_signals(text)) for text in columns.different("changefreqs")}
    if any(words.values()):
        yield map(words.__getitem__, columns.changefreqs)
    yield from _at_odds(columns, now)
    numbers = {text: hint(text, reading.priority_signals(text)) for text in columns.different("priorities")}
    if any(numbers.values()):
        yield map(numbers.__getitem__, columns.priorities)


def _unusual_dates(columns: Columns, yesterday: str) -> Iterable[str]:
    """The different dates that are not ordinary, or may be after yesterday; all others are passed over in bulk."""
    texts = {text for text in columns.different("lastmods") if text is not None}
    joined = "\0".join(("", *texts))
    if joined.count("\0") != len(texts):
        return texts
    odd = ORDINARY_DATES.sub("", joined).split("\0")[1:]
    last = yesterday + chr(sys.maxunicode)
    return [*odd, *(text for text in texts if text > last)] if max(texts, default="") > last else odd


def _is_ahead(text: str, now: datetime) -> bool:
    """Whether an ordinary date may be after the present moment."""
    if len(text) == len("2026-11-16"):
        return text > f"{now:%Y-%m-%d}"
    return datetime.fromisoformat(text) > now


def _at_odds(columns: Columns, now: datetime) -> Iterator[Iterable[int]]:
    """Frequencies that contradict their dates, or may contradict them."""
    words = {text: (text or "").strip().lower() for text in columns.different("changefreqs")}
    restless = {text for text, word in words.items() if word in RESTLESS}
    restful = {text for text, word in words.items() if word == RESTFUL}
    if not restless and not restful:
        return
    old, recent = f"{now - _YEARS:%Y-%m-%d}", f"{now - _LATELY:%Y-%m-%d}"
    dates = [text for text in columns.different("lastmods") if text is not None]
    odd = {text for text in dates if reading.lastmod_signals(text) & Signal.ODD_DATE}
    years_ago = odd | {text for text in dates if text[:10] <= old}
    lately = odd | {text for text in dates if text[:10] >= recent}
    if (restless and years_ago) or (restful and lately):
        yield [
            Signal.AT_ODDS
            if (changefreq in restless and lastmod in years_ago) or (changefreq in restful and lastmod in lately)
            else 0
            for changefreq, lastmod in zip(columns.changefreqs, columns.lastmods, strict=True)
        ]
