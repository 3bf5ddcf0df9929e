"""The part before the entries: the XML declaration, text before it, schema hints."""

from __future__ import annotations

import re
from collections.abc import Iterator

from urlset.findings.fix import delete, replace
from urlset.fixing.markup import says_an_address
from urlset.fixing.removal import with_its_line
from urlset.model.place import Place, between
from urlset.model.trouble import TroubleKind
from urlset.rules import Bad, Kind, Problem, Safety, Severity, Sitemap, rule
from urlset.rules.quoting import quoted
from urlset.rules.xml.raw_bytes import quoted_bytes
from urlset.rules.xml.root_tag import root_attributes
from urlset.spec import namespaces
from urlset.spec.lazy_pattern import lazy_pattern
from urlset.spec.media_types import XSLT_TYPES
from urlset.spec.protocol import ENCODING, XML_VERSION

_SITEMAPS = (Kind.URLSET, Kind.SITEMAPINDEX, Kind.RSS, Kind.ATOM)
_BODY = f'<urlset xmlns="{namespaces.SITEMAP}"><url><loc>https://example.com/</loc></url></urlset>\n'
_DECLARATION = f'<?xml version="{XML_VERSION}" encoding="{ENCODING}"?>\n'
_VERSION = lazy_pattern(rb"version\s*=\s*([\"'])(.*?)\1", re.DOTALL)
_UNCLOSED = lazy_pattern(rb"\s*<\?xml\s[^<>?]*(>)")
_HINT = f'{_DECLARATION}<urlset xmlns="{namespaces.SITEMAP}" xmlns:xsi="{namespaces.XSI}" xsi:schemaLocation="%s">'
_HINTED = _HINT + "<url><loc>https://example.com/</loc></url></urlset>\n"
_SCHEMAS = {Kind.URLSET: "sitemap.xsd", Kind.SITEMAPINDEX: "siteindex.xsd"}


@rule(
    "X004",
    "xml-declaration-missing",
    severity=Severity.INFO,
    cites=("xml10", "sitemaps-protocol"),
    kinds=_SITEMAPS,
    bad=(Bad("«»" + _BODY, fixed=_DECLARATION + _BODY),),
    good=(_DECLARATION + _BODY, "https://example.com/\n"),
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
    kinds=_SITEMAPS,
    bad=(
        Bad(f"«{_NO_ENCODING}»\n" + _BODY, fixed=_DECLARATION + _BODY),
        Bad(
            "«<?xml version='1.0' standalone='yes'?>»\n" + _BODY,
            fixed="<?xml version='1.0' encoding=\"UTF-8\" standalone='yes'?>\n" + _BODY,
        ),
    ),
    good=(_DECLARATION + _BODY, "https://example.com/\n"),
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
_STYLED = _DECLARATION + '«<?xml-stylesheet type="{}" href="/sitemap.xsl"?>»\n' + _BODY


@rule(
    "X027",
    "xslt-stylesheet",
    severity=Severity.INFO,
    cites=("chrome-xslt",),
    kinds=_SITEMAPS,
    bad=(
        Bad(_STYLED.format("text/xsl"), fixed=_DECLARATION + _BODY),
        Bad(_STYLED.format("application/xslt+xml"), fixed=_DECLARATION + _BODY),
    ),
    good=(_DECLARATION + '<?xml-stylesheet type="text/css" href="/sitemap.css"?>\n' + _BODY, _DECLARATION + _BODY),
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
        Bad("«\n»" + _DECLARATION + _BODY, fixed=_DECLARATION + _BODY),
        Bad("«Notice: x in <b>sitemap.php</b>\n»" + _DECLARATION + _BODY, fixed=_DECLARATION + _BODY),
        Bad(
            '«<?xml version="1.0" encoding="UTF-8">\n»' + _BODY,
            fixed='<?xml version="1.0" encoding="UTF-8"?>\n' + _BODY,
        ),
    ),
    good=("\n" + _BODY, _DECLARATION + "\n\n<!-- made by hand -->\n" + _BODY),
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
    bad=(Bad('<?xml version="«1.1»"?>\n' + _BODY, fixed='<?xml version="1.0"?>\n' + _BODY),),
    good=('<?xml version="1.0"?>\n' + _BODY, "<?xml version='1.0' standalone='yes'?>\n" + _BODY),
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
    kinds=_SITEMAPS,
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
        schema = _SCHEMAS.get(sitemap.kind)
        if parts == [namespaces.SITEMAP] and schema is not None:
            pair = f"{namespaces.SITEMAP} {namespaces.SITEMAP}/{schema}"
            fix = replace(attribute.value_place, pair, "add the schema URL")
        else:
            fix = delete(attribute.removal, "remove the attribute")
        place = attribute.value_place if parts else attribute.place
        words = f"schemaLocation {quoted(attribute.value)} has {len(parts)} part{'' if len(parts) == 1 else 's'}"
        yield Problem(place, f"{words}; write pairs of namespace and schema URL", fix)
