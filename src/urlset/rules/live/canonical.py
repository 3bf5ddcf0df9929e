"""Is the listed page canonical, and do its language links agree with the sitemap?"""

from __future__ import annotations

from collections.abc import Iterator

from urlset.auditing.indexable import may_list, names_home
from urlset.checking.declare import bad, error_rule, good, google_error, google_info, google_warning
from urlset.findings.finding import quoted
from urlset.model.address import key_of
from urlset.model.page import join
from urlset.model.visit import Named, State
from urlset.rules import Engine, LivePage, PageSignal, Problem, Severity
from urlset.rules.live import instead, listed_words, of_target, readable, shown, unsound
from urlset.spec.lazy_pattern import lazy_pattern

# Language versions in the sitemap: does the page list the same ones, and are they indexable?

_A = "> GET https://example.com/a\n"
_LISTED = "listed: https://example.com/a\nalternate: en https://example.com/a\nalternate: de https://example.com/de/a\n"
_PAGE = _A + "< 200\nContent-Type: text/html\n\n{}<p>Words.\n"
_EN = '<link rel="alternate" hreflang="en" href="https://example.com/a">'
_DE = '<link rel="alternate" hreflang="{}" href="{}">'
_OTHER = "\n> GET https://example.com/de/a\n"
_PLAIN = _LISTED + _PAGE.format("")
_B = "> GET https://example.com/b\n< 200\nContent-Type: text/html\n\n<p>B\n"
_SHOWN = 3


def _in_sitemap(page: LivePage) -> dict[str, str]:
    """Code in lowercase → key of the URL."""
    return {
        (each.hreflang or "").strip().lower(): key_of(each.href.strip())
        for each in page.listing.alternates
        if each.hreflang and each.href
    }


def _on_page(page: LivePage) -> dict[str, str]:
    found: dict[str, str] = {}
    for each in page.visit.alternates:
        target = page.resolve(each.href.strip()) if each.href else None
        if each.hreflang and target is not None:
            found[each.hreflang.strip().lower()] = key_of(target)
    return found


def _comparable(page: LivePage) -> bool:
    """Versions may be listed in either place; they can only contradict each other if both have them."""
    return page.visit.state is State.OK and bool(page.visit.alternates) and bool(page.listing.alternates)


@google_warning("A033", when=PageSignal.ALTERNATES, cites=("google-hreflang", "google-canonical"))
@bad(
    _LISTED + _PAGE.format(_EN),
    _LISTED + _PAGE.format(_EN + _DE.format("de", "/de/a") + _DE.format("fr", "https://example.com/fr/a")),
)
@good(
    _LISTED + _PAGE.format(_EN + _DE.format("DE", "/de/a")),
    _PLAIN,
    _PAGE.format(_EN + _DE.format("de", "/de/a")),
    _LISTED + _PAGE.format(_EN + _DE.format("de", "/de/b")),
)
def page_alternates_differ(page: LivePage) -> Iterator[Problem]:
    """A page and the sitemap list different languages for it.

    One place is sufficient, so nothing is reported if only one lists versions. If both do, a language missing in one of
    them was forgotten or no longer exists.
    """
    if not _comparable(page):
        return
    listed, named = _in_sitemap(page), _on_page(page)
    only = (("the sitemap", sorted(listed.keys() - named)), ("the page", sorted(named.keys() - listed)))
    stated = [
        f"only {who} lists {listed_words(map(quoted, codes[:_SHOWN]))}{_more(codes)}" for who, codes in only if codes
    ]
    if stated:
        yield page.problem(f"{'; '.join(stated)}; list the same versions in both, or in only one of them")


def _more(items: list[str]) -> str:
    return f" and {len(items) - _SHOWN} more" if len(items) > _SHOWN else ""


@google_warning("H023", when=PageSignal.ALTERNATES, cites=("google-hreflang",))
@bad(
    _LISTED + _PAGE.format(_EN + _DE.format("de", "https://example.com/de/b")),
    _LISTED + _A + '< 200\nLink: </de/b>; rel="alternate"; hreflang="de"\nContent-Type: text/html\n\n<p>Words.\n',
)
@good(_LISTED + _PAGE.format(_EN + _DE.format("de", "https://EXAMPLE.com/de/%61")), _LISTED + _PAGE.format(_EN), _PLAIN)
def alternates_contradicted(page: LivePage) -> Iterator[Problem]:
    """A page and the sitemap have different URLs for the same language.

    Link elements, Link headers, and sitemap entries are equivalent, so they contradict each other and Google may ignore
    them.
    """
    if not _comparable(page):
        return
    listed, named = _in_sitemap(page), _on_page(page)
    differing = sorted(code for code in listed.keys() & named if listed[code] != named[code])
    if differing:
        code = differing[0]
        more = f", and {len(differing) - 1} more" if len(differing) > 1 else ""
        yield page.problem(
            f"the page and the sitemap have different URLs for {quoted(code)}: {shown(named[code])} and "
            f"{shown(listed[code])}{more}; use one"
        )


