"""What a sitemap may list from where it lies, and what a Sitemap line in robots.txt changes about it."""

from __future__ import annotations

from datetime import UTC, datetime

import pytest

from tests.reading.sitemaps import HEAD, TAIL, url
from urlset.checking.context import Context
from urlset.checking.engine import check
from urlset.checking.select import select
from urlset.findings.card import Severity
from urlset.findings.finding import Finding
from urlset.model.address import Address
from urlset.reading.read import read
from urlset.rules.catalogue import all_rules
from urlset.spec.engines import DEFAULT_ENGINES, Engine

AT = "https://example.com/sitemaps/pages.xml"
INDEX = "https://example.com/sitemaps/index.xml"


def outside(
    robots: str | None, *, lineage: tuple[str, ...] = (), engines: tuple[Engine, ...] = DEFAULT_ENGINES
) -> list[Finding]:
    document = read(HEAD + url("a") + TAIL, name="pages.xml", url=AT)
    named = None if robots is None else read(f"User-agent: *\n{robots}\n".encode(), name="robots.txt").robots
    context = Context(datetime(2026, 11, 15, tzinfo=UTC), engines, robots=named, lineage=lineage)
    return list(check(document, select(all_rules(), engines, chosen=("L018",)), context).findings)


@pytest.mark.parametrize(
    ("robots", "severity", "said"),
    [
        (None, Severity.WARNING, "list the sitemap in robots.txt"),
        ("Disallow: /x", Severity.ERROR, "robots.txt does not list the sitemap"),
        ("Sitemap: https://example.com/other.xml", Severity.ERROR, "robots.txt does not list the sitemap"),
        (f"Sitemap: {AT}", Severity.INFO, "only for Search Console"),
        ("Sitemap: HTTPS://Example.com:443/sitemaps/pages.xml", Severity.INFO, "only for Search Console"),
        (f"Sitemap: {INDEX}", Severity.INFO, "only for Search Console"),
    ],
)
def test_a_folder_of_sitemaps_that_robots_txt_announces_is_no_error(
    robots: str | None, severity: Severity, said: str
) -> None:
    (finding,) = outside(robots, lineage=(AT, INDEX))
    assert finding.severity is severity
    assert said in finding.message


def test_the_protocol_asks_no_more_than_robots_txt() -> None:
    engines = (Engine.PROTOCOL, Engine.BING)
    assert outside(f"Sitemap: {INDEX}", lineage=(INDEX,), engines=engines) == []
    assert [finding.severity for finding in outside("", engines=engines)] == [Severity.ERROR]


def test_an_index_that_does_not_lead_there_proves_nothing() -> None:
    assert [finding.severity for finding in outside(f"Sitemap: {INDEX}")] == [Severity.ERROR]


@pytest.mark.parametrize(
    ("at", "child", "said"),
    [
        ("https://example.com/i.xml", "https://example.com:8443/a.xml", ("example.com:8443", "example.com:443")),
        ("https://example.com:8443/i.xml", "https://other.com/a.xml", ("other.com:443", "example.com:8443")),
        ("http://127.0.0.1:8000/i.xml", "http://127.0.0.1:8001/a.xml", ("127.0.0.1:8001", "127.0.0.1:8000")),
        ("https://example.com/i.xml", "https://OTHER.com:443/a.xml", ("other.com", "example.com")),
    ],
)
def test_two_hosts_are_named_in_the_same_form(at: str, child: str, said: tuple[str, str]) -> None:
    text = f"<sitemapindex><sitemap><loc>{child}</loc></sitemap></sitemapindex>"
    context = Context(datetime(2026, 11, 15, tzinfo=UTC))
    rules = select(all_rules(), DEFAULT_ENGINES, chosen=("I006",))
    (finding,) = check(read(text.encode(), url=at), rules, context).findings
    assert f"on '{said[0]}', but the index is on '{said[1]}'" in finding.message


def codes(at: str, loc: str, robots: str | None = None, base_url: str | None = None) -> set[str]:
    document = read(f"<urlset><url><loc>{loc}</loc></url></urlset>".encode(), name="sitemap.xml", url=at)
    named = None if robots is None else read(f"User-agent: *\n{robots}\n".encode(), name="robots.txt").robots
    context = Context(datetime(2026, 11, 15, tzinfo=UTC), robots=named, base_url=base_url)
    rules = select(all_rules(), DEFAULT_ENGINES, chosen=("L015", "L016", "L017", "L018", "L019"))
    return {finding.code for finding in check(document, rules, context).findings}


CDN = "https://cdn.acme.net/sitemap.xml"


