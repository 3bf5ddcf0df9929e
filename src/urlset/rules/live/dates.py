"""Does the sitemap's lastmod agree with what the page, its header and the build ledger know?"""

from __future__ import annotations

from collections.abc import Iterator
from datetime import datetime, timedelta
from functools import lru_cache

import msgspec

from urlset.checking.declare import Bad, Good, rule
from urlset.checking.live_page import LivePage
from urlset.findings.finding import Problem
from urlset.findings.severity import Severity
from urlset.model.moment import Moment
from urlset.model.page import DateOrigin
from urlset.model.visit import State
from urlset.rules.quoting import quoted
from urlset.spec.engines import Engine
from urlset.spec.signals import PageSignal

_A = "> GET https://example.com/a\n"
_LISTED = "listed: https://example.com/a lastmod={}\n"
_SAYS = _A + '< 200\nContent-Type: text/html\n\n<meta property="article:modified_time" content="{}"><p>Words.\n'
_HEADER = _A + "< 200\nLast-Modified: {}\nContent-Type: text/html\n\n<p>Words.\n"
_PLAIN = _A + "< 200\nContent-Type: text/html\n\n<p>Words.\n"

SLACK = timedelta(days=7)
"""caches, time zones and late rebuilds explain less than this"""
_NOW = timedelta(days=1)
"""a page that claims to be changed this shortly before it was asked for was made for the asking"""
_OWN = frozenset(
    {DateOrigin.JSON_LD_MODIFIED, DateOrigin.ARTICLE_MODIFIED, DateOrigin.OG_UPDATED, DateOrigin.ITEMPROP_MODIFIED}
)


class _Evidence(msgspec.Struct, frozen=True):
    """When the page changed, according to somebody."""

    who: str
    raw: str
    start: datetime
    end: datetime
    is_strong: bool
    """says when the content changed; a header may only say when the file was copied"""


@rule(
    "A025",
    "lastmod-contradicted",
    on=LivePage,
    when=PageSignal.DATES,
    severity=Severity.WARNING,
    engines=(Engine.GOOGLE, Engine.BING),
    cites=("google-build", "google-2023", "bing-2023"),
    bad=(
        Bad(_LISTED.format("2026-10-01") + _SAYS.format("2019-03-02T10:00:00Z")),
        Bad(_LISTED.format("2026-10-01") + _HEADER.format("Sat, 02 Mar 2019 10:00:00 GMT")),
        Bad(_LISTED.format("2020-01-01") + _SAYS.format("2026-10-01T10:00:00Z")),
        Bad(f"{_LISTED.format('2026-10-01')}ledger: 2024-05-05\n{_PLAIN}"),
    ),
    good=(
        Good(_LISTED.format("2026-10-01") + _SAYS.format("2026-09-30T10:00:00Z")),
        Good(_LISTED.format("2020-01-01") + _HEADER.format("Sun, 15 Nov 2026 11:59:58 GMT")),
        Good(_LISTED.format("2020-01-01") + _HEADER.format("Thu, 01 Oct 2026 10:00:00 GMT")),
        Good(
            _LISTED.format("2026-10-01")
            + _SAYS.format("2019-03-02").replace("< 200\n", "< 200\nLast-Modified: Thu, 01 Oct 2026 09:00:00 GMT\n")
        ),
        Good(_LISTED.format("2026-10-01") + _SAYS.format("2019-03-02").replace("modified", "published")),
        Good(_LISTED.format("2026-10-01") + _SAYS.format("last week")),
        Good(_PLAIN),
    ),
)
def lastmod_contradicted(page: LivePage) -> Iterator[Problem]:
    """The lastmod of a page differs from all that is known about its last change.

    Search engines trust the dates of a sitemap only while they prove right. Evidence is what the page says of its own
    modification, the Last-Modified header, and the build ledger; a date of the very moment of asking is none, nor is
    a header newer than lastmod, as copying files renews it. Less than a week is forgiven.
    """
    listed = _meant((page.listing.lastmod or "").strip())
    if page.visit.state is not State.OK or listed is None or listed[0] > page.context.now:
        return
    evidence = list(_evidence(page))
    strong = [each for each in evidence if each.is_strong]
    if evidence and max(each.end for each in evidence) + SLACK < listed[0]:
        newest = max(evidence, key=lambda each: each.end)
        yield page.problem(f"lastmod {_said(page)} is later than any known change: {newest.who} {quoted(newest.raw)}")
    elif strong and min(each.start for each in strong) - SLACK > listed[1]:
        oldest = min(strong, key=lambda each: each.start)
        yield page.problem(f"lastmod {_said(page)} is out of date: {oldest.who} {quoted(oldest.raw)}")


@lru_cache(maxsize=4096)
def _meant(text: str) -> tuple[datetime, datetime] | None:
    """Pages share few dates."""
    return Moment.parse(text).certain_interval()


def _said(page: LivePage) -> str:
    return (page.listing.lastmod or "").strip()


def _evidence(page: LivePage) -> Iterator[_Evidence]:
    now = page.context.now
    asked = _http_or_iso(page.visit.moment) or now
    for date in page.visit.dates:
        found = _meant(date.raw.strip()) if date.origin in _OWN else None
        if found is not None and found[0] <= now and not _just_now(found, asked):
            yield _Evidence(f"{date.origin.value} says", date.raw.strip(), *found, is_strong=True)
    header = _http_or_iso(page.visit.last_modified or "")
    if header is not None and header <= now and not _just_now((header, header), asked):
        yield _Evidence("Last-Modified says", page.visit.last_modified or "", header, header, is_strong=False)
    seen = _meant((page.seen_changed or "").strip())
    if seen is not None:
        yield _Evidence("the build ledger saw its last change", page.seen_changed or "", *seen, is_strong=True)


def _just_now(found: tuple[datetime, datetime], asked: datetime) -> bool:
    return found[1] > asked - _NOW


def _http_or_iso(text: str) -> datetime | None:
    from email.utils import parsedate_to_datetime

    try:
        found = parsedate_to_datetime(text) if "," in text else datetime.fromisoformat(text)
    except ValueError:
        return None
    return found if found.tzinfo is not None else None