def _named(page: LivePage) -> dict[str, str]:
    """Code as written → URL, from the sitemap first, then from the page if it is indexable."""
    found = {(each.hreflang or "").strip(): (each.href or "").strip() for each in page.listing.alternates}
    if page.visit.state is State.OK and unsound(page.visit) is None:
        for each in page.visit.alternates:
            target = page.resolve(each.href.strip()) if each.href else None
            if target is not None:
                found.setdefault((each.hreflang or "").strip(), target)
    return {code: href for code, href in found.items() if href}


@google_error("H024", when=PageSignal.ALTERNATES, cites=("google-hreflang", "google-canonical", "general-knowledge"))
@bad(
    _PLAIN + _OTHER + "< 404\n",
    f"{_PLAIN}{_OTHER}< 301\nLocation: /b\n\n{_B}",
    _PLAIN + _OTHER + "< 200\nX-Robots-Tag: noindex\nContent-Type: text/html\n\n<p>A\n",
    _PLAIN + _OTHER + "< 200\nContent-Type: text/html\n\n<link rel=canonical href=/a><p>A\n",
)
@bad(_PAGE.format(_DE.format("de", "/de/a")) + _OTHER + "< 404\n", title="listed only on the page")
@good(_PLAIN, title="the other version was not fetched")
@good(
    _PLAIN + _OTHER + "< 403\n",
    _PLAIN + _OTHER + "< 200\nContent-Type: text/html\n\n<link rel=canonical href=/de/a><p>A\n",
)
@good(_LISTED + _A + "< 404\n", title="the listed page itself is missing, which A001 reports")
def unsound_alternate(page: LivePage) -> Iterator[Problem]:
    """A language version of a listed page is missing, redirects, or is not indexable.

    Google only pairs versions if both pages are indexed under the listed URLs, in the sitemap or on the page.
    Versions that no sitemap lists are fetched too, up to 500 in one audit. Versions blocked by bot protection are not
    reported.
    """
    own = key_of(page.url)
    faults: list[str] = []
    for code, href in _named(page).items():
        visit = page.find(href) if key_of(href) != own else None
        fault = unsound(visit) if visit is not None else None
        if fault is not None:
            faults.append(f"{quoted(code)} {shown(href)} {fault}")
    if faults:
        yield page.problem(
            f"{'; '.join(faults[:_SHOWN])}{_more(faults)}, but Google only pairs indexable pages; correct the link"
        )


@google_warning("H033", when=PageSignal.ALTERNATES, cites=("google-hreflang",))
@bad(_PAGE.format(_DE.format("de", "/de/a")) + _OTHER + "< 200\nContent-Type: text/html\n\n<p>A\n")
@good(_PAGE.format(_DE.format("de", "/de/a")), title="the other version was not fetched")
@good(
    _PAGE.format(_DE.format("de", "/de/a"))
    + _OTHER
    + "< 200\nContent-Type: text/html\n\n"
    + _DE.format("en", "https://example.com/a")
    + "<p>A\n",
    _PAGE.format(_DE.format("de", "/de/a")) + _OTHER + "< 404\n",
)
@good(_PLAIN + _OTHER + "< 200\nContent-Type: text/html\n\n<p>A\n", title="the sitemap pairs them")
def alternate_without_return_link(page: LivePage) -> Iterator[Problem]:
    """A language version does not link back to the page.

    Google ignores an alternate that is not confirmed by a link back. Reported for versions that are named on the page,
    and for versions that the sitemap names and does not list. What sitemaps say about listed versions is checked
    without fetching them.
    """
    own = {key_of(page.url), page.own_key}
    if page.visit.state is not State.OK or unsound(page.visit) is not None:
        return
    missing: list[str] = []
    for code, href in _named(page).items():
        if code.lower() == "x-default" or key_of(href) in own or (page.listing.alternates and page.is_listed(href)):
            continue
        visit = page.find(href)
        if visit is None or visit.state is not State.OK or unsound(visit) is not None or not visit.complete:
            continue
        base = visit.final_url or visit.url
        back = {key_of(url) for each in visit.alternates if each.href and (url := join(base, each.href.strip()))}
        if back.isdisjoint(own):
            missing.append(f"{quoted(code)} {shown(href)}")
    if missing:
        said = f"{'; '.join(missing[:_SHOWN])}{_more(missing)}"
        yield page.problem(f"no link back from {said}; add the alternate of this page there")


