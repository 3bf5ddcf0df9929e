"""Does the listed URL redirect, how often, how, and does it end at a page?"""

from __future__ import annotations

import re
from collections.abc import Iterator

from urlset.checking.live_page import SURE_ENOUGH
from urlset.model.address_key import key_of
from urlset.model.answer import FailureKind
from urlset.model.visit import State
from urlset.reading.host_robots import path_of
from urlset.rules import Bad, Engine, Good, LivePage, PageSignal, Problem, Severity, rule
from urlset.rules.live.wording import EVERY_READER, instead, readable, shown, unsound
from urlset.spec.lazy_pattern import lazy_pattern
from urlset.spec.protocol import MAX_REDIRECTS_GOOGLE

_PAGE = "< 200\nContent-Type: text/html\n\n<title>A</title><p>Words.\n"
_A, _B, _C = (f"> GET https://example.com/{letter}\n" for letter in "abc")
_OK = f"{_A}{_PAGE}"
_TO_B, _TO_C = "< 301\nLocation: https://example.com/b\n\n", "< 302\nLocation: /c\n\n"
_LASTING = frozenset({301, 308})
_HOME = lazy_pattern(r"/(?:(?:index|default|home)(?:\.\w+)?/?|[a-z]{2}(?:-[a-z]{2})?/?)?", re.IGNORECASE)
"""other names of the home page"""


@rule(
    "A003",
    "redirected-page",
    when=PageSignal.REDIRECTS,
    severity=Severity.WARNING,
    engines=EVERY_READER,
    cites=("google-redirects", "google-http", "gsc-report"),
    bad=(
        Bad(f"{_A}{_TO_B}{_B}{_PAGE}"),
        Bad(f"{_A}< 302\nLocation: /a/\n\n> GET https://example.com/a/\n{_PAGE}"),
    ),
    good=(
        Good(_OK),
        Good(f"{_A}{_TO_B}{_B}< 404\n", title="/a redirects to /b, which is missing"),
        Good(f"{_A}{_TO_B}{_B}< 403\n", title="/a redirects to /b, which denies access"),
    ),
)
def redirected_page(page: LivePage) -> Iterator[Problem]:
    """A listed page redirects to another page.

    A sitemap should list the final URL of a page. Search engines treat 301 and 308 as a strong signal that the target
    is canonical, and 302, 303, and 307 as a weak one.
    """
    visit = page.visit
    if visit.state is State.REDIRECTED and visit.hops:
        status = visit.hops[0].status
        kind = "permanently" if all(hop.status in _LASTING for hop in visit.hops) else "temporarily"
        yield page.problem(f"{status}: redirects {kind} to {shown(page.final_url)}; {_advice(page)}")


def _advice(page: LivePage) -> str:
    """An error page or the home page is a substitute, not the new URL of the page."""
    lost = page.visit.soft_404
    if lost is not None and lost.certainty >= SURE_ENOUGH:
        return "the target looks like an error page: remove this entry, or redirect it to the new page"
    if path_of(page.final_url) == "/" and not _HOME.fullmatch(path_of(page.url) or ""):
        return "the target is the home page: remove this entry if the page no longer exists"
    return instead(page, page.final_url)


@rule(
    "A004",
    "redirect-chain",
    when=PageSignal.REDIRECTS,
    severity=Severity.WARNING,
    engines=(Engine.GOOGLE,),
    cites=("google-site-move", "google-http"),
    bad=(Bad(f"{_A}{_TO_B}{_B}{_TO_C}{_C}{_PAGE}"),),
    good=(Good(f"{_A}{_TO_B}{_B}{_PAGE}"), Good(_OK)),
)
def redirect_chain(page: LivePage) -> Iterator[Problem]:
    """A listed page redirects several times.

    Google follows up to ten redirects and recommends at most one. Each takes time, and some crawlers give up.
    """
    hops = page.visit.hops
    if page.visit.state is State.REDIRECTED and len(hops) > 1:
        way = " → ".join(shown(hop.url) for hop in hops[1:4]) + (" → …" if len(hops) > 4 else "")
        yield page.problem(
            f"{len(hops)} redirects in a row, via {way}, to {shown(page.final_url)}; use a single redirect"
        )


