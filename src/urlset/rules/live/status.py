"""Does the page answer with something that can be indexed? Gone, failing, empty, blocked and unreachable kept apart."""

from __future__ import annotations

from collections.abc import Iterator

from urlset.checking.declare import Bad, Good, rule
from urlset.checking.live_page import LivePage
from urlset.findings.finding import Problem
from urlset.findings.severity import Severity
from urlset.model.answer import FailureKind
from urlset.model.visit import State
from urlset.rules.live.wording import EVERY_READER, shown
from urlset.spec.engines import Engine
from urlset.spec.generator_artifacts import SIGN_IN_PAGE
from urlset.spec.protection import LOGIN_ADDRESS
from urlset.spec.signals import PageSignal

_A = "> GET https://example.com/a\n"
_PAGE = "Content-Type: text/html\n\n<title>A</title><p>Words.\n"
_OK = f"{_A}< 200\n{_PAGE}"
_CHALLENGE = f"{_A}< 403\nCf-Mitigated: challenge\nContent-Type: text/html\n\n<title>Just a moment...</title>\n"
_LOGIN = 401
_LOGIN_FORM = (
    f"{_A}< 200\nContent-Type: text/html\n\n<title>Sign in</title><form><input name=user><input type=password></form>\n"
)
_NOT_MODIFIED = 304
_TOO_MANY = (420, 429)
_ELSEWHERE = frozenset({FailureKind.REDIRECT_LOOP, FailureKind.TOO_MANY_REDIRECTS, FailureKind.BAD_REDIRECT})
"""told by A005"""


def _by_way_of(page: LivePage) -> str:
    return f"redirects to {shown(page.final_url)}, which answers " if page.visit.hops else ""


@rule(
    "A001",
    "page-gone",
    on=LivePage,
    when=PageSignal.ANSWER,
    severity=Severity.ERROR,
    engines=EVERY_READER,
    cites=("google-http", "gsc-report"),
    bad=(
        Bad(f"{_A}< 404\n{_PAGE}"),
        Bad(f"{_A}< 410\n"),
        Bad(f"{_A}< 301\nLocation: /b\n\n> GET https://example.com/b\n< 404\n{_PAGE}"),
    ),
    good=(Good(_OK), Good(f"{_A}< 403\n{_PAGE}"), Good(f"{_A}< 429\nRetry-After: 60\n"), Good(f"{_A}< 503\n")),
)
def page_gone(page: LivePage) -> Iterator[Problem]:
    """A listed page does not exist.

    Search engines take a 4xx answer to mean that there is no such page, and drop the address from the index. 401, 403
    and 429 are other matters: they may be meant for robots only and have rules of their own.
    """
    if page.visit.state is State.GONE:
        status = page.visit.status or "an error"
        yield page.problem(f"{_by_way_of(page)}{status}: search engines drop it; take it out or bring the page back")


@rule(
    "A002",
    "page-server-error",
    on=LivePage,
    when=PageSignal.ANSWER,
    severity=Severity.ERROR,
    engines=(Engine.GOOGLE,),
    cites=("google-http",),
    bad=(Bad(f"{_A}< 503\n"), Bad(f"{_A}< 500\n{_PAGE}"), Bad(f"{_A}< 304\n", title="a 304 that nothing called for")),
    good=(Good(_OK), Good(f"{_A}< 429\n"), Good(f"{_A}< 404\n"), Good(f"{_A}< 302\n")),
)
def page_server_error(page: LivePage) -> Iterator[Problem]:
    """The server fails to deliver a listed page.

    A crawler that sees 5xx slows down for the whole host, and drops pages that stay so. Told after the request was
    repeated. A 304 is a fault only where the request set no condition: it says "unchanged" and brings no page.
    """
    visit = page.visit
    if visit.state is not State.ERROR or visit.failure is not None:
        return
    if visit.status == _NOT_MODIFIED:
        yield page.problem(
            f"{_by_way_of(page)}304 Not Modified to a request that set no condition; correct the cache or the server",
            severity=Severity.WARNING,
        )
    elif not 300 <= (visit.status or 0) < 400:
        tries = f", asked {visit.tries} times" if visit.tries > 1 else ""
        yield page.problem(f"{_by_way_of(page)}{visit.status}{tries}: crawling slows down, then the page is dropped")


@rule(
    "A020",
    "page-without-content",
    on=LivePage,
    when=PageSignal.SIZE | PageSignal.NOT_A_PAGE,
    severity=Severity.ERROR,
    engines=(Engine.GOOGLE,),
    cites=("google-http",),
    bad=(
        Bad(f"{_A}< 204\n"),
        Bad(f"{_A}< 200\nContent-Type: text/html\n"),
        Bad(f"{_A}< 200\nContent-Type: text/html\n\n<html><head><title>A</title></head><body></body></html>\n"),
    ),
    good=(
        Good(_OK),
        Good(f"{_A}< 404\n"),
        Good(f"{_A}< 200\nContent-Type: text/html\n\n<title>A</title><div id=app></div><script src=a.js></script>\n"),
        Good(f"{_A}< 200\nContent-Type: text/html\n\n<title>A picture</title><img src=a.jpg>\n"),
    ),
)
def page_without_content(page: LivePage) -> Iterator[Problem]:
    """A listed page answers with success and nothing else.

    There is nothing to index; Google takes it for a soft 404.
    """
    visit = page.visit
    answered = visit.state in (State.OK, State.REDIRECTED) and (visit.status is None or 200 <= visit.status < 300)
    if not answered:
        return
    status = visit.status or "the file is there"
    if visit.size == 0 and not visit.truncated:
        yield page.problem(f"{_by_way_of(page)}{status} without any content; there is nothing to index")
    elif visit.marks is not None and visit.marks.blank and visit.complete and not visit.truncated:
        yield page.problem(f"{_by_way_of(page)}{status} with an empty page: no text, image, or form to index")


