"""A page → its bytes in a file; files → the bytes of their index; old articles → pages without news tags."""

from __future__ import annotations

from array import array
from bisect import bisect_right
from collections.abc import Iterable, Iterator, Sequence
from datetime import UTC, datetime, timedelta
from functools import cache, lru_cache, partial
from operator import itemgetter
from typing import NamedTuple

from urlset.building.file_backed import HAS_ROW
from urlset.building.manifest import PublishedFile, url_of
from urlset.building.pages import EntryRun
from urlset.building.shards import FileForm
from urlset.model.entry import Entry, IndexEntry
from urlset.model.moment import Moment
from urlset.spec.lazy_pattern import lazy_pattern
from urlset.spec.protocol import MAX_NEWS_PER_SITEMAP, NEWS_MAX_AGE_DAYS
from urlset.writing.media import element_lines
from urlset.writing.urlset import entry_bytes, line_bytes, write_index

_ZONE_OF = itemgetter(slice(19, None))


def written(entry: Entry, form: FileForm = FileForm.XML, links: bytes = b"") -> bytes:
    """What the entry adds to a file, with `links` as in `entry_bytes`; raises `Unwritable` when no file can hold it."""
    return line_bytes(entry.loc or "") if form is FileForm.TEXT else entry_bytes(entry, links)


def render_index(files: Sequence[PublishedFile], base_url: str) -> Iterator[bytes]:
    """The index of files that live beside it, each with the newest date inside or with none."""
    return write_index(IndexEntry(url_of(base_url, file.name), file.newest) for file in files)


def newest_of(lastmods: Iterable[str | None]) -> str | None:
    """The text of the latest date; illegal ones do not count.

    Where two overlap, as a day and an hour of it, the one that begins later is taken.
    """
    # Texts of one length and zone sort by time as they sort by letter: only the last of each kind is read.
    texts = set(filter(None, lastmods))
    kinds: dict[tuple[int, str], set[str]] = {}
    if len(set(map(len, texts))) == len(set(map(_ZONE_OF, texts))) == 1:
        kinds[0, ""] = texts
    else:
        for text in texts:
            kinds.setdefault((len(text), text[-6:] if len(text) > 10 and text[-1] != "Z" else ""), set()).add(text)
    latest = (_latest(each) for each in kinds.values())
    return max(
        (each for each in latest if each is not None), key=lambda text: (_when(text) or (0.0, 0.0), text), default=None
    )


def _latest(texts: set[str]) -> str | None:
    last = max(texts)
    if _when(last) is not None:
        return last
    return next((text for text in sorted(texts, reverse=True) if _when(text) is not None), None)


def _when(text: str) -> tuple[float, float] | None:
    moment = Moment.parse(text)
    interval = moment.interval() if moment.w3c_valid and not moment.padded else None
    return None if interval is None else (interval[0].timestamp(), -interval[1].timestamp())


# Entries of one file with news → the same pages, where only what is still news says so.

_OPENING, _CLOSING = (each.encode() for each in element_lines("news"))
_ENDS, _DATED = b"\n" + _CLOSING, b"\n      <news:publication_date>"
_FOREIGN = b" xmlns"
"""in elements of other namespaces, in which anything may be written behind the news"""
_LONGEST_DATE = 64
_USUAL_DATE = lazy_pattern(
    rb"(\d{4}-\d\d-\d\d)(?:T(?:[01]\d|2[0-3]):[0-5]\d(?::[0-5]\d(?:\.\d{1,6})?)?(?:Z|[+-](?:0\d|1[0-3]):[0-5]\d))?"
)
NEWS_AGE = timedelta(days=NEWS_MAX_AGE_DAYS)
_Span = tuple[int, int]


class StillNews(NamedTuple):
    """All entries, those too old, or beyond as many of the newest as a sitemap may have, without news."""

    parts: list[EntryRun]
    dropped: dict[int, list[int]]
    """the numbers of the latter by part"""
    ends: datetime | None
    """of the dates of what is left the earliest end, far ahead for articles without a date; None for no articles"""
    are_too_many: bool


def still_news(parts: list[EntryRun], now: datetime) -> StillNews:
    """What is left of news.

    A date that leaves it open whether the
    article is too old is taken kindly, and so is one that is missing or illegal: that is for the check to report.
    Among too many, these go first.
    """
    oldest = (now if now.tzinfo is not None else now.replace(tzinfo=UTC)) - NEWS_AGE
    is_old = cache(partial(_ended_before, oldest - timedelta(days=1)))  # wherever on Earth it was that day
    texts = [bytes(part.load()) for part in parts]
    old: dict[int, list[_Span]] = {}
    recent: list[tuple[float, bytes, int, _Span]] = []
    ends = datetime.max.replace(tzinfo=UTC)
    for number, data in enumerate(texts):
        for date, span in _articles(data, parts[number]):
            if (usual := _USUAL_DATE.fullmatch(date)) is not None and is_old(usual[1]):
                old.setdefault(number, []).append(span)
                continue
            began, ended = _interval(date)
            if ended is not None and ended <= oldest:
                old.setdefault(number, []).append(span)
            else:
                loc = data.rfind(b"<loc>", 0, span[0])
                recent.append((-began, data[loc : data.find(b"</", loc)], number, span))
                ends = min(ends, ended or ends)
    if len(recent) > MAX_NEWS_PER_SITEMAP:
        recent.sort()
        for _, _, number, span in recent[MAX_NEWS_PER_SITEMAP:]:
            old.setdefault(number, []).append(span)
    dropped = {}
    for number, spans in sorted(old.items()):
        parts[number], dropped[number] = _without(parts[number], texts[number], sorted(spans))
    return StillNews(parts, dropped, ends if recent else None, len(recent) > MAX_NEWS_PER_SITEMAP)


def _articles(data: bytes, part: EntryRun) -> Iterator[tuple[bytes, _Span]]:
    """What each entry says about news: the first date in it, and where it is."""
    has_rows = HAS_ROW in part.first_seen
    at = data.find(_OPENING)
    while at >= 0 and (end := data.find(_ENDS, at)) >= 0:
        dated = data.find(_DATED, at, end)
        date = data[dated + len(_DATED) : data.find(b"<", dated + len(_DATED))] if dated >= 0 else b""
        while data.startswith(_OPENING, end + len(_ENDS)) and (more := data.find(_ENDS, end + len(_ENDS))) >= 0:
            end = more
        end += len(_ENDS)
        if not has_rows or data.find(_FOREIGN, data.rfind(b"<loc>", 0, at), at) < 0:
            yield date, (at, end)
        at = data.find(_OPENING, end)


def _ended_before(moment: datetime, day: bytes) -> bool:
    """Articles have many times, but few days."""
    ended = _interval(day)[1]
    return ended is not None and ended <= moment


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
