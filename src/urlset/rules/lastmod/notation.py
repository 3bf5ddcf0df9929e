"""Is lastmod in one of the six W3C date forms, and does the day exist?"""

from __future__ import annotations

from collections.abc import Iterator

from urlset.model.moment import Fault
from urlset.rules import Bad, Kind, ListedPage, Problem, Severity, Signal, rule
from urlset.rules.lastmod.faults import misspelt, wrong_weekday
from urlset.rules.quoting import quoted

_FEED = (
    '<rss version="2.0"><channel><item><link>https://example.com/</link><pubDate>{}</pubDate></item></channel></rss>'
)


@rule(
    "D001",
    "lastmod-not-w3c-date",
    when=Signal.DATE_NOTATION,
    kinds=(Kind.URLSET,),
    severity=Severity.ERROR,
    cites=("sitemaps-protocol", "w3c-datetime", "google-large", "gsc-report"),
    bad=(
        Bad("<lastmod>«2026/11/15»</lastmod>", fixed="<lastmod>2026-11-15</lastmod>"),
        Bad("<lastmod>2026-«7»-4</lastmod>", fixed="<lastmod>2026-07-04</lastmod>"),
        Bad(
            "<lastmod>2026-11-15T10:00:00« »UTC</lastmod>",
            fixed="<lastmod>2026-11-15T10:00:00Z</lastmod>",
        ),
        Bad(
            "<lastmod>2026-11-15T10:00:00+01:00«[Europe/Berlin]»</lastmod>",
            fixed="<lastmod>2026-11-15T10:00:00+01:00</lastmod>",
        ),
        Bad(
            "<lastmod>2026-11-15T10:00:00«,»5Z</lastmod>",
            fixed="<lastmod>2026-11-15T10:00:00.5Z</lastmod>",
        ),
        "<lastmod>«15/11/2026»</lastmod>",
        "<lastmod>2026-11-15T10:00:00«CET»</lastmod>",
        "<lastmod>«2026-11-»</lastmod>",
    ),
    good=(
        "<lastmod>2026-11-15</lastmod>",
        "<lastmod>2026-11-15T10:00Z</lastmod>",
        "<lastmod>2026-11-15T10:00:00.123456+05:30</lastmod>",
        "<lastmod>\n      2026-11-15\n    </lastmod>",
        "<lastmod><![CDATA[2026-11-15]]></lastmod>",
    ),
)
def lastmod_not_w3c_date(listed: ListedPage) -> Iterator[Problem]:
    """lastmod is not in W3C date format.

    The protocol uses the W3C date format: year, month, and day in this order, joined by hyphens, optionally
    followed by T, a time, and its UTC offset. Search engines report other dates as invalid and treat the URL
    as if it had no lastmod.
    """
    yield from misspelt("D001", listed)


@rule(
    "D002",
    "impossible-lastmod",
    when=Signal.DATE_CALENDAR,
    kinds=(Kind.URLSET,),
    severity=Severity.ERROR,
    cites=("w3c-datetime", "xsd-tested"),
    bad=(
        "<lastmod>«2026-02-30»</lastmod>",
        "<lastmod>«0000-00-00»</lastmod>",
        "<lastmod>2026-11-15T«25:00:00»Z</lastmod>",
        "<lastmod>«2025-02-29»T10:00:00Z</lastmod>",
    ),
    good=("<lastmod>2024-02-29</lastmod>", "<lastmod>2026-11-15T23:59:59Z</lastmod>"),
)
def impossible_lastmod(listed: ListedPage) -> Iterator[Problem]:
    """lastmod is a day or a time that does not exist.

    Month 13, February 30, and hour 25 are typos or empty database fields. Only the author knows the intended
    date, so crawlers ignore it.
    """
    yield from misspelt("D002", listed)


