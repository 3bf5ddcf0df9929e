"""Does the page return indexable content? Missing, failing, empty, blocked, and unreachable are separate rules."""

from __future__ import annotations

from collections.abc import Iterator

from urlset.model.answer import FailureKind
from urlset.model.visit import State
from urlset.rules import Bad, Good, LivePage, PageSignal, Problem, Severity, rule
from urlset.rules.live.wording import EVERY_READER, shown
from urlset.spec.generator_artifacts import SIGN_IN_PAGE
from urlset.spec.protection import LOGIN_ADDRESS

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
"""reported by A005"""


def _by_way_of(page: LivePage) -> str:
    return f"redirects to {shown(page.final_url)}, which returns " if page.visit.hops else ""


@rule(
    "A001",
    "page-gone",
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

    Search engines treat a 4xx status as a missing page and remove the URL from the index. 401, 403, and 429 have
    their own rules, because they may be specific to bots.
    """
    if page.visit.state is State.GONE:
        status = page.visit.status or "an error"
        message = f"{_by_way_of(page)}{status}: search engines drop the page; remove the entry or restore the page"
        yield page.problem(message)


@rule(
    "A002",
    "page-server-error",
    when=PageSignal.ANSWER,
    severity=Severity.ERROR,
    engines=EVERY_READER,
    cites=("google-http", "rfc9110"),
    bad=(Bad(f"{_A}< 503\n"), Bad(f"{_A}< 500\n{_PAGE}"), Bad(f"{_A}< 304\n", title="a 304 without a condition")),
    good=(Good(_OK), Good(f"{_A}< 429\n"), Good(f"{_A}< 404\n"), Good(f"{_A}< 302\n")),
)
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


@rule(
    "A020",
    "page-without-content",
    when=PageSignal.SIZE | PageSignal.NOT_A_PAGE,
    severity=Severity.ERROR,
    engines=EVERY_READER,
    cites=("google-http", "general-knowledge"),
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


@rule(
    "A021",
    "page-rate-limited",
    when=PageSignal.ANSWER,
    severity=Severity.WARNING,
    engines=EVERY_READER,
    cites=("google-http", "rfc9110"),
    bad=(Bad(f"{_A}< 429\nRetry-After: 120\n"),),
    good=(Good(_OK), Good(f"{_A}< 404\n"), Good(f"{_A}< 403\n")),
)
def page_rate_limited(page: LivePage) -> Iterator[Problem]:
    """A listed page was rate-limited.

    429 says nothing about the page itself. Search engines slow down as for server errors. Whether they are limited too
    depends on the server configuration.
    """
    if page.visit.state is State.BLOCKED and page.visit.status in _TOO_MANY:
        yield page.problem(
            f"{page.visit.status} even after a pause, so the page was not checked; check that crawlers are not limited"
        )


@rule(
    "A022",
    "page-access-denied",
    when=PageSignal.ANSWER | PageSignal.NOT_A_PAGE | PageSignal.REDIRECTS,
    severity=Severity.ERROR,
    engines=EVERY_READER,
    cites=("google-http", "rfc9110"),
    bad=(
        Bad(f'{_A}< 401\nWWW-Authenticate: Basic realm="staff"\n'),
        Bad(f"{_A}< 403\n{_PAGE}"),
        Bad(_CHALLENGE),
        Bad(_LOGIN_FORM),
        Bad(f"{_A}< 302\nLocation: /login?next=/a\n\n{_LOGIN_FORM.replace('/a', '/login?next=/a')}"),
    ),
    good=(
        Good(_OK),
        Good(f"{_A}< 404\n"),
        Good(f"{_A}< 429\n"),
        Good(_LOGIN_FORM.replace("/a", "/login"), title="the login page itself"),
        Good(_LOGIN_FORM.replace("<form>", f"<p>{'Words of an article. ' * 30}<form>"), title="a form next to text"),
    ),
)
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


@rule(
    "A023",
    "page-unreachable",
    when=PageSignal.ANSWER,
    severity=Severity.ERROR,
    engines=EVERY_READER,
    cites=("google-http", "google-robots", "general-knowledge"),
    bad=(Bad(f"{_A}! dns"), Bad(f"{_A}! refused (tried 3 times)"), Bad(f"{_A}< 200\n! cut_short\n{_PAGE}")),
    good=(
        Good(_OK),
        Good(f"{_A}! tls_expired"),
        Good(f"{_A}! read_timeout", title="a single timeout"),
        Good(f"{_A}! reset (tried 3 times)", title="connections reset before any response, as bot protection does"),
        Good(f"{_A}! forbidden_address"),
        Good(f"{_A}< 302\nLocation: /a\n\n{_A}! redirect_loop"),
    ),
)
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
