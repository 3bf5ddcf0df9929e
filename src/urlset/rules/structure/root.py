"""Is the root a sitemap root, in the sitemap namespace?"""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Iterator

from urlset.checking.declare import EVERYONE
from urlset.findings.finding import replace
from urlset.model.columns import Edit
from urlset.model.document import Document, Root
from urlset.model.place import Place, between
from urlset.model.trouble import TroubleKind
from urlset.reading.prolog import first_child
from urlset.rules import Bad, Engine, Fix, Has, Kind, Problem, Safety, Severity, Sitemap, rule
from urlset.rules.quoting import quoted, quoted_bytes
from urlset.rules.structure.namespaces import declared_namespaces, is_used, only_https, rewrite
from urlset.rules.xml.compression import names_of
from urlset.rules.xml.repairs import root_declarations, root_head
from urlset.spec import namespaces
from urlset.spec.foreign_xml import format_of
from urlset.spec.lazy_pattern import lazy_pattern
from urlset.spec.namespaces import Spelling, recognise

_NS = namespaces.SITEMAP
_ENTRY = "<url><loc>https://example.com/</loc></url></urlset>\n"
_SOUND = f'<urlset xmlns="{_NS}">' + _ENTRY
_CORE_TAG = lazy_pattern(rb"<(url|sitemap|loc|lastmod|changefreq|priority)(?=\s)([^<>]*)>")
_NO_NAMESPACE = lazy_pattern(rb"(?<=\s)xmlns\s*=\s*(?:\"\"|'')")
_UNPACKABLE = (TroubleKind.OTHER_COMPRESSION, TroubleKind.CORRUPT_GZIP, TroubleKind.TRUNCATED_GZIP)


@rule(
    "S001",
    "not-a-sitemap-root",
    severity=Severity.ERROR,
    names_other=True,
    cites=("sitemaps-protocol", "google-large", "google-build"),
    bad=(
        Bad(
            '<?xml version="1.0"?>\n«<sitemap»><loc>https://example.com/a.xml</loc></sitemap>\n',
            fixed=f'<?xml version="1.0"?>\n<sitemapindex xmlns="{_NS}">\n'
            "<sitemap><loc>https://example.com/a.xml</loc></sitemap>\n</sitemapindex>\n",
        ),
        Bad('<?xml version="1.0"?>\n«<catalogue»><page>https://example.com/</page></catalogue>\n'),
        Bad(
            '<?xml version="1.0"?>\n«<siteMap» xmlns="http://schemas.microsoft.com/AspNet/SiteMap-File-1.0">'
            '<siteMapNode url="~/" title="Home"/></siteMap>\n',
            title="navigation of ASP.NET",
        ),
        Bad('«{"sitemap": true}»\n'),
        Bad("«User-agent: *»\nDisallow:\n", at="https://example.com/sitemap.xml"),
    ),
    good=(
        _SOUND,
        f'<sitemapindex xmlns="{_NS}"><sitemap><loc>https://example.com/s.xml</loc></sitemap></sitemapindex>\n',
        '<rss version="2.0"><channel><item><link>https://example.com/</link></item></channel></rss>\n',
        "https://example.com/\n",
    ),
)
def not_a_sitemap_root(sitemap: Sitemap) -> Iterator[Problem]:
    """The document is not in a sitemap format.

    A sitemap is a <urlset>, a <sitemapindex>, an RSS 2.0 or Atom feed, or a plain text list of URLs. For any other
    root, engines report an unsupported format. An element that is only named like an entry, such as the <siteMap> of
    ASP.NET or Dynamics 365, is another format unless it contains a loc. Other formats are reported once and not fixed.
    """
    document = sitemap.document
    if document.troubles.has(TroubleKind.UNRENDERED):
        return
    for trouble in sitemap.troubles(TroubleKind.MISSING_ROOT):
        from urlset.fixing.roots import own_root

        tag = re.compile(rb"<[^\s/<>]*").match(sitemap.data, trouble.place.offset)
        place = between(*tag.span()) if tag else trouble.place
        words = (
            f"{quoted_bytes(place.cut(sitemap.data))} is outside a {trouble.detail}, so engines reject the file; "
            "add the root element"
        )
        yield Problem(place, words, own_root(document))
    if not document.kind.has & Has.WEB_PAGE and not any(sitemap.troubles(*_UNPACKABLE)):
        for trouble in sitemap.troubles(TroubleKind.NOT_A_SITEMAP):
            place = trouble.place if document.root is None else root_head(document)
            yield Problem(place, _other_format(document, place))
    if document.kind is Kind.ROBOTS and (name := _sitemap_name(sitemap)):
        first = re.compile(rb"[^\r\n]*").match(sitemap.data)
        place = between(*first.span()) if first else Place(0)
        message = f"{quoted(name)} contains robots.txt lines, so engines find no URLs; publish the sitemap there"
        yield Problem(place, message)
    if document.kind is Kind.RSS and document.root is not None and document.root.local.lower() == "rdf":
        words = "RSS 1.0 is not a sitemap format; use RSS 2.0 or Atom"
        yield Problem(root_head(document), words, severity=Severity.WARNING)


