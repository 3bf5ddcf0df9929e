"""Listed pages → an Atom or RSS feed of the ones that changed last, which engines also accept as a sitemap.

A page without a date is in no feed. The title of an item is its address, the only thing that is known of every page.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from datetime import UTC, datetime
from functools import lru_cache
from heapq import nlargest
from typing import NamedTuple

from urlset.building.manifest import url_of
from urlset.model.entry import Entry
from urlset.model.moment import Moment
from urlset.writing.xml import DECLARATION, attribute_list, escaped

MOST_ITEMS = 200
NAMES = {"atom": "sitemap.atom", "rss": "sitemap.rss"}
_DAYS = ("Mon", "Tue", "Wed", "Thu", "Fri", "Sat", "Sun")
_MONTHS = ("Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec")


class Item(NamedTuple):
    changed: datetime
    loc: str


def newest(entries: Iterable[Entry], now: datetime, most: int = MOST_ITEMS) -> list[Item]:
    """The latest first, and those of one moment by address; dates in the future do not count."""
    found = (Item(changed, entry.loc) for entry in entries if entry.loc and (changed := _changed(entry.lastmod)))
    return nlargest(most, (item for item in found if item.changed <= now), key=lambda item: (item.changed, item.loc))


def feed(kind: str, items: Iterable[Item], base_url: str) -> Iterator[bytes]:
    """The bytes of the file; equal items give equal bytes."""
    listed = list(items)
    lines = _atom(listed, base_url) if kind == "atom" else _rss(listed, base_url)
    return (line.encode() for line in (DECLARATION, *lines))


def _atom(items: list[Item], base_url: str) -> Iterator[str]:
    self_link = attribute_list([("rel", "self"), ("href", url_of(base_url, NAMES["atom"]))])
    updated = items[0].changed if items else datetime(1970, 1, 1, tzinfo=UTC)
    yield '<feed xmlns="http://www.w3.org/2005/Atom">\n'
    yield f"  <title>Changes on {escaped(base_url)}</title>\n  <id>{escaped(base_url)}</id>\n"
    yield f"  <link{self_link}/>\n  <updated>{_rfc3339(updated)}</updated>\n"
    yield f"  <author><name>{escaped(base_url)}</name></author>\n"
    for changed, loc in items:
        text = escaped(loc)
        link = attribute_list([("href", loc)])
        yield f"  <entry>\n    <title>{text}</title>\n    <id>{text}</id>\n    <link{link}/>\n"
        yield f"    <updated>{_rfc3339(changed)}</updated>\n  </entry>\n"
    yield "</feed>\n"


def _rss(items: list[Item], base_url: str) -> Iterator[str]:
    base = escaped(base_url)
    yield '<rss version="2.0">\n  <channel>\n'
    yield f"    <title>Changes on {base}</title>\n    <link>{base}</link>\n"
    yield f"    <description>Pages of {base} that changed last</description>\n"
    for changed, loc in items:
        text = escaped(loc)
        yield f'    <item>\n      <title>{text}</title>\n      <link>{text}</link>\n      <guid isPermaLink="true">'
        yield f"{text}</guid>\n      <pubDate>{_rfc822(changed)}</pubDate>\n    </item>\n"
    yield "  </channel>\n</rss>\n"


@lru_cache(4096)
def _changed(lastmod: str | None) -> datetime | None:
    """A day counts from its beginning."""
    interval = Moment.parse(lastmod).interval() if lastmod else None
    return None if interval is None else interval[0].astimezone(UTC)


def _rfc3339(moment: datetime) -> str:
    return moment.strftime("%Y-%m-%dT%H:%M:%SZ")


def _rfc822(moment: datetime) -> str:
    """Not by strftime, whose names follow the locale."""
    day, month = _DAYS[moment.weekday()], _MONTHS[moment.month - 1]
    return f"{day}, {moment.day:02} {month} {moment.year} {moment:%H:%M:%S} GMT"
