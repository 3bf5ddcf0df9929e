"""What keeps a page or sitemap from every crawler is reported under every engine, and as an error where it is one."""

from __future__ import annotations

from datetime import UTC, datetime

import pytest

from tests.checking.transcripts import delivery_of, page_of
from urlset.checking.context import Context
from urlset.checking.live_engine import LiveTally
from urlset.checking.live_page import Delivery
from urlset.checking.select import select
from urlset.findings.card import Severity
from urlset.rules.catalogue import all_rules
from urlset.spec.engines import Engine

CRAWLERS = [engine for engine in Engine if engine not in (Engine.PROTOCOL, Engine.XSD_STRICT)]
A, B = "> GET https://example.com/a\n", "> GET https://example.com/b\n"
HTML = "Content-Type: text/html\n\n<title>A</title><p>Words.\n"
OK = f"{A}< 200\n{HTML}"
PAGES = {
    "404": (f"{A}< 404\n{HTML}", Severity.ERROR),
    "410": (f"{A}< 410\n", Severity.ERROR),
    "500": (f"{A}< 500\n{HTML}", Severity.ERROR),
    "503": (f"{A}< 503\n", Severity.ERROR),
    "401": (f'{A}< 401\nWWW-Authenticate: Basic realm="staff"\n', Severity.ERROR),
    "403": (f"{A}< 403\n{HTML}", Severity.WARNING),
    "429": (f"{A}< 429\nRetry-After: 120\n", Severity.WARNING),
    "no content": (f"{A}< 204\n", Severity.ERROR),
    "empty page": (f"{A}< 200\nContent-Type: text/html\n", Severity.ERROR),
    "redirect": (f"{A}< 301\nLocation: /b\n\n{B}< 200\n{HTML}", Severity.WARNING),
    "redirect to 404": (f"{A}< 301\nLocation: /b\n\n{B}< 404\n{HTML}", Severity.ERROR),
    "redirect loop": (f"{A}< 302\nLocation: /a\n\n{A}! redirect_loop", Severity.ERROR),
    "redirect without target": (f"{A}< 301\n! bad_redirect no Location", Severity.ERROR),
    "dns": (f"{A}! dns", Severity.ERROR),
    "refused": (f"{A}! refused (tried 3 times)", Severity.ERROR),
    "certificate": (f"{A}! tls_expired", Severity.ERROR),
    "noindex in meta": (
        f"{A}< 200\nContent-Type: text/html\n\n<meta name=robots content=noindex><p>Words.\n",
        Severity.ERROR,
    ),
    "noindex in header": (f"{A}< 200\nX-Robots-Tag: noindex\n{HTML}", Severity.ERROR),
    "robots.txt": (
        "> GET https://example.com/robots.txt\n< 200\nContent-Type: text/plain\n\nUser-agent: *\nDisallow: /\n\n" + OK,
        Severity.ERROR,
    ),
    "soft 404": (f"soft 404: 0.95 its title says so\n{OK}", Severity.WARNING),
}
SITEMAP = "> GET https://example.com/sitemap.xml\n"
ROBOTS = (
    "named by: https://example.com/robots.txt row=0\n> GET https://example.com/robots.txt\n< 200\n\n"
    "Sitemap: https://example.com/sitemap.xml\n"
)
SITEMAPS = {
    "404": (f"{ROBOTS}{SITEMAP}< 404\n\n", Severity.ERROR),
    "500": (f"{ROBOTS}{SITEMAP}< 500\n\n", Severity.ERROR),
    "401": (f"{SITEMAP}< 401\nWWW-Authenticate: Basic\n\n", Severity.ERROR),
    "403": (f"{SITEMAP}< 403\n\nForbidden\n", Severity.WARNING),
    "429": (f"{SITEMAP}< 429\n\n", Severity.WARNING),
}


def context(engine: Engine) -> Context:
    return Context(datetime(2026, 11, 15, tzinfo=UTC), (engine,))


@pytest.mark.parametrize("engine", CRAWLERS)
@pytest.mark.parametrize("failure", PAGES)
def test_a_page_that_crawlers_cannot_index_is_reported_for_each(failure: str, engine: Engine) -> None:
    text, expected = PAGES[failure]
    tally = LiveTally(select(all_rules(), (engine,)), context(engine))
    tally.judge(page_of(text, context(engine)))
    found = tally.verdict().findings
    assert found, f"{failure} is not reported for {engine}"
    assert min(found, key=lambda finding: finding.severity.rank).severity is expected


@pytest.mark.parametrize("engine", CRAWLERS)
def test_a_sound_page_is_not_reported(engine: Engine) -> None:
    tally = LiveTally(select(all_rules(), (engine,)), context(engine))
    tally.judge(page_of(OK, context(engine)))
    assert tally.verdict().findings == ()


@pytest.mark.parametrize("engine", CRAWLERS)
@pytest.mark.parametrize("failure", SITEMAPS)
def test_a_sitemap_that_crawlers_cannot_fetch_is_reported_for_each(failure: str, engine: Engine) -> None:
    text, expected = SITEMAPS[failure]
    delivery = delivery_of(text, context(engine))
    rules = [rule for rule in select(all_rules(), (engine,)) if rule.on is Delivery]
    found = {rule.code: problem for rule in rules for problem in rule.check(delivery)}
    assert found, f"{failure} is not reported for {engine}"
    levels = {problem.severity or rule.card.severities[engine] for rule in rules for problem in rule.check(delivery)}
    assert min(levels, key=lambda level: level.rank) is expected
    assert not any("login" in problem.message for code, problem in found.items() if failure in ("403", "429")), found


@pytest.mark.parametrize("engine", [Engine.GOOGLE, Engine.BING, Engine.YANDEX])
def test_engines_that_document_canonicals_report_them(engine: Engine) -> None:
    text = f'{A}< 200\nContent-Type: text/html\n\n<link rel="canonical" href="https://example.com/b"><p>Words.\n'
    tally = LiveTally(select(all_rules(), (engine,)), context(engine))
    tally.judge(page_of(text, context(engine)))
    assert [finding.code for finding in tally.verdict().findings] == ["A012"]
