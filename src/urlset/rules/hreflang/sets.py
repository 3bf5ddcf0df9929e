"""Are the links of a page consistent with each other and with the page?"""

from __future__ import annotations

from collections.abc import Iterator
from urllib.parse import unquote

from urlset.findings.fix import replace
from urlset.model.address import Address
from urlset.rules import Bad, Engine, Good, Kind, LinkSet, Problem, Safety, Severity, Signal, rule
from urlset.rules.hreflang.link import AlternateLink, links_of, roughly, whole_of
from urlset.rules.quoting import quoted
from urlset.spec.languages import X_DEFAULT

_GOOGLE = (Engine.GOOGLE,)


def _link(tag: str, path: str, origin: str = "https://example.com") -> str:
    return f'<xhtml:link rel="alternate" hreflang="{tag}" href="{origin}{path}"/>'


_SELF = _link("en", "/")


@rule(
    "H017",
    "conflicting-hreflang",
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


@rule(
    "H019",
    "repeated-x-default",
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


@rule(
    "H028",
    "self-link-spelled-differently",
    when=Signal.LINKS | Signal.LINK_HREF | Signal.LINK_SELF,
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
