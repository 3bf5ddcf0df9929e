"""Language versions in the sitemap: does the page list the same ones, and are they indexable?"""

from __future__ import annotations

from collections.abc import Iterator

from urlset.checking.declare import Bad, Good, rule
from urlset.checking.live_page import LivePage
from urlset.findings.finding import Problem
from urlset.findings.severity import Severity
from urlset.model.address_key import key_of
from urlset.model.visit import State
from urlset.rules.live.wording import listed_words, shown, unsound
from urlset.rules.quoting import quoted
from urlset.spec.engines import Engine
from urlset.spec.signals import PageSignal

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


@rule(
    "A033",
    "page-alternates-differ",
    when=PageSignal.ALTERNATES,
    severity=Severity.WARNING,
    engines=(Engine.GOOGLE,),
    cites=("google-hreflang", "google-canonical"),
    bad=(
        Bad(_LISTED + _PAGE.format(_EN)),
        Bad(_LISTED + _PAGE.format(_EN + _DE.format("de", "/de/a") + _DE.format("fr", "https://example.com/fr/a"))),
    ),
    good=(
        Good(_LISTED + _PAGE.format(_EN + _DE.format("DE", "/de/a"))),
        Good(_PLAIN),
        Good(_PAGE.format(_EN + _DE.format("de", "/de/a"))),
        Good(_LISTED + _PAGE.format(_EN + _DE.format("de", "/de/b"))),
    ),
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


@rule(
    "H023",
    "alternates-contradicted",
    when=PageSignal.ALTERNATES,
    severity=Severity.WARNING,
    engines=(Engine.GOOGLE,),
    cites=("google-hreflang",),
    bad=(
        Bad(_LISTED + _PAGE.format(_EN + _DE.format("de", "https://example.com/de/b"))),
        Bad(
            _LISTED
            + _A
            + '< 200\nLink: </de/b>; rel="alternate"; hreflang="de"\nContent-Type: text/html\n\n<p>Words.\n',
        ),
    ),
    good=(
        Good(_LISTED + _PAGE.format(_EN + _DE.format("de", "https://EXAMPLE.com/de/%61"))),
        Good(_LISTED + _PAGE.format(_EN)),
        Good(_PLAIN),
    ),
)
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


@rule(
    "H024",
    "unsound-alternate",
    when=PageSignal.ALTERNATES,
    severity=Severity.ERROR,
    engines=(Engine.GOOGLE,),
    cites=("google-hreflang", "google-canonical", "general-knowledge"),
    bad=(
        Bad(_PLAIN + _OTHER + "< 404\n"),
        Bad(f"{_PLAIN}{_OTHER}< 301\nLocation: /b\n\n{_B}"),
        Bad(_PLAIN + _OTHER + "< 200\nX-Robots-Tag: noindex\nContent-Type: text/html\n\n<p>A\n"),
        Bad(_PLAIN + _OTHER + "< 200\nContent-Type: text/html\n\n<link rel=canonical href=/a><p>A\n"),
        Bad(_PAGE.format(_DE.format("de", "/de/a")) + _OTHER + "< 404\n", title="listed only on the page"),
    ),
    good=(
        Good(_PLAIN, title="the other version was not fetched"),
        Good(_PLAIN + _OTHER + "< 403\n"),
        Good(_PLAIN + _OTHER + "< 200\nContent-Type: text/html\n\n<link rel=canonical href=/de/a><p>A\n"),
        Good(_LISTED + _A + "< 404\n", title="the listed page itself is missing, which A001 reports"),
    ),
)
def unsound_alternate(page: LivePage) -> Iterator[Problem]:
    """A language version of a listed page is missing, redirects, or is not indexable.

    Google only pairs versions if both pages are indexed under the listed URLs, in the sitemap or on the page.
    Reported for versions that were fetched because they are listed too. Versions blocked by bot protection are not
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
