"""Which Crawl-delay is meant for whom, while the rules stay grouped as Google groups them."""

from __future__ import annotations

import pytest

from urlset.model.answer import Answer
from urlset.reading.host_robots import HostRobots

ORIGIN = "https://e.com"


def robots(text: str) -> HostRobots:
    return HostRobots.of(ORIGIN, Answer(f"{ORIGIN}/robots.txt", status=200, body=text.encode()))


@pytest.mark.parametrize(
    ("text", "ours", "others"),
    [
        ("User-agent: *\nCrawl-delay: 30\n\nUser-agent: urlset\nCrawl-delay: 2\n", 2, 30),
        ("User-agent: *\nCrawl-delay: 30\n\nUser-agent: urlset\nDisallow: /x\n", None, 30),
        ("User-agent: urlset\nCrawl-delay: 2\nUser-agent: *\nCrawl-delay: 30\nDisallow: /x\n", 2, 30),
        ("User-agent: urlset\nUser-agent: *\nCrawl-delay: 7\n", 7, 7),
        ("User-agent: *\nDisallow: /x\nCrawl-delay: 5\n", 5, 5),
        ("User-agent: *\nDisallow: /x\nSitemap: https://e.com/s.xml\nCrawl-delay: 5\n", 5, 5),
        ("User-agent: *\nCrawl-delay: 5\nSitemap: https://e.com/s.xml\nDisallow: /x\n", 5, 5),
        ("User-agent: *\nCrawl-delay: 5\n\nUser-agent: *\nCrawl-delay: 9\n", 9, 9),
        ("User-agent: *\nCrawl-delay: soon\nCrawl-delay: 3\n", 3, 3),
        ("User-agent: *\nCrawl-delay: -4\n", 0, 0),
        ("Crawl-delay: 5\nUser-agent: *\nDisallow:\n", None, None),
        ("", None, None),
    ],
)
def test_the_delay_belongs_to_the_agents_above_it(text: str, ours: float | None, others: float | None) -> None:
    assert robots(text).crawl_delay("urlset") == ours
    assert robots(text).crawl_delay("somebody") == others


def test_rules_are_still_grouped_as_google_does() -> None:
    found = robots("User-agent: *\nCrawl-delay: 30\n\nUser-agent: urlset\nCrawl-delay: 2\nDisallow: /x\n")
    assert not found.match("somebody", f"{ORIGIN}/x").allowed
    assert not found.match("urlset", f"{ORIGIN}/x").allowed
    assert found.crawl_delay("urlset") == 2
