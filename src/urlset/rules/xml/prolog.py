"""What comes before the entries: compression, declaration, DOCTYPE, schema hints; and the limits of the parser."""

from __future__ import annotations

import gzip
import re
from collections.abc import Iterator
from urllib.parse import urlsplit

from urlset.checking.declare import bad, error_rule, good, info_rule, warning_rule
from urlset.findings.finding import delete, quoted, quoted_bytes, replace
from urlset.fixing.markup import says_an_address, with_its_line
from urlset.model.address import Address
from urlset.model.document import Document
from urlset.model.place import Place, between
from urlset.model.trouble import TroubleKind
from urlset.reading import limits
from urlset.rules import Fix, Has, Kind, Problem, Safety, Sitemap
from urlset.rules.xml.wellformed import cost_of, root_attributes
from urlset.spec import namespaces
from urlset.spec.lazy_pattern import lazy_pattern
from urlset.spec.protocol import ENCODING, ROBOTS_PLACE, XML_VERSION, XSLT_TYPES

# Does the file make a parser do unsafe things: expand entities, fetch files, nest without limit?

XINCLUDE = "http://www.w3.org/2001/XInclude"
_OPEN = f'<urlset xmlns="{namespaces.SITEMAP}">'
_BODY = _OPEN + "<url><loc>https://example.com/</loc></url></urlset>\n"
_EXTERNAL_SUBSET = lazy_pattern(
    rb"<!DOCTYPE\s+[^\s\[>]+\s+(?:SYSTEM|PUBLIC\s+(?:\"[^\"]*\"|'[^']*'))\s+(?:\"([^\"]*)\"|'([^']*)')", re.IGNORECASE
)


@error_rule("X014", cites=("general-knowledge", "xml10"))
@bad("«<!DOCTYPE urlset>»\n" + _BODY, fixed="\n" + _BODY)
@bad('«<!DOCTYPE urlset [<!ENTITY a "b">]>»\n' + _BODY, fixed="\n" + _BODY)
@bad(
    '«<!DOCTYPE urlset [<!ENTITY site "example.com">]>»\n' + _OPEN + "<url><loc>https://&site;/</loc></url></urlset>\n"
)
@good(_BODY, "<!-- <!DOCTYPE urlset> -->\n" + _BODY)
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


