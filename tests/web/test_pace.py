"""Many requests at once → what the server saw: how many under way, how long between them."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Callable
from email.utils import formatdate

import pytest

from tests.web.fetching import fetch_all, pace_of, quick
from urlset.model.answer import Answer
from urlset.testing import PageAnswer, Raw, Request, Routes, Site
from urlset.testing.exchange import most_at_once
from urlset.web import pace as pace_module
from urlset.web.client import Client
from urlset.web.loop import run
from urlset.web.pace import LONGEST_GAP, LONGEST_GAP_UNWELL, Exchange, HostPace, Pace

DELAY = 0.08


def pages(site: Site, count: int, host: str | None = None) -> list[str]:
    return [site.url(f"/{number}", host) for number in range(count)]


def slow(_request: Request) -> PageAnswer:
    return PageAnswer(body="x", pause=0.03)


def test_no_more_than_the_concurrency_are_under_way() -> None:
    with Site(slow) as site:
        answers = fetch_all(*pages(site, 24), concurrency=3)
        assert site.most_at_once == 3
    assert all(answer.ok for answer in answers)


def test_hosts_do_not_wait_for_each_other_but_for_the_total() -> None:
    with Site(slow, addresses=("127.0.0.1", "127.0.0.2", "127.0.0.3")) as site:
        urls = [url for host in ("127.0.0.1", "127.0.0.2", "127.0.0.3") for url in pages(site, 8, host)]
        fetch_all(*urls, concurrency=2, total_concurrency=5)
        assert site.most_at_once == 5
        fetch_all(*urls, concurrency=2, total_concurrency=32)
        assert site.most_at_once == 6


def test_connections_are_used_again() -> None:
    with Site(slow) as site:
        fetch_all(*pages(site, 12), concurrency=2)
        assert {request.connection for request in site.log} == {1, 2}


def test_the_delay_counts_from_the_end_of_an_answer() -> None:
    with Site(slow) as site:
        fetch_all(*pages(site, 6), delay=DELAY)
        assert site.most_at_once == 1
        assert len(site.gaps()) == 5
        assert min(site.gaps()) >= DELAY
        assert max(site.gaps()) < DELAY + 0.25


def test_the_delay_holds_for_each_host_by_itself() -> None:
    with Site(slow, addresses=("127.0.0.1", "127.0.0.2")) as site:
        fetch_all(*pages(site, 4), *pages(site, 4, "127.0.0.2"), delay=DELAY)
        assert site.most_at_once == 2
        assert min(site.gaps("127.0.0.1") + site.gaps("127.0.0.2")) >= DELAY


def test_redirects_retries_and_robots_keep_the_delay_too() -> None:
    tries = iter(range(100))
    routes: Routes = {
        "/a": PageAnswer(302, headers={"Location": "/b"}),
        "/b": lambda _request: PageAnswer(503) if next(tries) == 0 else PageAnswer(body="x"),
        "/robots.txt": "User-agent: *\nAllow: /\n",
    }

    async def work(client: Client, site: Site) -> None:
        await client.robots(site.url("/a"))
        await asyncio.gather(client.get(site.url("/a")), client.get(site.url("/a")))

    with Site(routes) as site:

        async def main() -> None:
            async with Client(quick(delay=DELAY)) as client:
                await work(client, site)

        run(main())
        assert len(site.log) == 6
        assert min(site.gaps()) >= DELAY


def test_dropped_connections_are_not_asked_again_out_of_turn() -> None:
    """aiohttp by itself would repeat a request at once when a kept connection is dropped on it."""
    with Site({"/0": "x", "/1": Raw((), end="close"), "/2": "x"}) as site:
        answers = fetch_all(*pages(site, 3), delay=DELAY)
        assert site.counts() == {"/0": 1, "/1": 3, "/2": 1}
        assert min(site.gaps()) >= DELAY
    assert [answer.ok for answer in answers] == [True, False, True]


def test_a_resumed_run_waits_one_delay_first() -> None:
    with Site(slow) as site:
        fetch_all(*pages(site, 2), delay=0.4)
        fetch_all(*pages(site, 2), delay=0.4, resumed=True)
        assert min(site.gaps()) >= 0.4


def test_crawl_delay_is_obeyed_from_the_robots_txt_on() -> None:
    text = f"User-agent: *\nCrawl-delay: 30\nDisallow: /x\n\nUser-agent: urlset\nCrawl-delay: {DELAY}\n"
    with Site({"/robots.txt": text, "/0": "x", "/1": "x", "/2": "x"}) as site:

        async def main() -> list[str]:
            async with Client(quick()) as client:
                await client.robots(site.url("/0"))
                await asyncio.gather(*(client.get(url) for url in pages(site, 3)))
                return client.notices

        assert run(main()) == []
        assert min(site.gaps()) >= DELAY
        assert site.most_at_once == 1


@pytest.mark.parametrize(("obey", "longest", "fast"), [(False, 30.0, True), (True, DELAY, False)])
def test_crawl_delay_can_be_cut_or_ignored(obey: bool, longest: float, fast: bool) -> None:
    with Site({"/robots.txt": "User-agent: *\nCrawl-delay: 3600\n", "/0": "x", "/1": "x"}) as site:

        async def main() -> list[str]:
            async with Client(quick(obey_crawl_delay=obey, max_crawl_delay=longest)) as client:
                await client.robots(site.url("/0"))
                await asyncio.gather(*(client.get(url) for url in pages(site, 2)))
                return client.notices

        notices = run(main())
        assert (min(site.gaps()) < DELAY) is fast
        host = site.origin.removeprefix("http://")
    assert notices == ([] if fast else [f"{host} sets Crawl-delay to 3600 seconds; waiting {DELAY:g}"])


def as_seconds(seconds: int) -> str:
    return str(seconds)


def as_date(seconds: int) -> str:
    return formatdate(time.time() + seconds + 0.999, usegmt=True)


@pytest.mark.parametrize("written", [as_seconds, as_date])
@pytest.mark.parametrize("status", [429, 503])
def test_retry_after_silences_the_whole_host(written: Callable[[int], str], status: int) -> None:
    asked = iter(range(100))

    def route(_request: Request) -> PageAnswer:
        return PageAnswer(status, headers={"Retry-After": written(1)}) if next(asked) == 0 else PageAnswer(body="x")

    with Site(route) as site:
        answers = fetch_all(*pages(site, 2), concurrency=1)
        assert all(answer.ok for answer in answers)
        assert [answer.tries for answer in answers] == [2, 1]
        refused, following = site.log[0], site.log[1]
        assert refused.ended is not None
        assert following.started - refused.ended >= 0.99
        assert len(site.log) == 3


def test_a_host_that_wants_an_hour_is_not_asked_again() -> None:
    with Site(lambda _request: PageAnswer(429, body="later", headers={"Retry-After": "3600"})) as site:

        async def main() -> list[Answer]:
            async with Client(quick(concurrency=1)) as client:
                pace_of(client).host(site.origin.removeprefix("http://"))._strikes = 1  # the first was before
                return [await client.get(url) for url in pages(site, 5)]

        answers = run(main())
        assert len(site.log) == 1
    assert [answer.status for answer in answers] == [429] * 5
    assert [answer.tries for answer in answers] == [1, 0, 0, 0, 0]


def reported(status: int, first_byte: float = 0.01) -> Exchange:
    return Exchange(status, first_byte=first_byte, started=time.monotonic())


def test_complaints_halve_the_concurrency_and_then_widen_the_gap() -> None:
    pace = HostPace(8, 0.0)
    limits = []
    for _ in range(3):
        pace.learn(reported(429))
        limits.append(pace.limit)
    assert limits == [4, 2, 1]
    gaps = []
    for _ in range(8):
        pace.learn(reported(429))
        gaps.append(pace.gap)
    assert gaps == [0.5, 1.0, 2.0, 4.0, 8.0, 16.0, LONGEST_GAP, LONGEST_GAP]


def test_a_server_that_is_unwell_is_not_waited_for_as_long() -> None:
    pace = HostPace(1, 0.0)
    for _ in range(8):
        pace.learn(reported(503))
    assert pace.gap == LONGEST_GAP_UNWELL
    for _ in range(3):
        pace.learn(reported(429))
    pace.learn(reported(503))
    assert pace.gap == 16.0


def test_answers_under_way_at_a_complaint_are_no_further_complaint() -> None:
    pace = HostPace(8, 0.0)
    under_way = [reported(429) for _ in range(8)]
    for exchange in under_way:
        pace.learn(exchange)
    assert pace.limit == 4


def test_a_good_run_brings_the_speed_back() -> None:
    pace = HostPace(4, 0.0)
    for _ in range(3):
        pace.learn(reported(429))
    assert (pace.limit, pace.gap) == (1, 0.5)
    for _ in range(16 * 4):
        pace.learn(reported(200))
    assert (pace.limit, pace.gap) == (4, 0.0)


def refused(pace: HostPace, times: int = 7) -> HostPace:
    for _ in range(times):
        pace.learn(reported(429))
    return pace


def test_a_long_gap_is_halved_by_each_good_answer() -> None:
    """16 good answers at 30 seconds each took eight minutes, and a quarter of an hour in all."""
    pace = refused(HostPace(1, 0.0))
    assert pace.gap == LONGEST_GAP
    gaps = []
    for _ in range(8):
        pace.learn(reported(200))
        gaps.append(pace.gap)
    assert gaps == [15.0, 7.5, 3.75, 1.875, 0.9375, 0.46875, 0.0, 0.0]


def test_a_page_that_refuses_while_others_are_welcome_is_no_further_complaint() -> None:
    pace = refused(HostPace(1, 0.0), 3)
    assert pace.gap == 2.0
    before = pace.welcomed
    pace.learn(reported(429), refused_at=before)
    assert pace.gap == 4.0  # nobody was welcomed since: it is about us
    pace.learn(reported(200))
    assert pace.gap == 2.0
    pace.learn(reported(429), refused_at=before)
    assert pace.gap == 2.0


def test_pages_that_always_refuse_do_not_slow_down_the_others() -> None:
    def route(request: Request) -> PageAnswer:
        return PageAnswer(429) if request.path.endswith("7") else PageAnswer(body="x")

    async def main(urls: list[str]) -> list[Answer]:
        left = iter(urls)

        async def work(client: Client) -> list[Answer]:
            return [await client.get(url) for url in left]

        async with Client(quick(concurrency=4, tries=3)) as client:
            return [answer for done in await asyncio.gather(*(work(client) for _ in range(4))) for answer in done]

    with Site(route) as site:
        answers = run(main(pages(site, 40)))
        assert sum(answer.ok for answer in answers) == 36
        assert site.log[-1].started - site.log[0].started < 12.0


def test_good_answers_to_what_was_under_way_shorten_no_gap() -> None:
    pace = HostPace(1, 0.0)
    under_way = [reported(200) for _ in range(8)]
    refused(pace)
    for exchange in under_way:
        pace.learn(exchange)
    assert pace.gap == LONGEST_GAP


def test_no_gap_gets_shorter_than_the_delay() -> None:
    pace = refused(HostPace(4, 2.0))
    gaps = []
    for _ in range(40):
        pace.learn(reported(200))
        gaps.append(pace.gap)
    assert (gaps[0], min(gaps), pace.limit) == (15.0, 2.0, 1)


def test_caution_is_forgotten_after_a_good_run() -> None:
    pace = HostPace(1, 0.0)
    for _ in range(4):
        refused(pace, 1)
        pace.learn(reported(200))
    for _ in range(200):
        pace.learn(reported(200))
    refused(pace)
    pace.learn(reported(200))
    assert pace.gap == LONGEST_GAP / 2


def test_with_a_delay_there_is_never_more_than_one() -> None:
    pace = HostPace(4, 1.0)
    for _ in range(200):
        pace.learn(reported(200))
    assert (pace.limit, pace.gap) == (1, 1.0)


def test_rising_latency_slows_down_and_even_slowness_does_not() -> None:
    pace, steady = HostPace(8, 0.0), HostPace(8, 0.0)
    for _ in range(20):
        pace.learn(reported(200, 0.05))
        steady.learn(reported(200, 2.0))
    for _ in range(20):
        pace.learn(reported(200, 3.0))
    assert pace.limit < 8
    assert steady.limit == 8
    assert pace.gap == 0.0  # slowness alone never leads to more than one at a time


def test_the_server_sees_fewer_at_once_after_a_complaint() -> None:
    complained = iter([True])

    def route(_request: Request) -> PageAnswer:
        return PageAnswer(429, pause=0.02) if next(complained, False) else PageAnswer(body="x", pause=0.02)

    with Site(route) as site:
        answers = fetch_all(*pages(site, 14), concurrency=4)
        assert all(answer.ok for answer in answers)
        assert most_at_once(site.log[:4]) == 4
        assert most_at_once(site.log[8:]) == 2


def test_a_quota_that_is_there_again_is_used_again() -> None:
    """Refused for a while whatever the pace, then welcome: the gap of that while must not last."""
    begun = time.monotonic()

    def route(_request: Request) -> PageAnswer:
        return PageAnswer(429) if time.monotonic() - begun < 2.0 else PageAnswer(body="x")

    with Site(route) as site:
        answers = fetch_all(*pages(site, 30), concurrency=1, tries=4, backoff=0.01)
        good = [request for request in site.log if request.status == 200]
        assert sum(answer.ok for answer in answers) >= 25
        assert good[-1].started - good[0].started < 6.0


def test_giving_up_while_waiting_leaves_the_queue_sound() -> None:
    async def main() -> None:
        pace = HostPace(1, 0.0)
        await pace.take()
        waiting = [asyncio.create_task(pace.take()) for _ in range(3)]
        await asyncio.sleep(0)
        waiting[0].cancel()
        pace.give_back()  # the turn may already be promised to the one that gives up next
        waiting[1].cancel()
        done = await asyncio.gather(*waiting, return_exceptions=True)
        assert [isinstance(each, asyncio.CancelledError) for each in done] == [True, True, False]
        assert pace.active == 1
        pace.give_back()
        assert pace.active == 0

    run(main())


def test_hosts_that_are_not_met_again_are_forgotten_and_slow_ones_are_not(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(pace_module, "MANY_HOSTS", 50)

    async def main() -> tuple[int, float]:
        pace = Pace(quick())
        pace.host("slow.example").set_min_delay(9.0)
        for number in range(500):
            await pace.host(f"{number}.example").take()
            pace.host(f"{number}.example").give_back()
        return len(pace._hosts), pace.host("slow.example").delay

    hosts, delay = run(main())
    assert hosts < 120
    assert delay == 9.0
