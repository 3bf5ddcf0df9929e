"""Addresses without end, and sites that only look like it."""

from __future__ import annotations

import time
from collections.abc import Iterable
from datetime import date
from itertools import product

import pytest

from urlset.crawling.found import NO_ROW, Length, Trap, TrapKind
from urlset.crawling.traps import BARREN_CHAIN, TrapWatch, chains, date_in, repeated, shape_of, without_session

TODAY = date(2026, 11, 15)
SITE = "https://e.com"


def walked(urls: Iterable[str], watch: TrapWatch | None = None, source: str = f"{SITE}/") -> list[Trap]:
    """The traps met when every address is on offer, each that is no trap being accepted."""
    watch = watch or TrapWatch(TODAY)
    found = []
    for url in urls:
        trap = watch.judge(f"{SITE}{url}", source)
        if trap is None:
            watch.accept(f"{SITE}{url}")
        else:
            found.append(trap)
    return found


def chained(urls: list[str], *, alike: bool = True) -> tuple[int, Trap | None]:
    """Each address found on the one before and nothing else new there: how far one gets, and what stops it."""
    watch, source, length = TrapWatch(TODAY), f"{SITE}/", NO_ROW
    for number, url in enumerate(urls):
        [length] = chains(source, length, [f"{SITE}{url}"], alike=alike)
        trap = watch.judge(f"{SITE}{url}", source, length)
        if trap is not None:
            return number, trap
        watch.accept(f"{SITE}{url}")
        source = f"{SITE}{url}"
    return len(urls), None


FACETS = {
    "colour": ["red", "blue", "green"],
    "size": ["s", "m", "l"],
    "brand": ["a", "b", "c"],
    "sort": ["price", "new"],
}


def combinations() -> list[str]:
    choices = [["", *(f"{name}={value}" for value in values)] for name, values in FACETS.items()]
    queries = ("&".join(filter(None, chosen)) for chosen in product(*choices))
    return [f"/shop/shoes?{query}" for query in queries if query]


class TestFacets:
    def test_combined_filters_are_cut(self) -> None:
        offered = combinations()
        traps = walked(offered)
        assert len(offered) > 150
        assert len(traps) > len(offered) / 2
        assert {trap.kind for trap in traps} == {TrapKind.FACETS}
        assert "colour" in traps[-1].reason

    def test_single_filters_are_always_asked(self) -> None:
        watch = TrapWatch(TODAY)
        walked(combinations(), watch)
        assert walked(["/shop/shoes?colour=violet", "/shop/shoes?brand=z"], watch) == []

    def test_what_was_learned_on_one_path_helps_on_the_next(self) -> None:
        watch = TrapWatch(TODAY)
        walked(combinations(), watch)
        offered = [url.replace("shoes", "shirts") for url in combinations()]
        assert len(offered) - len(walked(offered, watch)) < 60

    @pytest.mark.parametrize(
        "urls",
        [
            [f"/product.php?id={number}" for number in range(5_000)],
            [f"/product.php?cat={number % 20}&id={number}" for number in range(5_000)],
            [f"/list?cat={category}&page={page}" for category in range(30) for page in range(60)],
            [f"/viewtopic.php?{query}" for topic in range(800) for query in
             (f"t={topic}", f"f={topic % 9}&t={topic}", f"t={topic}&start=15", f"p={topic}", f"t={topic}&view=next")],
            [f"/p/{number}?variant={number}" for number in range(3_000)],
            [f"/shop?colour={colour}&size={size}" for colour in range(12) for size in range(12)],
            [f"/search?q=word{number}&lang=en" for number in range(900)],
            [f"/catalogue/{number}" for number in range(10_000)],
        ],
        ids=["flat shop", "by category", "paginated", "forum", "variants", "two filters", "searches", "paths"],
    )  # fmt: skip
    def test_large_sites_are_no_traps(self, urls: list[str]) -> None:
        assert walked(urls) == []


class TestCalendars:
    def test_months_ahead_end(self) -> None:
        months = [f"/calendar/{2026 + (10 + step) // 12}/{(10 + step) % 12 + 1:02}" for step in range(600)]
        reached, trap = chained(months)
        assert trap is not None
        assert trap.kind is TrapKind.CALENDAR
        assert reached < 20
        assert "…" in trap.place

    def test_days_back_end(self) -> None:
        days = [date.fromordinal(TODAY.toordinal() - step) for step in range(4_000)]
        reached, trap = chained([f"/events?date={day.isoformat()}" for day in days])
        assert trap is not None
        assert trap.kind is TrapKind.CALENDAR
        assert reached < 70

    def test_parameters_of_year_and_month(self) -> None:
        reached, trap = chained([f"/cal.php?m={step % 12 + 1}&y={2026 + step // 12}" for step in range(500)])
        assert trap is not None
        assert reached < 40

    @pytest.mark.parametrize(
        "urls",
        [
            [f"/blog/{year}/{month:02}/" for year in range(1998, 2027) for month in range(1, 13)],
            [f"/blog/{year}/{month:02}/{day:02}/a-post" for year in range(2000, 2027) for month in (1, 6)
             for day in (1, 9)],
            [f"/events/2031/0{month}/15/jubilee" for month in range(1, 10)],
            ["/2045", "/news/2045/03", "/archive/1850/07"],
        ],
        ids=["archive", "posts", "far events", "lone years"],
    )  # fmt: skip
    def test_archives_are_no_calendars(self, urls: list[str]) -> None:
        assert walked(urls) == []

    def test_a_topic_and_its_pages_are_no_calendar(self) -> None:
        reached, trap = chained([f"/forum/2045/{page}" for page in range(1, 12)])
        assert (reached, trap) == (11, None)

    def test_article_numbers_are_no_dates(self) -> None:
        assert date_in(f"{SITE}/p?id=20451201") is None
        assert date_in(f"{SITE}/p?date=20451201") == date(2045, 12, 1)


