"""Extensions that engines no longer read, or that only a special search engine reads."""

from __future__ import annotations

import re
from collections.abc import Iterator

from urlset.checking.elements import means
from urlset.fixing.removal import with_its_line
from urlset.model.columns import Edit, Mark
from urlset.model.element import Element
from urlset.model.place import Place, between
from urlset.rules import Bad, Engine, Fix, Kind, ListedPage, Problem, Safety, Severity, Sitemap, rule
from urlset.rules.structure.declared import declared_namespaces
from urlset.rules.xml.raw_bytes import quoted_bytes
from urlset.spec import namespaces
from urlset.spec.lazy_pattern import lazy_pattern

_NS = namespaces.SITEMAP
_XML = '<?xml version="1.0" encoding="UTF-8"?>\n'
_LOC = "<loc>https://example.com/</loc>"
_MAP = f'<PageMap xmlns="{namespaces.PAGEMAP}">%s</PageMap>'


def _urlset(prefix: str, uri: str, inside: str) -> str:
    return f'{_XML}<urlset xmlns="{_NS}" xmlns:{prefix}="{uri}"><url>{_LOC}{inside}</url></urlset>\n'


def _elements(sitemap: Sitemap, namespace: str, local: str) -> list[Place]:
    """The elements with that name, with any prefix for the namespace."""
    found: list[Place] = []
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
            found.append(between(tag.start(), at))
    return sorted(found)


def _removal(data: bytes, places: list[Place], safety: Safety) -> Fix:
    return Fix("remove the elements", tuple(Edit(with_its_line(data, place), b"") for place in places), safety)


@rule(
    "S022",
    "mobile-extension",
    severity=Severity.INFO,
    engines=(Engine.GOOGLE, Engine.BAIDU),
    cites=("xsd-mobile", "baidu-sitemap", "google-combine"),
    kinds=(Kind.URLSET,),
    bad=(
        Bad(
            _urlset("mobile", namespaces.MOBILE, "«<mobile:mobile/>»"),
            fixed=_urlset("mobile", namespaces.MOBILE, ""),
        ),
    ),
    good=(_urlset("mobile", namespaces.BAIDU_MOBILE, '<mobile:mobile type="mobile"/>'),),
)
def mobile_extension(sitemap: Sitemap) -> Iterator[Problem]:
    """Pages have <mobile:mobile/>, which Google no longer reads.

    The element was intended for feature phones. Google has removed it from its documentation. Baidu uses elements of
    the same name in its own namespace.
    """
    if places := _elements(sitemap, namespaces.MOBILE, "mobile"):
        yield Problem(
            places[0],
            "<mobile:mobile/> was for feature phones, and Google ignores it; remove it",
            _removal(sitemap.data, places, Safety.REVIEW),
            count=len(places),
            places=places,
        )


@rule(
    "S023",
    "codesearch-extension",
    severity=Severity.WARNING,
    engines=(Engine.GOOGLE,),
    cites=("seen-in-the-wild", "general-knowledge"),
    kinds=(Kind.URLSET,),
    bad=(
        Bad(
            _urlset(
                "codesearch",
                namespaces.CODESEARCH,
                "«<codesearch:codesearch><codesearch:filetype>c</codesearch:filetype></codesearch:codesearch>»",
            ),
            fixed=_urlset("codesearch", namespaces.CODESEARCH, ""),
        ),
    ),
    good=(_urlset("codesearch", "urn:ours", "<codesearch:codesearch/>"),),
)
def codesearch_extension(sitemap: Sitemap) -> Iterator[Problem]:
    """Elements of the code search extension are used.

    Google Code Search has been shut down, so engines ignore these elements.
    """
    if places := _elements(sitemap, namespaces.CODESEARCH, "codesearch"):
        yield Problem(
            places[0],
            "<codesearch:codesearch> was for Google Code Search, which has been shut down; remove it",
            _removal(sitemap.data, places, Safety.SAFE),
            count=len(places),
            places=places,
        )


@rule(
    "S024",
    "geo-extension",
    severity=Severity.WARNING,
    engines=(Engine.GOOGLE,),
    cites=("seen-in-the-wild", "general-knowledge"),
    kinds=(Kind.URLSET,),
    bad=(
        Bad(
            _urlset("geo", namespaces.GEO, "«<geo:geo><geo:format>kml</geo:format></geo:geo>»"),
            fixed=_urlset("geo", namespaces.GEO, ""),
        ),
    ),
    good=(_urlset("geo", "http://www.w3.org/2003/01/geo/wgs84_pos#", "<geo:lat>1</geo:lat>"),),
)
def geo_extension(sitemap: Sitemap) -> Iterator[Problem]:
    """Elements of the geo extension are used.

    Google no longer reads KML and GeoRSS files from sitemaps, and other engines never did.
    """
    if places := _elements(sitemap, namespaces.GEO, "geo"):
        yield Problem(
            places[0],
            "<geo:geo> is no longer read by any engine; remove it",
            _removal(sitemap.data, places, Safety.SAFE),
            count=len(places),
            places=places,
        )