@pytest.mark.parametrize(
    ("robots", "base_url", "expected"),
    [
        (None, None, {"L015"}),
        ("Disallow: /x", None, {"L015"}),
        ("Sitemap: https://cdn.acme.net/other.xml", None, {"L015"}),
        (f"Sitemap: {CDN}", None, {"L015"}),
        (f"Sitemap: {CDN}", "https://www.acme.shop/", set()),
        (f"Sitemap: {CDN}", "https://www.other.shop/", {"L015"}),
    ],
)
def test_a_given_robots_txt_vouches_for_its_host(robots: str | None, base_url: str | None, expected: set[str]) -> None:
    """A file whose site is unknown was taken for the robots.txt of the only other host."""
    assert codes(CDN, "https://www.acme.shop/a", robots, base_url) == expected


def test_a_robots_txt_vouches_for_one_host_only() -> None:
    locs = "https://www.acme.shop/a</loc></url><url><loc>https://www.other.shop/b"
    assert codes(CDN, locs, f"Sitemap: {CDN}") == {"L015"}


@pytest.mark.parametrize(
    ("at", "loc", "expected"),
    [
        ("http://www.acme.shop:100/sitemap.xml", "http://www.acme.shop:100/a", set()),
        ("http://www.acme.shop:100/sitemap.xml", "http://www.acme.shop/a", {"L017"}),
        ("http://www.acme.shop:100/sitemap.xml", "https://www.acme.shop/a", {"L016", "L017"}),
        ("https://www.acme.shop/sitemap.xml", "https://www.acme.shop:443/a", set()),
        ("https://www.acme.shop:443/sitemap.xml", "https://www.acme.shop/a", set()),
        ("https://www.acme.shop/sitemap.xml", "http://www.acme.shop:80/a", {"L016"}),
        ("https://www.acme.shop/maps/sitemap.xml", "https://www.acme.shop:8443/a", {"L017"}),
        ("https://www.acme.shop:8443/maps/sitemap.xml", "https://www.acme.shop:8443/a", {"L018"}),
        ("https://www.acme.shop:8443/maps/sitemap.xml", "https://www.acme.shop:8443/maps/a", set()),
    ],
)
def test_a_port_is_part_of_the_place(at: str, loc: str, expected: set[str]) -> None:
    """Each address begins with the scheme, host and port of its sitemap."""
    assert codes(at, loc) == expected


@pytest.mark.parametrize(
    ("at", "listed", "site", "code"),
    [
        ("https://acme.shop/s.xml", "https://other.shop/a", "https://other.shop/", "L015"),
        ("https://acme.shop/s.xml", "https://other.shop:8443/a", "https://other.shop:8443/", "L015"),
        ("https://acme.shop/s.xml", "https://acme.shop:8443/a", "https://acme.shop:8443/", "L017"),
        ("https://acme.shop:8443/s.xml", "https://acme.shop/a", "https://acme.shop/", "L017"),
        ("https://acme.shop/s.xml", "https://www.acme.shop/a", "https://www.acme.shop/", "L019"),
    ],
)
@pytest.mark.parametrize("fetched", [False, True])
def test_only_the_robots_txt_of_that_site_lifts_the_finding(
    at: str, listed: str, site: str, code: str, *, fetched: bool
) -> None:
    document = read(f"<urlset><url><loc>{listed}</loc></url></urlset>".encode(), name="s.xml", url=at)
    robots = read(f"Sitemap: {at}\n".encode(), name="robots.txt").robots
    rules = select(all_rules(), tuple(Engine), chosen=("L015", "L017", "L019"))

    def found(*, where: str | None) -> dict[str, str]:
        known = {"vouched": frozenset({Address.parse(where).site}) if where else frozenset()}
        given = {"robots": robots, "base_url": where}
        context = Context(datetime(2026, 11, 15, tzinfo=UTC), **(known if fetched else given))
        return {finding.code: finding.message for finding in check(document, rules, context).findings}

    assert found(where=site) == {}
    assert list(found(where="https://third.shop/")) == [code]
    unplaced = found(where=None)
    assert list(unplaced) == [code]
    assert ("--base-url" in unplaced[code]) == (not fetched and code != "L019")


@pytest.mark.parametrize("at", ["s3://bucket/index.xml", "file:///srv/index.xml", "gs://bucket/maps/index.xml"])
def test_an_index_in_a_store_has_no_host(at: str) -> None:
    """The index was said to be on 'bucket:None'."""
    text = "<sitemapindex><sitemap><loc>https://example.com/a.xml</loc></sitemap></sitemapindex>"
    rules = select(all_rules(), tuple(Engine), chosen=("I006", "I007", "I021"))
    assert not check(read(text.encode(), url=at), rules, Context(engines=tuple(Engine))).findings


def test_a_child_that_is_not_on_the_web_is_on_no_other_host() -> None:
    text = "<sitemapindex><sitemap><loc>s3://bucket/a.xml</loc></sitemap></sitemapindex>"
    found = check(read(text.encode(), url=INDEX), select(all_rules(), DEFAULT_ENGINES), Context()).findings
    assert {finding.code for finding in found} & {"I006", "I016", "I021", "L003"} == {"L003"}
