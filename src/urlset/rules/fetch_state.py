"""The response to a request for a sitemap → reached, missing, blocked, or unknown."""

from __future__ import annotations

from enum import StrEnum

from urlset.auditing.state import BotWall, block_in
from urlset.findings.finding import quoted
from urlset.model.answer import Answer, FailureKind
from urlset.spec.error_phrases import status_text
from urlset.spec.protection import LOGIN_ADDRESS


class FetchState(StrEnum):
    """Blocked is not broken, and unknown is not wrong."""

    READ = "read"
    MISSING = "missing"
    """404, 410, a server error, a redirect without a target: the same for all clients"""
    LOCKED = "locked"
    """401: requires a login, which crawlers do not have"""
    BLOCKED = "blocked"
    """403, a challenge: possibly only for this client"""
    LIMITED = "limited"
    """429: too many requests"""
    UNKNOWN = "unknown"
    """no response that says anything about the file: a timeout, a DNS failure, a private address"""


_LOCKED = frozenset({401, 407})
_LIMITED = frozenset({420, 429})
_PLAIN_FAULTS = frozenset(
    {
        FailureKind.REDIRECT_LOOP,
        FailureKind.TOO_MANY_REDIRECTS,
        FailureKind.BAD_REDIRECT,
        FailureKind.TLS_EXPIRED,
        FailureKind.TLS_NAME,
        FailureKind.BAD_ENCODING,
        FailureKind.BAD_HTTP,
    }
)
"""failures that are the same for all clients on any network"""
_OF_THE_HOST = frozenset(
    {
        FailureKind.DNS,
        FailureKind.REFUSED,
        FailureKind.RESET,
        FailureKind.UNREACHABLE,
        FailureKind.CONNECT_TIMEOUT,
        FailureKind.READ_TIMEOUT,
        FailureKind.TOTAL_TIMEOUT,
        FailureKind.FORBIDDEN_ADDRESS,
        FailureKind.BAD_ADDRESS,
        FailureKind.NOT_RECORDED,
    }
)
_NOT_MODIFIED, _FORBIDDEN = 304, 403


def outcome_of(answer: Answer) -> FetchState:
    """The body separates bot protection from a page of the site, if the caller kept it."""
    status, failure = answer.status, answer.failure
    if not answer.tries:
        return FetchState.UNKNOWN  # the failure was observed for other URLs
    if challenged(answer) is not None:
        return FetchState.BLOCKED
    if failure is not None:
        return FetchState.MISSING if failure.kind in _PLAIN_FAULTS else FetchState.UNKNOWN
    if status is None:
        return FetchState.UNKNOWN
    if 200 <= status < 300:
        return FetchState.READ
    if status in _LOCKED:
        return FetchState.LOCKED
    if status in _LIMITED:
        return FetchState.LIMITED
    if status == _FORBIDDEN:
        return FetchState.BLOCKED
    if status == _NOT_MODIFIED:
        return FetchState.UNKNOWN  # the request was not conditional
    return FetchState.MISSING if status >= 300 else FetchState.UNKNOWN


def challenged(answer: Answer) -> BotWall | None:
    """The signature of bot protection that answered instead of the site."""
    return block_in(answer)


def no_way_in(answer: Answer) -> bool:
    """Further requests to the same host would fail too."""
    return answer.failure is not None and (answer.failure.kind in _OF_THE_HOST or answer.failure.kind.is_tls)


def said(answer: Answer) -> str:
    """`404 Not Found`, or the failure; with the final URL if it differs from the requested one."""
    status, block = answer.status, challenged(answer)
    if answer.failure is not None:
        reported = str(answer.failure)
    elif status is None:
        reported = "no response"
    elif block is not None:
        reported = f"{status_text(status)} with {block.shows}"
    else:
        redirect = 300 <= status < 400 and status != _NOT_MODIFIED
        reported = f"{status_text(status)}, a redirect without a target" if redirect else status_text(status)
    if not answer.tries:
        return f"not requested, because other requests to the host failed: {reported}"
    moved = answer.hops and answer.final_url and answer.final_url != answer.url
    return f"{reported} at {quoted(answer.final_url)} after a redirect" if moved else reported


def led_to_login(answer: Answer) -> bool:
    """The redirects end at a login URL."""
    return bool(answer.hops) and LOGIN_ADDRESS.search(answer.final_url) is not None
