"""Are namespaces correct, used, known to engines, and not withdrawn?"""

from __future__ import annotations

import re
from collections.abc import Iterator

from urlset.checking.declare import bad, good, google_error, google_info, google_warning, info_rule, warning_rule
from urlset.findings.finding import delete, quoted, quoted_bytes
from urlset.fixing.markup import with_its_line
from urlset.model.columns import Edit, Mark
from urlset.model.entry import Element
from urlset.model.place import Place, between
from urlset.rules import Engine, Fix, Has, Problem, Safety, Sitemap
from urlset.rules.declarations import Declared, declared_namespaces, is_used, only_https, rewrite
from urlset.rules.structure.entry_faults import Outside, outside_elements
from urlset.rules.xml.prolog import XINCLUDE
from urlset.spec import namespaces
from urlset.spec.namespaces import Standing, is_core, means, recognise

OWN_CODE = frozenset({namespaces.IMAGE, namespaces.NEWS, namespaces.XHTML})
"""namespaces whose URI is checked by the rules of their extension"""

# Extensions that engines no longer read, or that only a special search engine reads.

_NS = namespaces.SITEMAP
_XML = '<?xml version="1.0" encoding="UTF-8"?>\n'
_LOC = "<loc>https://example.com/</loc>"
_MAP = f'<PageMap xmlns="{namespaces.PAGEMAP}">%s</PageMap>'


def _urlset(prefix: str, uri: str, inside: str) -> str:
    return f'{_XML}<urlset xmlns="{_NS}" xmlns:{prefix}="{uri}"><url>{_LOC}{inside}</url></urlset>\n'


def _unread(
    sitemap: Sitemap, namespace: str, local: str, message: str, removal: Safety | None = None
) -> Iterator[Problem]:
    """Elements with that name, with any prefix for the namespace: one problem for all of them."""
    places: list[Place] = []
    prefixes = {item.prefix for item in declared_namespaces(sitemap) if item.meant == namespace}
    for prefix in sorted(prefixes):
        name = re.escape((f"{prefix}:" if prefix else "").encode() + local.encode())
        opening, closing = re.compile(rb"<%s(?=[\s/>])[^<>]*>" % name), re.compile(rb"</%s\s*>" % name)
        close: re.Match[bytes] | None = None
        at = 0
        while (tag := opening.search(sitemap.data, at)) is not None:
            at = tag.end()
            if not tag.group().endswith(b"/>"):
                if close is None or close.start() < at:
                    close = closing.search(sitemap.data, at)
                if close is None:
                    break
                at = close.end()
            places.append(between(tag.start(), at))
    if places:
        places.sort()
        fix = None
        if removal is not None:
            edits = tuple(Edit(with_its_line(sitemap.data, place), b"") for place in places)
            fix = Fix("remove the elements", edits, removal)
        yield Problem(places[0], message, fix, count=len(places), places=places)


@info_rule(
    "S022",
    engines=(Engine.GOOGLE, Engine.BAIDU),
    cites=("xsd-mobile", "baidu-sitemap", "google-combine"),
    kinds=Has.URL_ELEMENTS,
)
@bad(_urlset("mobile", namespaces.MOBILE, "«<mobile:mobile/>»"), fixed=_urlset("mobile", namespaces.MOBILE, ""))
@good(_urlset("mobile", namespaces.BAIDU_MOBILE, '<mobile:mobile type="mobile"/>'))
def mobile_extension(sitemap: Sitemap) -> Iterator[Problem]:
    """Pages have <mobile:mobile/>, which Google no longer reads.

    The element was intended for feature phones. Google has removed it from its documentation. Baidu uses elements of
    the same name in its own namespace.
    """
    words = "<mobile:mobile/> was for feature phones, and Google ignores it; remove it"
    yield from _unread(sitemap, namespaces.MOBILE, "mobile", words, Safety.REVIEW)


@google_warning("S023", cites=("seen-in-the-wild", "general-knowledge"), kinds=Has.URL_ELEMENTS)
@bad(
    _urlset(
        "codesearch",
        namespaces.CODESEARCH,
        "«<codesearch:codesearch><codesearch:filetype>c</codesearch:filetype></codesearch:codesearch>»",
    ),
    fixed=_urlset("codesearch", namespaces.CODESEARCH, ""),
)
@good(_urlset("codesearch", "urn:ours", "<codesearch:codesearch/>"))
def codesearch_extension(sitemap: Sitemap) -> Iterator[Problem]:
    """Elements of the code search extension are used.

    Google Code Search has been shut down, so engines ignore these elements.
    """
    words = "<codesearch:codesearch> was for Google Code Search, which has been shut down; remove it"
    yield from _unread(sitemap, namespaces.CODESEARCH, "codesearch", words, Safety.SAFE)