_LINK = _A + '< 200\nContent-Type: text/html\n\n<link rel="canonical" href="{}"><p>Words.\n'
_HEADER = _A + '< 200\nLink: <{}>; rel="canonical"\nContent-Type: text/html\n\n<p>Words.\n'
_BOTH = (
    _A + '< 200\nLink: <{}>; rel="canonical"\nContent-Type: text/html\n\n<link rel="canonical" href="{}"><p>Words.\n'
)
_BODY = _A + '< 200\nContent-Type: text/html\n\n{}<body><p>Words.<link rel="canonical" href="{}">\n'
_SELF, _CANONICAL_OTHER = "https://example.com/a", "https://example.com/b"
_ABSOLUTE = lazy_pattern(r"[a-zA-Z][a-zA-Z0-9+.-]*:")
_HEAD = '<link rel="canonical" href="https://example.com/a">'


def _all_say(page: LivePage, *, by_header: bool) -> Named | None:
    """The only canonical of the page if it is another page, and if it comes first from this source."""
    named = page.canonicals
    if not named or named[0].by_header is not by_header or len({each.key for each in named}) != 1:
        return None
    return named[0] if named[0].key != page.own_key else None


@error_rule(
    "A012",
    when=PageSignal.CANONICALS,
    engines=(Engine.GOOGLE, Engine.BING, Engine.YANDEX),
    cites=("google-canonical", "yandex-canonical"),
)
@bad(
    _LINK.format(_CANONICAL_OTHER),
    _LINK.format("https://example.com/a/"),
    _LINK.format("http://example.com/a"),
    _LINK.format("https://example.com/a?page=1"),
    _BOTH.format(_CANONICAL_OTHER, _CANONICAL_OTHER),
    _LINK.format("mailto:a@example.com"),
)
@good(
    _LINK.format(_SELF),
    _LINK.format("HTTPS://EXAMPLE.com:443/%61#top"),
    _LINK.format("/a"),
    f"{_A}< 301\nLocation: /b\n\n{_LINK.replace('/a', '/b').format(_CANONICAL_OTHER)}",
    _HEADER.format(_CANONICAL_OTHER),
    _BOTH.format(_CANONICAL_OTHER, _SELF),
    f"{_A}< 404\nContent-Type: text/html\n\n<link rel=canonical href=/b><p>Not found.\n",
)
def canonical_elsewhere(page: LivePage) -> Iterator[Problem]:
    """A listed page has another page as canonical.

    The sitemap and the page contradict each other, and search engines usually follow the page. URLs are compared after
    normalization: host case, default port, percent-encoding, and fragment do not matter; a trailing slash does.
    """
    named = _all_say(page, by_header=False)
    if named is None:
        return
    if named.target is None:
        yield page.problem(
            f"canonical {quoted(named.written)}{of_target(page)} is not a valid URL and is ignored; correct it",
            severity=Severity.WARNING,
        )
        return
    yield page.problem(f"canonical is {shown(named.target)}{of_target(page)}{_advice(page, named.target)}")


def _advice(page: LivePage, target: str) -> str:
    """If the canonical itself is not listable, or all pages would have the same, the page has to be fixed."""
    if names_home(page.final_url, target):
        return ", the home page, so search engines drop this page; correct the canonical, or remove the entry"
    there = page.find(target) if may_list(page.url, target) else None
    if there is not None and there.state is State.UNKNOWN:
        return ", which could not be fetched; list it instead if it works"
    fault = unsound(there) if there is not None else None
    return f", which {fault}; correct the canonical first" if fault else f"; {instead(page, target)}"


@error_rule(
    "A013",
    when=PageSignal.CANONICALS,
    engines=(Engine.GOOGLE, Engine.YANDEX),
    cites=("google-canonical", "yandex-canonical"),
)
@bad(_HEADER.format(_CANONICAL_OTHER), _HEADER.format("/b"))
@good(
    _HEADER.format(_SELF),
    _BOTH.format(_SELF, _SELF),
    _BOTH.format(_CANONICAL_OTHER, _CANONICAL_OTHER),
    _A + "< 200\nLink: </b>; rel=next\nContent-Type: text/html\n\n<p>Words.\n",
)
def header_canonical_elsewhere(page: LivePage) -> Iterator[Problem]:
    """A listed page has a Link header with another page as canonical.

    The header has the same effect as the link element. Reported if the page itself does not have the same canonical.
    """
    named = _all_say(page, by_header=True)
    if named is not None and named.target is not None:
        yield page.problem(
            f"canonical in the Link header is {shown(named.target)}{of_target(page)}{_advice(page, named.target)}"
        )


