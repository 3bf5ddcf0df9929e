"""Is lastmod a W3C date, with the needed precision and length?"""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial

from urlset.findings.finding import delete
from urlset.fixing.markup import with_its_line
from urlset.model.columns import Edit
from urlset.model.element import Value
from urlset.model.moment import DateForm, Fault, Moment
from urlset.model.place import Place
from urlset.rules import Bad, Engine, Fix, Has, Kind, ListedPage, Problem, Severity, Signal, rule
from urlset.rules.lastmod.faults import misspelt, wrong_weekday
from urlset.rules.quoting import quoted
from urlset.spec.protocol import HINT_MAX_BYTES_YANDEX

# Is lastmod in one of the six W3C date forms, and does the day exist?

_FEED = (
    '<rss version="2.0"><channel><item><link>https://example.com/</link><pubDate>{}</pubDate></item></channel></rss>'
)


date_rule = partial(rule, kinds=Has.URL_ELEMENTS)


@date_rule(
    "D001",
    "lastmod-not-w3c-date",
    when=Signal.DATE_NOTATION,
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


@date_rule(
    "D002",
    "impossible-lastmod",
    when=Signal.DATE_CALENDAR,
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


@date_rule(
    "D021",
    "lastmod-in-foreign-notation",
    when=Signal.DATE_NOTATION | Signal.DATE_ZONE | Signal.DATE_TIME | Signal.DATE_CALENDAR,
    kinds=Has.URL_ELEMENTS | Has.RSS_ITEMS,
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


@date_rule(
    "D022",
    "ambiguous-lastmod",
    when=Signal.DATE_NOTATION,
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


@date_rule(
    "D025",
    "lastmod-year-not-four-digits",
    when=Signal.DATE_NOTATION,
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


XML_SPACE = " \t\r\n"
_SECONDS_ALONE_MISSING = frozenset({Fault.NO_TIMEZONE, Fault.OFFSET_RANGE})


@date_rule(
    "D008",
    "lastmod-without-seconds",
    when=Signal.NO_SECONDS | Signal.ODD_DATE,
    severity=Severity.INFO,
    fails_schema=True,
    engines=(Engine.XSD_STRICT,),
    cites=("w3c-datetime", "google-news", "xsd-tested"),
    bad=(Bad("<lastmod>2026-11-15T«10:00»Z</lastmod>", fixed="<lastmod>2026-11-15T10:00:00Z</lastmod>"),),
    good=("<lastmod>2026-11-15T10:00:00Z</lastmod>", "<lastmod>2026-11-15T10:00:00.5Z</lastmod>"),
)
def lastmod_without_seconds(listed: ListedPage) -> Iterator[Problem]:
    """The time in lastmod has no seconds, which the schema requires.

    Hours and minutes with an offset are a valid W3C date, and Google documents this form. Only validation
    against the official schema fails.
    """
    moment = listed.moment
    if moment is not None and lacks_seconds(moment):
        yield Problem(
            listed.part(11, 16, "lastmod"),
            f"{quoted(moment.text)} has no seconds, which the schema requires; add them",
            Fix("add the seconds :00", listed.edits([(16, 16, ":00")], "lastmod")),
        )


def lacks_seconds(moment: Moment) -> bool:
    """Hours and minutes without seconds, and no other problem for the schema."""
    return moment.precision is DateForm.MINUTE and {each.fault for each in moment.faults} <= _SECONDS_ALONE_MISSING


@date_rule(
    "D009",
    "lastmod-without-day",
    when=Signal.DATE_COARSE,
    severity=Severity.WARNING,
    fails_schema=True,
    cites=("w3c-datetime", "xsd-tested"),
    bad=("<lastmod>«2026-11»</lastmod>", "<lastmod>«2026»</lastmod>"),
    good=("<lastmod>2026-11-15</lastmod>",),
)
def lastmod_without_day(listed: ListedPage) -> Iterator[Problem]:
    """lastmod has only a year or a month.

    The W3C date format allows it, but the official schema does not. It is also too coarse: a crawler cannot
    tell whether the page changed after the last crawl.
    """
    moment = listed.moment
    if moment is not None and moment.form in (DateForm.YEAR, DateForm.MONTH):
        span = "year" if moment.form is DateForm.YEAR else "month"
        yield Problem(
            listed.whole("lastmod"),
            f"{quoted(moment.text)} covers a whole {span}, which the schema rejects; write the day, as in YYYY-MM-DD",
        )


@date_rule(
    "D020",
    "empty-lastmod",
    when=Signal.DATE_BLANK,
    severity=Severity.ERROR,
    cites=("xsd-urlset", "xsd-tested"),
    bad=(
        Bad(
            "<url><loc>https://example.com/</loc>«<lastmod/>»</url>",
            fixed="<url><loc>https://example.com/</loc></url>",
        ),
        Bad(
            "<url>\n  <loc>https://example.com/</loc>\n  «<lastmod> </lastmod>»\n</url>",
            fixed="<url>\n  <loc>https://example.com/</loc>\n</url>",
        ),
    ),
    good=("<url><loc>https://example.com/</loc></url>",),
)
def empty_lastmod(listed: ListedPage) -> Iterator[Problem]:
    """lastmod is empty.

    An empty element is not a date. The schema and Search Console report it. Omit lastmod if the date is
    unknown.
    """
    if listed.raw_lastmod is not None and not listed.raw_lastmod.strip():
        for element in listed.fields("lastmod")[:1]:
            yield Problem(
                element.place,
                "lastmod is empty; set a date or remove it",
                delete(with_its_line(listed.document.data, element.place), "remove the empty element"),
            )


@date_rule(
    "D023",
    "hint-too-long-for-yandex",
    when=Signal.LONG_HINT,
    severity=Severity.INFO,
    engines=(Engine.YANDEX,),
    cites=("yandex-sitemap",),
    bad=(f"<lastmod>«2026-11-15T10:00:00.{'0' * 100}Z»</lastmod>", f"<priority>«0.{'5' * 100}»</priority>"),
    good=(f"<lastmod>2026-11-15T10:00:00.{'0' * 79}Z</lastmod>",),
)
def hint_too_long_for_yandex(listed: ListedPage) -> Iterator[Problem]:
    """lastmod, changefreq, or priority is longer than 100 bytes.

    Yandex documents this limit for all three elements.
    """
    for name, raw in (
        ("lastmod", listed.raw_lastmod),
        ("changefreq", listed.raw_changefreq),
        ("priority", listed.raw_priority),
    ):
        size = len(raw.strip().encode("utf-8", "surrogatepass")) if raw else 0
        if size > HINT_MAX_BYTES_YANDEX:
            message = f"{name} has {size} bytes; Yandex reads at most {HINT_MAX_BYTES_YANDEX}"
            yield Problem(listed.whole(name), message)


@date_rule(
    "D026",
    "white-space-around-lastmod",
    when=Signal.DATE_BLANK,
    severity=Severity.INFO,
    may_be_worse=True,
    cites=("xsd-tested",),
    bad=(
        Bad("<lastmod>« »2026-11-15 </lastmod>", fixed="<lastmod>2026-11-15</lastmod>"),
        Bad("<lastmod>2026-11-15«\n  »</lastmod>", fixed="<lastmod>2026-11-15</lastmod>"),
        Bad("<lastmod>2026-11-15«&#160;»</lastmod>", fixed="<lastmod>2026-11-15</lastmod>"),
    ),
    good=("<lastmod>2026-11-15T10:00:00Z</lastmod>", "https://example.com/a\n"),
)
def white_space_around_lastmod(listed: ListedPage) -> Iterator[Problem]:
    """lastmod has leading or trailing whitespace.

    Schema validators trim spaces and line breaks. A crawler that passes the text directly to a date parser
    does not, so it finds no date. Other whitespace, such as a no-break space, is never trimmed.
    """
    raw = listed.raw_lastmod
    if raw is None or not raw.strip() or raw == raw.strip():
        return
    is_trimmed = raw.strip(XML_SPACE) == raw.strip()
    if is_trimmed and set(listed.context.engines) == {Engine.XSD_STRICT}:
        return
    padding = padding_of(listed.value("lastmod"))
    if padding:
        yield Problem(
            padding[0],
            f"whitespace around {quoted(raw.strip())}{'' if is_trimmed else ' that parsers do not trim'}; remove it",
            Fix("remove the whitespace", tuple(Edit(place, b"") for place in padding)),
            severity=None if is_trimmed else Severity.ERROR,
        )


def padding_of(value: Value) -> list[Place]:
    """The places of leading and trailing whitespace, if any."""
    lead = len(value.text) - len(value.text.lstrip())
    trail = len(value.text) - len(value.text.rstrip())
    places = [value.locate(0, lead), value.locate(len(value.text) - trail, trail)]
    return [place for place, length in zip(places, (lead, trail), strict=True) if length]
