"""Is changefreq one of the seven words, spelt as the schema spells them?"""

from __future__ import annotations

from collections.abc import Iterator
from datetime import timedelta

from urlset.checking.declare import Bad, rule
from urlset.checking.subjects import ListedPage
from urlset.findings.finding import Problem
from urlset.findings.fix import Fix, Safety, delete, replace
from urlset.findings.severity import Severity
from urlset.fixing.removal import with_its_line
from urlset.model.columns import Edit
from urlset.model.document import Kind
from urlset.rules.lastmod.faults import READERS
from urlset.rules.lastmod.form import padding_of
from urlset.rules.quoting import quoted
from urlset.spec.engines import Engine
from urlset.spec.protocol import CHANGEFREQ, CHANGEFREQ_NEAREST, CHANGEFREQ_SYNONYMS
from urlset.spec.signals import Signal

_WORDS = frozenset(CHANGEFREQ)
_RESTLESS = frozenset({"always", "hourly"})
_LATELY = timedelta(days=7)
_YEARS = timedelta(days=730)


@rule(
    "F001",
    "unknown-changefreq",
    on=ListedPage,
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
    """A changefreq is none of the seven words.

    The protocol has always, hourly, daily, weekly, monthly, yearly and never; readers skip anything else,
    and validators reject the file.
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
        fix = replace(place, nearest, f"write {nearest}, the nearest there is", Safety.REVIEW)
    else:
        for element in listed.fields("changefreq")[:1]:
            line = with_its_line(listed.document.data, element.place)
            fix = delete(line, "drop the element", Safety.REVIEW)
    yield Problem(place, f"{quoted(value)} is none of the seven values of changefreq, so it is skipped", fix)


@rule(
    "F002",
    "upper-case-in-changefreq",
    on=ListedPage,
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
    """A changefreq is written with capitals.

    The schema lists the words in lower case and compares letter by letter. Crawlers are more patient.
    """
    value = (listed.raw_changefreq or "").strip()
    if value not in _WORDS and value.lower() in _WORDS:
        place = listed.whole("changefreq")
        yield Problem(
            place,
            f"{quoted(value)} is not in lower case, so the schema rejects it",
            replace(place, value.lower(), "write lower case"),
        )


@rule(
    "F003",
    "white-space-around-changefreq",
    on=ListedPage,
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
    """White space stands around a changefreq.

    The schema trims dates and numbers but not this word, so a line break inside the element makes the whole
    file invalid.
    """
    raw = listed.raw_changefreq or ""
    if raw not in _WORDS and raw.strip() != raw and raw.strip().lower() in _WORDS:
        padding = padding_of(listed.value("changefreq"))
        if padding:
            yield Problem(
                padding[0],
                f"white space around {quoted(raw.strip())}, which the schema does not trim",
                Fix("trim the word", tuple(Edit(place, b"") for place in padding)),
            )


@rule(
    "F012",
    "changefreq-contradicts-lastmod",
    on=ListedPage,
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
    """A changefreq says the opposite of the lastmod beside it.

    A page that changes hourly was not last changed years ago, and one that never changes was not changed
    this week. One of the two is a default that nobody set.
    """
    word = (listed.raw_changefreq or "").strip().lower()
    if word != "never" and word not in _RESTLESS:
        return
    if listed.moment is None or (found := listed.moment.certain_interval()) is None:
        return
    now = listed.context.now
    if word == "never" and now - _LATELY < found[0] <= now:
        yield Problem(listed.whole("changefreq"), f"never changes, yet lastmod is {quoted(listed.moment.text)}")
    elif word in _RESTLESS and found[1] < now - _YEARS:
        message = f"{word} should mean changes all the time, yet lastmod is {quoted(listed.moment.text)}"
        yield Problem(listed.whole("changefreq"), message)
