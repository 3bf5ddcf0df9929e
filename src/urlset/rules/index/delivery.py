"""Can crawlers fetch the children of a fetched index without redirects?"""

from __future__ import annotations

from collections.abc import Iterator

from urlset.checking.declare import rule
from urlset.checking.live_page import Delivery
from urlset.findings.finding import Problem
from urlset.findings.severity import Severity
from urlset.rules.lastmod.faults import READERS
from urlset.rules.quoting import quoted
from urlset.rules.robots.blocked_bots import kept_out, leads_to_a_sitemap, named_by_index

_NAMED = "named by: https://example.com/index.xml row=0\n"
_CHILD = "> GET https://example.com/a.xml\n"
_PAGES = (
    '< 200\n\n<urlset xmlns="http://www.sitemaps.org/schemas/sitemap/0.9">'
    "<url><loc>https://example.com/1</loc></url></urlset>\n"
)
_ROBOTS = "> GET https://example.com/robots.txt\n< 200\n\nUser-agent: *\n"


@rule(
    "I017",
    "child-redirects",
    severity=Severity.WARNING,
    engines=READERS,
    cites=("yandex-errors", "general-knowledge"),
    bad=(f"{_NAMED}{_CHILD}< 301\nLocation: /maps/a.xml\n\n> GET https://example.com/maps/a.xml\n{_PAGES}",),
    good=(
        f"{_NAMED}{_CHILD}{_PAGES}",
        f"{_NAMED}{_CHILD}< 302\nLocation: /\n\n> GET https://example.com/\n< 200\n\n<!doctype html><p>Welcome\n",
    ),
)
def child_redirects(delivery: Delivery) -> Iterator[Problem]:
    """A sitemap listed in the index redirects.

    Yandex treats any status other than 200 as an error. Other crawlers need an extra request each time. List the
    final URL.
    """
    answer = delivery.answer
    if named_by_index(delivery) and leads_to_a_sitemap(delivery):
        target = quoted(answer.final_url)
        yield delivery.at_parent(f"redirects with {answer.hops[0].status} to {target}; list the final URL")


@rule(
    "I018",
    "child-blocked-by-robots-txt",
    severity=Severity.ERROR,
    engines=READERS,
    cites=("google-robots", "yandex-errors"),
    bad=(f"{_NAMED}{_ROBOTS}Disallow: /a\n{_CHILD}{_PAGES}",),
    good=(f"{_NAMED}{_ROBOTS}Disallow: /b\n{_CHILD}{_PAGES}", f"{_NAMED}{_CHILD}{_PAGES}"),
)
def child_blocked_by_robots_txt(delivery: Delivery) -> Iterator[Problem]:
    """robots.txt blocks a sitemap listed in the index.

    Crawlers obey robots.txt, so they never see the URLs in the sitemap.
    """
    found = kept_out(delivery)
    if found is not None and named_by_index(delivery):
        severity = Severity.WARNING if found.mild else None
        yield delivery.at_parent(f"{found.summary} of robots.txt, so its URLs are not discovered", severity=severity)