_NOWHERE = {
    FailureKind.REDIRECT_LOOP: "redirect loop",
    FailureKind.TOO_MANY_REDIRECTS: "too many redirects",
    FailureKind.BAD_REDIRECT: "invalid redirect target",
}


@rule(
    "A005",
    "redirect-without-end",
    when=PageSignal.REDIRECTS | PageSignal.ANSWER,
    severity=Severity.ERROR,
    engines=EVERY_READER,
    cites=("google-http", "rfc9110"),
    bad=(
        Bad(f"{_A}{_TO_B}{_B}< 302\nLocation: /a\n\n{_A}! redirect_loop"),
        Bad(f"{_A}{_TO_B}{_B}! too_many_redirects", title="more redirects than a crawler follows"),
        Bad(f"{_A}< 301\n! bad_redirect no Location"),
        Bad(f"{_A}< 300\n"),
    ),
    good=(Good(f"{_A}{_TO_B}{_B}{_TO_C}{_C}{_PAGE}"),),
)
def redirect_without_end(page: LivePage) -> Iterator[Problem]:
    """The redirects of a listed page never end at a page.

    They form a loop, exceed the number that a crawler follows (ten for Google), or have no valid target.
    """
    visit = page.visit
    how = _NOWHERE.get(visit.failure.kind) if visit.failure is not None else None
    if how is not None and visit.failure is not None:
        last = f", last at {shown(page.final_url)}" if visit.hops else ""
        detail = f" ({visit.failure.detail})" if visit.failure.detail else ""
        yield page.problem(f"{how}{detail}{last}; correct the redirect or remove the entry")
    elif visit.state is State.ERROR and visit.failure is None and _is_redirect(visit.status):
        yield page.problem(f"{visit.status} without a target; correct the redirect or remove the entry")
    elif len(visit.hops) > MAX_REDIRECTS_GOOGLE and Engine.GOOGLE in page.context.engines:
        yield page.problem(
            f"{len(visit.hops)} redirects exceed Google's limit of {MAX_REDIRECTS_GOOGLE}; list the final URL"
        )


def _is_redirect(status: int | None) -> bool:
    """304 does not count: see A002."""
    return 300 <= (status or 0) < 400 and status != 304


_REFRESH = '< 200\nContent-Type: text/html\n\n<meta http-equiv="refresh" content="{}"><p>Words.\n'


@rule(
    "A024",
    "refresh-redirect",
    when=PageSignal.REFRESH,
    severity=Severity.WARNING,
    engines=(Engine.GOOGLE,),
    cites=("google-redirects",),
    bad=(
        Bad(f"{_A}{_REFRESH.format('0; url=/b')}"),
        Bad(f"{_A}{_REFRESH.format('5; url=https://example.com/b')}"),
        Bad(f"{_A}< 200\nRefresh: 0; url=/b\nContent-Type: text/html\n\n<p>Words.\n"),
    ),
    good=(
        Good(_OK),
        Good(f"{_A}{_REFRESH.format('300')}"),
        Good(f"{_A}{_REFRESH.format('60; url=https://example.com/a#latest')}"),
    ),
)
def refresh_redirect(page: LivePage) -> Iterator[Problem]:
    """A listed page redirects with a refresh.

    Google treats a refresh after 0 seconds as a permanent redirect and a later one as temporary. A page that reloads
    itself does not redirect. Redirects by script are not seen.
    """
    refresh = page.visit.refresh
    if refresh is None or not readable(page):
        return
    target = page.resolve(refresh.target)
    if target is None or key_of(target) == key_of(page.final_url):
        return
    when = "immediately" if refresh.seconds == 0 else f"after {refresh.seconds} s"
    there = page.find(target)
    fault = unsound(there) if there is not None else None
    advice = f", but it {fault}" if fault is not None else f"; {instead(page, target)}"
    yield page.problem(f"refreshes {when} to {shown(target)}, which is treated as a redirect{advice}")
