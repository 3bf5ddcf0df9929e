"""Does the time in lastmod, including its UTC offset, follow the W3C date format?"""

from __future__ import annotations

from collections.abc import Iterator

from urlset.rules import Bad, Engine, Kind, ListedPage, Problem, Severity, Signal, rule
from urlset.rules.lastmod.faults import READERS, misspelt


@rule(
    "D003",
    "lastmod-time-without-offset",
    when=Signal.DATE_ZONE,
    kinds=(Kind.URLSET,),
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


@rule(
    "D004",
    "lastmod-offset-form",
    when=Signal.DATE_ZONE,
    kinds=(Kind.URLSET,),
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


@rule(
    "D005",
    "space-for-t-in-lastmod",
    when=Signal.DATE_TIME,
    kinds=(Kind.URLSET,),
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


@rule(
    "D006",
    "lower-case-in-lastmod",
    when=Signal.DATE_TIME,
    kinds=(Kind.URLSET,),
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


@rule(
    "D007",
    "lastmod-hour-without-minutes",
    when=Signal.DATE_TIME,
    kinds=(Kind.URLSET,),
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


@rule(
    "D010",
    "lastmod-date-with-offset",
    when=Signal.DATE_ZONE,
    kinds=(Kind.URLSET,),
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


@rule(
    "D012",
    "lastmod-offset-out-of-range",
    when=Signal.DATE_ZONE,
    kinds=(Kind.URLSET,),
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


@rule(
    "D013",
    "lastmod-hour-24-or-second-60",
    when=Signal.DATE_CALENDAR,
    kinds=(Kind.URLSET,),
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