def _other_format(document: Document, place: Place) -> str:
    root = document.root
    known = None if root is None else format_of(root.namespace, root.local, first_child(document.data, root))
    if known is not None:
        return f"not a sitemap: {known}; publish a sitemap at this URL"
    return f"{quoted_bytes(place.cut(document.data))} does not start a urlset, sitemapindex, feed, or text list"


def _sitemap_name(sitemap: Sitemap) -> str | None:
    """The name under which a sitemap is expected, if the file has one."""
    names = [name for name in names_of(sitemap.document) if not (name.startswith("robots") and name.endswith(".txt"))]
    return next((name for name in names if name.removesuffix(".gz").endswith(".xml") or "sitemap" in name), None)


def _own_root(sitemap: Sitemap) -> Root | None:
    root = sitemap.document.root
    return None if root is None or root.synthetic or root.namespace.startswith("urn:unbound:") else root


def _core_place(sitemap: Sitemap, root: Root) -> Place:
    """The place of the root's namespace URI."""
    declared = root_declarations(sitemap.document).get(root.written.rpartition(":")[0])
    return root_head(sitemap.document) if declared is None else declared.value_place


@rule(
    "S002",
    "namespace-missing",
    severity=Severity.ERROR,
    cites=("sitemaps-protocol", "xsd-urlset"),
    kinds=Has.PROTOCOL,
    bad=(
        Bad("«<urlset»>" + _ENTRY, fixed=_SOUND),
        Bad(
            f'«<urlset» xmlns:image="{namespaces.IMAGE}">' + _ENTRY,
            fixed=f'<urlset xmlns="{_NS}" xmlns:image="{namespaces.IMAGE}">' + _ENTRY,
        ),
        Bad(
            f'<urlset xmlns="{_NS}"><url «xmlns=""»><loc>https://example.com/a</loc></url>'
            '<url id="b" xmlns=""><loc>https://example.com/b</loc></url></urlset>\n',
            fixed=f'<urlset xmlns="{_NS}"><url><loc>https://example.com/a</loc></url>'
            '<url id="b"><loc>https://example.com/b</loc></url></urlset>\n',
        ),
        Bad(
            f"<urlset xmlns=\"{_NS}\"><url><loc «xmlns=''»>https://example.com/</loc></url></urlset>\n",
            fixed=_SOUND,
        ),
    ),
    good=(
        _SOUND,
        f'<s:urlset xmlns:s="{_NS}"><s:url><s:loc>https://example.com/</s:loc></s:url></s:urlset>\n',
        f'<urlset xmlns="{_NS}"><!-- <url xmlns=""> --><url><loc>https://example.com/</loc></url></urlset>\n',
    ),
)
def namespace_missing(sitemap: Sitemap) -> Iterator[Problem]:
    """The root has no namespace, or entries override it.

    The namespace makes a <urlset> a sitemap. Without it, strict parsers see unknown elements and report an incorrect
    namespace. Some programs add elements with xmlns="", which removes them from the namespace.
    """
    root = _own_root(sitemap)
    if root is not None and root.namespace and ":" not in root.written:
        yield from _undone(sitemap)
    if root is None or root.namespace:
        return
    place = root_head(sitemap.document)
    fix = replace(Place(place.end), f' xmlns="{_NS}"', "declare the sitemap namespace")
    message = f"<{root.written}> has no namespace, so strict parsers reject it; declare the sitemap namespace"
    yield Problem(place, message, fix)


def _undone(sitemap: Sitemap) -> Iterator[Problem]:
    """Elements that namespace-aware parsers ignore, reported once for all."""
    found = list(_undoing(sitemap))
    if found:
        element, place = found[0]
        others = f", and {len(found) - 1:,} more" if len(found) > 1 else ""
        yield Problem(
            place,
            f"{quoted_bytes(place.cut(sitemap.data))} removes <{element}> from the sitemap namespace{others}, "
            "so strict parsers ignore it; remove the attribute",
            Fix('remove xmlns=""', lambda: tuple(Edit(_with_space(sitemap, place), b"") for _, place in found)),
            count=len(found),
            places=[place for _, place in found],
        )


def _undoing(sitemap: Sitemap) -> Iterator[tuple[str, Place]]:
    """Element and attribute for each xmlns="" in the core elements of entries."""
    columns, data = sitemap.columns, sitemap.data
    if not len(columns):
        return
    if sitemap.last_of(b"xmlns") < columns.starts[0]:
        return
    comments = [comment.offset for comment in columns.comments]
    for tag in _CORE_TAG.finditer(data, columns.starts[0]):
        undone = _NO_NAMESPACE.search(tag[2])
        if undone is None:
            continue
        before = bisect_right(comments, tag.start()) - 1
        if before < 0 or columns.comments[before].end <= tag.start():
            yield tag[1].decode(), between(tag.start(2) + undone.start(), tag.start(2) + undone.end())


