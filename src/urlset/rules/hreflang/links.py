"""Is each `<xhtml:link>` a complete link to a language version, and is the set of a page consistent?"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from functools import partial
from urllib.parse import unquote

from urlset.checking.declare import bad, good, google_error, google_info
from urlset.checking.subjects import lacks
from urlset.findings.finding import quoted, replace
from urlset.model.address import Address
from urlset.model.columns import Edit, Mark
from urlset.model.document import Document
from urlset.model.entry import Attribute, Element
from urlset.model.place import Place, between
from urlset.rules import Fix, Has, LinkSet, ListedPage, Problem, Safety, Severity, Signal
from urlset.spec import namespaces
from urlset.spec.languages import X_DEFAULT
from urlset.spec.lazy_pattern import lazy_pattern
from urlset.spec.namespaces import is_core

# One `<xhtml:link>` → its unprefixed attributes, and whether it is an alternate.


class AlternateLink:
    """The relevant attributes; a prefixed attribute is a different attribute."""

    def __init__(self, element: Element) -> None:
        self.element = element
        plain = {attribute.local: attribute for attribute in element.attributes if not attribute.namespace}
        self.rel = plain.get("rel")
        self.hreflang = plain.get("hreflang")
        self.href = plain.get("href")
        self.media = plain.get("media")
        self.type = plain.get("type")
        self.language = text_of(self.hreflang)
        """the hreflang value, trimmed; empty if there is none"""
        self.address = text_of(self.href)

    @property
    def is_alternate(self) -> bool:
        return "alternate" in text_of(self.rel).lower().split()


def links_of(link_set: LinkSet) -> list[AlternateLink]:
    links: list[AlternateLink] | None = link_set.shared.get("links")
    if links is None:
        links = link_set.shared["links"] = [AlternateLink(element) for element in link_set.elements]
    return links


def text_of(attribute: Attribute | None) -> str:
    return "" if attribute is None else attribute.value.text.strip()


def whole_of(attribute: Attribute) -> Place:
    """The bytes of the trimmed value; the whole attribute if the value is empty."""
    text = text_of(attribute)
    return attribute.value.part(0, len(text)) if text else attribute.place


def roughly(address: str) -> str:
    """The URL without common differences: scheme, www, case, percent-encoding, trailing slash."""
    rest = unquote(address, errors="replace").casefold().partition("://")[2] or address.casefold()
    return rest.removeprefix("www.").rstrip("/")


# Are the links of a page consistent with each other and with the page?


def _link(tag: str, path: str, origin: str = "https://example.com") -> str:
    return f'<xhtml:link rel="alternate" hreflang="{tag}" href="{origin}{path}"/>'


_SELF = _link("en", "/")


link_error = partial(google_error, kinds=Has.URL_ELEMENTS)
link_info = partial(google_info, kinds=Has.URL_ELEMENTS)


@link_error("H017", when=Signal.LINKS, cites=("general-knowledge",))
@bad(_SELF + _link("en-gb", "/uk") + _link("«en-gb»", "/gb"), _SELF + _link("en-gb", "/uk") + _link("«en-GB»", "/gb"))
@good(
    _SELF + _link("en-gb", "/uk") + _link("en-ie", "/uk"),
    _SELF + _link("de", "/de") + _link("de", "/de"),
    _SELF + _link("de", "/%7Ede") + _link("de", "/~de"),
    _SELF + _link("x-default", "/"),
)
def conflicting_hreflang(links: LinkSet) -> Iterator[Problem]:
    """Two links of a page have different URLs for the same language.

    There can be only one page per language and region. Engines ignore both.
    """
    seen: dict[str, str] = {}
    for link in _complete(links):
        language = link.language.lower()
        if language == X_DEFAULT:
            continue
        first = seen.setdefault(language, link.address)
        if not _same(first, link.address):
            yield _second(link, first)


@link_error("H019", when=Signal.LINKS, cites=("google-hreflang", "general-knowledge"))
@bad(
    _SELF + _link("x-default", "/") + _link("«x-default»", "/choose"),
    _SELF + _link("x-default", "/") + _link("«X-Default»", "/"),
)
@good(_SELF + _link("x-default", "/"))
def repeated_x_default(links: LinkSet) -> Iterator[Problem]:
    """A page has more than one x-default link.

    There can be only one fallback page. Two different ones are both ignored; the same one twice is harmless and
    reported as info.
    """
    first: str | None = None
    for link in _complete(links):
        if link.language.lower() != X_DEFAULT:
            continue
        if first is None:
            first = link.address
        elif _same(first, link.address) and link.hreflang is not None:
            yield Problem(whole_of(link.hreflang), "duplicate x-default link; remove one", severity=Severity.INFO)
        else:
            yield _second(link, first)


def _second(link: AlternateLink, first: str) -> Problem:
    assert link.hreflang is not None
    message = (
        f"{quoted(link.language)} has two URLs, {quoted(first)} and {quoted(link.address)}, so both are ignored; "
        "keep one"
    )
    return Problem(whole_of(link.hreflang), message)


@link_error(
    "H028", when=Signal.LINKS | Signal.LINK_HREF | Signal.LINK_SELF, cites=("general-knowledge", "google-hreflang")
)
@bad(
    "<loc>https://example.com/a</loc>"
    + _link("en", "/a/").replace("https://example.com/a/", "«https://example.com/a/»"),
    fixed="<loc>https://example.com/a</loc>" + _link("en", "/a"),
)
@bad(
    "<loc>https://example.com/?a=1&amp;b=2</loc>"
    + _link("en", "").replace('"https://example.com"', '"«http://example.com/?a=1&amp;B=2»"'),
    fixed="<loc>https://example.com/?a=1&amp;b=2</loc>" + _link("en", "/?a=1&amp;b=2"),
)
@bad(
    "<loc>https://example.com/~a</loc>"
    + _link("en", "").replace('"https://example.com"', '"«https://example.com/%7Ea»"'),
    fixed="<loc>https://example.com/~a</loc>" + _link("en", "/~a"),
)
@good(
    "<loc>https://example.com/a</loc>" + _link("en", "/a") + _link("de", "/A"),
    "<loc>https://example.com/a</loc>" + _link("en", " /a").replace("com /a", "com/a ") + _link("de", "/de/a"),
    "<loc>https://example.com/?a=1&amp;b=2</loc>" + _link("en", "/?a=1&amp;b=2"),
)
def self_link_spelled_differently(links: LinkSet) -> Iterator[Problem]:
    """The self-link of a page has a different URL than the page.

    The page must link to itself with exactly the URL in loc. A different slash, case, or scheme is another URL, which
    may redirect or not exist, so the page has no link to itself.
    """
    loc = links.listed.loc
    complete = _complete(links)
    if not loc or any(link.address == loc for link in complete):
        return
    rough = roughly(loc)
    for link in complete:
        if roughly(link.address) != rough or link.href is None:
            continue
        same = _same(loc, link.address)
        message = (
            f"the page is listed as {quoted(loc)}, but its link to itself differs in {_difference(loc, link.address)}; "
            "use the same URL"
        )
        fix = None
        if links.listed.address.illegal is None:  # do not copy an invalid URL
            safety = Safety.SAFE if same else Safety.REVIEW
            fix = replace(whole_of(link.href), escaped(loc), "write the URL as in loc", safety)
        yield Problem(whole_of(link.href), message, fix, severity=Severity.WARNING if same else None)


def _difference(loc: str, href: str) -> str:
    for what, change in (
        ("the trailing slash", lambda text: text.rstrip("/")),
        ("the scheme", lambda text: text.partition("://")[2]),
        ("uppercase or lowercase", str.casefold),
        ("the percent-encoding", unquote),
    ):
        if change(loc) == change(href):
            return what
    return "its spelling"


def escaped(text: str) -> str:
    """Escaped for an attribute with either kind of quotes."""
    for character, reference in (("&", "&amp;"), ("<", "&lt;"), (">", "&gt;"), ('"', "&quot;"), ("'", "&apos;")):
        text = text.replace(character, reference)
    return text


def _complete(links: LinkSet) -> list[AlternateLink]:
    return [link for link in links_of(links) if link.language and link.address]


def _same(first: str, second: str) -> bool:
    return first == second or Address.parse(first).key == Address.parse(second).key


# Missing or redundant links → byte edits in the row.

_PREFIX = lazy_pattern(rb"<([A-Za-z_\x80-\xff][\w.\x80-\xff-]*):link[\s/>]")
_LINK = lazy_pattern(rb"[ \t\r\n]*<[A-Za-z_\x80-\xff][\w.\x80-\xff-]*:link(?:\s(?:[^<>\"']|\"[^\"<]*\"|'[^'<]*')*)?/>")
_BLANK = b" \t\r\n"


def add_links(document: Document, row: int, links: Iterable[tuple[str, str]]) -> Edit | None:
    """Add (language, URL) links at the end of the row; None if that is not safe."""
    if document.columns.marks[row] & (Mark.SALVAGED | Mark.ODD):
        return None
    data, place = document.data, document.place(row)
    prefix = _prefix(document, place)
    close = data.rfind(b"</", place.offset, place.end)
    inside = data.find(b">", place.offset, place.end) + 1
    if prefix is None or close <= inside:
        return None
    first = data.find(b"<", inside, place.end)
    behind = close - len(data[inside:close]) + len(data[inside:close].rstrip(_BLANK))
    indent = data[inside:first]
    text = b"".join(indent + _written(prefix, language, address) for language, address in links)
    return Edit(Place(behind), text) if not indent.strip(_BLANK) else None


def add_entry(document: Document, row: int, address: str, links: Iterable[tuple[str, str]]) -> Edit | None:
    """Add an entry for the URL after the row, formatted like it; None if that is not safe."""
    if document.columns.marks[row] & (Mark.SALVAGED | Mark.ODD):
        return None
    data, place = document.data, document.place(row)
    prefix = _prefix(document, place)
    inside = data.find(b">", place.offset, place.end) + 1
    close = data.rfind(b"</", place.offset, place.end)
    if prefix is None or close <= inside:
        return None
    before = data[data.rfind(b">", 0, place.offset) + 1 : place.offset]
    indent = data[inside : data.find(b"<", inside, place.end)]
    opening, closing = data[place.offset : inside], data[close : place.end]
    if before.strip(_BLANK) or indent.strip(_BLANK):
        return None
    loc = opening.strip(b"<>").rpartition(b":")[0]
    loc = loc + b":loc" if loc else b"loc"
    ending = data[inside:close][len(data[inside:close].rstrip(_BLANK)) :]
    text = before + opening + indent + b"<%s>%s</%s>" % (loc, escaped(address).encode(), loc)
    text += b"".join(indent + _written(prefix, *link) for link in links) + ending + closing
    return Edit(Place(place.end), text)


def _written(prefix: str, language: str, address: str) -> bytes:
    return f'<{prefix}:link rel="alternate" hreflang="{escaped(language)}" href="{escaped(address)}"/>'.encode()


def _prefix(document: Document, place: Place) -> str | None:
    """The prefix of the first link in the row; another that the root binds to XHTML if it does not bind that one."""
    written = _PREFIX.search(document.data, place.offset, place.end)
    own = None if written is None else written[1].decode()
    declared = document.root.declared if document.root is not None else {}
    bound = [prefix for prefix, uri in declared.items() if prefix and uri == namespaces.XHTML]
    return own if own in bound or not bound else bound[0]


def drop_links(document: Document, row: int, count: int) -> tuple[Edit, ...]:
    """Delete all links of the row with the space before them; nothing unless exactly `count` are found."""
    if document.columns.marks[row] & (Mark.SALVAGED | Mark.ODD | Mark.COMMENTED):
        return ()
    place = document.place(row)
    found = [between(*match.span()) for match in _LINK.finditer(document.data, place.offset, place.end)]
    return tuple(Edit(place, b"") for place in found) if len(found) == count else ()


_LINKS_SELF = '<xhtml:link rel="alternate" hreflang="en" href="https://example.com/"/>'
_GERMAN = '<xhtml:link rel="alternate" hreflang="de" href="https://example.com/de"/>'
_DECLARED = f'xmlns:xhtml="{namespaces.XHTML}"'
_CORE_LINK = '<link rel="alternate" hreflang="en" href="https://example.com/"/>'


def _map(link: str) -> str:
    """Without the declaration that a completed snippet would get."""
    return f'<urlset xmlns="{namespaces.SITEMAP}"><url><loc>https://example.com/</loc>{link}</url></urlset>'


@link_error("H002", when=Signal.ODD_LINK, cites=("google-hreflang", "xsd-urlset"))
@bad(
    _LINKS_SELF + "<«link» rel='alternate' hreflang='de' href='https://example.com/de'></link>",
    fixed=_LINKS_SELF + "<xhtml:link rel='alternate' hreflang='de' href='https://example.com/de'></xhtml:link>",
)
@bad(_map(_CORE_LINK.replace("link", "«link»")), fixed=_map(_CORE_LINK.replace("link", f"xhtml:link {_DECLARED}")))
@good(_LINKS_SELF + _GERMAN, _map(_CORE_LINK.replace("link ", f'link xmlns="{namespaces.XHTML}" ')))
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
                _links_prefix(listed, child),
            )


def _links_prefix(listed: ListedPage, link: Element) -> Fix:
    root = listed.document.root
    bound = [prefix for prefix, uri in (root.declared if root else {}).items() if prefix and uri == namespaces.XHTML]
    name = f"{bound[0]}:link" if bound else "xhtml:link"
    size = len(link.written.encode())
    opening = name if bound else f"{name} {_DECLARED}"
    edits = [Edit(Place(link.open_tag.offset + 1, size), opening.encode())]
    if link.close_tag.length:
        edits.append(Edit(Place(link.close_tag.offset + 2, size), name.encode()))
    return Fix(f"write <{name}>", tuple(edits), Safety.REVIEW)


@link_error("H003", when=Signal.LINKS, cites=("google-hreflang",))
@bad(_LINKS_SELF + _GERMAN.replace('"alternate"', '"«alternative»"'), fixed=_LINKS_SELF + _GERMAN)
@bad(_LINKS_SELF + '«<xhtml:link hreflang="de" href="https://example.com/de"/>»', fixed=_LINKS_SELF + _GERMAN)
@bad(_LINKS_SELF + _GERMAN.replace('"alternate"', '"«canonical»"'))
@good(
    _LINKS_SELF + _GERMAN,
    _LINKS_SELF + _GERMAN.replace("alternate", "Alternate nofollow"),
    _LINKS_SELF + '<xhtml:link rel="amphtml" href="https://example.com/amp"/>',
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


@link_error("H004", when=Signal.LINKS | Signal.LINK_CODE, cites=("google-hreflang",))
@bad(
    _LINKS_SELF + '«<xhtml:link rel="alternate" href="https://example.com/de"/>»',
    _LINKS_SELF + '<xhtml:link rel="alternate" «hreflang=""» href="https://example.com/de"/>',
    _LINKS_SELF + '«<xhtml:link href="https://example.com/de"/>»',
)
@good(
    _LINKS_SELF + _GERMAN,
    _LINKS_SELF
    + '<xhtml:link rel="alternate" media="only screen and (max-width: 640px)" href="https://m.example.com/"/>',
    _LINKS_SELF + '<xhtml:link rel="alternate" type="application/rss+xml" href="https://example.com/feed"/>',
    _LINKS_SELF + '<xhtml:link rel="canonical" href="https://example.com/"/>',
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


@link_error("H005", when=Signal.LINKS | Signal.LINK_HREF, cites=("google-hreflang",))
@bad(
    _LINKS_SELF + _GERMAN.replace("https://example.com/de", "«//example.com/de»"),
    _LINKS_SELF + _GERMAN.replace("https://example.com/de", "«/de»"),
    _LINKS_SELF + _GERMAN.replace("https://example.com/de", "«example.com/de»"),
    _LINKS_SELF + _GERMAN.replace("https://example.com/de", "«ftp://example.com/de»"),
    _LINKS_SELF + _GERMAN.replace('href="https://example.com/de"', '«href=""»'),
    _LINKS_SELF + '«<xhtml:link rel="alternate" hreflang="de"/>»',
)
@good(
    _LINKS_SELF + _GERMAN,
    _LINKS_SELF + _GERMAN.replace("https://example.com/de", "https://example.de/?a=1&amp;b=2"),
    _LINKS_SELF + _GERMAN.replace("https://example.com/de", "HTTP://example.com/de"),
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


@link_info("H031", when=Signal.LINKS, cites=("google-hreflang",))
@bad(_LINKS_SELF + _GERMAN.replace("/>", ' «media="handheld"»/>'))
@good(
    '<xhtml:link rel="alternate" hreflang="x-default" href="https://example.com/"/>'
    + _LINKS_SELF
    + _GERMAN
    + '<xhtml:link rel="alternate" media="handheld" href="https://m.example.com/"/>'
)
def media_beside_hreflang(links: LinkSet) -> Iterator[Problem]:
    """One link has both hreflang and media.

    A link with media points to a mobile version, a link with hreflang to a language version. Use separate links.
    """
    for link in links_of(links):
        if link.language and link.media is not None:
            yield Problem(link.media.place, "media and hreflang in one link; use separate links")
