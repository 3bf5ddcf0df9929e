"""Are extension namespaces correct, used, and known to engines?"""

from __future__ import annotations

from collections.abc import Iterator

from urlset.checking.elements import is_core, means
from urlset.findings.fix import delete
from urlset.model.columns import Edit
from urlset.model.place import Place
from urlset.rules import Bad, Engine, Fix, Kind, Problem, Safety, Severity, Sitemap, rule
from urlset.rules.quoting import quoted
from urlset.rules.structure.declared import OWN_CODE, Declared, declared_namespaces, is_used, only_https, rewrite
from urlset.rules.structure.odd_rows import SITEMAPS, Outside, outside_elements
from urlset.rules.xml.safety import XINCLUDE
from urlset.spec import namespaces
from urlset.spec.namespaces import Standing, recognise

_NS = namespaces.SITEMAP
_XML = '<?xml version="1.0" encoding="UTF-8"?>\n'
_LOC = "<loc>https://example.com/</loc>"
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


@rule(
    "S018",
    "extension-outside-entry",
    severity=Severity.WARNING,
    fails_schema=True,
    engines=(Engine.XSD_STRICT, Engine.GOOGLE),
    cites=("xsd-urlset", "xsd-tested", "google-combine"),
    kinds=SITEMAPS,
    bad=(
        Bad(
            _root(f'xmlns:video="{namespaces.VIDEO}"', f"«<video:video>»{_VIDEO[13:]}<url>{_LOC}</url>"),
            fixed=_root(f'xmlns:video="{namespaces.VIDEO}"', f"<url>{_LOC}{_VIDEO}</url>"),
        ),
        _root('xmlns:shop="urn:shop"', f"<url>{_LOC}</url>«<shop:note/>»<url>{_OTHER}</url>"),
    ),
    good=(
        _root(f'xmlns:image="{namespaces.IMAGE}"', f"<url>{_LOC}{_IMAGE}</url>"),
        _root('xmlns:shop="urn:shop"', f"<shop:note>ours</shop:note><url>{_LOC}</url>"),
        _root(f'xmlns:h="{namespaces.XHTML}"', f'<h:script src="/sitemap.js"></h:script><url>{_LOC}</url>'),
    ),
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
        if not schema_alone and _is_for_browsers(outside):
            continue
        if not extension and outside.before_first and not schema_alone:
            continue
        words = "is outside an entry" if extension else "is only allowed before the first entry"
        message = f"<{outside.written}> {words}, so engines ignore it; move it"
        yield Problem(outside.open_tag, message, _moved(sitemap, outside))


def _is_for_browsers(outside: Outside) -> bool:
    """A script or style of XHTML shows the file to people, as an XSLT stylesheet did (see X027)."""
    local = outside.written.rpartition(":")[2]
    return local in _FOR_BROWSERS and means(outside.namespace) == namespaces.XHTML


def _moved(sitemap: Sitemap, outside: Outside) -> Fix | None:
    """Into the entry, if there is only one and it is valid."""
    if len(sitemap.columns) != 1 or sitemap.listed(0).salvaged or outside.place == outside.open_tag:
        return None
    close = sitemap.listed(0).element.close_tag
    if not close.length:
        return None
    edits = (Edit(outside.place, b""), Edit(Place(close.offset), outside.place.cut(sitemap.data)))
    return Fix("move it into the entry", edits, Safety.REVIEW)


@rule(
    "S037",
    "schema-instance-namespace-wrong",
    severity=Severity.INFO,
    fails_schema=True,
    cites=("xml-schema-datatypes", "xml-names"),
    kinds=SITEMAPS,
    bad=(
        Bad(_HINTED.replace(namespaces.XSI, f"«{namespaces.XSI.lower()}»"), fixed=_HINTED),
        Bad(_HINTED.replace(namespaces.XSI, f"«{namespaces.XSI}/»"), fixed=_HINTED),
    ),
    good=(_HINTED,),
)
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


@rule(
    "S019",
    "unknown-namespace",
    severity=Severity.INFO,
    cites=("sitemaps-protocol",),
    kinds=SITEMAPS,
    bad=(_root('xmlns:shop="«urn:shop»"', f"<url>{_LOC}<shop:price>3</shop:price></url>"),),
    good=(
        _root(f'xmlns:image="{namespaces.IMAGE}"', f"<url>{_LOC}{_IMAGE}</url>"),
        _root(f'xmlns:xsi="{namespaces.XSI}" xsi:schemaLocation="{_NS} {_NS}/sitemap.xsd"', f"<url>{_LOC}</url>"),
    ),
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


@rule(
    "S020",
    "unused-namespace",
    severity=Severity.INFO,
    cites=("general-knowledge",),
    kinds=SITEMAPS,
    bad=(
        Bad(
            _root(f'xmlns:video="«{namespaces.VIDEO}»"', f"<url>{_LOC}</url>"),
            fixed=f'{_XML}<urlset xmlns="{_NS}"><url>{_LOC}</url></urlset>\n',
        ),
    ),
    good=(
        _root(f'xmlns:image="{namespaces.IMAGE}"', f"<url>{_LOC}{_IMAGE}</url>"),
        _root(f'xmlns:xsi="{namespaces.XSI}"', f"<url>{_LOC}</url>"),
    ),
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


@rule(
    "S021",
    "extension-namespace-wrong",
    severity=Severity.ERROR,
    engines=(Engine.GOOGLE,),
    cites=("google-combine", "google-video"),
    kinds=(Kind.URLSET,),
    bad=(
        Bad(
            _root(f'xmlns:v="«{namespaces.VIDEO[:-1]}0»"', f"<url>{_LOC}<v:video/></url>"),
            fixed=_root(f'xmlns:v="{namespaces.VIDEO}"', f"<url>{_LOC}<v:video/></url>"),
        ),
        Bad(
            _root('xmlns:video="«urn:made-up»"', f"<url>{_LOC}<video:video/></url>"),
            fixed=_root(f'xmlns:video="{namespaces.VIDEO}"', f"<url>{_LOC}<video:video/></url>"),
        ),
        Bad(
            f'<urlset xmlns="{_NS}"><url>{_LOC}<PageMap xmlns="«{namespaces.PAGEMAP}/»"/></url></urlset>\n',
            fixed=f'<urlset xmlns="{_NS}"><url>{_LOC}<PageMap xmlns="{namespaces.PAGEMAP}"/></url></urlset>\n',
        ),
    ),
    good=("<video:title>Home</video:title>",),
)
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
