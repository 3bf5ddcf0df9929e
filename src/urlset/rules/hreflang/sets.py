"""Do the links of one page agree with each other and with the page?"""

from __future__ import annotations

from collections.abc import Iterator
from urllib.parse import unquote

from urlset.checking.declare import Bad, Good, rule
from urlset.checking.subjects import LinkSet
from urlset.findings.finding import Problem
from urlset.findings.fix import Safety, replace
from urlset.findings.severity import Severity
from urlset.model.address import Address
from urlset.model.document import Kind
from urlset.rules.hreflang.link import AlternateLink, links_of, roughly, whole_of
from urlset.rules.quoting import quoted
from urlset.spec.engines import Engine
from urlset.spec.languages import X_DEFAULT
from urlset.spec.signals import Signal

_GOOGLE = (Engine.GOOGLE,)


def _link(tag: str, path: str, origin: str = "https://example.com") -> str:
    return f'<xhtml:link rel="alternate" hreflang="{tag}" href="{origin}{path}"/>'


_SELF = _link("en", "/")


@rule(
    "H017",
    "conflicting-hreflang",
    on=LinkSet,
    when=Signal.LINKS,
    kinds=(Kind.URLSET,),
    severity=Severity.ERROR,
    engines=_GOOGLE,
    cites=("general-knowledge",),
    bad=(
        _SELF + _link("en-gb", "/uk") + _link("«en-gb»", "/gb"),
        _SELF + _link("en-gb", "/uk") + _link("«en-GB»", "/gb"),
    ),
    good=(
        _SELF + _link("en-gb", "/uk") + _link("en-ie", "/uk"),
        _SELF + _link("de", "/de") + _link("de", "/de"),
        _SELF + _link("de", "/%7Ede") + _link("de", "/~de"),
        _SELF + _link("x-default", "/"),
    ),
)
def conflicting_hreflang(links: LinkSet) -> Iterator[Problem]:
    """Two links of a page name different pages for the same language.

    Only one page can be the version for a language and region. Faced with two, the engine drops them.
    """
    seen: dict[str, str] = {}
    for link in _complete(links):
        language = link.language.lower()
        if language == X_DEFAULT:
            continue
        first = seen.setdefault(language, link.address)
        if not _same(first, link.address):
            yield _second(link, first)


@rule(
    "H019",
    "repeated-x-default",
    on=LinkSet,
    when=Signal.LINKS,
    kinds=(Kind.URLSET,),
    severity=Severity.ERROR,
    engines=_GOOGLE,
    cites=("google-hreflang", "general-knowledge"),
    bad=(
        _SELF + _link("x-default", "/") + _link("«x-default»", "/choose"),
        _SELF + _link("x-default", "/") + _link("«X-Default»", "/"),
    ),
    good=(_SELF + _link("x-default", "/"),),
)
def repeated_x_default(links: LinkSet) -> Iterator[Problem]:
    """A page has more than one x-default link.

    The fallback for all other languages can be only one page. Two that differ cancel each other; the same one
    twice does no harm and is merely noted.
    """
    first: str | None = None
    for link in _complete(links):
        if link.language.lower() != X_DEFAULT:
            continue
        if first is None:
            first = link.address
        elif _same(first, link.address) and link.hreflang is not None:
            yield Problem(whole_of(link.hreflang), "the same x-default stands here twice", severity=Severity.INFO)
        else:
            yield _second(link, first)


def _second(link: AlternateLink, first: str) -> Problem:
    assert link.hreflang is not None
    message = f"{quoted(link.language)} leads to {quoted(link.address)} and above to {quoted(first)}; neither counts"
    return Problem(whole_of(link.hreflang), message)


@rule(
    "H028",
    "self-link-spelled-differently",
    on=LinkSet,
    when=Signal.LINKS,
    kinds=(Kind.URLSET,),
    severity=Severity.ERROR,
    engines=_GOOGLE,
    cites=("general-knowledge", "google-hreflang"),
    bad=(
        Bad(
            "<loc>https://example.com/a</loc>"
            + _link("en", "/a/").replace("https://example.com/a/", "«https://example.com/a/»"),
            fixed="<loc>https://example.com/a</loc>" + _link("en", "/a"),
        ),
        Bad(
            "<loc>https://example.com/?a=1&amp;b=2</loc>"
            + _link("en", "").replace('"https://example.com"', '"«http://example.com/?a=1&amp;B=2»"'),
            fixed="<loc>https://example.com/?a=1&amp;b=2</loc>" + _link("en", "/?a=1&amp;b=2"),
        ),
        Bad(
            "<loc>https://example.com/~a</loc>"
            + _link("en", "").replace('"https://example.com"', '"«https://example.com/%7Ea»"'),
            fixed="<loc>https://example.com/~a</loc>" + _link("en", "/~a"),
        ),
    ),
    good=(
        Good("<loc>https://example.com/a</loc>" + _link("en", "/a") + _link("de", "/A")),
        Good(
            "<loc>https://example.com/a</loc>" + _link("en", " /a").replace("com /a", "com/a ") + _link("de", "/de/a")
        ),
        Good("<loc>https://example.com/?a=1&amp;b=2</loc>" + _link("en", "/?a=1&amp;b=2")),
    ),
)
def self_link_spelled_differently(links: LinkSet) -> Iterator[Problem]:
    """The link of a page to itself spells the address in another way.

    The page must name itself by the very address under which it is listed. A slash, a letter case or a scheme
    that differs is another address, which may redirect or not exist, and then the page has no link to itself.
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
        message = f"the page is listed as {quoted(loc)}: its link to itself differs in {_difference(loc, link.address)}"
        fix = None
        if links.listed.address.illegal is None:  # a faulty address is not to be copied
            safety = Safety.SAFE if same else Safety.REVIEW
            fix = replace(whole_of(link.href), escaped(loc), "write the address as in loc", safety)
        yield Problem(whole_of(link.href), message, fix, severity=Severity.WARNING if same else None)


def _difference(loc: str, href: str) -> str:
    for what, change in (
        ("the closing slash", lambda text: text.rstrip("/")),
        ("the scheme", lambda text: text.partition("://")[2]),
        ("the letter case", str.casefold),
        ("the escapes", unquote),
    ):
        if change(loc) == change(href):
            return what
    return "its spelling"


def escaped(text: str) -> str:
    """As it may stand in an attribute, whatever the quotes."""
    for character, reference in (("&", "&amp;"), ("<", "&lt;"), (">", "&gt;"), ('"', "&quot;"), ("'", "&apos;")):
        text = text.replace(character, reference)
    return text


def _complete(links: LinkSet) -> list[AlternateLink]:
    return [link for link in links_of(links) if link.language and link.address]


def _same(first: str, second: str) -> bool:
    return first == second or Address.parse(first).key == Address.parse(second).key
