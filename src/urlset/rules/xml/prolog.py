"""The part before the entries (declaration, DOCTYPE, schema hints), and the limits of the parser."""

from __future__ import annotations

import re
from collections.abc import Iterator

from urlset.findings.finding import delete, replace
from urlset.fixing.markup import says_an_address, with_its_line
from urlset.model.place import Place, between
from urlset.model.trouble import TroubleKind
from urlset.reading import limits
from urlset.rules import Bad, Has, Problem, Safety, Severity, Sitemap, rule
from urlset.rules.quoting import quoted, quoted_bytes
from urlset.rules.xml.repairs import cost_of, root_attributes
from urlset.spec import namespaces
from urlset.spec.lazy_pattern import lazy_pattern
from urlset.spec.protocol import ENCODING, XML_VERSION, XSLT_TYPES

# Does the file make a parser do unsafe things: expand entities, fetch files, nest without limit?

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
    entities = list(sitemap.troubles(TroubleKind.ENTITY_DECLARED, TroubleKind.EXTERNAL_ENTITY))
    used = any(sitemap.troubles(TroubleKind.ENTITY_USED))
    for trouble in sitemap.troubles(TroubleKind.DOCTYPE):
        declared = {each.detail for each in entities if trouble.place.offset < each.place.offset < trouble.place.end}
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
    """A tag, a text, an entry, the nesting, or a number of parts exceeds a limit.

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


_PROLOG_BODY = f'<urlset xmlns="{namespaces.SITEMAP}"><url><loc>https://example.com/</loc></url></urlset>\n'
_DECLARATION = f'<?xml version="{XML_VERSION}" encoding="{ENCODING}"?>\n'
_VERSION = lazy_pattern(rb"version\s*=\s*([\"'])(.*?)\1", re.DOTALL)
_UNCLOSED = lazy_pattern(rb"\s*<\?xml\s[^<>?]*(>)")
_HINT = f'{_DECLARATION}<urlset xmlns="{namespaces.SITEMAP}" xmlns:xsi="{namespaces.XSI}" xsi:schemaLocation="%s">'
_HINTED = _HINT + "<url><loc>https://example.com/</loc></url></urlset>\n"


@rule(
    "X004",
    "xml-declaration-missing",
    severity=Severity.INFO,
    cites=("xml10", "sitemaps-protocol"),
    kinds=Has.PROTOCOL | Has.FEED,
    bad=(Bad("«»" + _PROLOG_BODY, fixed=_DECLARATION + _PROLOG_BODY),),
    good=(_DECLARATION + _PROLOG_BODY, "https://example.com/\n"),
)
def xml_declaration_missing(sitemap: Sitemap) -> Iterator[Problem]:
    """The file has no XML declaration.

    XML and the protocol do not require it for UTF-8. It states the encoding for parsers that would otherwise guess.
    """
    if sitemap.document.prolog.declaration is None and not sitemap.data.lstrip().startswith(b"<?xml"):
        junk = any(sitemap.troubles(TroubleKind.TEXT_BEFORE_DECLARATION))  # has to be removed first
        other = sitemap.document.envelope.encoding != "utf-8"  # and this is a declaration of UTF-8
        fix = None if junk or other else replace(Place(0), _DECLARATION, "add the declaration")
        yield Problem(Place(0), "no XML declaration, so parsers assume UTF-8; add one", fix)


_NO_ENCODING = '<?xml version="1.0"?>'


@rule(
    "X032",
    "encoding-not-declared",
    severity=Severity.INFO,
    cites=("xml10", "sitemaps-protocol"),
    kinds=Has.PROTOCOL | Has.FEED,
    bad=(
        Bad(f"«{_NO_ENCODING}»\n" + _PROLOG_BODY, fixed=_DECLARATION + _PROLOG_BODY),
        Bad(
            "«<?xml version='1.0' standalone='yes'?>»\n" + _PROLOG_BODY,
            fixed="<?xml version='1.0' encoding=\"UTF-8\" standalone='yes'?>\n" + _PROLOG_BODY,
        ),
    ),
    good=(_DECLARATION + _PROLOG_BODY, "https://example.com/\n"),
)
def encoding_not_declared(sitemap: Sitemap) -> Iterator[Problem]:
    """The XML declaration has no encoding.

    XML parsers then assume UTF-8, which sitemaps must have. The examples of the protocol state it.
    """
    declaration = sitemap.document.prolog.declaration
    if declaration is None or declaration.encoding is not None or sitemap.document.envelope.encoding != "utf-8":
        return
    version = _VERSION.search(declaration.place.cut(sitemap.data))
    if version is not None and not any(sitemap.troubles(TroubleKind.BAD_DECLARATION)):
        at = Place(declaration.place.offset + version.end())
        fix = replace(at, f' encoding="{ENCODING}"', "declare UTF-8")
        yield Problem(declaration.place, "no encoding in the XML declaration, so parsers assume UTF-8; add it", fix)


_STYLESHEET = lazy_pattern(rb"<!--.*?-->|<\?xml-stylesheet\b.*?\?>", re.DOTALL)
_TYPE = lazy_pattern(rb"\stype\s*=\s*[\"']\s*([^\"'\s]*)\s*[\"']")
_STYLED = _DECLARATION + '«<?xml-stylesheet type="{}" href="/sitemap.xsl"?>»\n' + _PROLOG_BODY


@rule(
    "X027",
    "xslt-stylesheet",
    severity=Severity.INFO,
    cites=("chrome-xslt",),
    kinds=Has.PROTOCOL | Has.FEED,
    bad=(
        Bad(_STYLED.format("text/xsl"), fixed=_DECLARATION + _PROLOG_BODY),
        Bad(_STYLED.format("application/xslt+xml"), fixed=_DECLARATION + _PROLOG_BODY),
    ),
    good=(
        _DECLARATION + '<?xml-stylesheet type="text/css" href="/sitemap.css"?>\n' + _PROLOG_BODY,
        _DECLARATION + _PROLOG_BODY,
    ),
)
def xslt_stylesheet(sitemap: Sitemap) -> Iterator[Problem]:
    """The file has an XSLT stylesheet, which browsers stop supporting.

    Chrome removes XSLT in November 2026, and Firefox and Safari plan to follow. People who open the file in a browser
    then see plain XML. Search engines have never used the stylesheet, so nothing changes for them. A stylesheet of
    type text/css, an XHTML script or style element in the sitemap, or a separate HTML page continue to work.
    """
    document = sitemap.document
    if not document.prolog.stylesheets or document.root is None:
        return
    for found in _STYLESHEET.finditer(sitemap.data, 0, document.root.place.offset):
        kind = _TYPE.search(found[0])
        if found[0].startswith(b"<!") or kind is None or kind[1].decode("ascii", "replace").lower() not in XSLT_TYPES:
            continue
        place = between(*found.span())
        yield Problem(
            place,
            f"browsers stop supporting {quoted_bytes(kind[1])} stylesheets (Chrome in November 2026); "
            "use text/css or remove it",
            delete(with_its_line(sitemap.data, place), "remove the stylesheet", Safety.REVIEW),
        )


@rule(
    "X005",
    "text-before-declaration",
    severity=Severity.ERROR,
    cites=("xml10", "gsc-report"),
    bad=(
        Bad("«\n»" + _DECLARATION + _PROLOG_BODY, fixed=_DECLARATION + _PROLOG_BODY),
        Bad("«Notice: x in <b>sitemap.php</b>\n»" + _DECLARATION + _PROLOG_BODY, fixed=_DECLARATION + _PROLOG_BODY),
        Bad(
            '«<?xml version="1.0" encoding="UTF-8">\n»' + _PROLOG_BODY,
            fixed='<?xml version="1.0" encoding="UTF-8"?>\n' + _PROLOG_BODY,
        ),
    ),
    good=("\n" + _PROLOG_BODY, _DECLARATION + "\n\n<!-- made by hand -->\n" + _PROLOG_BODY),
)
def text_before_declaration(sitemap: Sitemap) -> Iterator[Problem]:
    """There is text before the XML declaration.

    The declaration must be at the very start of the file. A blank line or a warning printed by the generator is enough
    for XML parsers to reject the file.
    """
    for trouble in sitemap.troubles(TroubleKind.TEXT_BEFORE_DECLARATION):
        place = trouble.place
        text = place.cut(sitemap.data)
        if not text.strip():
            yield Problem(
                place,
                f"{quoted_bytes(text)} before the XML declaration, so XML parsers reject the file; remove it",
                delete(place, "remove the whitespace"),
            )
        elif unclosed := _UNCLOSED.match(text):
            at = Place(place.offset + unclosed.start(1))
            yield Problem(
                place,
                f"unclosed XML declaration {quoted_bytes(text.strip())}, so XML parsers reject the file; write ?>",
                replace(at, "?", "close it with ?>"),
            )
        else:
            blank = len(text) - len(text.lstrip())
            yield Problem(
                between(place.offset + blank, place.end),  # do not show a blank first line
                f"{quoted_bytes(text.strip())} before the document, so XML parsers reject the file; remove it",
                delete(place, "remove it", Safety.REVIEW if says_an_address(text) else Safety.SAFE),
            )


@rule(
    "X008",
    "xml-version",
    severity=Severity.WARNING,
    cites=("xml10", "general-knowledge"),
    bad=(Bad('<?xml version="«1.1»"?>\n' + _PROLOG_BODY, fixed='<?xml version="1.0"?>\n' + _PROLOG_BODY),),
    good=('<?xml version="1.0"?>\n' + _PROLOG_BODY, "<?xml version='1.0' standalone='yes'?>\n" + _PROLOG_BODY),
)
def xml_version(sitemap: Sitemap) -> Iterator[Problem]:
    """The XML version is not 1.0.

    Few sitemap parsers support XML 1.1, and a sitemap does not need it. Some parsers reject unknown versions.
    """
    special = any(sitemap.troubles(TroubleKind.CONTROL_CHARACTER, TroubleKind.BAD_CHARACTER_REFERENCE))
    for trouble in sitemap.troubles(TroubleKind.XML_VERSION):
        version = _VERSION.search(trouble.place.cut(sitemap.data))
        place = trouble.place
        if version is not None:
            place = between(trouble.place.offset + version.start(2), trouble.place.offset + version.end(2))
        fix = None if special or version is None else replace(place, XML_VERSION, f"declare {XML_VERSION}")
        yield Problem(place, f"XML version {quoted(trouble.detail)} is not supported by many parsers; use 1.0", fix)


@rule(
    "X028",
    "schema-location-not-pairs",
    severity=Severity.INFO,
    cites=("sitemaps-protocol", "xsd-tested"),
    kinds=Has.PROTOCOL | Has.FEED,
    bad=(
        Bad(
            _HINTED % f"«{namespaces.SITEMAP}»",
            fixed=_HINTED % f"{namespaces.SITEMAP} {namespaces.SITEMAP}/sitemap.xsd",
        ),
        Bad(
            _HINTED % f"«{namespaces.SITEMAP} {namespaces.SITEMAP}/sitemap.xsd {namespaces.IMAGE}»",
            fixed=(_HINTED % "").replace(' xsi:schemaLocation=""', ""),
        ),
    ),
    good=(
        _HINTED % f"{namespaces.SITEMAP} {namespaces.SITEMAP}/sitemap.xsd",
        _HINTED % f"{namespaces.SITEMAP}\n  {namespaces.SITEMAP}/sitemap.xsd\n",
    ),
)
def schema_location_not_pairs(sitemap: Sitemap) -> Iterator[Problem]:
    """xsi:schemaLocation does not contain pairs.

    The value is a list of pairs of namespace and schema URL. With an odd number of parts, validators look for the
    schema in the wrong place. Engines ignore the attribute.
    """
    for attribute in root_attributes(sitemap.document):
        if attribute.name.rpartition(":")[2] != "schemaLocation" or ":" not in attribute.name:
            continue
        parts = attribute.value.split()
        if parts and len(parts) % 2 == 0:
            continue
        schema = "siteindex.xsd" if sitemap.kind.lists_sitemaps else "sitemap.xsd"
        if parts == [namespaces.SITEMAP] and sitemap.kind.is_protocol:
            pair = f"{namespaces.SITEMAP} {namespaces.SITEMAP}/{schema}"
            fix = replace(attribute.value_place, pair, "add the schema URL")
        else:
            fix = delete(attribute.removal, "remove the attribute")
        place = attribute.value_place if parts else attribute.place
        words = f"schemaLocation {quoted(attribute.value)} has {len(parts)} part{'' if len(parts) == 1 else 's'}"
        yield Problem(place, f"{words}; write pairs of namespace and schema URL", fix)
