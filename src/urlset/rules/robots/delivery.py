"""Can crawlers get the sitemaps that robots.txt names: do they answer, quickly, in place, and may they be fetched?"""

from __future__ import annotations

from collections.abc import Iterator

from urlset.checking.declare import rule
from urlset.checking.live_page import Delivery
from urlset.findings.finding import Problem
from urlset.findings.severity import Severity
from urlset.model.document import Kind
from urlset.rules.lastmod.faults import READERS
from urlset.rules.quoting import quoted
from urlset.rules.robots.blocked_bots import (
    ROBOTS_TXT,
    kept_out,
    leads_to_a_sitemap,
    named_by_index,
    named_by_robots,
)
from urlset.rules.robots.fetch_state import FetchState, led_to_login, outcome_of, said
from urlset.spec.engines import Engine

_NAMED = "named by: https://example.com/robots.txt row=0\n"
_ROBOTS = f"{_NAMED}> GET https://example.com/robots.txt\n< 200\n\nSitemap: https://example.com/sitemap.xml\n"
_ASK = "> GET https://example.com/sitemap.xml\n"
_BODY = (
    '\n<urlset xmlns="http://www.sitemaps.org/schemas/sitemap/0.9">'
    "<url><loc>https://example.com/</loc></url></urlset>\n"
)
_TAG = 'ETag: "1"\n'
_SOUND = f"{_ROBOTS}{_ASK}< 200\n{_TAG}{_BODY}"


@rule(
    "R004",
    "named-sitemap-missing",
    on=Delivery,
    severity=Severity.ERROR,
    engines=READERS,
    cites=("yandex-errors", "gsc-report"),
    bad=(f"{_ROBOTS}{_ASK}< 404\n\nNot Found\n", f"{_ROBOTS}{_ASK}< 503\n\n"),
    good=(_SOUND, f"{_ROBOTS}{_ASK}< 403\n\n", f"{_ASK}< 404\n\nAsked for by hand\n"),
)
def named_sitemap_missing(delivery: Delivery) -> Iterator[Problem]:
    """A sitemap that robots.txt names is not there.

    Crawlers ask for it again and again and learn nothing. Put it back, or take the line out.
    """
    if named_by_robots(delivery) and outcome_of(delivery.answer) is FetchState.MISSING:
        yield delivery.at_parent(f"{quoted(delivery.url)} cannot be read: {said(delivery.answer)}")


@rule(
    "R005",
    "sitemap-disallowed",
    on=Delivery,
    severity=Severity.ERROR,
    engines=READERS,
    cites=("google-robots", "yandex-errors", "gsc-report"),
    bad=(
        f"{_ROBOTS}User-agent: *\nDisallow: /sitemap\n{_ASK}< 200\n{_TAG}{_BODY}",
        f"{_ROBOTS}User-agent: Googlebot\nDisallow: /*.xml$\n{_ASK}< 200\n{_TAG}{_BODY}",
    ),
    good=(
        f"{_ROBOTS}User-agent: *\nDisallow: /sitemaps\n{_ASK}< 200\n{_TAG}{_BODY}",
        f"{_ROBOTS}User-agent: *\nDisallow: /\nAllow: /sitemap.xml\n{_ASK}< 200\n{_TAG}{_BODY}",
    ),
)
def sitemap_disallowed(delivery: Delivery) -> Iterator[Problem]:
    """robots.txt forbids to fetch the sitemap.

    A crawler that obeys it never sees the sitemap, even where a Sitemap line of the same robots.txt names it.
    """
    found = kept_out(delivery)
    if found is None or named_by_index(delivery) or delivery.robots is None:
        return
    yield Problem(
        found.line.place,
        f"{found.summary}; allow {quoted(delivery.url)}, or it is never read",
        subject=delivery.url,
        severity=Severity.WARNING if found.mild else None,
        source=delivery.robots.origin + ROBOTS_TXT,
    )