@rule(
    "D021",
    "lastmod-in-foreign-notation",
    when=Signal.DATE_NOTATION | Signal.DATE_ZONE | Signal.DATE_TIME | Signal.DATE_CALENDAR,
    kinds=(Kind.URLSET, Kind.RSS),
    severity=Severity.ERROR,
    cites=("w3c-datetime", "xsd-tested"),
    bad=(
        Bad(
            "<lastmod>«Sun, 15 Nov 2026 10:00:00 GMT»</lastmod>",
            fixed="<lastmod>2026-11-15T10:00:00Z</lastmod>",
        ),
        Bad("<lastmod>«1763200800»</lastmod>", fixed="<lastmod>2025-11-15T10:00:00Z</lastmod>"),
        Bad("<lastmod>«20261115»</lastmod>", fixed="<lastmod>2026-11-15</lastmod>"),
        Bad("<lastmod>«2026-W46-7»</lastmod>", fixed="<lastmod>2026-11-15</lastmod>"),
        Bad("<lastmod>«20261115T100000»</lastmod>", fixed="<lastmod>2026-11-15T10:00:00Z</lastmod>"),
        "<lastmod>«2026-W46»</lastmod>",
        "<lastmod>«15-11-26»</lastmod>",
        Bad("<lastmod>«November 15, 2026»</lastmod>", fixed="<lastmod>2026-11-15</lastmod>"),
        Bad("<lastmod>«15. Nov 2026»</lastmod>", fixed="<lastmod>2026-11-15</lastmod>"),
        "<lastmod>«15. Dezember 2026»</lastmod>",
        "<lastmod>«Mon, 15 Nov 2026 10:00:00 GMT»</lastmod>",
        "<lastmod>«yesterday»</lastmod>",
        _FEED.format("«Sun, 15 Nov 26 10:00:00 GMT»"),
        _FEED.format("«2026-11-15 10:00:00»"),
        _FEED.format("«Mon, 15 Nov 2026 10:00:00 GMT»"),
    ),
    good=(
        "<lastmod>2026-11-15</lastmod>",
        _FEED.format("2026-11-15T10:00:00Z"),
        _FEED.format("Sun, 15 Nov 2026 10:00:00 GMT"),
    ),
)
def lastmod_in_foreign_notation(listed: ListedPage) -> Iterator[Problem]:
    """lastmod is a timestamp, an email date, or contains words.

    The date is in a notation that sitemap parsers do not support: Unix timestamps, email and RSS dates,
    ISO 8601 without punctuation, week dates, ordinal dates, and month names. In feeds, email dates are
    correct. Two-digit years are also legal there, but parsers disagree about the century.
    """
    if listed.document.kind is Kind.RSS:
        yield from _in_feed(listed)
    else:
        yield from misspelt("D021", listed)


def _in_feed(listed: ListedPage) -> Iterator[Problem]:
    moment = listed.moment
    if moment is None or not moment.text or moment.w3c_valid:
        return
    weekday = wrong_weekday(moment)
    if weekday is not None:
        words = f"only the weekday in {quoted(moment.text)} is wrong: that day is a {weekday}; write {weekday[:3]}"
        yield Problem(listed.whole("lastmod"), words, severity=Severity.WARNING)
    elif not moment.has(Fault.RFC822) or moment.reading is None:
        words = f"{quoted(moment.text)} is not a valid RSS date; write it as 'Sun, 15 Nov 2026 10:00:00 GMT'"
        yield Problem(listed.whole("lastmod"), words, severity=Severity.WARNING)
    elif moment.has(Fault.TWO_DIGIT_YEAR):
        words = f"{quoted(moment.text)} has a two-digit year; write four digits, as RSS recommends"
        yield Problem(listed.whole("lastmod"), words, severity=Severity.INFO)


@rule(
    "D022",
    "ambiguous-lastmod",
    when=Signal.DATE_NOTATION,
    kinds=(Kind.URLSET,),
    severity=Severity.ERROR,
    cites=("w3c-datetime", "general-knowledge"),
    bad=("<lastmod>«03/04/2026»</lastmod>", "<lastmod>«3.4.2026»</lastmod>"),
    good=("<lastmod>2026-04-03</lastmod>",),
)
def ambiguous_lastmod(listed: ListedPage) -> Iterator[Problem]:
    """Day and month in lastmod are ambiguous.

    If day and month are both below 13 and the year comes last, the order depends on the country. This is
    never fixed automatically.
    """
    yield from misspelt("D022", listed)


@rule(
    "D025",
    "lastmod-year-not-four-digits",
    when=Signal.DATE_NOTATION,
    kinds=(Kind.URLSET,),
    severity=Severity.ERROR,
    cites=("w3c-datetime", "xsd-tested"),
    bad=("<lastmod>«12026»-01-01</lastmod>", "<lastmod>«-0001»-01-01</lastmod>", "<lastmod>«+2026»-01-01</lastmod>"),
    good=("<lastmod>2026-01-01</lastmod>", "<lastmod>0001-01-01</lastmod>"),
)
def lastmod_year_not_four_digits(listed: ListedPage) -> Iterator[Problem]:
    """The year in lastmod does not have exactly four digits.

    The W3C date format allows years from 0000 to 9999 without a sign. The official schema allows more, so a
    schema check does not find this.
    """
    yield from misspelt("D025", listed)
