"""Is the page served over HTTPS with a valid certificate, without a redirect to HTTP?"""

from __future__ import annotations

from collections.abc import Iterator
from itertools import pairwise

from urlset.model.visit import State
from urlset.rules import Bad, Engine, Good, LivePage, PageSignal, Problem, Severity, rule
from urlset.rules.live.wording import EVERY_READER, shown

_PAGE = "< 200\nContent-Type: text/html\n\n<title>A</title><p>Words.\n"
_HTTP, _HTTPS = "> GET http://example.com/a\n", "> GET https://example.com/a\n"
_SECURE = "https://"


@rule(
    "A027",
    "http-beside-https",
    when=PageSignal.NOT_SECURE,
    severity=Severity.WARNING,
    engines=(Engine.GOOGLE,),
    cites=("google-canonical",),
    bad=(Bad(f"{_HTTP}{_PAGE}\n{_HTTPS}{_PAGE}"),),
    good=(
        Good(f"{_HTTP}{_PAGE}", title="the page was not fetched over HTTPS"),
        Good(f"{_HTTP}{_PAGE}\n{_HTTPS}! refused"),
        Good(f"{_HTTP}{_PAGE}\n{_HTTPS}< 301\nLocation: http://example.com/a\n\n{_HTTP}{_PAGE}"),
        Good(f"{_HTTP}< 301\nLocation: https://example.com/a\n\n{_HTTPS}{_PAGE}"),
    ),
)
def http_beside_https(page: LivePage) -> Iterator[Problem]:
    """A page is listed with http, although https is available.

    Google prefers the https URL as canonical. Only reported if that URL was fetched successfully.
    """
    if page.visit.state is not State.OK or page.visit.hops or not page.url.startswith("http://"):
        return
    if any(each.key != page.own_key for each in page.canonicals):
        return  # the page has its own canonical, which A012 and A013 report
    twin = f"{_SECURE}{page.url.removeprefix('http://')}"
    found = page.find(twin)
    if found is not None and found.state is State.OK and not found.hops:
        yield page.problem(f"{shown(twin)} works too, and Google prefers https; list it instead")


@rule(
    "A028",
    "insecure-page",
    when=PageSignal.ANSWER | PageSignal.REDIRECTS,
    severity=Severity.ERROR,
    engines=EVERY_READER,
    cites=("google-canonical", "general-knowledge"),
    bad=(
        Bad(f"{_HTTPS}! tls_expired"),
        Bad(f"{_HTTPS}! tls_name the certificate is for www.example.com"),
        Bad(f"{_HTTPS}< 301\nLocation: http://example.com/a\n\n{_HTTP}{_PAGE}"),
    ),
    good=(
        Good(f"{_HTTPS}{_PAGE}"),
        Good(f"{_HTTPS}! refused"),
        Good(f"{_HTTP}< 301\nLocation: https://example.com/a\n\n{_HTTPS}{_PAGE}"),
    ),
)
def insecure_page(page: LivePage) -> Iterator[Problem]:
    """A listed https page has an invalid certificate or redirects to http.

    Search engines do not index a page behind an invalid certificate, and browsers show a warning. A redirect to http
    makes Google choose the http URL as canonical.
    """
    visit = page.visit
    if visit.failure is not None and visit.failure.kind.is_tls:
        where = f" at {shown(page.final_url)}" if visit.hops else ""
        yield page.problem(
            f"{visit.failure}{where}; browsers and search engines reject the page; correct the certificate"
        )
        return
    way = [*(hop.url for hop in visit.hops), page.final_url]
    for here, there in pairwise(way):
        if here.startswith(_SECURE) and there.startswith("http://"):
            yield page.problem(f"{shown(here)} redirects from https to http: {shown(there)}; redirect to https")
            return