@google_warning("S024", cites=("seen-in-the-wild", "general-knowledge"), kinds=Has.URL_ELEMENTS)
@bad(
    _urlset("geo", namespaces.GEO, "«<geo:geo><geo:format>kml</geo:format></geo:geo>»"),
    fixed=_urlset("geo", namespaces.GEO, ""),
)
@good(_urlset("geo", "http://www.w3.org/2003/01/geo/wgs84_pos#", "<geo:lat>1</geo:lat>"))
def geo_extension(sitemap: Sitemap) -> Iterator[Problem]:
    """Elements of the geo extension are used.

    Google no longer reads KML and GeoRSS files from sitemaps, and other engines never did.
    """
    yield from _unread(
        sitemap, namespaces.GEO, "geo", "<geo:geo> is no longer read by any engine; remove it", Safety.SAFE
    )


@google_info("S025", cites=("google-pse", "xsd-pagemap"), kinds=Has.URL_ELEMENTS)
@bad(f'<urlset xmlns="{_NS}"><url>{_LOC}«<PageMap xmlns="{namespaces.PAGEMAP}"/>»</url></urlset>\n')
@good(f"<url>{_LOC}</url>")
def pagemap_extension(sitemap: Sitemap) -> Iterator[Problem]:
    """PageMaps are listed, which web search does not read.

    Only Google's Programmable Search Engine reads them. Web search ignores them.
    """
    if sitemap.extended and sitemap.last_of(b"PageMap", anywhere=True) >= 0:
        words = "only Programmable Search Engine reads PageMap data; web search ignores it"
        yield from _unread(sitemap, namespaces.PAGEMAP, "PageMap", words)


@google_warning("S026", cites=("xsd-pagemap", "google-pse"), kinds=Has.URL_ELEMENTS)
@bad(
    _MAP % '<DataObject type="document">«<Attribute/>»</DataObject>',
    _MAP % '«<DataObject>»<Attribute name="k" value="v"/></DataObject>',
    _MAP % '<DataObject type="document">«<Attribute name="k">»</Attribute></DataObject>',
)
@good(
    _MAP % '<DataObject type="document"><Attribute name="k" value="v"/></DataObject>',
    _MAP % '<DataObject type="document"><Attribute name="k">v</Attribute></DataObject>',
    _MAP % '<DataObject type="document"><Attribute name="k" value=""/></DataObject>',
)
def pagemap_incomplete(sitemap: Sitemap) -> Iterator[Problem]:
    """A PageMap has no type, name, or value.

    A DataObject needs a type, and an Attribute needs a name and a value, either in value="…" or between the tags.
    Incomplete elements are ignored.
    """
    data, columns = sitemap.data, sitemap.columns
    if not sitemap.extended or sitemap.last_of(b"PageMap", anywhere=True) < 0:
        return
    for row, mark in enumerate(columns.marks):
        if not mark & Mark.EXTENDED or data.find(b"PageMap", columns.starts[row], columns.ends[row]) == -1:
            continue
        listed = sitemap.listed(row)
        for pagemap in listed.element.children:
            if pagemap.local != "PageMap" or means(pagemap.namespace) != namespaces.PAGEMAP:
                continue
            for element in pagemap.walk():
                lacks = _lacking(element)
                if lacks is not None:
                    shown = quoted_bytes(element.open_tag.cut(data))
                    words = f"{shown} has no {lacks}, so it is ignored; add it"
                    yield Problem(element.open_tag, words, subject=listed.loc or None)


def _lacking(element: Element) -> str | None:
    if element.local == "DataObject":
        given = element.attribute("type")
        return None if given is not None and given.value.text.strip() else "type"
    if element.local != "Attribute":
        return None
    name = element.attribute("name")
    if name is None or not name.value.text.strip():
        return "name"
    return None if element.attribute("value") is not None or element.text else "value"


_OTHER = "<loc>https://example.com/2</loc>"
_VIDEO = "<video:video><video:title>Knots</video:title></video:video>"
_IMAGE = "<image:image><image:loc>https://example.com/i.png</image:loc></image:image>"
_PREFIXES = frozenset({"image", "news", "xhtml", "video", "pagemap"})
"""prefixes that show the intended namespace, whatever they are bound to"""
_FOR_BROWSERS = frozenset({"script", "style"})
_NOT_FOREIGN = frozenset({namespaces.XSI, namespaces.XML, _NS, XINCLUDE, ""})


