"""The address of an image, video file, thumbnail or player → what keeps a crawler from fetching it."""

from __future__ import annotations

from collections.abc import Iterator

from urlset.checking.subjects import value_place
from urlset.findings.finding import Problem
from urlset.findings.fix import Fix, Safety
from urlset.findings.severity import Severity
from urlset.model.address import Address, IllegalAt, Illegality, percent_encode
from urlset.model.document import Document
from urlset.model.element import Element
from urlset.rules.media.byte_edits import rewrite
from urlset.rules.media.fields import part
from urlset.rules.quoting import quoted

# Below a two-letter country these labels belong to the registry, so the third label names the site.
_REGISTRY_LABELS = frozenset(
    [
        "ac",
        "co",
        "com",
        "edu",
        "go",
        "gob",
        "gouv",
        "gov",
        "govt",
        "gr",
        "id",
        "lg",
        "ltd",
        "me",
        "mil",
        "ne",
        "net",
        "nhs",
        "nom",
        "or",
        "org",
        "plc",
        "sch",
        "sld",
        "web",
    ]
)


def site_of(host: str) -> str:
    """The part of a host name that one owner registered, as far as its shape tells."""
    labels = host.lower().rstrip(".").split(".")
    if labels[-1].isdigit() or len(labels) <= 2:
        return ".".join(labels)
    country = len(labels[-1]) == 2 and labels[-2] in _REGISTRY_LABELS
    return ".".join(labels[-3:] if country else labels[-2:])


def address_faults(document: Document, element: Element, schemes: tuple[str, ...]) -> Iterator[Problem]:
    """At most one problem: not absolute, of another scheme, or not escaped as an address must be."""
    text = element.text
    if not text:
        return
    address = Address.parse(text)
    scheme = address.parts.scheme
    if scheme is None:
        yield Problem(
            value_place(element),
            f"{quoted(text)} is relative: no crawler knows the page it was meant for, so nothing is fetched",
        )
    elif (address.scheme or "").lower() not in schemes:
        yield Problem(
            part(element, *scheme),
            f"{quoted(address.scheme or '')} is not a scheme that is fetched here ({', '.join(schemes)})",
        )
    elif not address.host:
        yield Problem(value_place(element), f"{quoted(text)} names no host")
    else:
        yield from _unescaped(document, element, address)


def _unescaped(document: Document, element: Element, address: Address) -> Iterator[Problem]:
    illegal = address.illegal_all()
    if not illegal:
        return
    worst = next((each for each in illegal if each.reason is not Illegality.NON_ASCII), illegal[0])
    yield Problem(
        part(element, worst.start, worst.end),
        f"{quoted(worst.text)} {_WORDS.get(worst.reason, 'is not allowed')} in {quoted(address.raw)}",
        _escape(document, element, address.raw),
        severity=Severity.WARNING if worst.reason is Illegality.NON_ASCII else None,
    )


_WORDS = {
    Illegality.SPACE: "must be written %20",
    Illegality.NON_ASCII: "is not percent-encoded, so it depends on the reader what is asked for,",
    Illegality.BAD_PERCENT_ESCAPE: "is no escape",
    Illegality.BAD_PORT: "is no port",
}


def _escape(document: Document, element: Element, text: str) -> Fix | None:
    for stray_percent, safety in ((False, Safety.SAFE), (True, Safety.REVIEW)):
        fixed = percent_encode(text, stray_percent=stray_percent)
        if fixed != text and not _still_illegal(fixed):
            return rewrite(document, element, fixed, "escape what an address may not contain", safety)
    return None


def _still_illegal(text: str) -> list[IllegalAt]:
    return Address.parse(text).illegal_all()


def same_page(one: str, other: str) -> bool:
    return bool(one) and (one == other or Address.parse(one).key == Address.parse(other).key)
