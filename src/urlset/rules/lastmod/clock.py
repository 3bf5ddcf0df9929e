"""Does the time in lastmod follow the W3C date format, and is the date plausible?"""

from __future__ import annotations

from collections.abc import Iterator
from datetime import timedelta
from functools import partial

from urlset.checking.context import Context
from urlset.findings.finding import delete
from urlset.fixing.markup import with_its_line
from urlset.model.moment import Moment
from urlset.rules import Bad, Engine, Good, Has, ListedPage, Problem, Safety, Severity, Signal, rule
from urlset.rules.lastmod.faults import READERS, misspelt, schema_is_content
from urlset.rules.quoting import quoted
from urlset.spec.protocol import OLDEST_PLAUSIBLE_YEAR

# Is lastmod a plausible modification date?


date_rule = partial(rule, kinds=Has.URL_ELEMENTS)


@date_rule(
    "D014",
    "lastmod-in-future",
    when=Signal.FUTURE_DATE | Signal.ODD_DATE,
    severity=Severity.WARNING,
    engines=READERS,
    cites=("sitemaps-protocol", "general-knowledge"),
    bad=(
        "<lastmod>«2027-01-01»</lastmod>",
        "<lastmod>«2026-11-16T12:00:01Z»</lastmod>",
        "<lastmod>«2027»</lastmod>",
    ),
    good=(
        "<lastmod>2026-11-16T11:59:00Z</lastmod>",
        "<lastmod>2026-11-16</lastmod>",
        "<lastmod>2026-11-17</lastmod>",
        Good("<lastmod>2027-01-01</lastmod>", now="2026-12-31T00:00:00+00:00"),
    ),
)
def lastmod_in_future(listed: ListedPage) -> Iterator[Problem]:
    """lastmod is in the future.

    A page cannot have been modified in the future. Such a date is usually a publication or expiry date in the
    wrong field. Crawlers stop trusting the dates of a site with future dates. One day of tolerance is allowed
    for clocks and time zones.
    """
    moment = listed.moment
    if moment is not None and (message := ahead_of_the_clock(moment, listed.context)):
        yield Problem(listed.whole("lastmod"), message)


def ahead_of_the_clock(moment: Moment, context: Context) -> str | None:
    """The message for a date in the future, beyond the tolerance."""
    year = moment.text[:4]
    if year.isdigit() and moment.text[4:5] in ("-", "") and int(year) < context.now.year:
        return None
    found = moment.certain_interval()
    if found is None or not moment.is_after(context.now + timedelta(hours=context.thresholds.future_hours)):
        return None
    ahead = found[0] - context.now
    days = f"{ahead.days} days" if ahead.days > 1 else f"{ahead.total_seconds() / 3600:.0f} hours"
    return f"{quoted(moment.text)} is at least {days} in the future, so crawlers distrust it; use the last change"


@date_rule(
    "D015",
    "implausibly-old-lastmod",
    when=Signal.ODD_DATE,
    severity=Severity.WARNING,
    cites=("general-knowledge",),
    bad=(
        Bad(
            "<url><loc>https://example.com/</loc><lastmod>«1970-01-01T00:00:00Z»</lastmod></url>",
            fixed="<url><loc>https://example.com/</loc></url>",
        ),
        Bad(
            "<url>\n  <loc>https://example.com/</loc>\n  <lastmod>«0001-01-01»</lastmod>\n</url>",
            fixed="<url>\n  <loc>https://example.com/</loc>\n</url>",
        ),
        "<lastmod>«1969-12-31T19:00:00-05:00»</lastmod>",
    ),
    good=("<lastmod>1991-08-06</lastmod>", "<lastmod>1996-12-31T23:00:00Z</lastmod>"),
)
def implausibly_old_lastmod(listed: ListedPage) -> Iterator[Problem]:
    """lastmod is older than the web.

    The first web page went online in 1991. Dates such as 1970-01-01 or 0001-01-01 come from empty fields
    printed as dates. Omit lastmod if the date is unknown.
    """
    moment = listed.moment
    if moment is None or schema_is_content(listed.context, moment):
        return
    if message := older_than_the_web(moment):
        fix = None
        for element in listed.fields("lastmod")[:1]:
            place = with_its_line(listed.document.data, element.place)
            fix = delete(place, "remove the date", Safety.REVIEW)
        strict = Engine.XSD_STRICT in listed.context.engines and not moment.xsd_valid  # the year 0000
        yield Problem(listed.whole("lastmod"), message, fix, severity=Severity.ERROR if strict else None)