@rule(
    "S025",
    "pagemap-extension",
    severity=Severity.INFO,
    engines=(Engine.GOOGLE,),
    cites=("google-pse", "xsd-pagemap"),
    kinds=(Kind.URLSET,),
    bad=(f'<urlset xmlns="{_NS}"><url>{_LOC}«<PageMap xmlns="{namespaces.PAGEMAP}"/>»</url></urlset>\n',),
    good=(f"<url>{_LOC}</url>",),
)
def pagemap_extension(sitemap: Sitemap) -> Iterator[Problem]:
    """PageMaps are listed, which web search does not read.

    Only Google's Programmable Search Engine reads them. Web search ignores them.
    """
    if (
        sitemap.extended
        and b"PageMap" in sitemap.data
        and (places := _elements(sitemap, namespaces.PAGEMAP, "PageMap"))
    ):
        yield Problem(
            places[0],
            "only Programmable Search Engine reads PageMap data; web search ignores it",
            count=len(places),
            places=places,
        )


@rule(
    "S026",
    "pagemap-incomplete",
    severity=Severity.WARNING,
    engines=(Engine.GOOGLE,),
    cites=("xsd-pagemap", "google-pse"),
    kinds=(Kind.URLSET,),
    bad=(
        _MAP % '<DataObject type="document">«<Attribute/>»</DataObject>',
        _MAP % '«<DataObject>»<Attribute name="k" value="v"/></DataObject>',
        _MAP % '<DataObject type="document">«<Attribute name="k">»</Attribute></DataObject>',
    ),
    good=(
        _MAP % '<DataObject type="document"><Attribute name="k" value="v"/></DataObject>',
        _MAP % '<DataObject type="document"><Attribute name="k">v</Attribute></DataObject>',
        _MAP % '<DataObject type="document"><Attribute name="k" value=""/></DataObject>',
    ),
)
def pagemap_incomplete(sitemap: Sitemap) -> Iterator[Problem]:
    """A PageMap has no type, name, or value.

    A DataObject needs a type, and an Attribute needs a name and a value, either in value="…" or between the tags.
    Incomplete elements are ignored.
    """
    data, columns = sitemap.data, sitemap.columns
    if not sitemap.extended or b"PageMap" not in data:
        return
    for row, mark in enumerate(columns.marks):
        start, end = columns.starts[row], columns.ends[row]
        tags = data.count(b"PageMap", start, end) if mark & Mark.EXTENDED else 0
        if tags and not (tags == 2 and _COMPLETE.search(data, start, end)):
            yield from _gaps(sitemap.listed(row))


_SAYING = rb'="[^"<&A-Za-z0-9]*+[A-Za-z0-9][^"<&]*+"\s*+'
_VALUE = rb'value="[^"<]*+"\s*+'
_ID = rb'id="[^"<]*+"\s*+'
_COMPLETE = lazy_pattern(
    rb"<((?:[\w-]+:)?+)PageMap(?:\s[^<>]*+)?+>\s*+(?:<\1DataObject\s++(?:"
    + _ID
    + rb"(?<=\s))?+type"
    + _SAYING
    + rb"(?:(?<=\s)"
    + _ID
    + rb")?+>\s*+(?:<\1Attribute\s++name"
    + _SAYING
    + rb"(?:"
    + _VALUE
    + rb"/>"
    rb"|(?:" + _VALUE + rb")?+>[^<>&A-Za-z0-9]*+[A-Za-z0-9][^<>&]*+</\1Attribute>)\s*+)*+</\1DataObject>\s*+)*+"
    rb"</\1PageMap>"
)
"""as it is usually written, with nothing left out: such an entry need not be taken apart"""


def _gaps(listed: ListedPage) -> Iterator[Problem]:
    for pagemap in listed.element.children:
        if pagemap.local != "PageMap" or means(pagemap.namespace) != namespaces.PAGEMAP:
            continue
        for element in pagemap.walk():
            lacks = _lacking(element)
            if lacks is not None:
                shown = quoted_bytes(element.open_tag.cut(listed.document.data))
                yield Problem(
                    element.open_tag, f"{shown} has no {lacks}, so it is ignored; add it", subject=listed.loc or None
                )


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
