"""Entries of one file with news → the same pages, where only what is still news says so."""

from __future__ import annotations

from collections.abc import Iterable
from datetime import UTC, datetime, timedelta

from msgspec.structs import replace

from urlset.model.entry import Entry
from urlset.model.moment import Moment
from urlset.spec.protocol import MAX_NEWS_PER_SITEMAP, NEWS_MAX_AGE_DAYS


def still_news(
    entries: Iterable[Entry],
    now: datetime,
    *,
    most: int = MAX_NEWS_PER_SITEMAP,
    age: timedelta = timedelta(days=NEWS_MAX_AGE_DAYS),
) -> list[Entry]:
    """The entries in their order, each still there; those too old, or beyond the `most` newest, without news.

    A date that leaves it open whether the article is too old is taken kindly, and so is one that is missing
    or illegal: that is for the check to report. Among too many, these go first.
    """
    instant = now if now.tzinfo is not None else now.replace(tzinfo=UTC)
    kept = list(entries)
    ages: list[tuple[float, str, int]] = []
    for position, entry in enumerate(kept):
        if not entry.media.news:
            continue
        interval = Moment.parse(entry.media.news[0].publication_date or "").certain_interval()
        if interval is not None and interval[1] <= instant - age:
            kept[position] = _without_news(entry)
        else:
            ages.append((-interval[0].timestamp() if interval else float("inf"), entry.loc or "", position))
    for _, _, position in sorted(ages)[most:]:
        kept[position] = _without_news(kept[position])
    return kept


def _without_news(entry: Entry) -> Entry:
    return replace(entry, media=replace(entry.media, news=()))