def older_than_the_web(moment: Moment) -> str | None:
    """The message for a date before the first web page."""
    year = moment.text[:4]
    if year.isdigit() and moment.text[4:5] in ("-", "") and int(year) >= OLDEST_PLAUSIBLE_YEAR:
        return None
    reading = moment.reading
    if reading is None or reading.year >= OLDEST_PLAUSIBLE_YEAR:
        return None
    return f"{quoted(moment.text)} is older than the web, probably an empty field; remove it"


@date_rule(
    "D003",
    "lastmod-time-without-offset",
    when=Signal.DATE_ZONE,
    severity=Severity.ERROR,
    engines=dict.fromkeys(READERS, Severity.WARNING) | {Engine.PROTOCOL: Severity.ERROR},
    cites=("w3c-datetime", "xsd-tested"),
    bad=(
        Bad("<lastmod>2026-11-15T«10:00:00»</lastmod>", fixed="<lastmod>2026-11-15T10:00:00Z</lastmod>"),
        Bad("<lastmod>2026-11-15T«10:00»</lastmod>", fixed="<lastmod>2026-11-15T10:00Z</lastmod>"),
    ),
    good=(
        "<lastmod>2026-11-15T10:00:00Z</lastmod>",
        "<lastmod>2026-11-15T10:00:00-05:00</lastmod>",
        "<lastmod>2026-11-15</lastmod>",
    ),
)
def lastmod_time_without_offset(listed: ListedPage) -> Iterator[Problem]:
    """lastmod has a time but no UTC offset.

    Without an offset, the same text is a different instant in each time zone. The official schema accepts
    it, but the W3C date format does not, so crawlers may ignore the date.
    """
    yield from misspelt("D003", listed)


@date_rule(
    "D004",
    "lastmod-offset-form",
    when=Signal.DATE_ZONE,
    severity=Severity.ERROR,
    cites=("w3c-datetime", "xsd-tested"),
    bad=(
        Bad("<lastmod>2026-11-15T10:00:00«+0000»</lastmod>", fixed="<lastmod>2026-11-15T10:00:00+00:00</lastmod>"),
        Bad("<lastmod>2026-11-15T10:00:00«+02»</lastmod>", fixed="<lastmod>2026-11-15T10:00:00+02:00</lastmod>"),
    ),
    good=("<lastmod>2026-11-15T10:00:00+00:00</lastmod>", "<lastmod>2026-11-15T10:00:00-03:30</lastmod>"),
)
def lastmod_offset_form(listed: ListedPage) -> Iterator[Problem]:
    """The UTC offset in lastmod has no colon or no minutes.

    Several programming languages print offsets as +0000 by default. The W3C date format and the schema
    require +00:00. Strict parsers ignore the date.
    """
    yield from misspelt("D004", listed)


@date_rule(
    "D005",
    "space-for-t-in-lastmod",
    when=Signal.DATE_TIME,
    severity=Severity.ERROR,
    cites=("w3c-datetime", "xsd-tested"),
    bad=(
        Bad(
            "<lastmod>2026-11-15« »10:00:00+00:00</lastmod>",
            fixed="<lastmod>2026-11-15T10:00:00+00:00</lastmod>",
        ),
    ),
    good=("<lastmod>2026-11-15T10:00:00+00:00</lastmod>", "<lastmod> 2026-11-15 </lastmod>"),
)
def space_for_t_in_lastmod(listed: ListedPage) -> Iterator[Problem]:
    """lastmod has a space between date and time.

    Databases often print timestamps this way. The W3C date format requires the letter T between date and
    time. The schema and strict parsers reject a space.
    """
    yield from misspelt("D005", listed)


