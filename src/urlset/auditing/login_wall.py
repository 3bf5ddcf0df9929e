"""An answer that came by a redirect → whether it is a login form shown instead of the page.

Search engines have no account, so what the form says about itself (canonical, noindex) is not said of the page.
"""

from __future__ import annotations

from urllib.parse import parse_qsl, urlsplit

from urlset.model.answer import Answer, FailureKind
from urlset.model.visit import PageMarks
from urlset.reading.host_robots import path_of
from urlset.spec.generator_artifacts import RETURN_PARAMETERS, SIGN_IN_PAGE
from urlset.spec.protection import LOGIN_ADDRESS

_ALSO_CLOSED = frozenset({401, 403})


def leads_to_login(answer: Answer) -> bool:
    """By addresses alone, for an answer that cannot be read: robots.txt often disallows the login page itself."""
    if not answer.hops or is_login_address(answer.url) or not is_login_address(answer.final_url):
        return False
    unread = answer.failure is not None and answer.failure.kind is FailureKind.NOT_ALLOWED
    return unread or answer.status in _ALSO_CLOSED


def shows_login(answer: Answer, marks: PageMarks | None) -> bool:
    """`marks` of the page that was shown; None for one with a long text, which is not a login form."""
    if not answer.hops or marks is None or is_login_address(answer.url):
        return False
    final = answer.final_url
    if is_login_address(final):
        return True
    by_host = LOGIN_ADDRESS.search(final) is not None
    form = marks.only_login or (marks.has_login and _comes_back(answer.url, final))
    return (form and _is_another_page(answer.url, final)) or (by_host and (marks.has_login or marks.only_scripts))


def is_login_address(url: str) -> bool:
    """By its path; a host named id. or account. may be a country or a shop."""
    path = path_of(url) or "/"
    return LOGIN_ADDRESS.search(path) is not None or SIGN_IN_PAGE.search(path.partition("?")[0]) is not None


def _comes_back(listed: str, final: str) -> bool:
    """`?next=/orders`: the form leads back to the page."""
    path = path_of(listed) or "/"
    named = parse_qsl(urlsplit(final).query, keep_blank_values=False)
    return any(name.lower() in RETURN_PARAMETERS and path in value for name, value in named)


def _is_another_page(listed: str, final: str) -> bool:
    """Not the same path with another slash, host or scheme: a listed login page may redirect like any other."""
    one, two = ((path_of(url) or "/").partition("?")[0].rstrip("/").casefold() for url in (listed, final))
    return one != two
