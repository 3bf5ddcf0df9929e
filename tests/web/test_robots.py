"""robots.txt in every state → what it means for the host, asked for once."""

from __future__ import annotations

import asyncio
from pathlib import Path
from typing import Any

import pytest

from tests.web.fetching import pace_of, quick
from urlset.model.answer import Answer
from urlset.reading.host_robots import Access, HostRobots
from urlset.testing import PageAnswer, Raw, Reply, Request, Routes, Site, redirect
from urlset.web import client as robots_module
from urlset.web.client import Client, RobotsKeeper
from urlset.web.loop import run
from urlset.web.pace import Pace

RULES = "User-agent: *\nDisallow: /private\n"


def robots(url: str, *, robots_of_today: bool = False, **options: Any) -> HostRobots:
    async def main() -> HostRobots:
        async with Client(quick(**{"tries": 1, **options}), robots_of_today=robots_of_today) as client:
            return await client.robots(url)

    return run(main())


@pytest.mark.parametrize(
    ("reply", "access"),
    [
        (RULES, Access.RULES),
        (PageAnswer(404), Access.EVERYTHING),
        (PageAnswer(403), Access.EVERYTHING),
        (PageAnswer(410), Access.EVERYTHING),
        (PageAnswer(429), Access.NOTHING),
        (PageAnswer(500), Access.NOTHING),
        (PageAnswer(503), Access.NOTHING),
        (Raw((), end="reset"), Access.NOTHING),
        (redirect("/robots.txt"), Access.EVERYTHING),
        (redirect("mailto:x"), Access.EVERYTHING),
        (PageAnswer(302), Access.EVERYTHING),
    ],
)
def test_what_the_answer_means(reply: Reply, access: Access) -> None:
    with Site({"/robots.txt": reply}) as site:
        found = robots(site.url("/private/page?x"))
        assert found.access is access
        assert found.origin == site.origin
    assert found.match("urlset", site.url("/private/page")).allowed is (access is Access.EVERYTHING)


@pytest.mark.parametrize(("count", "access"), [(5, Access.RULES), (6, Access.EVERYTHING)])
def test_five_redirects_are_followed(count: int, access: Access) -> None:
    def route(request: Request) -> Reply:
        number = 0 if request.path == "/robots.txt" else int(request.path[1:])
        return PageAnswer(body=RULES) if number == count else redirect(f"/{number + 1}", 302)

    with Site(route) as site:
        assert robots(site.url("/")).access is access


def test_each_origin_is_asked_once_however_many_want_it() -> None:
    async def main(site: Site) -> None:
        async with Client(quick()) as client:
            urls = [site.url(f"/{number}", host) for number in range(20) for host in ("127.0.0.1", "127.0.0.2")]
            found = await asyncio.gather(*(client.robots(url) for url in urls))
            assert len({id(each) for each in found}) == 2

    with Site({"/robots.txt": PageAnswer(body=RULES, pause=0.02)}, addresses=("127.0.0.1", "127.0.0.2")) as site:
        run(main(site))
        assert site.counts() == {"/robots.txt": 2}


def test_one_that_gives_up_does_not_take_the_others_along() -> None:
    async def main(site: Site) -> Access:
        async with Client(quick()) as client:
            first = asyncio.create_task(client.robots(site.url("/")))
            await asyncio.sleep(0.05)
            second = asyncio.create_task(client.robots(site.url("/")))
            await asyncio.sleep(0)
            first.cancel()
            return (await second).access

    with Site({"/robots.txt": PageAnswer(body=RULES, pause=0.2)}) as site:
        assert run(main(site)) is Access.RULES


def test_what_is_no_web_address_has_no_robots() -> None:
    assert robots("mailto:x@example.com").access is Access.EVERYTHING


def test_only_the_first_half_megabyte_counts() -> None:
    padding = "# filling\n" * 52_000
    with Site({"/robots.txt": f"User-agent: *\nDisallow: /early\n{padding}Disallow: /late\n"}) as site:
        found = robots(site.url("/"))
    assert not found.match("urlset", "http://x/early").allowed
    assert found.match("urlset", "http://x/late").allowed


def test_a_resumed_run_takes_the_answer_of_the_day(tmp_path: Path) -> None:
    routes: Routes = {"/robots.txt": PageAnswer(body=RULES + "Crawl-delay: 2\n", headers={"ETag": '"1"'})}
    with Site(routes) as site:
        robots(site.url("/"), cache=tmp_path)
        assert robots(site.url("/"), cache=tmp_path, robots_of_today=True).crawl_delay("urlset") == 2.0
        assert len(site.log) == 1
        assert robots(site.url("/"), cache=tmp_path).access is Access.RULES  # a new run asks again
        assert [request.status for request in site.log] == [200, 304]


def test_the_delay_is_that_of_the_product_token() -> None:
    text = "User-agent: other\nDisallow: /x\nCrawl-delay: 9\n\nUser-agent: *\nDisallow: /y\nCrawl-delay: 0\n"

    async def main(site: Site, agent: str) -> float:
        async with Client(quick(user_agent=agent)) as client:
            await client.robots(site.url("/"))
            return pace_of(client).host(site.origin.removeprefix("http://")).delay

    with Site({"/robots.txt": text}) as site:
        assert run(main(site, "Other/1.0")) == 9
        assert run(main(site, "urlset/1.0")) == 0


@pytest.mark.parametrize("value", ["nan", "inf", "-5", "1e309", "soon", ""])
def test_odd_delays_do_no_harm(value: str) -> None:
    async def main(site: Site) -> float:
        async with Client(quick(max_crawl_delay=1.0)) as client:
            await client.robots(site.url("/"))
            return pace_of(client).host(site.origin.removeprefix("http://")).delay

    with Site({"/robots.txt": f"User-agent: *\nCrawl-delay: {value}\n"}) as site:
        assert 0 <= run(main(site)) <= 1.0


def test_of_very_many_hosts_the_earliest_are_forgotten(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(robots_module, "MOST_KEPT", 100_000)
    asked: list[str] = []

    async def fetch(url: str) -> Answer:
        asked.append(url)
        return Answer(url, status=200, body=b"User-agent: *\nDisallow: /x\n" * 10)

    async def main() -> RobotsKeeper:
        keeper = RobotsKeeper(fetch, quick(), Pace(quick()), [])
        for number in range(200):
            url = f"http://{number}.example/x"
            assert not (await keeper.of(url)).match("urlset", url).allowed
        await keeper.of("http://199.example/")
        await keeper.of("http://0.example/")
        return keeper

    keeper = run(main())
    assert len(keeper._known) < 30
    assert len(keeper._asking) < 30
    assert len(asked) == 201
