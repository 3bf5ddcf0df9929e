"""Does the page return content over HTTPS without redirects? Each kind of failure is a separate rule."""

from __future__ import annotations

import re
from collections.abc import Iterator
from itertools import pairwise

from urlset.checking.declare import bad, good, google_warning, reader_error, reader_warning
from urlset.checking.live_page import SURE_ENOUGH
from urlset.model.address import key_of
from urlset.model.answer import FailureKind
from urlset.model.visit import State
from urlset.reading.host_robots import path_of
from urlset.rules import Engine, LivePage, PageSignal, Problem, Severity
from urlset.rules.live import instead, readable, shown, unsound
from urlset.spec.generator_artifacts import SIGN_IN_PAGE
from urlset.spec.lazy_pattern import lazy_pattern
from urlset.spec.protection import LOGIN_ADDRESS
from urlset.spec.protocol import MAX_REDIRECTS_GOOGLE

# Does the listed URL redirect, how often, how, and does it end at a page?

_PAGE = "< 200\nContent-Type: text/html\n\n<title>A</title><p>Words.\n"
_A, _B, _C = (f"> GET https://example.com/{letter}\n" for letter in "abc")
_OK = f"{_A}{_PAGE}"
_TO_B, _TO_C = "< 301\nLocation: https://example.com/b\n\n", "< 302\nLocation: /c\n\n"
_LASTING = frozenset({301, 308})
_HOME = lazy_pattern(r"/(?:(?:index|default|home)(?:\.\w+)?/?|[a-z]{2}(?:-[a-z]{2})?/?)?", re.IGNORECASE)
"""other names of the home page"""


@reader_warning("A003", when=PageSignal.REDIRECTS, cites=("google-redirects", "google-http", "gsc-report"))
@bad(f"{_A}{_TO_B}{_B}{_PAGE}", f"{_A}< 302\nLocation: /a/\n\n> GET https://example.com/a/\n{_PAGE}")
@good(_OK)
@good(f"{_A}{_TO_B}{_B}< 404\n", title="/a redirects to /b, which is missing")
@good(f"{_A}{_TO_B}{_B}< 403\n", title="/a redirects to /b, which denies access")
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


@google_warning("A004", when=PageSignal.REDIRECTS, cites=("google-site-move", "google-http"))
@bad(f"{_A}{_TO_B}{_B}{_TO_C}{_C}{_PAGE}")
@good(f"{_A}{_TO_B}{_B}{_PAGE}", _OK)
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


@reader_error("A005", when=PageSignal.REDIRECTS | PageSignal.ANSWER, cites=("google-http", "rfc9110"))
@bad(f"{_A}{_TO_B}{_B}< 302\nLocation: /a\n\n{_A}! redirect_loop")
@bad(f"{_A}{_TO_B}{_B}! too_many_redirects", title="more redirects than a crawler follows")
@bad(f"{_A}< 301\n! bad_redirect no Location", f"{_A}< 300\n")
@good(f"{_A}{_TO_B}{_B}{_TO_C}{_C}{_PAGE}")
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
    elif (
        visit.state is State.ERROR
        and visit.failure is None
        and (300 <= (visit.status or 0) < 400 and visit.status != 304)
    ):
        yield page.problem(f"{visit.status} without a target; correct the redirect or remove the entry")
    elif len(visit.hops) > MAX_REDIRECTS_GOOGLE and Engine.GOOGLE in page.context.engines:
        yield page.problem(
            f"{len(visit.hops)} redirects exceed Google's limit of {MAX_REDIRECTS_GOOGLE}; list the final URL"
        )


_REFRESH = '< 200\nContent-Type: text/html\n\n<meta http-equiv="refresh" content="{}"><p>Words.\n'


@google_warning("A024", when=PageSignal.REFRESH, cites=("google-redirects",))
@bad(
    f"{_A}{_REFRESH.format('0; url=/b')}",
    f"{_A}{_REFRESH.format('5; url=https://example.com/b')}",
    f"{_A}< 200\nRefresh: 0; url=/b\nContent-Type: text/html\n\n<p>Words.\n",
)
@good(_OK, f"{_A}{_REFRESH.format('300')}", f"{_A}{_REFRESH.format('60; url=https://example.com/a#latest')}")
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


# Is the page served over HTTPS with a valid certificate, without a redirect to HTTP?
_HTTP, _HTTPS = "> GET http://example.com/a\n", "> GET https://example.com/a\n"
_SECURE = "https://"


