"""The answer to a request for a sitemap → was it reached, is it plainly missing, were we kept out, or is it unknown?"""

from __future__ import annotations

from enum import StrEnum
from urllib.parse import urlsplit

from urlset.model.answer import Answer, FailureKind


class Outcome(StrEnum):
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
_CHALLENGES = (
    ("cf-mitigated", "challenge"),
    ("x-amzn-waf-action", ""),
    ("x-datadome", ""),
    ("x-sucuri-block", ""),
)
"""headers by which bot protection says that it stepped in; empty: any value"""
_PHRASES = {
    400: "Bad Request", 401: "Unauthorized", 403: "Forbidden", 404: "Not Found", 405: "Method Not Allowed",
    406: "Not Acceptable", 408: "Request Timeout", 410: "Gone", 429: "Too Many Requests",
    451: "Unavailable For Legal Reasons", 500: "Internal Server Error", 502: "Bad Gateway", 503: "Service Unavailable",
    504: "Gateway Timeout",
}  # fmt: skip
_LOGIN_WORDS = ("login", "signin", "sign-in", "sso", "oauth")


def outcome_of(answer: Answer) -> Outcome:
    status, failure = answer.status, answer.failure
    if challenged(answer) is not None:
        return Outcome.BLOCKED
    if failure is not None:
        return Outcome.MISSING if failure.kind in _PLAIN_FAULTS else Outcome.UNKNOWN
    if status is None:
        return Outcome.UNKNOWN
    if 200 <= status < 300:
        return Outcome.READ
    if status in _LOCKED:
        return Outcome.LOCKED
    if status in _BLOCKED:
        return Outcome.BLOCKED
    return Outcome.MISSING if status >= 400 else Outcome.UNKNOWN


def challenged(answer: Answer) -> str | None:
    """The header by which bot protection gives itself away, as `name: value`."""
    for name, wanted in _CHALLENGES:
        value = answer.header(name)
        if value is not None and wanted in value.lower():
            return f"{name}: {value[:60]}"
    return None


def said(answer: Answer) -> str:
    """`404 Not Found`, or how the attempt failed."""
    if answer.failure is not None:
        return str(answer.failure)
    if answer.status is None:
        return "no answer"
    challenge = challenged(answer)
    phrase = f"{answer.status} {_PHRASES.get(answer.status, '')}".rstrip()
    return f"{phrase} ({challenge})" if challenge else phrase


def led_to_login(answer: Answer) -> bool:
    """The redirects end at an address that is called a login."""
    if not answer.hops:
        return False
    try:
        path = urlsplit(answer.final_url).path.lower()
    except ValueError:
        return False
    words = path.replace(".", "/").replace("_", "/").split("/")
    return any(word in _LOGIN_WORDS for word in words)