@google_warning("A014", when=PageSignal.CANONICALS, cites=("google-canonical",))
@bad(_BOTH.format(_CANONICAL_OTHER, _SELF), _LINK.format(_SELF).replace("<p>", '<link rel="canonical" href="/b"><p>'))
@good(_BOTH.format(_SELF, "/a"), _LINK.format(_SELF).replace("<p>", '<link rel="canonical" href="/a#x"><p>'))
def conflicting_canonicals(page: LivePage) -> Iterator[Problem]:
    """A page has several different canonicals.

    Search engines then choose one themselves, or ignore all of them.
    """
    named = {each.key: each for each in page.canonicals}
    if len(named) > 1:
        said = [
            f"{shown(each.target or each.written)} ({'Link header' if each.by_header else 'element'})"
            for each in list(named.values())[:3]
        ]
        yield page.problem(f"{len(named)} different canonicals{of_target(page)}: {listed_words(said)}; keep one")


@google_warning("A015", when=PageSignal.CANONICALS, cites=("google-canonical", "google-robots-meta"))
@bad(
    _BODY.format("", _SELF),
    _BODY.format(_HEAD, _CANONICAL_OTHER),
    _A + f"< 200\nContent-Type: text/html\n\n<title>A</title><div></div>{_HEAD}<p>Words.\n",
)
@good(_LINK.format(_SELF), _BODY.format(_HEAD, _SELF), _BODY.format("", _SELF).replace("link", "b"))
def canonical_outside_head(page: LivePage) -> Iterator[Problem]:
    """The canonical link element is in the body of the page.

    Search engines only accept it in the head (a robots meta tag works anywhere). Often an element that is not allowed
    in the head ends it too early.
    """
    if not readable(page):
        return
    counted = {each.key for each in page.canonicals}
    for each in page.visit.canonicals:
        target = page.resolve(each.href)
        if not each.in_head and (target is None or key_of(target) not in counted):
            message = (
                f"canonical {quoted(each.href)} is in the body{of_target(page)} and is ignored; move it to the head"
            )
            yield page.problem(message)
            return


@google_info("A016", when=PageSignal.CANONICALS, cites=("google-canonical",))
@bad(_LINK.replace("rel=", 'hreflang="de" rel=').format(_SELF))
@good(_LINK.format(_SELF), _LINK.replace('rel="canonical"', 'rel="alternate" hreflang="de"').format(_CANONICAL_OTHER))
def qualified_canonical(page: LivePage) -> Iterator[Problem]:
    """The canonical link element has attributes that make engines ignore it.

    With hreflang, lang, media, or type, it describes a version of the page and is not a canonical.
    """
    if readable(page) and page.visit.qualified_canonicals:
        href = quoted(page.visit.qualified_canonicals[0])
        yield page.problem(
            f"canonical {href}{of_target(page)} has hreflang, lang, media, or type and is ignored; remove the attribute"
        )


@google_info("A017", when=PageSignal.CANONICALS, cites=("google-canonical",))
@bad(_LINK.format("/a"), _HEADER.format("a"), _LINK.format("//example.com/a"))
@good(_LINK.format(_SELF), _HEADER.format(_SELF))
def relative_canonical(page: LivePage) -> Iterator[Problem]:
    """The canonical is a relative URL.

    This works but is not recommended: on a copy of the site, such as a staging site, it points to the copy.
    """
    for each in page.canonicals:
        if not _ABSOLUTE.match(each.written):
            yield page.problem(f"canonical {quoted(each.written)}{of_target(page)} is relative; write an absolute URL")
            return


@google_warning("A018", when=PageSignal.CANONICALS, cites=("google-canonical",))
@bad(_LINK.format(f"{_SELF}#top"))
@good(_LINK.format(_SELF), _LINK.format(f"{_SELF}%23top").replace("/a\n", "/a%23top\n"))
def canonical_with_fragment(page: LivePage) -> Iterator[Problem]:
    """The canonical has a fragment.

    Search engines ignore everything after the #, and Google does not support fragments in a canonical.
    """
    for each in page.canonicals:
        if each.written.partition("#")[2]:
            yield page.problem(f"canonical {quoted(each.written)}{of_target(page)} has a fragment; remove it")
            return