@error_rule("X015", cites=("general-knowledge", "xml10"))
@bad(
    '<!DOCTYPE urlset [«<!ENTITY x SYSTEM» "file:///etc/hosts">]>\n' + _BODY,
    '<!DOCTYPE urlset SYSTEM "«https://example.com/sitemap.dtd»">\n' + _BODY,
    f'<urlset xmlns="{namespaces.SITEMAP}" xmlns:xi="«{XINCLUDE}»"><xi:include href="more.xml"/>'
    "<url><loc>https://example.com/</loc></url></urlset>\n",
)
@good(
    _BODY,
    f'<urlset xmlns="{namespaces.SITEMAP}" xmlns:xsi="{namespaces.XSI}" '
    f'xsi:schemaLocation="{namespaces.SITEMAP} {namespaces.SITEMAP}/sitemap.xsd">'
    "<url><loc>https://example.com/</loc></url></urlset>\n",
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
    declared = [quote + XINCLUDE.encode() for quote in (b'"', b"'")] if sitemap.last_of(XINCLUDE.encode()) >= 0 else []
    found = [at for text in declared if (at := sitemap.data.find(text)) != -1]
    if found:
        yield Problem(Place(min(found) + 1, len(XINCLUDE)), "XInclude is not loaded; remove it")


@error_rule("X030", cites=("general-knowledge",), reports=(TroubleKind.TOO_DEEP, TroubleKind.TOKEN_TOO_LONG))
@bad(
    "<url><loc>https://example.com/</loc>" + "<a>" * (limits.MAX_DEPTH - 1) + "«»" + "<a>" * 9 + "</url>",
    title="<url><loc>https://example.com/</loc><a><a><a>… (elements nested 72 deep)",
)
@good("<url><loc>https://example.com/</loc><!-- " + "long " * 1000 + "--></url>")
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


@info_rule("X004", cites=("xml10", "sitemaps-protocol"), kinds=Has.PROTOCOL | Has.FEED)
@bad("«»" + _PROLOG_BODY, fixed=_DECLARATION + _PROLOG_BODY)
@good(_DECLARATION + _PROLOG_BODY, "https://example.com/\n")
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


@info_rule("X032", cites=("xml10", "sitemaps-protocol"), kinds=Has.PROTOCOL | Has.FEED)
@bad(f"«{_NO_ENCODING}»\n" + _PROLOG_BODY, fixed=_DECLARATION + _PROLOG_BODY)
@bad(
    "«<?xml version='1.0' standalone='yes'?>»\n" + _PROLOG_BODY,
    fixed="<?xml version='1.0' encoding=\"UTF-8\" standalone='yes'?>\n" + _PROLOG_BODY,
)
@good(_DECLARATION + _PROLOG_BODY, "https://example.com/\n")
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


@info_rule("X027", cites=("chrome-xslt",), kinds=Has.PROTOCOL | Has.FEED)
@bad(_STYLED.format("text/xsl"), fixed=_DECLARATION + _PROLOG_BODY)
@bad(_STYLED.format("application/xslt+xml"), fixed=_DECLARATION + _PROLOG_BODY)
@good(
    _DECLARATION + '<?xml-stylesheet type="text/css" href="/sitemap.css"?>\n' + _PROLOG_BODY,
    _DECLARATION + _PROLOG_BODY,
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


@error_rule("X005", cites=("xml10", "gsc-report"))
@bad("«\n»" + _DECLARATION + _PROLOG_BODY, fixed=_DECLARATION + _PROLOG_BODY)
@bad("«Notice: x in <b>sitemap.php</b>\n»" + _DECLARATION + _PROLOG_BODY, fixed=_DECLARATION + _PROLOG_BODY)
@bad(
    '«<?xml version="1.0" encoding="UTF-8">\n»' + _PROLOG_BODY,
    fixed='<?xml version="1.0" encoding="UTF-8"?>\n' + _PROLOG_BODY,
)
@good("\n" + _PROLOG_BODY, _DECLARATION + "\n\n<!-- made by hand -->\n" + _PROLOG_BODY)
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


@warning_rule("X008", cites=("xml10", "general-knowledge"))
@bad('<?xml version="«1.1»"?>\n' + _PROLOG_BODY, fixed='<?xml version="1.0"?>\n' + _PROLOG_BODY)
@good('<?xml version="1.0"?>\n' + _PROLOG_BODY, "<?xml version='1.0' standalone='yes'?>\n" + _PROLOG_BODY)
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


@info_rule("X028", cites=("sitemaps-protocol", "xsd-tested"), kinds=Has.PROTOCOL | Has.FEED)
@bad(_HINTED % f"«{namespaces.SITEMAP}»", fixed=_HINTED % f"{namespaces.SITEMAP} {namespaces.SITEMAP}/sitemap.xsd")
@bad(
    _HINTED % f"«{namespaces.SITEMAP} {namespaces.SITEMAP}/sitemap.xsd {namespaces.IMAGE}»",
    fixed=(_HINTED % "").replace(' xsi:schemaLocation=""', ""),
)
@good(
    _HINTED % f"{namespaces.SITEMAP} {namespaces.SITEMAP}/sitemap.xsd",
    _HINTED % f"{namespaces.SITEMAP}\n  {namespaces.SITEMAP}/sitemap.xsd\n",
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


# Is the file non-empty, and not a web page?

_ROOT = f'<urlset xmlns="{namespaces.SITEMAP}">\n'
_SOUND = f'<urlset xmlns="{namespaces.SITEMAP}"><url><loc>https://example.com/</loc></url></urlset>\n'


@error_rule("X021", names_other=True, cites=("gsc-report", "general-knowledge"))
@bad("«<!doctype html>»\n<title>Log in</title>\n", "«<html><body>Not found</body></html>»\n")
@good(_SOUND, _SOUND.replace("<urlset", "<!-- <!doctype html> --><urlset"))
def html_instead_of_sitemap(sitemap: Sitemap) -> Iterator[Problem]:
    """The file is an HTML page.

    The sitemap URL returns a login form, an error page, or the home page. Engines report an unsupported format and
    find no URLs.
    """
    if sitemap.kind is Kind.HTML and not is_robots(sitemap.document):  # R011 reports robots.txt
        for trouble in sitemap.troubles(TroubleKind.NOT_A_SITEMAP):
            message = f"the file is an HTML page, starting with {quoted(trouble.detail)}; serve the sitemap at this URL"
            yield Problem(trouble.place, message)


@error_rule("X031", names_other=True, cites=("general-knowledge", "seen-in-the-wild"))
@bad("«---\nlayout: null\n---»\n" + _SOUND, title="front matter of Jekyll")
@bad(
    _ROOT + "«{% for page in pages %}»\n<url><loc>{{ page.url }}</loc></url>\n{% endfor %}\n</urlset>\n",
    _ROOT + "«{{ range .Pages }}»<url><loc>{{ .Permalink }}</loc></url>{{ end }}</urlset>\n",
    "<url><loc>«<?php echo $url; ?>»</loc></url>",
    _ROOT + "«<% pages.forEach(page => { %>»<url><loc><%= page.url %></loc></url><% }) %></urlset>\n",
    "<loc>«${process.env.SITE_URL}/a»</loc>",
)
@bad("User-agent: *\n«{% if site.live %}»\nAllow: /\n{% endif %}\n", at="https://example.com/robots.txt")
@good(_SOUND)
@good("<image:caption>How to use {% for %} in a template</image:caption>", title="a text about template languages")
@good(_SOUND.replace("<url>", "<!-- {% comment %} --><url>"))
def unrendered_template(sitemap: Sitemap) -> Iterator[Problem]:
    """The file is the source of a template.

    Front matter, a loop or condition between elements, or a tag of PHP or ERB means that no engine has run: crawlers
    get program code. So does a file in which every URL begins with a placeholder. Nothing else is reported about such
    a file, and `fix` does not change it. A sitemap with rendered URLs in which some value has a leftover such as
    `{{ slug }}` is not a template: L034 reports the URL. Files over 256 KiB are not templates.
    """
    for trouble in sitemap.troubles(TroubleKind.UNRENDERED):
        message = f"unrendered template: {quoted(trouble.detail)} was not executed; publish the rendered file"
        yield Problem(trouble.place, message)


@error_rule("X022", cites=("yandex-errors",))
@bad(data=b"", marks=((0, 0),), title="a file of 0 bytes")
@bad(data=b" \r\n\n", marks=((0, 4),), title="a file of spaces and line breaks")
@good(_SOUND, "https://example.com/\n")
@good(data=b"", at="https://example.com/robots.txt", title="an empty robots.txt, which allows everything")
def empty_file(sitemap: Sitemap) -> Iterator[Problem]:
    """The file is empty.

    Engines report that the response contains no data. The generator probably failed.
    """
    damaged = any(sitemap.troubles(TroubleKind.TRUNCATED_GZIP, TroubleKind.CORRUPT_GZIP))
    for trouble in sitemap.troubles(TroubleKind.EMPTY):
        if not damaged and not is_robots(sitemap.document):
            size = sitemap.document.envelope.size
            words = f"the file contains only whitespace ({size:,} bytes)" if size else "the file is empty"
            yield Problem(trouble.place, f"{words}; check the program that generates it")


_PLAIN = f'<urlset xmlns="{namespaces.SITEMAP}"><url><loc>https://example.com/</loc></url></urlset>\n'.encode()
_PACKED = gzip.compress(_PLAIN, mtime=0)
_WORTH_A_LOOK = 1 << 20
_UNPACKED_NAMES = (".xml", ".txt", ".rss", ".atom")
_UNPACKED_BY_FIX = (".xml", ".txt")
_DAMAGE = (TroubleKind.TRUNCATED_GZIP, TroubleKind.CORRUPT_GZIP, TroubleKind.GZIP_TRAILING_GARBAGE)


def _blown_up(times: int) -> bytes:
    """A sitemap followed by this many quarter mebibytes of blanks."""
    return _PACKED + gzip.compress(b"\n" * (1 << 18), mtime=0) * times


def names_of(document: Document) -> list[str]:
    """The file name and the last path segment of its URL, in lowercase, as far as known."""
    path = ""
    if document.url:
        try:
            path = urlsplit(document.url).path
        except ValueError:
            path = ""
    names = (path, document.name.replace("\\", "/"))
    return [name.rpartition("/")[2].lower() for name in names if name.rpartition("/")[2]]


@error_rule("X016", cites=("rfc1952", "gsc-report", "yandex-errors"))
@bad(
    data=_PACKED[:-8] + bytes(8), marks=((len(_PLAIN), 0),), title="sitemap.xml.gz with a checksum that does not match"
)
@bad(data=_PACKED + b"<!-- -->", marks=((len(_PLAIN), 0),), title="sitemap.xml.gz with text after its end")
@good(data=_PACKED, title="sitemap.xml.gz")
@good(data=_PACKED + bytes(512), title="sitemap.xml.gz padded with zero bytes")
def gzip_damaged(sitemap: Sitemap) -> Iterator[Problem]:
    """The gzip data is truncated, corrupt, or followed by other bytes.

    Engines that cannot decompress a file report a compression error and read nothing. Usually an upload was
    interrupted, or a text-mode transfer changed the bytes. Compress the file again.
    """
    for trouble in sitemap.troubles(*_DAMAGE):
        message = f"{trouble.detail}, so engines cannot read the file; compress it again"
        yield Problem(trouble.place, message)


@warning_rule("X017", cites=("general-knowledge",))
@bad("«»" + _PLAIN.decode(), at="https://example.com/sitemap.xml.gz", title="sitemap.xml.gz that starts with <urlset")
@bad(data=_PACKED, marks=((0, 0),), at="https://example.com/sitemap.xml", title="sitemap.xml that starts with 1F 8B")
@good(data=_PACKED, at="https://example.com/sitemap.xml.gz", title="sitemap.xml.gz that starts with 1F 8B")
@good(_PLAIN.decode(), at="https://example.com/sitemap.xml")
@good(data=_PACKED, at="https://example.com/sitemap", title="gzip data under a name without an extension")
def name_contradicts_compression(sitemap: Sitemap) -> Iterator[Problem]:
    """The file extension does not match the compression.

    Servers choose headers by the file name. Decompressing an uncompressed .gz file fails, and gzip data named .xml is
    served as text unless the server adds Content-Encoding.
    """
    document = sitemap.document
    names = names_of(document)
    if document.kind is Kind.EMPTY or document.envelope.compression not in (None, "gzip"):
        return
    packed = document.envelope.compression == "gzip"
    agreeing = [name for name in names if name.endswith(".gz" if packed else _UNPACKED_NAMES)]
    contrary = [name for name in names if name.endswith(_UNPACKED_NAMES if packed else ".gz")]
    if contrary and not agreeing:
        name = quoted(contrary[0])
        wording = (
            f"{name} contains gzip data, but its name does not end in .gz; rename or decompress it"
            if packed
            else f"{name} is not gzip data, so decompressing it fails; rename or compress it"
        )
        fix, own = None, document.name.lower()  # only a local file under its own name can be rewritten
        if document.envelope.complete and packed and own.endswith(_UNPACKED_BY_FIX):
            fix = Fix("decompress it to match its name", (), Safety.REVIEW)
        elif document.envelope.complete and not packed and own.endswith(".gz") and len(document):
            fix = Fix("compress it to match its name", (), Safety.REVIEW)
        yield Problem(Place(0), wording, fix)


@error_rule("X018", cites=("sitemaps-faq", "sitemaps-protocol"))
@bad(data=b"PK\x03\x04\x14\x00\x00\x00\x08\x00", marks=((0, 0),), title="sitemap.zip")
@good(data=_PACKED, title="sitemap.xml.gz")
@good("https://example.com/download.zip\n")
def compression_not_gzip(sitemap: Sitemap) -> Iterator[Problem]:
    """The file is compressed in a format other than gzip.

    The protocol supports only gzip. Engines do not read zip archives or zstd files.
    """
    for trouble in sitemap.troubles(TroubleKind.OTHER_COMPRESSION):
        message = f"the file is compressed with {quoted(trouble.detail)}, which engines do not read; use gzip"
        yield Problem(trouble.place, message)


@error_rule("X019", cites=("sitemaps-protocol", "general-knowledge"))
@bad(data=lambda: _blown_up(220), marks=((0, 0),), title="70 KB of gzip data that decompress to more than 55 MB")
@good(data=lambda: _blown_up(1), title="gzip data within the limits")
def unpacking_stopped(sitemap: Sitemap) -> Iterator[Problem]:
    """Reading stopped at a limit, so the rest of the file was not checked.

    A sitemap may have at most 50 MiB uncompressed. Reading stops far beyond that limit, because a few kilobytes of
    gzip data can decompress to more than the available memory.
    """
    for trouble in sitemap.troubles(TroubleKind.TOO_LARGE, TroubleKind.COMPRESSION_BOMB):
        yield Problem(Place(0), f"{trouble.detail}; reading stopped, and the rest was not checked")


@warning_rule("X020", cites=("rfc1952", "general-knowledge"))
@bad(data=gzip.compress(_PACKED, mtime=0), marks=((0, 0),), title="gzip data inside gzip data")
@bad(data=lambda: _blown_up(5), marks=((0, 0),), title="2 KB of gzip data that decompress to more than 1 MB")
@good(data=_PACKED, title="sitemap.xml.gz")
@good(data=lambda: _blown_up(1), title="a small file that compresses well")
def suspicious_compression(sitemap: Sitemap) -> Iterator[Problem]:
    """The file is compressed twice, or compresses far better than a sitemap can.

    Engines decompress once, and the content of a doubly compressed file is not XML. Real sitemaps compress to between
    1/8 and 1/60. A much higher ratio means padding or a decompression bomb.
    """
    for trouble in sitemap.troubles(TroubleKind.GZIP_IN_GZIP):
        message = f"gzip data inside gzip data ({trouble.detail}), but engines decompress once; compress it once"
        fix = Fix("compress it once", ()) if sitemap.document.envelope.complete else None
        yield Problem(trouble.place, message, fix)
    envelope = sitemap.document.envelope
    stopped = any(sitemap.troubles(TroubleKind.TOO_LARGE, TroubleKind.COMPRESSION_BOMB, TroubleKind.GZIP_IN_GZIP))
    if envelope.compression != "gzip" or stopped or envelope.size < _WORTH_A_LOOK or not envelope.delivered:
        return
    if envelope.size > limits.BOMB_RATIO * envelope.delivered:
        yield Problem(
            Place(0),
            f"{envelope.delivered:,} bytes decompress to {envelope.size:,}, a ratio of "
            f"{envelope.size // envelope.delivered:,}, which is implausible for a sitemap",
        )


def is_robots(document: Document) -> bool:
    """Judged by its path, because the content does not show it."""
    if document.url:
        return Address.parse(document.url).path == ROBOTS_PLACE
    return document.name.replace("\\", "/").rpartition("/")[2].lower() == ROBOTS_PLACE.strip("/")
