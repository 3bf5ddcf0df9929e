"""Entries of one file with news → the same pages, where only what is still news says so."""

from __future__ import annotations

import re
from array import array
from bisect import bisect_right
from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from functools import lru_cache

from urlset.building.file_backed import HAS_ROW
from urlset.building.pages import EntryRun
from urlset.model.moment import Moment
from urlset.spec.protocol import MAX_NEWS_PER_SITEMAP, NEWS_MAX_AGE_DAYS
from urlset.writing.media import element_lines

_OPENING, _CLOSING = (re.escape(each.encode()) for each in element_lines("news"))
_LINES = rb"(?:(?!" + _CLOSING + rb"|      <news:publication_date>)[^\n]*+\n)*+"
_DATE = rb"(?:      <news:publication_date>([^<]*+)<[^\n]*+\n)?+"
_LAST_LINES = rb"(?:(?!" + _CLOSING + rb")[^\n]*+\n)*+" + _CLOSING
_BLOCKS = re.compile(_OPENING + _LINES + _DATE + _LAST_LINES + rb"(?:" + _OPENING + _LAST_LINES + rb")*+")
"""what one entry says about news, and the first date in it"""
_FOREIGN = b" xmlns"
"""in elements of other namespaces, in which anything may be written behind the news"""
_LONGEST_DATE = 64
_Span = tuple[int, int]


def still_news(
    parts: list[EntryRun],
    now: datetime,
    *,
    most: int = MAX_NEWS_PER_SITEMAP,
    age: timedelta = timedelta(days=NEWS_MAX_AGE_DAYS),
) -> tuple[list[EntryRun], dict[int, list[int]], bool]:
    """All entries, those too old, or beyond the `most` newest, without news.

    With the numbers of the latter by part, and whether any news are left. A date that leaves it open whether the
    article is too old is taken kindly, and so is one that is missing or illegal: that is for the check to report.
    Among too many, these go first.
    """
    oldest = (now if now.tzinfo is not None else now.replace(tzinfo=UTC)) - age
    texts = [bytes(part.entries) for part in parts]
    old: dict[int, list[_Span]] = {}
    recent: list[tuple[float, bytes, int, _Span]] = []
    for number, data in enumerate(texts):
        for date, span in _articles(data, parts[number]):
            began, ended = _interval(date)
            if ended is not None and ended <= oldest:
                old.setdefault(number, []).append(span)
            else:
                loc = data.rfind(b"<loc>", 0, span[0])
                recent.append((-began, data[loc : data.find(b"</", loc)], number, span))
    if len(recent) > most:
        recent.sort()
        for _, _, number, span in recent[most:]:
            old.setdefault(number, []).append(span)
    dropped = {}
    for number, spans in sorted(old.items()):
        parts[number], dropped[number] = _without(parts[number], texts[number], sorted(spans))
    return parts, dropped, bool(recent)


def _articles(data: bytes, part: EntryRun) -> Iterator[tuple[bytes, _Span]]:
    has_rows = HAS_ROW in part.first_seen
    for found in _BLOCKS.finditer(data):
        span = found.span()
        if not has_rows or data.find(_FOREIGN, data.rfind(b"<loc>", 0, span[0]), span[0]) < 0:
            yield found[1] or b"", span


@lru_cache(4096)
def _interval(date: bytes) -> tuple[float, datetime | None]:
    """When it begins, long ago for a date that is none, and when it has surely ended."""
    found = Moment.parse(date.decode("utf-8", "replace")).certain_interval() if len(date) < _LONGEST_DATE else None
    return (float("-inf"), None) if found is None else (found[0].timestamp(), found[1])


def _without(part: EntryRun, data: bytes, spans: list[_Span]) -> tuple[EntryRun, list[int]]:
    """The same entries without these parts of them, and the numbers of the entries that have changed."""
    pieces, entries = [], []
    ends = array("I")
    at = gone = start = number = 0
    for low, high in [*spans, (len(data) + 1, 0)]:
        number = bisect_right(part.ends, low, start)
        ends.extend([end - gone for end in part.ends[start:number]] if gone else part.ends[start:number])
        start = number
        if high:
            pieces.append(data[at:low])
            entries.append(number)
            at, gone = high, gone + high - low
    pieces.append(data[at:])
    return part._replace(entries=b"".join(pieces), ends=ends), entries
