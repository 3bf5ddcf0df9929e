"""A failed exchange → how long to wait before another try, where another try can help."""

from __future__ import annotations

import re
from datetime import UTC, datetime
from email.utils import parsedate_to_datetime

from urlset.model.answer import FailureKind
from urlset.web.exchange import Exchange
from urlset.web.options import WebOptions

_TEMPORARY = frozenset({429, 502, 503, 504})
_SECONDS = re.compile(r"\d{1,9}(?:\.\d+)?")

_ALWAYS = 1 << 10
_TRIES_THAT_HELP = {
    FailureKind.DNS: _ALWAYS,
    FailureKind.REFUSED: _ALWAYS,
    FailureKind.RESET: _ALWAYS,
    FailureKind.UNREACHABLE: _ALWAYS,
    FailureKind.CUT_SHORT: 2,
    FailureKind.CONNECT_TIMEOUT: 2,
    FailureKind.READ_TIMEOUT: 2,
    FailureKind.TOTAL_TIMEOUT: 2,
}
"""tries in total, the first included; any other failure stays the same on every try"""

UNREACHABLE = frozenset({FailureKind.DNS, FailureKind.REFUSED, FailureKind.UNREACHABLE, FailureKind.CONNECT_TIMEOUT})
"""no server answered: the next address of that host will hardly do better"""


def pause_before_retry(exchange: Exchange, tried: int, options: WebOptions) -> float | None:
    """Seconds; None where it stays as it is."""
    if tried >= options.tries or exchange.lasting:
        return None
    backoff: float = options.backoff * 2 ** (tried - 1)
    if exchange.failure is not None:
        return backoff if tried < _TRIES_THAT_HELP.get(exchange.failure.kind, 0) else None
    if exchange.status not in _TEMPORARY:
        return None
    asked = retry_after(exchange)
    if asked is None:
        return 2 * backoff
    return asked if asked <= options.max_retry_after else None


def is_temporary(exchange: Exchange) -> bool:
    """Whether another try might have helped, had there been one."""
    if exchange.failure is not None:
        return exchange.failure.kind in _TRIES_THAT_HELP and not exchange.lasting
    return exchange.status in _TEMPORARY


def retry_after(exchange: Exchange) -> float | None:
    """The seconds that a Retry-After header means, given as a number or as a date."""
    written = exchange.header("retry-after")
    if not written or exchange.status is None:
        return None
    if _SECONDS.fullmatch(written.strip()):
        return float(written)
    until = _moment(written)
    if until is None:
        return None
    now = _moment(exchange.header("date") or "") or datetime.now(UTC)  # by the server's clock, where it shows one
    return max(0.0, (until - now).total_seconds())


def _moment(written: str) -> datetime | None:
    try:
        read = parsedate_to_datetime(written)
    except ValueError:
        return None
    return read if read.tzinfo is not None else read.replace(tzinfo=UTC)