@date_rule(
    "D006",
    "lower-case-in-lastmod",
    when=Signal.DATE_TIME,
    severity=Severity.ERROR,
    cites=("w3c-datetime", "xsd-tested"),
    bad=(
        Bad("<lastmod>2026-11-15«t»10:00:00z</lastmod>", fixed="<lastmod>2026-11-15T10:00:00Z</lastmod>"),
        Bad("<lastmod>2026-11-15T10:00:00«z»</lastmod>", fixed="<lastmod>2026-11-15T10:00:00Z</lastmod>"),
    ),
    good=("<lastmod>2026-11-15T10:00:00Z</lastmod>",),
)
def lower_case_in_lastmod(listed: ListedPage) -> Iterator[Problem]:
    """The T or Z in lastmod is lowercase.

    Some date standards allow lowercase letters, but the W3C date format and the official schema do not.
    """
    yield from misspelt("D006", listed)


@date_rule(
    "D007",
    "lastmod-hour-without-minutes",
    when=Signal.DATE_TIME,
    severity=Severity.ERROR,
    cites=("w3c-datetime",),
    bad=(Bad("<lastmod>2026-11-15T«10»Z</lastmod>", fixed="<lastmod>2026-11-15T10:00Z</lastmod>"),),
    good=("<lastmod>2026-11-15T10:00Z</lastmod>",),
)
def lastmod_hour_without_minutes(listed: ListedPage) -> Iterator[Problem]:
    """The time in lastmod has hours but no minutes.

    The shortest time the W3C date format allows is hours and minutes with an offset.
    """
    yield from misspelt("D007", listed)


@date_rule(
    "D010",
    "lastmod-date-with-offset",
    when=Signal.DATE_ZONE,
    severity=Severity.WARNING,
    engines=(Engine.PROTOCOL,),
    cites=("w3c-datetime", "xsd-tested"),
    bad=(
        Bad("<lastmod>2026-11-15«Z»</lastmod>", fixed="<lastmod>2026-11-15</lastmod>"),
        Bad("<lastmod>2026-11-15«+02:00»</lastmod>", fixed="<lastmod>2026-11-15</lastmod>"),
    ),
    good=("<lastmod>2026-11-15</lastmod>", "<lastmod>2026-11-15T00:00Z</lastmod>"),
)
def lastmod_date_with_offset(listed: ListedPage) -> Iterator[Problem]:
    """lastmod is a date without a time but has a UTC offset.

    The schema accepts a date with an offset, but the W3C date format does not. A plain date is precise
    enough for crawlers.
    """
    yield from misspelt("D010", listed)


@date_rule(
    "D012",
    "lastmod-offset-out-of-range",
    when=Signal.DATE_ZONE,
    severity=Severity.WARNING,
    fails_schema=True,
    cites=("xml-schema-datatypes", "general-knowledge"),
    bad=("<lastmod>2026-11-15T10:00:00«+25:00»</lastmod>", "<lastmod>2026-11-15T10:00:00«-00:00»</lastmod>"),
    good=("<lastmod>2026-11-15T10:00:00+14:00</lastmod>", "<lastmod>2026-11-15T10:00:00+00:00</lastmod>"),
)
def lastmod_offset_out_of_range(listed: ListedPage) -> Iterator[Problem]:
    """The UTC offset in lastmod is out of range.

    UTC offsets range from -14:00 to +14:00, and the schema rejects others. The offset -00:00 means that the
    offset is unknown, so the instant is unknown too.
    """
    yield from misspelt("D012", listed)


@date_rule(
    "D013",
    "lastmod-hour-24-or-second-60",
    when=Signal.DATE_CALENDAR,
    severity=Severity.WARNING,
    fails_schema=True,
    cites=("xsd-tested", "w3c-datetime"),
    bad=(
        Bad("<lastmod>2026-11-15T«24»:00:00Z</lastmod>", fixed="<lastmod>2026-11-16T00:00:00Z</lastmod>"),
        Bad("<lastmod>2026-11-15T23:59:«60»Z</lastmod>", fixed="<lastmod>2026-11-16T00:00:00Z</lastmod>"),
    ),
    good=("<lastmod>2026-11-16T00:00:00Z</lastmod>", "<lastmod>2026-11-15T23:59:59Z</lastmod>"),
)
def lastmod_hour_24_or_second_60(listed: ListedPage) -> Iterator[Problem]:
    """lastmod has hour 24 or second 60.

    Some parsers roll these values over, others reject them: the schema accepts 24:00:00 and rejects
    second 60. Write the start of the next day or minute instead.
    """
    yield from misspelt("D013", listed)