@rule(
    "R021",
    "sitemap-behind-login",
    on=Delivery,
    severity=Severity.ERROR,
    engines=READERS,
    cites=("gsc-report",),
    bad=(
        f"{_ASK}< 401\nWWW-Authenticate: Basic\n\n",
        f"{_ROBOTS}{_ASK}< 403\n\nForbidden\n",
        f"{_ASK}< 503\nCF-Mitigated: challenge\n\n",
        f"{_ASK}< 200\n\n<!doctype html><script>window._cf_chl_opt = {{}}</script>\n",
        f"{_ASK}< 302\nLocation: /login\n\n> GET https://example.com/login\n< 200\n\n<!doctype html>\n",
    ),
    good=(
        _SOUND,
        f"{_ASK}< 404\n\n",
        f"{_ASK}< 503\n\n",
        f"{_ASK}< 200\nX-DataDome: protected\n{_TAG}{_BODY}",
    ),
)
def sitemap_behind_login(delivery: Delivery) -> Iterator[Problem]:
    """A sitemap is behind a login or bot protection.

    Crawlers have no password, and bot protection may treat them otherwise than it treats other programs. So what
    looks closed from here may be open to them: check with the tools of the engines.
    """
    if delivery.is_robots:
        return
    answer = delivery.answer
    outcome = outcome_of(answer)
    tell = delivery.at_parent if delivery.parent is not None else delivery.at_itself
    if outcome is FetchState.LOCKED:
        yield tell(f"{said(answer)}: the sitemap asks for a login, which no crawler has")
    elif outcome is FetchState.BLOCKED:
        yield tell(
            f"behind a login or bot protection: {said(answer)}; whether crawlers get through is unknown, "
            "check with the engines' own tools",
            severity=Severity.WARNING,
        )
    elif led_to_login(answer) and delivery.document is not None and delivery.document.kind is Kind.HTML:
        yield tell(f"redirects to {quoted(answer.final_url)}, a login, which no crawler has")


@rule(
    "R022",
    "slow-sitemap",
    on=Delivery,
    severity=Severity.WARNING,
    engines=(Engine.YANDEX,),
    cites=("yandex-tool",),
    bad=(f"{_ASK}< 200 after 15 s\n{_TAG}{_BODY}",),
    good=(_SOUND,),
)
def slow_sitemap(delivery: Delivery) -> Iterator[Problem]:
    """A sitemap takes longer than ten seconds to arrive.

    Yandex gives up after ten seconds. Write the file when pages change, not when it is asked for.
    """
    limit = delivery.context.thresholds.slow_sitemap_seconds
    if delivery.answer.ok and not delivery.is_robots and delivery.answer.seconds > limit:
        yield delivery.at_itself(f"took {delivery.answer.seconds:.1f} s to arrive; Yandex gives up after {limit:g} s")


@rule(
    "R023",
    "sitemap-redirects",
    on=Delivery,
    severity=Severity.WARNING,
    engines=READERS,
    cites=("yandex-errors", "general-knowledge"),
    bad=(f"{_ROBOTS}{_ASK}< 301\nLocation: /new.xml\n\n> GET https://example.com/new.xml\n< 200\n{_TAG}{_BODY}",),
    good=(
        _SOUND,
        f"{_ROBOTS}{_ASK}< 302\nLocation: /\n\n> GET https://example.com/\n< 200\n\n<!doctype html><p>Welcome\n",
    ),
)
def sitemap_redirects(delivery: Delivery) -> Iterator[Problem]:
    """The address given for a sitemap redirects.

    Yandex takes any answer but 200 for an error, and others need one more request every time. Name the address
    it ends at.
    """
    answer = delivery.answer
    if not leads_to_a_sitemap(delivery) or delivery.is_robots or named_by_index(delivery):
        return
    several = f" after {len(answer.hops)} redirects" if len(answer.hops) > 1 else ""
    message = (
        f"redirects with {answer.hops[0].status} and ends at {quoted(answer.final_url)}{several}; name that address"
    )
    yield delivery.at_parent(message) if delivery.parent is not None else delivery.at_itself(message)


@rule(
    "R027",
    "sitemap-without-validators",
    on=Delivery,
    severity=Severity.INFO,
    engines=(Engine.GOOGLE, Engine.BING),
    cites=("google-crawlers", "bing-help"),
    bad=(f"{_ASK}< 200\nContent-Type: application/xml\n{_BODY}",),
    good=(_SOUND, f"{_ASK}< 200\nLast-Modified: Sun, 15 Nov 2026 08:00:00 GMT\n{_BODY}"),
)
def sitemap_without_validators(delivery: Delivery) -> Iterator[Problem]:
    """A sitemap is sent without ETag and Last-Modified.

    With one of them a crawler can ask whether it changed and be told no in a few bytes, instead of fetching
    all of it each time.
    """
    answer = delivery.answer
    if delivery.is_robots or not answer.ok or delivery.document is None or delivery.document.kind is Kind.HTML:
        return
    if answer.header("etag") is None and answer.header("last-modified") is None:
        yield delivery.at_itself("neither ETag nor Last-Modified is sent, so it is fetched whole each time")
