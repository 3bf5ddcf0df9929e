"""Is the prefix of the links bound to the XHTML namespace?"""

from __future__ import annotations

from collections.abc import Iterator

from urlset.checking.declare import Bad, Good, rule
from urlset.checking.subjects import Sitemap
from urlset.findings.finding import Problem
from urlset.findings.fix import Fix, Safety
from urlset.findings.severity import Severity
from urlset.model.columns import Edit
from urlset.model.document import Kind
from urlset.model.place import Place, between
from urlset.rules.quoting import quoted
from urlset.spec import namespaces
from urlset.spec.engines import Engine
from urlset.spec.lazy_pattern import lazy_pattern
from urlset.spec.namespaces import Spelling

_DECLARATION = lazy_pattern(rb"\sxmlns:([^\s=]+)\s*=\s*(?:\"([^\"<]*)\"|'([^'<]*)')")
_LISTED_AT_MOST = 100_000


def _map(namespace: str, attribute: str = "xmlns:xhtml") -> str:
    return (
        f'<urlset xmlns="{namespaces.SITEMAP}" {attribute}="{namespace}"><url><loc>https://example.com/</loc>'
        '<xhtml:link rel="alternate" hreflang="en" href="https://example.com/"/></url></urlset>'
    )


_WRONG = "http://www.w3.org/TR/xhtml11/xhtml11_schema.html"
_INNER = '<xhtml:link xmlns:xhtml="{}" rel="alternate" hreflang="{}" href="https://example.com/{}"/>'


@rule(
    "H001",
    "wrong-xhtml-namespace",
    kinds=(Kind.URLSET,),
    severity=Severity.ERROR,
    engines=(Engine.GOOGLE,),
    cites=("google-hreflang", "google-combine"),
    bad=(
        Bad(_map(f"«{_WRONG}»"), fixed=_map(namespaces.XHTML)),
        Bad(_map("«http://www.w3.org/1999/xhtml/»"), fixed=_map(namespaces.XHTML)),
        Bad(_map("«http://example.com/made-up»"), fixed=_map(namespaces.XHTML)),
        Bad(
            "<loc>https://example.com/</loc>"
            + _INNER.format(f"«{_WRONG}»", "en", "")
            + _INNER.format(_WRONG, "de", "de"),
            fixed="<loc>https://example.com/</loc>"
            + _INNER.format(namespaces.XHTML, "en", "")
            + _INNER.format(namespaces.XHTML, "de", "de"),
        ),
    ),
    good=(
        Good(_map(namespaces.XHTML)),
        Good(_map(namespaces.XHTML, "xmlns:x").replace("xhtml:", "x:")),
        Good("<loc>https://example.com/</loc>" + _INNER.format(namespaces.XHTML, "en", "")),
        Good(_map(_WRONG).replace('<xhtml:link rel="alternate" hreflang="en" href="https://example.com/"/>', "")),
    ),
)
def wrong_xhtml_namespace(sitemap: Sitemap) -> Iterator[Problem]:
    """The namespace of the hreflang links is not the XHTML namespace.

    Namespaces are compared character by character. Links in any namespace other than http://www.w3.org/1999/xhtml are
    unknown elements and ignored.
    """
    found: dict[str, list[Place]] = {}
    for prefix, uri, place in _declarations(sitemap):
        if _is_wrong(prefix, uri) and b"<" + prefix.encode() + b":" in sitemap.data:
            found.setdefault(uri, []).append(place)
    for uri, places in found.items():
        edits = tuple(Edit(place, namespaces.XHTML.encode()) for place in places)
        known = namespaces.recognise(uri) is not None
        yield Problem(
            places[0],
            f"{quoted(uri)} is not the XHTML namespace, so its links are ignored; write {namespaces.XHTML}",
            Fix(f"write {namespaces.XHTML}", edits, Safety.SAFE if known else Safety.REVIEW),
            count=len(places),
            places=places,
        )


def _is_wrong(prefix: str, uri: str) -> bool:
    """A URI that only differs in https has its own rule for all namespaces."""
    recognised = namespaces.recognise(uri)
    if recognised is None or recognised.uri != namespaces.XHTML:
        return prefix.lower() == "xhtml"
    return not recognised.exact and recognised.faults != (Spelling.HTTPS,)


def _declarations(sitemap: Sitemap) -> Iterator[tuple[str, str, Place]]:
    """Prefix, namespace, and the bytes of its value: on the root and on inner elements."""
    root = sitemap.document.root
    if root is None or not sitemap.extended:
        return
    data = sitemap.data
    at = 0 if root.synthetic else root.place.offset
    for _ in range(_LISTED_AT_MOST):
        if at > sitemap.last_of(b"xmlns"):
            return
        at = data.find(b"xmlns:", at)
        if at == -1:
            return
        match = _DECLARATION.match(data, at - 1)
        tag = data.rfind(b"<", 0, at) + 1
        at += 6
        if match is not None and data[tag : tag + 1] not in (b"!", b"?"):
            group = 2 if match[2] is not None else 3
            uri = match[group].decode("utf-8", "replace").replace("&amp;", "&")
            yield match[1].decode("utf-8", "replace"), uri, between(*match.span(group))
