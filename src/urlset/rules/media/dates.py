"""A date in an extension field → whether it is in an allowed form, and which forms are."""

from __future__ import annotations

from collections.abc import Iterator

import msgspec

from urlset.checking.elements import value_place
from urlset.model.document import Document
from urlset.model.element import Element
from urlset.model.moment import DateForm, Fault, Moment
from urlset.rules import Engine, Fix, ListedPage, Problem, Safety, Severity
from urlset.rules.lastmod.faults import words
from urlset.rules.media.byte_edits import rewrite
from urlset.rules.media.fields import part
from urlset.rules.quoting import alternatives, quoted

# Formatting only: correcting it does not change the meaning.
_SPELLING = frozenset(
    {
        *(Fault.WHITESPACE, Fault.OFFSET_WITHOUT_COLON, Fault.OFFSET_HOUR_ONLY, Fault.SPACE_FOR_T),
        *(Fault.LOWER_CASE, Fault.COMMA_FRACTION, Fault.MISSING_ZERO, Fault.SLASHES, Fault.DOTS),
        *(Fault.BASIC_ISO, Fault.RFC822),
    }
)


_LACKS = {
    DateForm.YEAR: "has no month",
    DateForm.MONTH: "has no day",
    DateForm.DAY: "has no time",
    DateForm.MINUTE: "has no seconds",
    DateForm.SECOND: "has a time",
    DateForm.FRACTION: "has fractional seconds",
}


def legal_moment(element: Element | None) -> Moment | None:
    """The date of a field, if it is valid; the format rules report the others."""
    if element is None:
        return None
    moment = Moment.parse(element.text)
    return moment if moment.w3c_valid and not _beyond_earth(moment) else None


def _beyond_earth(moment: Moment) -> bool:
    """-00:00 is unusual but defined; an offset beyond ±14:00 is not."""
    return moment.has(Fault.OFFSET_RANGE) is not None and moment.offset_minutes != 0


def date_faults(
    listed: ListedPage, element: Element, forms: tuple[DateForm, ...], spelled: tuple[str, ...]
) -> Iterator[Problem]:
    """At most one problem; `spelled` describes the allowed `forms`. Empty values are skipped."""
    document, text = listed.document, element.text
    schema_alone = listed.context.engines == (Engine.XSD_STRICT,)
    if not text:
        return
    moment = Moment.parse(text)
    if schema_alone and moment.xsd_valid:
        return
    wanted = alternatives(spelled)
    if not moment.w3c_valid or _beyond_earth(moment):
        fault = moment.faults[0]
        start, end = (fault.start, fault.end) if fault.end > fault.start else (0, len(text))
        yield Problem(
            part(element, start, end),
            words(fault, moment),
            _respelled(document, element, moment, forms),
        )
    elif moment.form not in forms:
        yield Problem(
            value_place(element),
            f"{quoted(text)} {_LACKS[moment.form]}, which Google does not document for this field; write {wanted}",
            _respelled(document, element, moment, forms),
            severity=Severity.WARNING if moment.form is DateForm.FRACTION else None,
        )
    elif schema_alone:
        yield Problem(value_place(element), f"{quoted(text)} is not a date of the schema; add the seconds")


def _respelled(document: Document, element: Element, moment: Moment, forms: tuple[DateForm, ...]) -> Fix | None:
    reading = moment.reading
    if reading is None or reading.lacks_zone or moment.has(Fault.OFFSET_RANGE):
        return None
    fitted = reading
    if fitted.form is DateForm.FRACTION and DateForm.FRACTION not in forms:
        fitted = msgspec.structs.replace(fitted, fraction=None)
    if fitted.form is DateForm.MINUTE and DateForm.MINUTE not in forms:
        fitted = msgspec.structs.replace(fitted, second=0)
    if fitted.form not in forms:
        return None
    harmless = fitted is reading and {each.fault for each in moment.faults} <= _SPELLING
    new = fitted.spell()
    return rewrite(document, element, new, f"write {new}", Safety.SAFE if harmless else Safety.REVIEW)
