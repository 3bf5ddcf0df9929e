"""Is priority a decimal number from 0.0 to 1.0?"""

from __future__ import annotations

from collections.abc import Iterator
from decimal import Decimal

from urlset.findings.fix import delete, replace
from urlset.fixing.removal import with_its_line
from urlset.rules import Bad, Kind, ListedPage, Problem, Safety, Severity, Signal, rule
from urlset.rules.quoting import quoted
from urlset.spec.lazy_pattern import lazy_pattern
from urlset.spec.protocol import PRIORITY_MAX, PRIORITY_MIN

# xsd:decimal, ASCII digits only.
_DECIMAL = lazy_pattern(r"[+-]?(?:[0-9]+(?:\.[0-9]*)?|\.[0-9]+)")
_FOREIGN = lazy_pattern(r"([+-]?(?:[0-9]+(?:[.,][0-9]*)?|[.,][0-9]+))(?:[eE]([+-]?[0-9]{1,2})|\s*(%))?")
_LONGEST = 40
"""longest number that is converted, in characters"""


def decimal_of(text: str) -> Decimal | None:
    """The value of a priority as the schema reads it; None if it is not an xsd:decimal."""
    return Decimal(text) if _DECIMAL.fullmatch(text) else None


def _meant(text: str) -> Decimal | None:
    """The value of a number with a comma, an exponent, or a percent sign; None for anything else."""
    match = _FOREIGN.fullmatch(text) if len(text) <= _LONGEST else None
    if match is None or decimal_of(text) is not None:
        return None
    value = Decimal(match[1].replace(",", "."))
    return value.scaleb(int(match[2] or 0) - (2 if match[3] else 0))


@rule(
    "F004",
    "priority-out-of-range",
    when=Signal.ODD_PRIORITY,
    kinds=(Kind.URLSET,),
    severity=Severity.ERROR,
    cites=("sitemaps-protocol", "xsd-urlset", "xsd-tested"),
    bad=(
        Bad("<priority>«1.5»</priority>", fixed="<priority>1.0</priority>"),
        Bad("<priority>«-0.1»</priority>", fixed="<priority>0.0</priority>"),
        "<priority>«high»</priority>",
        "<priority>«NaN»</priority>",
        "<priority>«0.5.1»</priority>",
    ),
    good=(
        "<priority>1.0</priority>",
        "<priority>1</priority>",
        "<priority>.5</priority>",
        "<priority>+0.5</priority>",
        "<priority>0</priority>",
        "<priority> 0.5 </priority>",
    ),
)
def priority_out_of_range(listed: ListedPage) -> Iterator[Problem]:
    """priority is not a number from 0.0 to 1.0.

    The protocol and the schema define this range. For any other value, crawlers use the default or reject
    the file.
    """
    text = (listed.raw_priority or "").strip()
    if not text or _meant(text) is not None:
        return
    value = decimal_of(text)
    if value is None:
        message = f"{quoted(text)} is not a number, so crawlers use the default 0.5; write a number from 0.0 to 1.0"
        yield Problem(listed.whole("priority"), message)
    elif not PRIORITY_MIN <= value <= PRIORITY_MAX:
        place = listed.whole("priority")
        nearest = str(PRIORITY_MIN if value < PRIORITY_MIN else PRIORITY_MAX)
        yield Problem(
            place,
            f"{quoted(text)} is out of range, so crawlers use the default 0.5; write a number from 0.0 to 1.0",
            replace(place, nearest, f"write {nearest}, the closest allowed value", Safety.REVIEW),
        )


@rule(
    "F005",
    "priority-notation",
    when=Signal.ODD_PRIORITY,
    kinds=(Kind.URLSET,),
    severity=Severity.ERROR,
    cites=("xsd-tested", "xsd-urlset"),
    bad=(
        Bad("<priority>«0,5»</priority>", fixed="<priority>0.5</priority>"),
        Bad("<priority>«1e0»</priority>", fixed="<priority>1</priority>"),
        Bad("<priority>«5E-1»</priority>", fixed="<priority>0.5</priority>"),
        Bad("<priority>«80%»</priority>", fixed="<priority>0.80</priority>"),
        "<priority>«1,5»</priority>",
    ),
    good=("<priority>0.5</priority>", "<priority>1.</priority>"),
)
def priority_notation(listed: ListedPage) -> Iterator[Problem]:
    """priority contains a comma, an exponent, or a percent sign.

    Locale settings turn the decimal point into a comma, and small floats print with an exponent. Priority
    must be a plain decimal number; other notations are rejected.
    """
    text = (listed.raw_priority or "").strip()
    value = _meant(text)
    if value is None:
        return
    place = listed.whole("priority")
    fix = None
    if PRIORITY_MIN <= value <= PRIORITY_MAX:
        plain = format(value.copy_abs(), "f")
        fix = replace(place, plain, f"write {plain}", Safety.REVIEW if "%" in text else Safety.SAFE)
    yield Problem(
        place, f"{quoted(text)} is not a plain decimal number, so it is ignored; write a number such as 0.8", fix
    )


@rule(
    "F006",
    "empty-hint",
    when=Signal.ODD_CHANGEFREQ | Signal.ODD_PRIORITY,
    kinds=(Kind.URLSET,),
    severity=Severity.ERROR,
    cites=("xsd-tested", "xsd-urlset"),
    bad=(
        Bad(
            "<url><loc>https://example.com/</loc>«<changefreq></changefreq>»«<priority/>»</url>",
            fixed="<url><loc>https://example.com/</loc></url>",
        ),
        Bad(
            "<url>\n  <loc>https://example.com/</loc>\n  «<priority> </priority>»\n</url>",
            fixed="<url>\n  <loc>https://example.com/</loc>\n</url>",
        ),
    ),
    good=("<priority>0</priority>", "<changefreq>never</changefreq>"),
)
def empty_hint(listed: ListedPage) -> Iterator[Problem]:
    """changefreq or priority is empty.

    An empty element is not a valid value, so validators reject the file. Omit the element if the value is
    unknown.
    """
    for name, raw in (("changefreq", listed.raw_changefreq), ("priority", listed.raw_priority)):
        if raw is not None and not raw.strip():
            for element in listed.fields(name)[:1]:
                line = with_its_line(listed.document.data, element.place)
                yield Problem(
                    element.place,
                    f"{name} is empty; set a value or remove it",
                    delete(line, "remove the empty element"),
                )
