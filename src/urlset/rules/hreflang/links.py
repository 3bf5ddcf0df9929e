"""Is each `<xhtml:link>` a complete link to a language version?"""

from __future__ import annotations

from collections.abc import Iterator

from urlset.checking.elements import is_core, lacks
from urlset.findings.fix import replace
from urlset.model.address import Address
from urlset.model.columns import Edit
from urlset.model.element import Element
from urlset.model.place import Place
from urlset.rules import Bad, Engine, Fix, Kind, LinkSet, ListedPage, Problem, Safety, Severity, Signal, rule
from urlset.rules.hreflang.link import AlternateLink, links_of, text_of, whole_of
from urlset.rules.quoting import quoted
from urlset.spec import namespaces

_GOOGLE = (Engine.GOOGLE,)
_SELF = '<xhtml:link rel="alternate" hreflang="en" href="https://example.com/"/>'
_GERMAN = '<xhtml:link rel="alternate" hreflang="de" href="https://example.com/de"/>'
_DECLARED = f'xmlns:xhtml="{namespaces.XHTML}"'
_CORE_LINK = '<link rel="alternate" hreflang="en" href="https://example.com/"/>'


def _map(link: str) -> str:
    """Without the declaration that a completed snippet would get."""
    return f'<urlset xmlns="{namespaces.SITEMAP}"><url><loc>https://example.com/</loc>{link}</url></urlset>'


@rule(
    "H002",
    "link-without-xhtml-prefix",
    when=Signal.ODD_LINK,
    kinds=(Kind.URLSET,),
    severity=Severity.ERROR,
    engines=_GOOGLE,
    cites=("google-hreflang", "xsd-urlset"),
    bad=(
        Bad(
            _SELF + "<«link» rel='alternate' hreflang='de' href='https://example.com/de'></link>",
            fixed=_SELF + "<xhtml:link rel='alternate' hreflang='de' href='https://example.com/de'></xhtml:link>",
        ),
        Bad(
            _map(_CORE_LINK.replace("link", "«link»")),
            fixed=_map(_CORE_LINK.replace("link", f"xhtml:link {_DECLARED}")),
        ),
    ),
    good=(_SELF + _GERMAN, _map(_CORE_LINK.replace("link ", f'link xmlns="{namespaces.XHTML}" '))),
)
def link_without_xhtml_prefix(listed: ListedPage) -> Iterator[Problem]:
    """A link to a language version is not in the XHTML namespace.

    The sitemap namespace has no `link` element. Only `<xhtml:link>`, with the prefix bound to the XHTML namespace, is
    read as an alternate.
    """
    for child in listed.element.children:
        attributes = {attribute.local for attribute in child.attributes}
        if child.local.lower() == "link" and is_core(child.namespace) and attributes & {"hreflang", "href", "rel"}:
            name = Place(child.open_tag.offset + 1, len(child.written.encode()))
            yield Problem(
                name,
                "<link> is not in the XHTML namespace, so the alternate is ignored; write <xhtml:link>",
                _prefix(listed, child),
            )


def _prefix(listed: ListedPage, link: Element) -> Fix:
    root = listed.document.root
    bound = [prefix for prefix, uri in (root.declared if root else {}).items() if prefix and uri == namespaces.XHTML]
    name = f"{bound[0]}:link" if bound else "xhtml:link"
    size = len(link.written.encode())
    opening = name if bound else f"{name} {_DECLARED}"
    edits = [Edit(Place(link.open_tag.offset + 1, size), opening.encode())]
    if link.close_tag.length:
        edits.append(Edit(Place(link.close_tag.offset + 2, size), name.encode()))
    return Fix(f"write <{name}>", tuple(edits), Safety.REVIEW)


@rule(
    "H003",
    "hreflang-rel",
    when=Signal.LINKS,
    kinds=(Kind.URLSET,),
    severity=Severity.ERROR,
    engines=_GOOGLE,
    cites=("google-hreflang",),
    bad=(
        Bad(
            _SELF + _GERMAN.replace('"alternate"', '"«alternative»"'),
            fixed=_SELF + _GERMAN,
        ),
        Bad(
            _SELF + '«<xhtml:link hreflang="de" href="https://example.com/de"/>»',
            fixed=_SELF + _GERMAN,
        ),
        _SELF + _GERMAN.replace('"alternate"', '"«canonical»"'),
    ),
    good=(
        _SELF + _GERMAN,
        _SELF + _GERMAN.replace("alternate", "Alternate nofollow"),
        _SELF + '<xhtml:link rel="amphtml" href="https://example.com/amp"/>',
    ),
)
def hreflang_rel(links: LinkSet) -> Iterator[Problem]:
    """A link with hreflang does not have rel="alternate".

    rel="alternate" makes it a link to another version of the page. With any other value, or none, the link is ignored.
    """
    for link in links_of(links):
        if not link.language or link.is_alternate:
            continue
        if link.rel is None and not lacks(link.element, "rel"):
            continue
        if link.rel is None:
            element = link.element
            behind_name = Place(element.open_tag.offset + 1 + len(element.written.encode()))
            fix = replace(behind_name, ' rel="alternate"', 'add rel="alternate"', Safety.REVIEW)
            yield Problem(element.open_tag, 'the link has no rel, so it is ignored; add rel="alternate"', fix)
        else:
            message = (
                f'rel={quoted(text_of(link.rel))} is not an alternate, so the link is ignored; write rel="alternate"'
            )
            yield Problem(whole_of(link.rel), message, _spell_rel(link))


