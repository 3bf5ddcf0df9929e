"""Is the time in lastmod, with its UTC offset, written as the W3C note has it?"""

from __future__ import annotations

from collections.abc import Iterator

from urlset.checking.declare import Bad, rule
from urlset.checking.subjects import ListedPage
from urlset.findings.finding import Problem
from urlset.findings.severity import Severity
from urlset.model.document import Kind
from urlset.rules.lastmod.faults import READERS, misspelt
from urlset.spec.engines import Engine
from urlset.spec.signals import Signal


@rule(
    "D003",
    "lastmod-time-without-offset",
    on=ListedPage,
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
    """A lastmod has a time but no UTC offset.

    The same text means another instant in every zone. The official schema lets it pass, the W3C note that
    the protocol names does not, so whether it is read depends on the reader.
    """
    yield from misspelt("D003", listed)


@rule(
    "D004",
    "lastmod-offset-form",
    on=ListedPage,
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
    """The UTC offset of a lastmod lacks its colon or its minutes.

    Several languages print offsets as +0000 by default. The W3C note and the schema both want +00:00, and
    readers that hold to them drop the date.
    """
    yield from misspelt("D004", listed)


@rule(
    "D005",
    "space-for-t-in-lastmod",
    on=ListedPage,
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
    """A space stands between the date and the time of a lastmod.

    This is how databases print a moment. In a W3C date the letter T joins the two; with a space the text
    is refused by the schema and by readers that follow the note.
    """
    yield from misspelt("D005", listed)


@rule(
    "D006",
    "lower-case-in-lastmod",
    on=ListedPage,
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
    """The T or Z of a lastmod is in lower case.

    Some date standards allow it, the W3C note and the official schema do not.
    """
    yield from misspelt("D006", listed)


@rule(
    "D007",
    "lastmod-hour-without-minutes",
    on=ListedPage,
    when=Signal.DATE_TIME,
    kinds=(Kind.URLSET,),
    severity=Severity.ERROR,
    cites=("w3c-datetime",),
    bad=(Bad("<lastmod>2026-11-15T«10»Z</lastmod>", fixed="<lastmod>2026-11-15T10:00Z</lastmod>"),),
    good=("<lastmod>2026-11-15T10:00Z</lastmod>",),
)
def lastmod_hour_without_minutes(listed: ListedPage) -> Iterator[Problem]:
    """The time of a lastmod is an hour without minutes.

    The shortest time that the W3C note allows is hours and minutes with an offset.
    """
    yield from misspelt("D007", listed)


@rule(
    "D010",
    "lastmod-date-with-offset",
    on=ListedPage,
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
    """A lastmod without a time carries a UTC offset.

    The schema accepts a date with an offset, the W3C note has no such form. A bare date says as much as a
    crawler needs.
    """
    yield from misspelt("D010", listed)


@rule(
    "D012",
    "lastmod-offset-out-of-range",
    on=ListedPage,
    when=Signal.DATE_ZONE,
    kinds=(Kind.URLSET,),
    severity=Severity.WARNING,
    fails_schema=True,
    cites=("xml-schema-datatypes", "general-knowledge"),
    bad=("<lastmod>2026-11-15T10:00:00«+25:00»</lastmod>", "<lastmod>2026-11-15T10:00:00«-00:00»</lastmod>"),
    good=("<lastmod>2026-11-15T10:00:00+14:00</lastmod>", "<lastmod>2026-11-15T10:00:00+00:00</lastmod>"),
)
def lastmod_offset_out_of_range(listed: ListedPage) -> Iterator[Problem]:
    """The UTC offset of a lastmod is one that no place has.

    Clocks run at most 14 hours from UTC, and the schema refuses more. The spelling -00:00 states that the
    offset is unknown, which makes the time worthless.
    """
    yield from misspelt("D012", listed)


@rule(
    "D013",
    "lastmod-hour-24-or-second-60",
    on=ListedPage,
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
    """A lastmod writes midnight as hour 24, or a second 60.

    Some readers roll it over, others refuse it: the schema takes 24:00:00 and rejects second 60. The first
    instant of the next day or minute says the same and is read by all.
    """
    yield from misspelt("D013", listed)
