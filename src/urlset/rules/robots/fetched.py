"""How does the server answer a request for robots.txt?"""

from __future__ import annotations

from collections.abc import Iterator

from urlset.checking.declare import rule
from urlset.checking.live_page import Delivery
from urlset.findings.finding import Problem
from urlset.findings.severity import Severity
from urlset.model.answer import FailureKind
from urlset.rules.lastmod.faults import READERS
from urlset.rules.quoting import quoted
from urlset.rules.robots.fetch_state import challenged, said

_ASK = "> GET https://example.com/robots.txt\n"
_SOUND = f"{_ASK}< 200\nContent-Type: text/plain\n\nUser-agent: *\nDisallow:\n"
_FOLLOWED = 5
"""the minimum number of redirects that RFC 9309 requires crawlers to follow"""
_TOO_MANY_REQUESTS = 429


def _hops(count: int) -> str:
    return "".join(
        f"> GET https://example.com/robots.txt{f'?{n}' if n else ''}\n< 301\nLocation: /robots.txt?{n + 1}\n\n"
        for n in range(count)
    ) + _SOUND.replace("robots.txt", f"robots.txt?{count}", 1)


@rule(
    "R007",
    "robots-txt-server-error",
    severity=Severity.ERROR,
    engines=READERS,
    cites=("rfc9309", "google-robots"),
    bad=(f"{_ASK}< 503\n\n", f"{_ASK}< 500\n\nInternal error\n"),
    good=(_SOUND, f"{_ASK}< 404\n\n", f"{_ASK}< 429\n\n"),
)
def robots_txt_server_error(delivery: Delivery) -> Iterator[Problem]:
    """robots.txt returns a server error.

    Crawlers then treat the whole site as blocked. Google stops crawling for hours, then uses its last copy for up to 30
    days.
    """
    status = delivery.answer.status
    if delivery.is_robots and status is not None and status >= 500 and challenged(delivery.answer) is None:
        yield delivery.at_itself(
            f"{said(delivery.answer)}: crawlers treat the whole site as blocked; fix the server error"
        )


@rule(
    "R008",
    "robots-txt-missing",
    severity=Severity.INFO,
    engines=READERS,
    cites=("rfc9309", "google-robots"),
    bad=(f"{_ASK}< 404\n\n", f"{_ASK}< 403\n\n"),
    good=(_SOUND, f"{_ASK}< 429\n\n", f"{_ASK}< 503\n\n"),
)
def robots_txt_missing(delivery: Delivery) -> Iterator[Problem]:
    """There is no robots.txt.

    Nothing is blocked, which may be intended. But there is also no Sitemap line, through which engines find a sitemap
    that was not submitted.
    """
    status = delivery.answer.status
    if delivery.is_robots and status is not None and 400 <= status < 500 and status != _TOO_MANY_REQUESTS:
        yield delivery.at_itself(f"{said(delivery.answer)}: nothing is blocked, and no sitemap is listed")


@rule(
    "R009",
    "robots-txt-redirect-chain",
    severity=Severity.WARNING,
    engines=READERS,
    cites=("rfc9309", "google-robots"),
    bad=(
        _hops(_FOLLOWED + 1),
        f"{_ASK}! redirect_loop\n",
    ),
    good=(_SOUND, _hops(1), _hops(_FOLLOWED)),
)
def robots_txt_redirect_chain(delivery: Delivery) -> Iterator[Problem]:
    """robots.txt redirects more than five times.

    Crawlers follow at least five redirects. Google stops there and continues as if there were no robots.txt.
    """
    answer = delivery.answer
    if not delivery.is_robots:
        return
    failed = answer.failure.kind if answer.failure is not None else None
    if failed is FailureKind.REDIRECT_LOOP:
        yield delivery.at_itself("redirect loop, so crawlers find no robots.txt; fix the redirects")
    elif failed is FailureKind.TOO_MANY_REDIRECTS or len(answer.hops) > _FOLLOWED:
        last = answer.hops[-1].url if answer.hops else answer.url
        yield delivery.at_itself(
            f"redirects {len(answer.hops)} times, last from {quoted(last)}; crawlers may stop after {_FOLLOWED}"
        )
