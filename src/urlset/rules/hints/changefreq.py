"""Is changefreq one of the seven allowed values, in lowercase and without whitespace?"""

from __future__ import annotations

from collections.abc import Iterator
from datetime import timedelta

from urlset.findings.fix import delete, replace
from urlset.fixing.removal import with_its_line
from urlset.model.columns import Edit
from urlset.rules import Bad, Engine, Fix, Kind, ListedPage, Problem, Safety, Severity, Signal, rule
from urlset.rules.lastmod.faults import READERS
from urlset.rules.lastmod.form import padding_of
from urlset.rules.quoting import quoted
from urlset.spec.protocol import CHANGEFREQ, CHANGEFREQ_NEAREST, CHANGEFREQ_SYNONYMS

_WORDS = frozenset(CHANGEFREQ)
_RESTLESS = frozenset({"always", "hourly"})
_LATELY = timedelta(days=7)
_YEARS = timedelta(days=730)


@rule(
    "F001",
    "unknown-changefreq",
    when=Signal.ODD_CHANGEFREQ,
    kinds=(Kind.URLSET,),
    severity=Severity.ERROR,
    cites=("sitemaps-protocol", "xsd-urlset", "xsd-tested"),
    bad=(
        Bad("<changefreq>«every-day»</changefreq>", fixed="<changefreq>daily</changefreq>"),
        Bad("<changefreq>«Montly»</changefreq>", fixed="<changefreq>monthly</changefreq>"),
        Bad("<changefreq>«quarterly»</changefreq>", fixed="<changefreq>monthly</changefreq>"),
        Bad(
            "<url><loc>https://example.com/</loc><changefreq>«often»</changefreq></url>",
            fixed="<url><loc>https://example.com/</loc></url>",
        ),
    ),
    good=(
        "<changefreq>hourly</changefreq>",
        "<changefreq>Daily</changefreq>",
        "<changefreq> weekly </changefreq>",
    ),
)
def unknown_changefreq(listed: ListedPage) -> Iterator[Problem]:
    """changefreq is not one of the seven allowed values.

    The allowed values are always, hourly, daily, weekly, monthly, yearly, and never. Crawlers ignore
    anything else, and validators reject the file.
    """
    value = (listed.raw_changefreq or "").strip()
    if not value or value.lower() in _WORDS:
        return
    place = listed.whole("changefreq")
    word = value.lower()
    fix: Fix | None = None
    if word in CHANGEFREQ_SYNONYMS:
        fix = replace(place, CHANGEFREQ_SYNONYMS[word], f"write {CHANGEFREQ_SYNONYMS[word]}")
    elif word in CHANGEFREQ_NEAREST:
        nearest = CHANGEFREQ_NEAREST[word]
        fix = replace(place, nearest, f"write {nearest}, the closest allowed value", Safety.REVIEW)
    else:
        for element in listed.fields("changefreq")[:1]:
            line = with_its_line(listed.document.data, element.place)
            fix = delete(line, "remove the element", Safety.REVIEW)
    yield Problem(
        place, f"{quoted(value)} is not a valid changefreq, so crawlers ignore it; use a value such as daily", fix
    )


@rule(
    "F002",
    "upper-case-in-changefreq",
    when=Signal.ODD_CHANGEFREQ,
    kinds=(Kind.URLSET,),
    severity=Severity.WARNING,
    fails_schema=True,
    engines=(Engine.PROTOCOL, Engine.XSD_STRICT),
    cites=("xsd-tested", "xsd-urlset"),
    bad=(Bad("<changefreq>«Daily»</changefreq>", fixed="<changefreq>daily</changefreq>"),),
    good=("<changefreq>daily</changefreq>",),
)
def upper_case_in_changefreq(listed: ListedPage) -> Iterator[Problem]:
    """changefreq contains uppercase letters.

    The schema lists the values in lowercase and compares them case-sensitively. Crawlers accept both.
    """
    value = (listed.raw_changefreq or "").strip()
    if value not in _WORDS and value.lower() in _WORDS:
        place = listed.whole("changefreq")
        yield Problem(
            place,
            f"{quoted(value)} contains uppercase letters, so the schema rejects it; write {quoted(value.lower())}",
            replace(place, value.lower(), "convert to lowercase"),
        )


@rule(
    "F003",
    "white-space-around-changefreq",
    when=Signal.ODD_CHANGEFREQ,
    kinds=(Kind.URLSET,),
    severity=Severity.WARNING,
    fails_schema=True,
    engines=(Engine.PROTOCOL, Engine.XSD_STRICT),
    cites=("xsd-tested", "xsd-urlset"),
    bad=(
        Bad("<changefreq>« »daily </changefreq>", fixed="<changefreq>daily</changefreq>"),
        Bad("<changefreq>daily«\n  »</changefreq>", fixed="<changefreq>daily</changefreq>"),
    ),
    good=("<changefreq>daily</changefreq>", "<changefreq><![CDATA[daily]]></changefreq>"),
)
def white_space_around_changefreq(listed: ListedPage) -> Iterator[Problem]:
    """changefreq has leading or trailing whitespace.

    The schema trims whitespace around dates and numbers but not around changefreq. A line break inside the
    element makes the file invalid.
    """
    raw = listed.raw_changefreq or ""
    if raw not in _WORDS and raw.strip() != raw and raw.strip().lower() in _WORDS:
        padding = padding_of(listed.value("changefreq"))
        if padding:
            yield Problem(
                padding[0],
                f"whitespace around {quoted(raw.strip())}, so the schema rejects it; remove the whitespace",
                Fix("remove the whitespace", tuple(Edit(place, b"") for place in padding)),
            )


@rule(
    "F012",
    "changefreq-contradicts-lastmod",
    when=Signal.AT_ODDS,
    kinds=(Kind.URLSET,),
    severity=Severity.INFO,
    engines=READERS,
    cites=("general-knowledge", "sitemaps-protocol"),
    bad=(
        "<lastmod>2026-11-15</lastmod><changefreq>«never»</changefreq>",
        "<lastmod>2021-05-01</lastmod><changefreq>«hourly»</changefreq>",
    ),
    good=(
        "<lastmod>2026-10-01T10:00:00Z</lastmod><changefreq>never</changefreq>",
        "<lastmod>2026-11-01T10:00:00Z</lastmod><changefreq>always</changefreq>",
        "<lastmod>2026-11-15T10:00:00Z</lastmod><changefreq>monthly</changefreq>",
    ),
)
def changefreq_contradicts_lastmod(listed: ListedPage) -> Iterator[Problem]:
    """changefreq contradicts lastmod.

    A page that changes hourly was not last changed years ago, and a page that never changes was not changed
    this week. One of the two is probably a default value.
    """
    word = (listed.raw_changefreq or "").strip().lower()
    if word != "never" and word not in _RESTLESS:
        return
    if listed.moment is None or (found := listed.moment.certain_interval()) is None:
        return
    now = listed.context.now
    if word == "never" and now - _LATELY < found[0] <= now:
        message = f"changefreq is never, but lastmod is {quoted(listed.moment.text)}; correct one of them"
        yield Problem(listed.whole("changefreq"), message)
    elif word in _RESTLESS and found[1] < now - _YEARS:
        message = f"changefreq is {word}, but lastmod is {quoted(listed.moment.text)}; correct one of them"
        yield Problem(listed.whole("changefreq"), message)