def _root(declarations: str, entries: str) -> str:
    return f'{_XML}<urlset xmlns="{_NS}" {declarations}>{entries}</urlset>\n'


_HINTED = _root(f'xmlns:xsi="{namespaces.XSI}" xsi:schemaLocation="{_NS} {_NS}/sitemap.xsd"', f"<url>{_LOC}</url>")


@warning_rule(
    "S018",
    fails_schema=True,
    engines=(Engine.XSD_STRICT, Engine.GOOGLE),
    cites=("xsd-urlset", "xsd-tested", "google-combine"),
    kinds=Has.PROTOCOL,
)
@bad(
    _root(f'xmlns:video="{namespaces.VIDEO}"', f"«<video:video>»{_VIDEO[13:]}<url>{_LOC}</url>"),
    fixed=_root(f'xmlns:video="{namespaces.VIDEO}"', f"<url>{_LOC}{_VIDEO}</url>"),
)
@bad(_root('xmlns:shop="urn:shop"', f"<url>{_LOC}</url>«<shop:note/>»<url>{_OTHER}</url>"))
@good(
    _root(f'xmlns:image="{namespaces.IMAGE}"', f"<url>{_LOC}{_IMAGE}</url>"),
    _root('xmlns:shop="urn:shop"', f"<shop:note>ours</shop:note><url>{_LOC}</url>"),
    _root(f'xmlns:h="{namespaces.XHTML}"', f'<h:script src="/sitemap.js"></h:script><url>{_LOC}</url>'),
)
def extension_outside_entry(sitemap: Sitemap) -> Iterator[Problem]:
    """An extension element is outside an entry.

    Images, videos, news, and alternates describe the page of their <url>. Between entries they have no effect. Newer
    versions of the schema allow foreign elements before the first entry, older versions do not.
    """
    google = Engine.GOOGLE in sitemap.context.engines  # M008 reports stray images
    for outside in outside_elements(sitemap):
        if is_core(outside.namespace) or (google and means(outside.namespace) == namespaces.IMAGE):
            continue
        known = recognise(outside.namespace)
        extension = known is not None and known.namespace.extension
        schema_alone = sitemap.context.engines == (Engine.XSD_STRICT,)
        local = outside.written.rpartition(":")[2]
        shows_it = local in _FOR_BROWSERS and means(outside.namespace) == namespaces.XHTML  # as a stylesheet did: X027
        if not schema_alone and shows_it:
            continue
        if not extension and outside.before_first and not schema_alone:
            continue
        words = "is outside an entry" if extension else "is only allowed before the first entry"
        message = f"<{outside.written}> {words}, so engines ignore it; move it"
        yield Problem(outside.open_tag, message, _moved(sitemap, outside))


def _moved(sitemap: Sitemap, outside: Outside) -> Fix | None:
    """Into the entry, if there is only one and it is valid."""
    if len(sitemap.columns) != 1 or sitemap.listed(0).salvaged or outside.place == outside.open_tag:
        return None
    close = sitemap.listed(0).element.close_tag
    if not close.length:
        return None
    edits = (Edit(outside.place, b""), Edit(Place(close.offset), outside.place.cut(sitemap.data)))
    return Fix("move it into the entry", edits, Safety.REVIEW)


@info_rule("S037", fails_schema=True, cites=("xml-schema-datatypes", "xml-names"), kinds=Has.PROTOCOL)
@bad(_HINTED.replace(namespaces.XSI, f"«{namespaces.XSI.lower()}»"), fixed=_HINTED)
@bad(_HINTED.replace(namespaces.XSI, f"«{namespaces.XSI}/»"), fixed=_HINTED)
@good(_HINTED)
def schema_instance_namespace_wrong(sitemap: Sitemap) -> Iterator[Problem]:
    """The XMLSchema-instance namespace is misspelled.

    Namespaces are compared character by character, and this one has capital letters. Validators ignore or reject
    xsi:schemaLocation in any other namespace. Engines do not read it.
    """
    for declared in declared_namespaces(sitemap):
        known = declared.recognised
        if known is None or known.uri != namespaces.XSI or known.exact or only_https(known):
            continue
        if is_used(sitemap, declared):
            yield Problem(
                declared.places[0],
                f"{quoted(declared.uri)} is not the XMLSchema-instance namespace; write {namespaces.XSI}",
                rewrite(declared, namespaces.XSI),
                count=len(declared.places),
            )


