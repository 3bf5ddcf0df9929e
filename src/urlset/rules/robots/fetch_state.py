"""The answer to a request for a sitemap → was it reached, is it plainly missing, were we kept out, or is it unknown?"""

from __future__ import annotations

from enum import StrEnum

from urlset.auditing.blocked import BotWall, block_in
from urlset.model.answer import Answer, FailureKind
from urlset.rules.quoting import quoted
from urlset.spec.protection import LOGIN_ADDRESS


class FetchState(StrEnum):
    """Kept apart with care: blocked is not broken, unknown is not wrong."""

    READ = "read"
    MISSING = "missing"
    """404, 410, a server error, a redirect that leads nowhere: the same for every visitor"""
    LOCKED = "locked"
    """401: a login, which no crawler has"""
    BLOCKED = "blocked"
    """403, 429, a challenge: perhaps only for us"""
    UNKNOWN = "unknown"
    """no answer that says anything about the file: a timeout, a name that did not resolve, a private address"""


_LOCKED = frozenset({401, 407})
_BLOCKED = frozenset({403, 429})
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
"""failures that every visitor meets, whatever the network in between is like"""
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
_PHRASES = {
    400: "Bad Request", 401: "Unauthorized", 403: "Forbidden", 404: "Not Found", 405: "Method Not Allowed",
    406: "Not Acceptable", 408: "Request Timeout", 410: "Gone", 429: "Too Many Requests",
    451: "Unavailable For Legal Reasons", 500: "Internal Server Error", 502: "Bad Gateway", 503: "Service Unavailable",
    504: "Gateway Timeout",
}  # fmt: skip
_NOT_MODIFIED = 304


def outcome_of(answer: Answer) -> FetchState:
    """The body tells bot protection from a page of the site, where the caller kept it."""
    status, failure = answer.status, answer.failure
    if not answer.tries:
        return FetchState.UNKNOWN  # what is said here was said of others
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
    if status in _BLOCKED:
        return FetchState.BLOCKED
    if status == _NOT_MODIFIED:
        return FetchState.UNKNOWN  # nobody asked whether it changed
    return FetchState.MISSING if status >= 300 else FetchState.UNKNOWN


def challenged(answer: Answer) -> BotWall | None:
    """By what bot protection gives itself away, where it answered instead of the site."""
    return block_in(answer)


def no_way_in(answer: Answer) -> bool:
    """Whatever is asked of the same host next would fail alike."""
    return answer.failure is not None and (answer.failure.kind in _OF_THE_HOST or answer.failure.kind.is_tls)


def said(answer: Answer) -> str:
    """`404 Not Found`, or how the attempt failed; and where, if that is not the address asked for."""
    reported = _said(answer)
    if not answer.tries:
        return f"not asked for, since other requests to that host failed: {reported}"
    moved = answer.hops and answer.final_url and answer.final_url != answer.url
    return f"{reported} at {quoted(answer.final_url)}, where it redirects to" if moved else reported


def _said(answer: Answer) -> str:
    if answer.failure is not None:
        return str(answer.failure)
    status = answer.status
    if status is None:
        return "no answer"
    phrase = f"{status} {_PHRASES[status]}" if status in _PHRASES else f"status {status}"
    block = challenged(answer)
    if block is not None:
        return f"{phrase} with {block.shows}"
    redirect = 300 <= status < 400 and status != _NOT_MODIFIED
    return f"{phrase}, a redirect that does not say where to" if redirect else phrase


def led_to_login(answer: Answer) -> bool:
    """The redirects end at an address that is called a login."""
    return bool(answer.hops) and LOGIN_ADDRESS.search(answer.final_url) is not None
