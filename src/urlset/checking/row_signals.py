"""The columns of a document and the clock → one integer of signals per entry, and the rows with signals."""

from __future__ import annotations

import re
import sys
from array import array
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from datetime import datetime, timedelta
from functools import cache, reduce
from itertools import repeat
from operator import or_
from typing import NamedTuple

from urlset.model.columns import Columns, Mark
from urlset.model.document import Document, Kind
from urlset.reading import signals as reading
from urlset.reading.limits import is_compiled
from urlset.spec.lazy_pattern import lazy_pattern
from urlset.spec.signals import RESTFUL, RESTLESS, Signal, feed_dates_before

_LATELY = timedelta(days=9)
"""two days more than F012 allows: time zones shift a date by up to one"""
_YEARS = timedelta(days=728)
_RAISED_BY = {Mark.IRREGULAR: Signal.IRREGULAR, Mark.DISORDERED: Signal.DISORDERED, Mark.EXTENDED: Signal.EXTENDED}
_PLANE = 5
"""which byte of a signal has what marks raise"""
_BY_MARK = bytes(sum(signal >> 8 * _PLANE for bit, signal in _RAISED_BY.items() if mark & bit) for mark in range(256))
_SILENT_MARKS = bytes(mark for mark in range(256) if not _BY_MARK[mark])
_REGULAR = bytes(mark for mark in range(256) if not mark & Mark.IRREGULAR)
_RAISED = re.compile(rb"[^\0]")
_LINK_TAG = lazy_pattern(rb"(?i:link)\s")
_PLANES = range(8) if sys.byteorder == "little" else range(7, -1, -1)


class DateSummary(NamedTuple):
    """Of the dates of a file, many of them different, in one pass."""

    unusual: list[str]
    """those that may be odd, or after yesterday"""
    days: dict[str, int]
    """the first ten characters of trimmed dates, and how many begin with them"""


def summarize_dates(counts: Counter[str | None], now: datetime) -> DateSummary:
    if is_compiled():
        from urlset.reading.compiled import summarized_dates

        return DateSummary(*summarized_dates(counts, _yesterday(now)))
    days: Counter[str] = Counter()
    for text, count in counts.items():
        if day := (text or "").strip()[:10]:
            days[day] += count
    return DateSummary([text for text in counts if text is not None], days)


def _yesterday(now: datetime) -> str:
    return f"{now - timedelta(days=1):%Y-%m-%d}"


def signals_of(
    document: Document, now: datetime, notes: reading.MediaNotes, unusual_dates: Sequence[str]
) -> array[int]:
    """The signals of all rows: of URL, fields, structure, and extensions."""
    columns = document.columns
    known = columns.signals
    if len(known) < len(columns):
        known.extend(reading.batch(columns.locs[len(known) :] if known else columns.locs))
    for row in rows_with(known, Signal.UNKNOWN):
        known[row] = reading.loc_signals(columns.loc(row)) | Signal.OTHER_HEAD  # checked separately
    every = [known, *_of_fields(document, now, unusual_dates), *_of_structure(document)]
    if columns.extended:
        from urlset.checking.media_signals import media_signals  # imports all languages, regions, and fields

        every.append(media_signals(document, now, notes))
    if len(every) == 1:
        return known
    # each column as one large integer, which is quicker than row by row
    written = [(each if isinstance(each, array) else array("Q", each)).tobytes() for each in every]
    joined = reduce(or_, [int.from_bytes(each, sys.byteorder) for each in written])
    return array("Q", joined.to_bytes(8 * len(columns), sys.byteorder))


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
        raised = bytearray(8 * len(columns))
        raised[_PLANES[_PLANE] :: 8] = columns.marks.translate(_BY_MARK)
        yield array("Q", bytes(raised))
    if columns.marks.translate(None, _REGULAR):
        data, starts, ends = document.data, columns.starts, columns.ends
        yield (
            Signal.ODD_LINK if mark & Mark.IRREGULAR and _LINK_TAG.search(data, starts[row], ends[row]) else 0
            for row, mark in enumerate(columns.marks)
        )


def _of_fields(document: Document, now: datetime, unusual_dates: Sequence[str]) -> Iterator[Iterable[int]]:
    """For each field with a text that raises something: the signals by row. Each text is checked once."""
    columns, yesterday = document.columns, _yesterday(now)
    if document.kind is Kind.RSS:
        unusual_dates = _without_dates_of_feeds(unusual_dates, now)
    in_index = Signal.IRREGULAR if document.kind.lists_sitemaps else 0

    def lastmod(text: str | None) -> int:
        found = reading.lastmod_signals(text)
        if text is not None and not found & Signal.ODD_DATE and text[:10] > yesterday and _is_ahead(text, now):
            found |= Signal.FUTURE_DATE
        return found

    def hint(text: str | None, found: int) -> int:
        return found if text is None else found | in_index

    dates: dict[str | None, int] = {text: found for text in unusual_dates if (found := lastmod(text))}
    if dates:
        yield map(dates.get, columns.lastmods, repeat(0))
    words = {text: hint(text, reading.changefreq_signals(text)) for text in columns.different("changefreqs")}
    if any(words.values()):
        yield map(words.__getitem__, columns.changefreqs)
    yield from _at_odds(columns, now)
    numbers = {text: hint(text, reading.priority_signals(text)) for text in columns.different("priorities")}
    if any(numbers.values()):
        yield map(numbers.__getitem__, columns.priorities)


def _without_dates_of_feeds(texts: Sequence[str], now: datetime) -> Sequence[str]:
    joined = "\0".join(("", *texts))
    if joined.count("\0") != len(texts):
        return texts
    return feed_dates_before(now.year).sub("", joined).split("\0")[1:]


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
