"""Who may read the listed pages, by robots.txt."""

from __future__ import annotations

from urlset.auditing.robots_gate import BotTally
from urlset.model.answer import Answer
from urlset.reading.host_robots import HostRobots
from urlset.spec.engines import CRAWLERS

ROBOTS = b"""User-agent: GPTBot
User-agent: CCBot
Disallow: /

User-agent: Googlebot
Disallow: /private/

User-agent: *
Disallow: /private/
Disallow: /api/
"""


def robots(status: int, body: bytes = b"") -> HostRobots:
    origin = "https://e.test"
    return HostRobots.of(origin, Answer(url=f"{origin}/robots.txt", final_url="", status=status, body=body))


def allowed(host: HostRobots | None) -> dict[str, tuple[int, int]]:
    tally = BotTally(lambda _url: host)
    for path in ("/", "/a", "/private/b", "/api/c"):
        tally.add(f"https://e.test{path}")
    return {each.bot: (each.allowed, each.listed) for each in tally.rows()}


def test_each_crawler_obeys_its_own_group() -> None:
    found = allowed(robots(200, ROBOTS))
    assert found["GPTBot"] == found["CCBot"] == (0, 4)
    assert found["Googlebot"] == found["Applebot"] == (3, 4), "Apple obeys the lines for Google where it is not named"
    assert found["bingbot"] == found["OAI-SearchBot"] == found["Google-Extended"] == (2, 4)
    assert set(found) == {each.token for each in CRAWLERS}


def test_no_robots_txt_allows_all_and_a_failing_one_is_unknown() -> None:
    assert set(allowed(robots(404)).values()) == {(4, 4)}
    assert allowed(robots(503)) == {}
    assert allowed(None) == {}


def test_every_crawler_has_a_source() -> None:
    assert all(each.source.startswith("https://") for each in CRAWLERS)
    assert len({each.token.lower() for each in CRAWLERS}) == len(CRAWLERS)
