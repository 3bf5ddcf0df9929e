"""Does the file make a parser do unsafe things: expand entities, fetch files, nest without limit?"""

from __future__ import annotations

import re
from collections.abc import Iterator

from urlset.findings.fix import delete
from urlset.model.place import Place, between
from urlset.model.trouble import TroubleKind
from urlset.reading import limits
from urlset.rules import Bad, Problem, Safety, Severity, Sitemap, rule
from urlset.rules.quoting import quoted
from urlset.rules.xml.raw_bytes import quoted_bytes
from urlset.rules.xml.repairs import cost_of
from urlset.spec import namespaces
from urlset.spec.lazy_pattern import lazy_pattern

XINCLUDE = "http://www.w3.org/2001/XInclude"
_OPEN = f'<urlset xmlns="{namespaces.SITEMAP}">'
_BODY = _OPEN + "<url><loc>https://example.com/</loc></url></urlset>\n"
_EXTERNAL_SUBSET = lazy_pattern(
    rb"<!DOCTYPE\s+[^\s\[>]+\s+(?:SYSTEM|PUBLIC\s+(?:\"[^\"]*\"|'[^']*'))\s+(?:\"([^\"]*)\"|'([^']*)')", re.IGNORECASE
)


@rule(
    "X014",
    "doctype-present",
    severity=Severity.ERROR,
    cites=("general-knowledge", "xml10"),
    bad=(
        Bad("«<!DOCTYPE urlset>»\n" + _BODY, fixed="\n" + _BODY),
        Bad('«<!DOCTYPE urlset [<!ENTITY a "b">]>»\n' + _BODY, fixed="\n" + _BODY),
        '«<!DOCTYPE urlset [<!ENTITY site "example.com">]>»\n'
        + _OPEN
        + "<url><loc>https://&site;/</loc></url></urlset>\n",
    ),
    good=(_BODY, "<!-- <!DOCTYPE urlset> -->\n" + _BODY),
)
def doctype_present(sitemap: Sitemap) -> Iterator[Problem]:
    """The file has a DOCTYPE.

    A sitemap does not need one. A DOCTYPE can declare entities that expand to gigabytes or include other files, so
    secure parsers reject it. urlset loads nothing and expands only entities of short text.
    """
    declared = {
        trouble.detail for trouble in sitemap.troubles(TroubleKind.ENTITY_DECLARED, TroubleKind.EXTERNAL_ENTITY)
    }
    used = any(sitemap.troubles(TroubleKind.ENTITY_USED))
    for trouble in sitemap.troubles(TroubleKind.DOCTYPE):
        words = "DOCTYPE before the root element, so secure parsers reject the file; remove it"
        if declared:
            words = f"the DOCTYPE declares the entity {quoted(min(declared))}"
            words += f" and {len(declared) - 1:,} more" if len(declared) > 1 else ""
            words += ", which secure parsers do not expand; "
            words += "write its text instead of each reference" if used else "remove it"
        safety = Safety.REVIEW if b"[" in trouble.place.cut(sitemap.data) else Safety.SAFE
        fix = None if used else delete(trouble.place, "remove the DOCTYPE", safety)
        yield Problem(trouble.place, words, fix)


@rule(
    "X015",
    "external-reference",
    severity=Severity.ERROR,
    cites=("general-knowledge", "xml10"),
    bad=(
        '<!DOCTYPE urlset [«<!ENTITY x SYSTEM» "file:///etc/hosts">]>\n' + _BODY,
        '<!DOCTYPE urlset SYSTEM "«https://example.com/sitemap.dtd»">\n' + _BODY,
        (
            f'<urlset xmlns="{namespaces.SITEMAP}" xmlns:xi="«{XINCLUDE}»"><xi:include href="more.xml"/>'
            "<url><loc>https://example.com/</loc></url></urlset>\n"
        ),
    ),
    good=(
        _BODY,
        (
            f'<urlset xmlns="{namespaces.SITEMAP}" xmlns:xsi="{namespaces.XSI}" '
            f'xsi:schemaLocation="{namespaces.SITEMAP} {namespaces.SITEMAP}/sitemap.xsd">'
            "<url><loc>https://example.com/</loc></url></urlset>\n"
        ),
    ),
)
def external_reference(sitemap: Sitemap) -> Iterator[Problem]:
    """The file references another file or URL to load.

    External entities, external DTDs, and XInclude make a parser read local files or contact other servers. urlset never
    follows them.
    """
    for trouble in sitemap.troubles(TroubleKind.EXTERNAL_ENTITY):
        yield Problem(trouble.place, f"external entity {quoted(trouble.detail)} is not loaded; remove it")
    for trouble in sitemap.troubles(TroubleKind.DOCTYPE):
        subset = _EXTERNAL_SUBSET.match(trouble.place.cut(sitemap.data))
        if subset is not None:
            start, end = subset.span(1 if subset[1] is not None else 2)
            place = between(trouble.place.offset + start, trouble.place.offset + end)
            yield Problem(place, f"external DTD {quoted_bytes(place.cut(sitemap.data))} is not loaded; remove it")
    spans = sitemap.columns.outside_fast_path(0, len(sitemap.data))
    declared = [quote + XINCLUDE.encode() for quote in (b'"', b"'")]
    found = [at for span in spans for text in declared if (at := sitemap.data.find(text, *span)) != -1]
    if found:
        yield Problem(Place(min(found) + 1, len(XINCLUDE)), "XInclude is not loaded; remove it")


@rule(
    "X030",
    "parser-limit",
    severity=Severity.ERROR,
    cites=("general-knowledge",),
    bad=(
        Bad(
            "<url><loc>https://example.com/</loc>" + "<a>" * (limits.MAX_DEPTH - 1) + "«»" + "<a>" * 9 + "</url>",
            title="<url><loc>https://example.com/</loc><a><a><a>… (elements nested 72 deep)",
        ),
    ),
    good=("<url><loc>https://example.com/</loc><!-- " + "long " * 1000 + "--></url>",),
    reports=(TroubleKind.TOO_DEEP, TroubleKind.TOKEN_TOO_LONG),
)
def parser_limit(sitemap: Sitemap) -> Iterator[Problem]:
    """The nesting, a tag, a text, an entry, or the number of entries or of malformed places exceeds a limit.

    A sitemap has at most five levels, 50,000 entries, and values of a few thousand characters. Far beyond that, the
    file is corrupt or an attack, so the entry or the rest of the file is skipped.
    """
    cost = cost_of(sitemap)
    for trouble in sitemap.troubles(*_LIMITS):
        place = trouble.place
        lost = "so the rest of the file is skipped" if trouble.kind in _ENDING else "so it is skipped"
        yield Problem(place, _LIMITS[trouble.kind] + (cost(place) or f", {lost}"))


_LIMITS = {
    TroubleKind.TOO_DEEP: f"elements are nested more than {limits.MAX_DEPTH} deep",
    TroubleKind.TOKEN_TOO_LONG: (
        f"one tag or text is longer than {limits.MAX_TOKEN:,} bytes, or one entry than {limits.MAX_ENTRY:,}"
    ),
    TroubleKind.TOO_DAMAGED: f"more than {limits.MAX_DAMAGED:,} places are malformed",
    TroubleKind.TOO_MANY_ENTRIES: f"more than {limits.MAX_ROWS:,} entries, comments, or elements between entries",
}
_ENDING = (TroubleKind.TOO_DAMAGED, TroubleKind.TOO_MANY_ENTRIES)
