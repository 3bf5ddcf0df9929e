"""Does lastmod match the page, its headers, and the build ledger?"""

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
"""caches, time zones, and late rebuilds explain smaller differences"""
_NOW = timedelta(days=1)
"""a modification date this close to the request was generated for the request"""
_OWN = frozenset(
    {DateOrigin.JSON_LD_MODIFIED, DateOrigin.ARTICLE_MODIFIED, DateOrigin.OG_UPDATED, DateOrigin.ITEMPROP_MODIFIED}
)


class _Evidence(msgspec.Struct, frozen=True):
    """The modification date of the page from one source."""

    who: str
    raw: str
    start: datetime
    end: datetime
    is_strong: bool
    """the date of a content change; a header may only be the date of a file copy"""


@rule(
    "A025",
    "lastmod-contradicted",
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
    """The lastmod of a page differs from all other evidence of its last change.

    Search engines trust the dates in a sitemap only if they are accurate. Evidence is the modification date on the
    page, the Last-Modified header, and the build ledger. A date generated at the time of the request does not count,
    nor does a header newer than lastmod, because copying a file renews it. Differences of less than a week are
    ignored.
    """
    listed = _meant((page.listing.lastmod or "").strip())
    if page.visit.state is not State.OK or listed is None or listed[0] > page.context.now:
        return
    evidence = list(_evidence(page))
    strong = [each for each in evidence if each.is_strong]
    if evidence and max(each.end for each in evidence) + SLACK < listed[0]:
        newest = max(evidence, key=lambda each: each.end)
        yield page.problem(
            f"lastmod {_said(page)} is later than the last known change ({newest.who} {quoted(newest.raw)}); "
            "use the date of the last change"
        )
    elif strong and min(each.start for each in strong) - SLACK > listed[1]:
        oldest = min(strong, key=lambda each: each.start)
        yield page.problem(f"lastmod {_said(page)} is out of date ({oldest.who} {quoted(oldest.raw)}); update it")


@lru_cache(maxsize=4096)
def _meant(text: str) -> tuple[datetime, datetime] | None:
    """Cached because pages share few dates."""
    return Moment.parse(text).certain_interval()


def _said(page: LivePage) -> str:
    return (page.listing.lastmod or "").strip()


def _evidence(page: LivePage) -> Iterator[_Evidence]:
    now = page.context.now
    asked = _http_or_iso(page.visit.moment) or now
    for date in page.visit.dates:
        found = _meant(date.raw.strip()) if date.origin in _OWN else None
        if found is not None and found[0] <= now and not _just_now(found, asked):
            yield _Evidence(f"{date.origin.value}:", date.raw.strip(), *found, is_strong=True)
    header = _http_or_iso(page.visit.last_modified or "")
    if header is not None and header <= now and not _just_now((header, header), asked):
        yield _Evidence("Last-Modified:", page.visit.last_modified or "", header, header, is_strong=False)
    seen = _meant((page.seen_changed or "").strip())
    if seen is not None:
        yield _Evidence("build ledger:", page.seen_changed or "", *seen, is_strong=True)


def _just_now(found: tuple[datetime, datetime], asked: datetime) -> bool:
    return found[1] > asked - _NOW


def _http_or_iso(text: str) -> datetime | None:
    from email.utils import parsedate_to_datetime

    try:
        found = parsedate_to_datetime(text) if "," in text else datetime.fromisoformat(text)
    except ValueError:
        return None
    return found if found.tzinfo is not None else None