def _spell_rel(link: AlternateLink) -> Fix | None:
    from difflib import SequenceMatcher

    rel = text_of(link.rel).lower()
    if link.rel is None or (rel and SequenceMatcher(None, rel[:40], "alternate").ratio() < 0.7):
        return None  # another relation: it is unknown which attribute is wrong
    text = "alternate" if rel else 'rel="alternate"'
    return replace(whole_of(link.rel), text, 'write rel="alternate"', Safety.REVIEW)


@rule(
    "H004",
    "missing-hreflang",
    when=Signal.LINKS | Signal.LINK_CODE,
    kinds=(Kind.URLSET,),
    severity=Severity.ERROR,
    engines=_GOOGLE,
    cites=("google-hreflang",),
    bad=(
        _SELF + '«<xhtml:link rel="alternate" href="https://example.com/de"/>»',
        _SELF + '<xhtml:link rel="alternate" «hreflang=""» href="https://example.com/de"/>',
        _SELF + '«<xhtml:link href="https://example.com/de"/>»',
    ),
    good=(
        _SELF + _GERMAN,
        _SELF
        + '<xhtml:link rel="alternate" media="only screen and (max-width: 640px)" href="https://m.example.com/"/>',
        _SELF + '<xhtml:link rel="alternate" type="application/rss+xml" href="https://example.com/feed"/>',
        _SELF + '<xhtml:link rel="canonical" href="https://example.com/"/>',
    ),
)
def missing_hreflang(links: LinkSet) -> Iterator[Problem]:
    """A link to another version has no hreflang.

    Without hreflang the language of the linked page is unknown, and the link has no effect.
    """
    for link in links_of(links):
        if link.language or link.media is not None or link.type is not None:
            continue
        if link.hreflang is None and not lacks(link.element, "hreflang"):
            continue
        if link.rel is None or link.is_alternate:
            place = link.element.open_tag if link.hreflang is None else link.hreflang.place
            yield Problem(place, "the link has no hreflang, so it is ignored; add the language of the linked page")


@rule(
    "H005",
    "hreflang-address-not-absolute",
    when=Signal.LINKS | Signal.LINK_HREF,
    kinds=(Kind.URLSET,),
    severity=Severity.ERROR,
    engines=_GOOGLE,
    cites=("google-hreflang",),
    bad=(
        _SELF + _GERMAN.replace("https://example.com/de", "«//example.com/de»"),
        _SELF + _GERMAN.replace("https://example.com/de", "«/de»"),
        _SELF + _GERMAN.replace("https://example.com/de", "«example.com/de»"),
        _SELF + _GERMAN.replace("https://example.com/de", "«ftp://example.com/de»"),
        _SELF + _GERMAN.replace('href="https://example.com/de"', '«href=""»'),
        _SELF + '«<xhtml:link rel="alternate" hreflang="de"/>»',
    ),
    good=(
        _SELF + _GERMAN,
        _SELF + _GERMAN.replace("https://example.com/de", "https://example.de/?a=1&amp;b=2"),
        _SELF + _GERMAN.replace("https://example.com/de", "HTTP://example.com/de"),
    ),
)
def hreflang_address_not_absolute(links: LinkSet) -> Iterator[Problem]:
    """A link to a language version has no absolute http or https URL.

    The URL must include scheme and host. Relative URLs have no defined base in a sitemap.
    """
    for link in links_of(links):
        if not (link.language or link.is_alternate):
            continue
        if link.href is None and not lacks(link.element, "href"):
            continue
        if link.href is None:
            yield Problem(link.element.open_tag, "the link has no href, so it is ignored; add the URL")
        elif not link.address:
            yield Problem(link.href.place, "href is empty, so the link is ignored; add the URL")
        elif not Address.parse(link.address).is_web:
            message = f"{quoted(link.address)} is not an absolute http or https URL, so the link is ignored"
            yield Problem(whole_of(link.href), message)


@rule(
    "H031",
    "media-beside-hreflang",
    when=Signal.LINKS,
    kinds=(Kind.URLSET,),
    severity=Severity.INFO,
    engines=_GOOGLE,
    cites=("google-hreflang",),
    bad=(_SELF + _GERMAN.replace("/>", ' «media="handheld"»/>'),),
    good=(
        '<xhtml:link rel="alternate" hreflang="x-default" href="https://example.com/"/>'
        + _SELF
        + _GERMAN
        + '<xhtml:link rel="alternate" media="handheld" href="https://m.example.com/"/>',
    ),
)
def media_beside_hreflang(links: LinkSet) -> Iterator[Problem]:
    """One link has both hreflang and media.

    A link with media points to a mobile version, a link with hreflang to a language version. Use separate links.
    """
    for link in links_of(links):
        if link.language and link.media is not None:
            yield Problem(link.media.place, "media and hreflang in one link; use separate links")