@rule(
    "A021",
    "page-rate-limited",
    on=LivePage,
    when=PageSignal.ANSWER,
    severity=Severity.WARNING,
    engines=(Engine.GOOGLE,),
    cites=("google-http", "rfc9110"),
    bad=(Bad(f"{_A}< 429\nRetry-After: 120\n"),),
    good=(Good(_OK), Good(f"{_A}< 404\n"), Good(f"{_A}< 403\n")),
)
def page_rate_limited(page: LivePage) -> Iterator[Problem]:
    """A listed page answers that too many requests were made.

    That is no verdict on the page. A search engine that meets 429 slows down as it does for server errors; whether it
    meets it depends on limits that only the server knows.
    """
    if page.visit.state is State.BLOCKED and page.visit.status in _TOO_MANY:
        yield page.problem(
            f"{page.visit.status} even after a pause: the page could not be judged; see that crawlers may pass"
        )


@rule(
    "A022",
    "page-access-denied",
    on=LivePage,
    when=PageSignal.ANSWER | PageSignal.NOT_A_PAGE | PageSignal.REDIRECTS,
    severity=Severity.ERROR,
    engines=(Engine.GOOGLE,),
    cites=("google-http",),
    bad=(
        Bad(f'{_A}< 401\nWWW-Authenticate: Basic realm="staff"\n'),
        Bad(f"{_A}< 403\n{_PAGE}"),
        Bad(_CHALLENGE),
        Bad(_LOGIN_FORM),
    ),
    good=(
        Good(_OK),
        Good(f"{_A}< 404\n"),
        Good(f"{_A}< 429\n"),
        Good(_LOGIN_FORM.replace("/a", "/login"), title="the login page itself"),
        Good(_LOGIN_FORM.replace("<form>", f"<p>{'Words of an article. ' * 30}<form>"), title="a form beside a text"),
    ),
)
def page_access_denied(page: LivePage) -> Iterator[Problem]:
    """A listed page keeps the visitor out.

    If Google met the same, it would take the page for missing; but many sites answer so to programs they do not know
    and let search engines pass. So it is an error only for 401, which asks everyone for a password, a warning for 403,
    and a remark where bot protection showed itself. The URL inspection of Search Console tells what Google gets. A
    login form that is sent with status 200 is indexed in place of the page, which is a warning.
    """
    visit = page.visit
    if visit.state is State.OK and visit.marks is not None and visit.marks.only_login:
        if not (LOGIN_ADDRESS.search(page.url) or SIGN_IN_PAGE.search(page.url.partition("?")[0])):
            yield page.problem(
                f"{visit.status or 200} with a login form and little else; answer 401 or take the page out",
                severity=Severity.WARNING,
            )
        return
    if visit.state is not State.BLOCKED or visit.status in _TOO_MANY:
        return
    if visit.status == _LOGIN:
        yield page.problem("401: the page asks for a password, and search engines have none; take it out")
        return
    evidence = visit.reason or (str(visit.status) if visit.status else "no answer")
    plain = visit.status == 403 and " with " not in visit.reason
    yield page.problem(
        f"blocked: {evidence}; the page could not be judged, see that search engines may pass",
        severity=Severity.WARNING if plain else Severity.INFO,
    )


@rule(
    "A023",
    "page-unreachable",
    on=LivePage,
    when=PageSignal.ANSWER,
    severity=Severity.ERROR,
    engines=EVERY_READER,
    cites=("google-http", "google-robots", "general-knowledge"),
    bad=(Bad(f"{_A}! dns"), Bad(f"{_A}! refused (tried 3 times)"), Bad(f"{_A}< 200\n! cut_short\n{_PAGE}")),
    good=(
        Good(_OK),
        Good(f"{_A}! tls_expired"),
        Good(f"{_A}! read_timeout", title="one request that the server did not answer in time"),
        Good(f"{_A}! reset (tried 3 times)", title="connections cut before any answer, as bot protection does"),
        Good(f"{_A}! forbidden_address"),
        Good(f"{_A}< 302\nLocation: /a\n\n{_A}! redirect_loop"),
    ),
)
def page_unreachable(page: LivePage) -> Iterator[Problem]:
    """A listed page cannot be fetched for a fault of the network or the server.

    Search engines treat it like a server error: they slow down, try again, and drop the page in the end. Faults of
    the certificate and endless redirects have rules of their own.
    """
    visit = page.visit
    failure = visit.failure
    if (
        visit.state is State.ERROR
        and failure is not None
        and not failure.kind.is_tls
        and failure.kind not in _ELSEWHERE
    ):
        where = f" at {shown(page.final_url)}, where the redirect leads" if visit.hops else ""
        yield page.problem(f"{failure}{where}; search engines that meet the same drop the page in the end")
