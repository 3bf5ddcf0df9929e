"""Is lastmod a plausible modification date?"""

from __future__ import annotations

from collections.abc import Iterator
from datetime import timedelta

from urlset.checking.context import Context
from urlset.findings.fix import delete
from urlset.fixing.removal import with_its_line
from urlset.model.moment import Moment
from urlset.rules import Bad, Engine, Good, Kind, ListedPage, Problem, Safety, Severity, Signal, rule
from urlset.rules.lastmod.faults import READERS, schema_is_content
from urlset.rules.quoting import quoted
from urlset.spec.protocol import OLDEST_PLAUSIBLE_YEAR


@rule(
    "D014",
    "lastmod-in-future",
    when=Signal.FUTURE_DATE | Signal.ODD_DATE,
    kinds=(Kind.URLSET,),
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


@rule(
    "D015",
    "implausibly-old-lastmod",
    when=Signal.ODD_DATE,
    kinds=(Kind.URLSET,),
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