@google_warning("A027", when=PageSignal.NOT_SECURE, cites=("google-canonical",))
@bad(f"{_HTTP}{_PAGE}\n{_HTTPS}{_PAGE}")
@good(f"{_HTTP}{_PAGE}", title="the page was not fetched over HTTPS")
@good(
    f"{_HTTP}{_PAGE}\n{_HTTPS}! refused",
    f"{_HTTP}{_PAGE}\n{_HTTPS}< 301\nLocation: http://example.com/a\n\n{_HTTP}{_PAGE}",
    f"{_HTTP}< 301\nLocation: https://example.com/a\n\n{_HTTPS}{_PAGE}",
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


@reader_error("A028", when=PageSignal.ANSWER | PageSignal.REDIRECTS, cites=("google-canonical", "general-knowledge"))
@bad(
    f"{_HTTPS}! tls_expired",
    f"{_HTTPS}! tls_name the certificate is for www.example.com",
    f"{_HTTPS}< 301\nLocation: http://example.com/a\n\n{_HTTP}{_PAGE}",
)
@good(f"{_HTTPS}{_PAGE}", f"{_HTTPS}! refused", f"{_HTTP}< 301\nLocation: https://example.com/a\n\n{_HTTPS}{_PAGE}")
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


_GET = "> GET https://example.com/a\n"
_ANSWER = "Content-Type: text/html\n\n<title>A</title><p>Words.\n"
_FOUND = f"{_GET}< 200\n{_ANSWER}"
_CHALLENGE = f"{_GET}< 403\nCf-Mitigated: challenge\nContent-Type: text/html\n\n<title>Just a moment...</title>\n"
_LOGIN = 401
_LOGIN_FORM = (
    f"{_GET}< 200\nContent-Type: text/html\n\n"
    "<title>Sign in</title><form><input name=user><input type=password></form>\n"
)
_NOT_MODIFIED = 304
_TOO_MANY = (420, 429)
_ELSEWHERE = frozenset({FailureKind.REDIRECT_LOOP, FailureKind.TOO_MANY_REDIRECTS, FailureKind.BAD_REDIRECT})
"""reported by A005"""


def _by_way_of(page: LivePage) -> str:
    return f"redirects to {shown(page.final_url)}, which returns " if page.visit.hops else ""


@reader_error("A001", when=PageSignal.ANSWER, cites=("google-http", "gsc-report"))
@bad(
    f"{_GET}< 404\n{_ANSWER}",
    f"{_GET}< 410\n",
    f"{_GET}< 301\nLocation: /b\n\n> GET https://example.com/b\n< 404\n{_ANSWER}",
)
@good(_FOUND, f"{_GET}< 403\n{_ANSWER}", f"{_GET}< 429\nRetry-After: 60\n", f"{_GET}< 503\n")
def page_gone(page: LivePage) -> Iterator[Problem]:
    """A listed page does not exist.

    Search engines treat a 4xx status as a missing page and remove the URL from the index. 401, 403, and 429 have
    their own rules, because they may be specific to bots.
    """
    if page.visit.state is State.GONE:
        status = page.visit.status or "an error"
        message = f"{_by_way_of(page)}{status}: search engines drop the page; remove the entry or restore the page"
        yield page.problem(message)


@reader_error("A002", when=PageSignal.ANSWER, cites=("google-http", "rfc9110"))
@bad(f"{_GET}< 503\n", f"{_GET}< 500\n{_ANSWER}")
@bad(f"{_GET}< 304\n", title="a 304 without a condition")
@good(_FOUND, f"{_GET}< 429\n", f"{_GET}< 404\n", f"{_GET}< 302\n")
def page_server_error(page: LivePage) -> Iterator[Problem]:
    """A listed page returns a server error.

    Crawlers slow down for the whole host after a 5xx status, and drop pages that keep failing. Reported after
    retries. A 304 is only a problem if the request was not conditional: it means "unchanged" and contains no page.
    """
    visit = page.visit
    if visit.state is not State.ERROR or visit.failure is not None:
        return
    if visit.status == _NOT_MODIFIED:
        yield page.problem(
            f"{_by_way_of(page)}304 Not Modified for an unconditional request; check the cache and the server",
            severity=Severity.WARNING,
        )
    elif not 300 <= (visit.status or 0) < 400:
        tries = f" after {visit.tries} attempts" if visit.tries > 1 else ""
        yield page.problem(
            f"{_by_way_of(page)}{visit.status}{tries}: crawlers slow down and drop the page; fix the error"
        )


@reader_error("A020", when=PageSignal.SIZE | PageSignal.NOT_A_PAGE, cites=("google-http", "general-knowledge"))
@bad(
    f"{_GET}< 204\n",
    f"{_GET}< 200\nContent-Type: text/html\n",
    f"{_GET}< 200\nContent-Type: text/html\n\n<html><head><title>A</title></head><body></body></html>\n",
)
@good(
    _FOUND,
    f"{_GET}< 404\n",
    f"{_GET}< 200\nContent-Type: text/html\n\n<title>A</title><div id=app></div><script src=a.js></script>\n",
    f"{_GET}< 200\nContent-Type: text/html\n\n<title>A picture</title><img src=a.jpg>\n",
)
def page_without_content(page: LivePage) -> Iterator[Problem]:
    """A listed page returns a success status without content.

    There is nothing to index. Google treats it as a soft 404.
    """
    visit = page.visit
    answered = visit.state in (State.OK, State.REDIRECTED) and (visit.status is None or 200 <= visit.status < 300)
    if not answered:
        return
    status = visit.status or "the file exists"
    if visit.size == 0 and not visit.truncated:
        yield page.problem(f"{_by_way_of(page)}{status} without content, so there is nothing to index")
    elif visit.marks is not None and visit.marks.blank and visit.complete and not visit.truncated:
        message = f"{_by_way_of(page)}{status} with an empty page: no text, image, or form to index"
        yield page.problem(message)


@reader_warning("A021", when=PageSignal.ANSWER, cites=("google-http", "rfc9110"))
@bad(f"{_GET}< 429\nRetry-After: 120\n")
@good(_FOUND, f"{_GET}< 404\n", f"{_GET}< 403\n")
def page_rate_limited(page: LivePage) -> Iterator[Problem]:
    """A listed page was rate-limited.

    429 says nothing about the page itself. Search engines slow down as for server errors. Whether they are limited too
    depends on the server configuration.
    """
    if page.visit.state is State.BLOCKED and page.visit.status in _TOO_MANY:
        yield page.problem(
            f"{page.visit.status} even after a pause, so the page was not checked; check that crawlers are not limited"
        )


@reader_error(
    "A022", when=PageSignal.ANSWER | PageSignal.NOT_A_PAGE | PageSignal.REDIRECTS, cites=("google-http", "rfc9110")
)
@bad(
    f'{_GET}< 401\nWWW-Authenticate: Basic realm="staff"\n',
    f"{_GET}< 403\n{_ANSWER}",
    _CHALLENGE,
    _LOGIN_FORM,
    f"{_GET}< 302\nLocation: /login?next=/a\n\n{_LOGIN_FORM.replace('/a', '/login?next=/a')}",
)
@good(_FOUND, f"{_GET}< 404\n", f"{_GET}< 429\n")
@good(_LOGIN_FORM.replace("/a", "/login"), title="the login page itself")
@good(_LOGIN_FORM.replace("<form>", f"<p>{'Words of an article. ' * 30}<form>"), title="a form next to text")
def page_access_denied(page: LivePage) -> Iterator[Problem]:
    """A listed page denies access.

    Search engines that get the same response treat the page as missing. But many sites return it to unknown clients
    and allow search engines. So this is an error for 401 and for a redirect to a login form, which require an account
    from all clients, a warning for 403, and info for detected bot protection. The URL inspection in Search Console
    shows what Google gets. A login form with status 200 is indexed instead of the page, which is a warning.
    """
    visit = page.visit
    if visit.state is State.OK and visit.marks is not None and visit.marks.only_login:
        if not (LOGIN_ADDRESS.search(page.url) or SIGN_IN_PAGE.search(page.url.partition("?")[0])):
            yield page.problem(
                f"{visit.status or 200} with a login form and little else; return 401 or remove the entry",
                severity=Severity.WARNING,
            )
        return
    if visit.state is State.LOGIN:
        how = (
            "401"
            if visit.status == _LOGIN and not visit.hops
            else f"redirects to a login form at {shown(page.final_url)}"
        )
        yield page.problem(
            f"{how}: requires login, so search engines cannot index it; remove the entry, or open the page to all"
        )
        return
    if visit.state is not State.BLOCKED or visit.status in _TOO_MANY:
        return
    evidence = visit.reason or (str(visit.status) if visit.status else "no response")
    plain = visit.status == 403 and " with " not in visit.reason
    yield page.problem(
        f"blocked ({evidence}), so the page was not checked; check that search engines can fetch it",
        severity=Severity.WARNING if plain else Severity.INFO,
    )


@reader_error("A023", when=PageSignal.ANSWER, cites=("google-http", "google-robots", "general-knowledge"))
@bad(f"{_GET}! dns", f"{_GET}! refused (tried 3 times)", f"{_GET}< 200\n! cut_short\n{_ANSWER}")
@good(_FOUND, f"{_GET}! tls_expired")
@good(f"{_GET}! read_timeout", title="a single timeout")
@good(f"{_GET}! reset (tried 3 times)", title="connections reset before any response, as bot protection does")
@good(f"{_GET}! forbidden_address", f"{_GET}< 302\nLocation: /a\n\n{_GET}! redirect_loop")
def page_unreachable(page: LivePage) -> Iterator[Problem]:
    """A listed page cannot be fetched because of a network or server failure.

    Search engines treat it like a server error: they slow down, retry, and finally drop the page. Certificate errors
    and redirect loops have their own rules.
    """
    visit = page.visit
    failure = visit.failure
    if (
        visit.state is State.ERROR
        and failure is not None
        and not failure.kind.is_tls
        and failure.kind not in _ELSEWHERE
    ):
        where = f" at {shown(page.final_url)} after a redirect" if visit.hops else ""
        yield page.problem(f"{failure}{where}; search engines drop pages they cannot fetch; check the server")
