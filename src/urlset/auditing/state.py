"""An answer → ok, redirected, gone, error, requires login, blocked or unknown, and the evidence for it in words.

A block of urlset does not count against the page: such a host may admit search engines. What a timeout, a
refused or an unreachable network says depends on how often it was tried; the client has tried before it hands over.
"""

from __future__ import annotations

import re
from urllib.parse import parse_qsl, urlsplit

import msgspec

from urlset.model.answer import Answer, Failure, FailureKind
from urlset.model.visit import PageMarks, State
from urlset.reading.host_robots import path_of
from urlset.spec.generator_artifacts import RETURN_PARAMETERS, SIGN_IN_PAGE
from urlset.spec.lazy_pattern import lazy_pattern
from urlset.spec.protection import BY_BODY, BY_HEADER, CAPTCHA_WIDGETS, CHALLENGE_ADDRESS, HUMAN_CHECK, LOGIN_ADDRESS

Verdict = tuple[State, str]

_TIMEOUTS = frozenset({FailureKind.CONNECT_TIMEOUT, FailureKind.READ_TIMEOUT, FailureKind.TOTAL_TIMEOUT})
_NOT_ASKED = frozenset(
    {FailureKind.FORBIDDEN_ADDRESS, FailureKind.BAD_ADDRESS, FailureKind.NOT_RECORDED, FailureKind.NOT_ALLOWED}
)
_OURS = frozenset({FailureKind.UNREACHABLE, FailureKind.BOMB})
"""the way to the server, or our own limit: says nothing about what others meet"""

_BROTLI = "br"
"""Googlebot and browsers request it and urlset does not: a server that always sends it works for them"""

_LOGIN = 401
KEPT_OUT = {
    401: "requires a login",
    402: "payment required (some networks answer crawlers this way)",
    403: "access denied by bot protection or a login",
    406: "refused by a client filter",
    407: "a proxy requires a login",
    418: "refused (some filters answer crawlers this way)",
    420: "too many requests",
    429: "too many requests",
    430: "refused by the shop system's protection",
    451: "unavailable for legal reasons, possibly by country",
    999: "refused (some sites answer crawlers this way)",
}
"""Statuses about the client, not the page."""

_CLOUDFLARE = {
    520: "the CDN got no valid response from the origin",
    521: "the origin refused the CDN's connection",
    522: "the CDN timed out connecting to the origin",
    523: "the CDN cannot reach the origin",
    524: "the CDN timed out waiting for the origin",
    525: "TLS failed between the CDN and the origin",
    526: "the origin sent the CDN an invalid certificate",
    530: "the CDN could not resolve the origin",
}
_NAMES = {
    200: "OK",
    204: "No Content",
    304: "Not Modified",
    400: "Bad Request",
    404: "Not Found",
    405: "Method Not Allowed",
    410: "Gone",
    500: "Internal Server Error",
    502: "Bad Gateway",
    503: "Service Unavailable",
    504: "Gateway Timeout",
}


def state_of(answer: Answer, *, words: int | None = None) -> Verdict:
    """`words` is how many the page shows, where it was read already."""
    if answer.not_modified:
        return _arrived(answer, "304: unchanged")
    if leads_to_login(answer):
        return _to_login(answer)
    if answer.failure is not None:
        return _failed(answer, answer.failure)
    if answer.status is None:
        return State.UNKNOWN, "not asked"
    return _answered(answer, answer.status, words)


def shown_state(answer: Answer, verdict: Verdict, marks: PageMarks | None) -> Verdict:
    """The state of a page that was read, once it is known what it shows."""
    return _to_login(answer) if verdict[0] is State.REDIRECTED and shows_login(answer, marks) else verdict


def _to_login(answer: Answer) -> Verdict:
    return State.LOGIN, f"{answer.hops[0].status} to a login form at {answer.final_url}"


def _failed(answer: Answer, failure: Failure) -> Verdict:
    kind, tries = failure.kind, answer.tries
    said = f"{failure}{_after(answer)}"
    if kind in _NOT_ASKED or kind in _OURS:
        return State.UNKNOWN, said
    if kind is FailureKind.REDIRECT_LOOP and block_in(answer) is not None:
        return State.BLOCKED, f"{said}, behind a bot check"
    if kind is FailureKind.RESET and answer.status is None:
        if tries > 1:
            return State.BLOCKED, f"{said}, {tries} times before any response, typical of bot protection"
        return State.UNKNOWN, f"{said}, tried once"
    if kind in _TIMEOUTS or kind in (FailureKind.BAD_HTTP, FailureKind.REFUSED):
        return (State.ERROR, f"{said}, tried {tries} times") if tries > 1 else (State.UNKNOWN, f"{said}, tried once")
    if kind in (FailureKind.CUT_SHORT, FailureKind.BAD_ENCODING) and answer.status is not None and answer.status >= 400:
        return _answered(answer, answer.status, None)  # the status said it all
    encodings = {name.strip().lower() for value in answer.all("content-encoding") for name in value.split(",")}
    if kind is FailureKind.BAD_ENCODING and _BROTLI in encodings:
        reason = "Brotli-encoded although not requested: Google can read it, urlset cannot"
        return State.UNKNOWN, f"{reason}{_after(answer)}"
    return State.ERROR, said


