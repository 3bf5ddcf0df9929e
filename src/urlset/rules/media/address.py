"""The URL of an image, video file, thumbnail, or player → why a crawler cannot fetch it."""

from __future__ import annotations

from collections.abc import Iterator
from functools import lru_cache

from urlset.checking.elements import value_place
from urlset.model.address import Address, IllegalAt, Illegality, percent_encode
from urlset.model.document import Document
from urlset.model.element import Element
from urlset.rules import Fix, Problem, Safety, Severity
from urlset.rules.media.byte_edits import rewrite
from urlset.rules.media.fields import part
from urlset.rules.quoting import alternatives, quoted

# Below a two-letter country code these labels belong to the registry, so the third label identifies the site.
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


@lru_cache(64)
def address_of(text: str) -> Address:
    """Several rules look at the same URL, one after the other."""
    return Address.parse(text)


def site_of(host: str) -> str:
    """The registered part of a host name, judged by its form."""
    labels = host.lower().rstrip(".").split(".")
    if labels[-1].isdigit() or len(labels) <= 2:
        return ".".join(labels)
    country = len(labels[-1]) == 2 and labels[-2] in _REGISTRY_LABELS
    return ".".join(labels[-3:] if country else labels[-2:])


def address_faults(document: Document, element: Element, schemes: tuple[str, ...]) -> Iterator[Problem]:
    """At most one problem: not absolute, unsupported scheme, or not escaped."""
    text = element.text
    if not text:
        return
    address = address_of(text)
    scheme = address.parts.scheme
    if scheme is None:
        yield Problem(
            value_place(element),
            f"{quoted(text)} is a relative URL, so it cannot be fetched; write an absolute URL",
        )
    elif (address.scheme or "").lower() not in schemes:
        yield Problem(
            part(element, *scheme),
            f"scheme {quoted(address.scheme or '')} is not supported; use {alternatives(schemes)}",
        )
    elif not address.host:
        yield Problem(value_place(element), f"{quoted(text)} has no host; write an absolute URL")
    else:
        yield from _unescaped(document, element, address)


def _unescaped(document: Document, element: Element, address: Address) -> Iterator[Problem]:
    illegal = address.illegal_all()
    if not illegal:
        return
    worst = next((each for each in illegal if each.reason is not Illegality.NON_ASCII), illegal[0])
    only_spaces = all(each.reason is Illegality.SPACE for each in illegal) and illegal[0].start >= address.parts.path[0]
    yield Problem(
        lambda: part(element, worst.start, worst.end),
        f"{quoted(worst.text)} in {quoted(address.raw)} {_WORDS.get(worst.reason, 'is illegal; percent-encode it')}",
        _spaces_escaped(document, element, address.raw) if only_spaces else _escape(document, element, address.raw),
        severity=Severity.WARNING if worst.reason is Illegality.NON_ASCII else None,
    )


_WORDS = {
    Illegality.SPACE: "is not escaped; write %20",
    Illegality.NON_ASCII: "is not percent-encoded; encode it as UTF-8",
    Illegality.BAD_PERCENT_ESCAPE: "is malformed percent-encoding; write a literal % as %25",
    Illegality.BAD_PORT: "is not a valid port; use 1 to 65535",
}


def _spaces_escaped(document: Document, element: Element, text: str) -> Fix | None:
    """The same as `_escape` where nothing else has to be escaped: many files have a space in every URL."""
    return rewrite(document, element, text.replace(" ", "%20"), _ESCAPE)


_ESCAPE = "percent-encode illegal characters"


def _escape(document: Document, element: Element, text: str) -> Fix | None:
    for stray_percent, safety in ((False, Safety.SAFE), (True, Safety.REVIEW)):
        fixed = percent_encode(text, stray_percent=stray_percent)
        if fixed != text and not _still_illegal(fixed):
            return rewrite(document, element, fixed, _ESCAPE, safety)
    return None


def _still_illegal(text: str) -> list[IllegalAt]:
    return Address.parse(text).illegal_all()


def same_page(one: str, other: str) -> bool:
    return bool(one) and (one == other or address_of(one).key == address_of(other).key)