class TestChains:
    def test_a_token_that_is_new_on_every_page(self) -> None:
        reached, trap = chained([f"/page?token=a1b2c3d4e5f6a7b8c9d{number:04}" for number in range(500)])
        assert trap is not None
        assert trap.kind is TrapKind.ENDLESS
        assert reached <= BARREN_CHAIN + 2

    def test_long_lists_are_leafed_through(self) -> None:
        assert chained([f"/news?page={number}" for number in range(1, 200)])[1] is None
        assert chained([f"/news/page/{number}" for number in range(1, 200)])[1] is None

    def test_lists_that_bring_articles_go_on_for_ever(self) -> None:
        assert chains(f"{SITE}/news?page=3", Length(900, 900), [f"{SITE}/news?page=4", f"{SITE}/article/9"]) == [
            NO_ROW,
            NO_ROW,
        ]

    def test_lists_that_never_end_do_end(self) -> None:
        reached, trap = chained([f"/empty?page={number}" for number in range(1, 5_000)])
        assert trap is not None
        assert 200 < reached < 300

    @pytest.mark.parametrize("form", ["/list?page={}", "/strip/{}", "/diary?date={}-05-01"])
    def test_pages_that_show_something_else_each_time_are_read_for_long(self, form: str) -> None:
        assert chained([form.format(number) for number in range(1991, 3000)], alike=False)[1] is None

    def test_but_not_for_ever(self) -> None:
        reached, trap = chained([f"/strip/{number}" for number in range(9_000)], alike=False)
        assert trap is not None
        assert trap.kind is TrapKind.ENDLESS
        assert reached == 5_000


class TestPaths:
    @pytest.mark.parametrize(
        "path", ["/a/blog/blog/blog/x", "/a1/b1/a1/b1/a1/b1", "/en/x/en/y/en/z/en/", "/css/css/css"]
    )
    def test_repeated(self, path: str) -> None:
        assert repeated(path) is not None

    @pytest.mark.parametrize("path", ["/01/01/01", "/a/a/a", "/new-york/new-york/hotels", "/en/shop/en/", "/x/", "/"])
    def test_not_repeated(self, path: str) -> None:
        assert repeated(path) is None

    def test_long_and_deep(self) -> None:
        [first, second] = walked(["/" + "x" * 2100, "/" + "/".join(f"s{number}" for number in range(30))])
        assert (first.kind, second.kind) == (TrapKind.LONG, TrapKind.DEEP)


class TestSessions:
    def test_each_page_is_asked_under_one_session(self) -> None:
        urls = [f"/a;jsessionid={number:032X}" for number in range(50)]
        assert len(walked(urls)) == 49
        assert {trap.kind for trap in walked(urls)} == {TrapKind.SESSION}

    def test_pages_known_without_are_not_asked_again(self) -> None:
        watch = TrapWatch(TODAY, known=lambda url: url == f"{SITE}/a?x=1")
        assert walked(["/a?x=1&PHPSESSID=abc123"], watch)[0].kind is TrapKind.SESSION
        assert walked(["/b?x=1&PHPSESSID=abc123"], watch) == []

    def test_asp_net(self) -> None:
        assert without_session(f"{SITE}/(S(abcdefghij0123456789abcd))/a.aspx") == f"{SITE}/a.aspx"

    def test_a_section_is_no_session(self) -> None:
        assert without_session(f"{SITE}/a?sid=12") is None


class TestReturnAddresses:
    def test_a_login_that_remembers_where_one_came_from(self) -> None:
        traps = walked(f"/login?return=%2Fpage%2F{number}" for number in range(500))
        assert len(traps) == 490
        assert traps[0].kind is TrapKind.RETURN

    def test_next_can_be_a_number(self) -> None:
        assert walked(f"/list?next={number}" for number in range(500)) == []


def test_parameters_in_another_order_are_asked_a_few_times_only() -> None:
    urls = [f"/x?{query}" for number in range(100) for query in (f"a={number}&b=1", f"b=1&a={number}")]
    traps = walked(urls)
    assert {trap.kind for trap in traps} == {TrapKind.ORDER}
    assert len(traps) == 90


def test_traps_can_be_walked_into() -> None:
    watch = TrapWatch(TODAY, ignore=[TrapKind.RETURN])
    assert walked((f"/login?return=%2Fpage%2F{number}" for number in range(500)), watch) == []


@pytest.mark.parametrize("part", ["-a", "a1", "a", "/", "a&", "%2C", ";sid=", "/(S(", "2024-", "=1&", "/01", "1"])
def test_hostile_addresses_cost_little(part: str) -> None:
    watch = TrapWatch(TODAY)
    before = time.process_time()
    for head in (f"{SITE}/", f"{SITE}/?x="):
        url = head + part * (8000 // len(part))
        chains(url, Length(3, 3), [url])
        watch.judge(url, url, Length(3, 3))
        watch.accept(url)
    assert time.process_time() - before < 0.3


def test_shapes() -> None:
    assert shape_of(f"{SITE}/a/12?b=7") == f"{SITE}/a/…?b=…"
    assert shape_of(f"{SITE}/a/0b8b9b0e-1111-4222-8333-944444444444") == f"{SITE}/a/…"
    assert shape_of(f"{SITE}/a-long-name-of-an-article") == f"{SITE}/a-long-name-of-an-article"