@info_rule("S019", cites=("sitemaps-protocol",), kinds=Has.PROTOCOL)
@bad(_root('xmlns:shop="«urn:shop»"', f"<url>{_LOC}<shop:price>3</shop:price></url>"))
@good(
    _root(f'xmlns:image="{namespaces.IMAGE}"', f"<url>{_LOC}{_IMAGE}</url>"),
    _root(f'xmlns:xsi="{namespaces.XSI}" xsi:schemaLocation="{_NS} {_NS}/sitemap.xsd"', f"<url>{_LOC}</url>"),
)
def unknown_namespace(sitemap: Sitemap) -> Iterator[Problem]:
    """Elements of a namespace that no engine is known to read.

    The protocol allows them. Engines ignore unknown elements, so only your own tools can use them.
    """
    for declared in declared_namespaces(sitemap):
        known = declared.recognised
        if declared.meant in _NOT_FOREIGN or (known is not None and known.namespace.extension):
            continue
        if declared.prefix == "" and declared.attribute is not None:
            continue  # the root's own namespace: other rules check it
        if known is None and declared.prefix in _PREFIXES:
            continue  # a wrong URI for a known namespace
        if is_used(sitemap, declared):
            yield Problem(
                declared.places[0],
                f"no engine is known to read elements of {quoted(declared.uri)}; remove them if you do not use them",
                count=len(declared.places),
            )


@info_rule("S020", cites=("general-knowledge",), kinds=Has.PROTOCOL)
@bad(
    _root(f'xmlns:video="«{namespaces.VIDEO}»"', f"<url>{_LOC}</url>"),
    fixed=f'{_XML}<urlset xmlns="{_NS}"><url>{_LOC}</url></urlset>\n',
)
@good(
    _root(f'xmlns:image="{namespaces.IMAGE}"', f"<url>{_LOC}{_IMAGE}</url>"),
    _root(f'xmlns:xsi="{namespaces.XSI}"', f"<url>{_LOC}</url>"),
)
def unused_namespace(sitemap: Sitemap) -> Iterator[Problem]:
    """A namespace is declared in the root but not used.

    It does no harm. Images, videos, or alternates may be missing.
    """
    for declared in declared_namespaces(sitemap):
        if declared.attribute is None or not declared.prefix or declared.meant in _NOT_FOREIGN - {XINCLUDE}:
            continue
        if not is_used(sitemap, declared):
            yield Problem(
                declared.attribute.value_place,
                f"namespace prefix {quoted(declared.prefix)} is declared but not used; remove it",
                delete(declared.attribute.removal, "remove the declaration"),
            )


@google_error("S021", cites=("google-combine", "google-video"), kinds=Has.URL_ELEMENTS)
@bad(
    _root(f'xmlns:v="«{namespaces.VIDEO[:-1]}0»"', f"<url>{_LOC}<v:video/></url>"),
    fixed=_root(f'xmlns:v="{namespaces.VIDEO}"', f"<url>{_LOC}<v:video/></url>"),
)
@bad(
    _root('xmlns:video="«urn:made-up»"', f"<url>{_LOC}<video:video/></url>"),
    fixed=_root(f'xmlns:video="{namespaces.VIDEO}"', f"<url>{_LOC}<video:video/></url>"),
)
@bad(
    f'<urlset xmlns="{_NS}"><url>{_LOC}<PageMap xmlns="«{namespaces.PAGEMAP}/»"/></url></urlset>\n',
    fixed=f'<urlset xmlns="{_NS}"><url>{_LOC}<PageMap xmlns="{namespaces.PAGEMAP}"/></url></urlset>\n',
)
@good("<video:title>Home</video:title>")
def extension_namespace_wrong(sitemap: Sitemap) -> Iterator[Problem]:
    """The namespace of an extension is wrong.

    A different version number or a trailing slash makes it a different namespace, and Google ignores all its elements.
    The image, news, and xhtml namespaces have their own rules.
    """
    for declared in declared_namespaces(sitemap):
        right = _right_name(declared)
        if right is not None and is_used(sitemap, declared):
            safety = Safety.REVIEW if declared.recognised is None else Safety.SAFE
            yield Problem(
                declared.places[0],
                f"wrong namespace {quoted(declared.uri)}, so Google ignores its elements; write {quoted(right)}",
                rewrite(declared, right, safety),
                count=len(declared.places),
            )


def _right_name(declared: Declared) -> str | None:
    """The correct URI for a misspelled extension namespace; None for any other."""
    meant = declared.recognised
    if meant is None:
        known = namespaces.BY_PREFIX.get(declared.prefix) if declared.prefix in _PREFIXES else None
        return None if known is None or known.uri in OWN_CODE else known.uri
    current = meant.namespace.extension and meant.namespace.standing is Standing.CURRENT
    wrong = not meant.exact and not only_https(meant) and meant.uri not in OWN_CODE
    return meant.uri if current and wrong else None