def _with_space(sitemap: Sitemap, place: Place) -> Place:
    """The attribute with the whitespace before it."""
    start = place.offset
    while sitemap.data[start - 1 : start].isspace():
        start -= 1
    return between(start, place.end)


@rule(
    "S003",
    "namespace-wrong",
    severity=Severity.ERROR,
    cites=("xsd-urlset", "sitemaps-protocol"),
    kinds=Has.PROTOCOL,
    bad=(
        Bad(f'<urlset xmlns="«{_NS}/»">' + _ENTRY, fixed=_SOUND),
        Bad('<urlset xmlns="«http://www.google.com/schemas/sitemap/0.9»">' + _ENTRY, fixed=_SOUND),
        Bad('<urlset xmlns="«urn:my-sitemap»">' + _ENTRY, fixed=_SOUND),
    ),
    good=(_SOUND, f"<urlset xmlns='{_NS}'>" + _ENTRY),
)
def namespace_wrong(sitemap: Sitemap) -> Iterator[Problem]:
    """The root namespace is not the sitemap namespace.

    Namespaces are compared character by character. A different version, a trailing slash, or a wrong host makes it a
    different namespace.
    """
    root = _own_root(sitemap)
    if root is None or root.namespace in ("", _NS):
        return
    meant = recognise(root.namespace)
    if meant is not None and (Spelling.LEGACY in meant.faults or (meant.uri == _NS and only_https(meant))):
        return
    place = _core_place(sitemap, root)
    safety = Safety.SAFE if meant is not None and meant.uri == _NS else Safety.REVIEW
    fix = replace(place, _NS, "write the sitemap namespace", safety) if b"<" not in place.cut(sitemap.data) else None
    message = f"{quoted(root.namespace)} is not the sitemap namespace, so strict parsers ignore the file; write {_NS}"
    yield Problem(place, message, fix)


@rule(
    "S004",
    "namespace-legacy",
    severity=Severity.WARNING,
    fails_schema=True,
    cites=("seen-in-the-wild",),
    kinds=Has.PROTOCOL,
    bad=(Bad('<urlset xmlns="«http://www.google.com/schemas/sitemap/0.84»">' + _ENTRY, fixed=_SOUND),),
    good=(_SOUND,),
)
def namespace_legacy(sitemap: Sitemap) -> Iterator[Problem]:
    """The root namespace is from Google's 2005 sitemap format.

    Version 0.84 was replaced by the joint protocol 0.9 in 2006. Some parsers still accept it, but support is not
    guaranteed.
    """
    root = _own_root(sitemap)
    if root is None:
        return
    meant = recognise(root.namespace)
    if meant is not None and Spelling.LEGACY in meant.faults:
        place = _core_place(sitemap, root)
        fix = replace(place, _NS, "write the namespace of protocol 0.9")
        yield Problem(place, f"namespace {quoted(root.namespace)} was replaced in 2006; write {_NS}", fix)


@rule(
    "S005",
    "namespace-https",
    severity=Severity.ERROR,
    engines={
        engine: Severity.ERROR if engine in (Engine.PROTOCOL, Engine.XSD_STRICT) else Severity.WARNING
        for engine in EVERYONE
    },
    cites=("google-2023", "xsd-urlset"),
    kinds=Has.PROTOCOL,
    bad=(
        Bad(f'<urlset xmlns="«{_NS.replace("http:", "https:")}»">' + _ENTRY, fixed=_SOUND),
        Bad(
            f'<urlset xmlns="{_NS}" xmlns:v="«{namespaces.VIDEO.replace("http:", "https:")}»">'
            "<url><loc>https://example.com/</loc><v:video/></url></urlset>",
            fixed=f'<urlset xmlns="{_NS}" xmlns:v="{namespaces.VIDEO}">'
            "<url><loc>https://example.com/</loc><v:video/></url></urlset>",
        ),
    ),
    good=(_SOUND,),
)
def namespace_https(sitemap: Sitemap) -> Iterator[Problem]:
    """A namespace starts with https:// instead of http://.

    A namespace is a name, not a link, so it does not change when the site moves to HTTPS. With https:// it is a
    different name, which only lenient parsers accept.
    """
    for declared in declared_namespaces(sitemap):
        meant = declared.recognised
        if meant is None or not only_https(meant):
            continue
        if (meant.uri == _NS or meant.namespace.extension) and is_used(sitemap, declared):
            yield Problem(
                declared.places[0],
                f"namespace {quoted(declared.uri)} is only accepted by lenient parsers; write {quoted(meant.uri)}",
                rewrite(declared, meant.uri),
                count=len(declared.places),
                places=declared.places,
            )
