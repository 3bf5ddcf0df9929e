"""Is the lastmod of each child sitemap a valid and plausible date?"""

from __future__ import annotations

from collections.abc import Iterator

from urlset.findings.fix import delete
from urlset.findings.severity import worst
from urlset.fixing.removal import with_its_line
from urlset.model.columns import Edit
from urlset.model.moment import DateForm, Moment
from urlset.rules import Bad, Child, Engine, Fix, Problem, Severity, Signal, rule
from urlset.rules.lastmod.faults import CODE_OF, judged, minded, rewriting, schema_is_content, severity_of, words
from urlset.rules.lastmod.form import XML_SPACE, lacks_seconds, padding_of
from urlset.rules.lastmod.plausible import ahead_of_the_clock, older_than_the_web
from urlset.rules.quoting import quoted

_LOC = "<loc>https://example.com/a.xml</loc>"


def _child(lastmod: str) -> str:
    return f"<sitemap>{_LOC}{lastmod}</sitemap>"


@rule(
    "I014",
    "child-lastmod-unusable",
    when=Signal.ODD_DATE | Signal.NO_SECONDS | Signal.FUTURE_DATE,
    severity=Severity.ERROR,
    cites=("sitemaps-protocol", "w3c-datetime", "google-large"),
    bad=(
        Bad(_child("<lastmod>«2026/11/15»</lastmod>"), fixed=_child("<lastmod>2026-11-15</lastmod>")),
        Bad(
            _child("<lastmod>2026-11-15« »10:00:00+0000</lastmod>"),
            fixed=_child("<lastmod>2026-11-15T10:00:00+00:00</lastmod>"),
        ),
        Bad(
            _child("<lastmod>2026-11-15T«10:00:00»</lastmod>"),
            fixed=_child("<lastmod>2026-11-15T10:00:00Z</lastmod>"),
        ),
        Bad(_child("«<lastmod/>»"), fixed=_child("")),
        Bad(_child("<lastmod>« »2026-11-15 </lastmod>"), fixed=_child("<lastmod>2026-11-15</lastmod>")),
        Bad(
            _child("<lastmod>2026-11-15T«10:00»Z</lastmod>"),
            fixed=_child("<lastmod>2026-11-15T10:00:00Z</lastmod>"),
        ),
        _child("<lastmod>«2026-11»</lastmod>"),
        _child("<lastmod>«2027-01-01»</lastmod>"),
        _child("<lastmod>«1970-01-01»</lastmod>"),
        _child("<lastmod>«03/04/2026»</lastmod>"),
    ),
    good=(
        _child(""),
        _child("<lastmod>2026-11-15</lastmod>"),
        _child("<lastmod>2026-11-15T10:00:00.5+01:00</lastmod>"),
        _child("<lastmod>2026-11-16</lastmod>"),
    ),
)
def child_lastmod_unusable(child: Child) -> Iterator[Problem]:
    """The lastmod of a child sitemap is invalid or implausible.

    In an index, lastmod is the time when the child file changed. Crawlers use it to fetch only changed children.
    The same date formats apply as for pages. With a malformed, future, or implausibly old date, crawlers fetch all
    children or none.
    """
    moment = child.moment
    if moment is None:
        return
    if schema_is_content(child.context, moment):
        problem = _untidy(child, moment)
    else:
        problem = _misspelt(child, moment) or _unhelpful(child, moment) or _untidy(child, moment)
    if problem is not None:
        yield problem


def _misspelt(child: Child, moment: Moment) -> Problem | None:
    if not moment.text:
        for element in child.fields("lastmod")[:1]:
            line = with_its_line(child.document.data, element.place)
            message = "lastmod is empty; set a date or remove it"
            return Problem(element.place, message, delete(line, "remove the empty element"))
    engines = child.context.engines
    faults = [each for each in judged(moment) if minded(CODE_OF[each.fault], engines)]
    if not faults:
        return None
    return Problem(
        child.part(faults[0].start, faults[0].end, "lastmod"),
        words(faults[0], moment),
        rewriting(child, moment),
        severity=worst([severity_of(CODE_OF[each.fault], engines, moment) for each in faults]),
    )


def _unhelpful(child: Child, moment: Moment) -> Problem | None:
    message = older_than_the_web(moment) or ahead_of_the_clock(moment, child.context)
    strict = Engine.XSD_STRICT in child.context.engines and not moment.xsd_valid
    severity = Severity.ERROR if strict else Severity.WARNING
    if moment.form in (DateForm.YEAR, DateForm.MONTH):
        message = f"{quoted(moment.text)} has no day, so crawlers cannot tell what changed; write YYYY-MM-DD"
    return None if message is None else Problem(child.whole("lastmod"), message, severity=severity)


def _untidy(child: Child, moment: Moment) -> Problem | None:
    if Engine.XSD_STRICT in child.context.engines and lacks_seconds(moment):
        return Problem(
            child.part(11, 16, "lastmod"),
            f"{quoted(moment.text)} has no seconds, which the schema requires; add them",
            Fix("add the seconds :00", child.edits([(16, 16, ":00")], "lastmod")),
        )
    padding = padding_of(child.value("lastmod"))
    raw = child.raw_lastmod or ""
    is_trimmed = raw.strip(XML_SPACE) == raw.strip()
    if not padding or (is_trimmed and child.context.engines == (Engine.XSD_STRICT,)):
        return None
    return Problem(
        padding[0],
        f"whitespace around {quoted(moment.text)}; remove it",
        Fix("remove the whitespace", tuple(Edit(place, b"") for place in padding)),
        severity=Severity.INFO if is_trimmed else Severity.ERROR,
    )