def _answered(answer: Answer, status: int, words: int | None) -> Verdict:
    block = block_in(answer, words)
    if block is not None:
        return State.BLOCKED, f"{status} with {block.shows}{_after(answer)}"
    if 200 <= status < 300:
        return _arrived(answer, _named(status))
    if status in KEPT_OUT:
        state = State.LOGIN if status == _LOGIN else State.BLOCKED
        return state, f"{status}: {KEPT_OUT[status]}{_after(answer)}"
    if status == 408:
        state = State.ERROR if answer.tries > 1 else State.UNKNOWN
        return state, f"408: the server timed out waiting for the request{_after(answer)}"
    if 400 <= status < 500:
        return State.GONE, f"{_named(status)}{_after(answer)}"
    if status == 304:
        return State.ERROR, f"304 Not Modified to an unconditional request{_after(answer)}"
    if 300 <= status < 400:
        return State.ERROR, f"{_named(status)} without a Location{_after(answer)}"
    if status in _CLOUDFLARE:
        return State.ERROR, f"{status}: {_CLOUDFLARE[status]}{_after(answer)}"
    if status >= 500:
        return State.ERROR, f"{_named(status)}{_after(answer)}"
    return State.ERROR, f"{status} is not a final status"


def _arrived(answer: Answer, said: str) -> Verdict:
    if not answer.hops:
        return State.OK, said
    first = answer.hops[0]
    steps = f", {len(answer.hops)} redirects" if len(answer.hops) > 1 else ""
    return State.REDIRECTED, f"{first.status} to {answer.final_url}{steps}"


def _after(answer: Answer) -> str:
    if not answer.hops:
        return ""
    count = len(answer.hops)
    return f", after {count} redirects" if count > 1 else ", after a redirect"


def _named(status: int) -> str:
    return f"{status} {_NAMES[status]}" if status in _NAMES else str(status)


# An answer → whether bot protection gave it instead of the site, and by what that shows.

LARGEST = 262_144
"""no challenge page comes near it"""
_MOST_WORDS = max(each.most_words for each in BY_BODY)
_FEW_WORDS = 80
_UNSEEN = lazy_pattern(rb"<(script|style|noscript|template)\b.*?</\1\s*>|<!--.*?-->|<[^>]*>", re.DOTALL | re.IGNORECASE)
_PATTERNS = {each: lazy_pattern(each.value, re.IGNORECASE) for each in BY_HEADER}
# A page where users can type more than the answer to a challenge is a page of the site.
_OTHER_FORMS = lazy_pattern(
    rb"<textarea(?![^>]*(?:recaptcha|captcha))|type=[\"']?(?:email|password|tel|search)\b", re.IGNORECASE
)


class BotWall(msgspec.Struct, frozen=True):
    vendor: str
    shows: str
    """what was met, to follow "with" """


def block_in(answer: Answer, words: int | None = None) -> BotWall | None:
    """`words` is the number of visible words where the page was read already; None counts them when it matters."""
    sent = {name for name, _ in answer.headers}
    for signature in BY_HEADER:
        if signature.header in sent and (signature.statuses is None or answer.status in signature.statuses):
            pattern = _PATTERNS[signature]
            if any(name == signature.header and pattern.search(value) for name, value in answer.headers):
                return BotWall(signature.vendor, signature.shows)
    if answer.hops and CHALLENGE_ADDRESS.search(answer.final_url) and not CHALLENGE_ADDRESS.search(answer.url):
        return BotWall("", "redirect to a bot check")
    body = answer.body
    if not body or len(body) > LARGEST or (words is not None and words > _MOST_WORDS):
        return None
    for signature in BY_BODY:
        if signature.markers[0] in body and all(marker in body for marker in signature.markers):
            if words is None:
                words = len(visible(body).split())
            if words <= signature.most_words:
                return BotWall(signature.vendor, signature.shows)
    # hardly a word but the riddle; a form with a captcha at its end is a page of the site
    if words is not None and words > _FEW_WORDS:
        return None
    if not any(widget in body for widget in CAPTCHA_WIDGETS) or _OTHER_FORMS.search(body):
        return None
    text = visible(body)
    is_riddle = len(text.split()) <= _FEW_WORDS and HUMAN_CHECK.search(text) is not None
    return BotWall("", "a captcha page") if is_riddle else None


def visible(body: bytes) -> str:
    """The words of a small page, near enough, title included."""
    return _UNSEEN.sub(b" ", body[:LARGEST]).decode("utf-8", "replace")


# An answer that came by a redirect → whether it is a login form shown instead of the page.
#
# Search engines have no account, so what the form says about itself (canonical, noindex) is not said of the page.

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
    listed = path_of(answer.url) or "/"
    named = parse_qsl(urlsplit(final).query, keep_blank_values=False)
    comes_back = any(name.lower() in RETURN_PARAMETERS and listed in value for name, value in named)  # ?next=/orders
    # not the same path with another slash, host or scheme: a listed login page may redirect like any other
    one, two = (path.partition("?")[0].rstrip("/").casefold() for path in (listed, path_of(final) or "/"))
    by_host = LOGIN_ADDRESS.search(final) is not None
    form = marks.only_login or (marks.has_login and comes_back)
    return (form and one != two) or (by_host and (marks.has_login or marks.only_scripts))


def is_login_address(url: str) -> bool:
    """By its path; a host named id. or account. may be a country or a shop."""
    path = path_of(url) or "/"
    return LOGIN_ADDRESS.search(path) is not None or SIGN_IN_PAGE.search(path.partition("?")[0]) is not None
