"""Sites without end, served: the crawl ends, says why, and asks for little more than the site is worth."""

from __future__ import annotations

from collections.abc import Callable
from itertools import count
from pathlib import Path

import pytest

from tests.workflows.crawled_sites import Crawled, crawled, html
from urlset.testing import PageAnswer, Request, Site

REAL = ("/about", "/contact", "/imprint")
Endless = Callable[[Request], str | None]


def served(endless: Endless, entry: str, tmp_path: Path) -> tuple[Crawled, int]:
    """A small site with a way into endlessness, and the number of requests that cost."""

    def answer(request: Request) -> PageAnswer:
        if request.target == "/":
            return PageAnswer(body=html(*REAL, entry))
        if request.target in REAL:
            return PageAnswer(body=html("/", *REAL))
        body = endless(request)
        return PageAnswer(404) if body is None else PageAnswer(body=body)

    with Site(answer) as site:
        found = crawled(site, tmp_path, max_pages=3_000)
        return found, len(site.log)


def calendar(request: Request) -> str | None:
    parts = request.path.split("/")
    if parts[1] != "cal" or len(parts) != 4:
        return None
    month = int(parts[2]) * 12 + int(parts[3]) - 1
    return html(*(f"/cal/{at // 12:04}/{at % 12 + 1:02}" for at in (month - 1, month + 1)))


def calendar_with_days(request: Request) -> str | None:
    parts = request.path.split("/")
    if parts[1] != "cal":
        return None
    if len(parts) == 5:
        return html(f"/cal/{parts[2]}/{parts[3]}")
    month = int(parts[2]) * 12 + int(parts[3]) - 1
    months = [f"/cal/{at // 12:04}/{at % 12 + 1:02}" for at in (month - 1, month + 1)]
    return html(*months, *(f"/cal/{parts[2]}/{parts[3]}/{day:02}" for day in range(1, 4)))


def facets(request: Request) -> str | None:
    if request.path != "/shop":
        return None
    chosen = dict(piece.split("=") for piece in request.query.split("&") if piece)
    links = []
    for name in ("colour", "size", "brand", "material", "season"):
        for value in "abcd":
            query = "&".join(f"{key}={choice}" for key, choice in sorted({**chosen, name: value}.items()))
            links.append(f"/shop?{query}")
    return html(*links)


def repeating(request: Request) -> str | None:
    return html("en/news/") if request.path.startswith("/en/") else None


def session_in_path() -> Endless:
    numbers = count(1)

    def answer(request: Request) -> str | None:
        if request.path.rpartition("/")[2] not in ("a", "b", "c"):
            return None
        return html(*(f"/(S({next(numbers):024x}))/{name}" for name in "abc"))

    return answer


def fresh_token(request: Request) -> str | None:
    number = int(request.query.partition("=")[2] or "0", 16)
    return (
        html(f"/t?token={(number * 6364136223846793005 + 1442695040888963407) % 2**80:020x}")
        if request.path == "/t"
        else None
    )


def nested_return(request: Request) -> str | None:
    if request.path not in ("/login", "/wall"):
        return None
    quoted = request.target.replace("%", "%25").replace("?", "%3F").replace("/", "%2F").replace("&", "%26")
    return html(f"/login?return={quoted}", f"/wall?return={quoted}")


@pytest.mark.parametrize(
    ("endless", "entry", "kind", "most"),
    [
        (calendar, "/cal/2026/11", "calendar", 120),
        (calendar_with_days, "/cal/2026/11", "calendar", 500),
        (facets, "/shop?colour=a", "facets", 400),
        (repeating, "/en/news/", "repeated-segments", 20),
        (fresh_token, "/t?token=0123456789abcdef0123", "endless-chain", 60),
        (nested_return, "/login?return=%2F", "return-address", 60),
    ],
)
def test_endless_sites(endless: Endless, entry: str, kind: str, most: int, tmp_path: Path) -> None:
    found, requests = served(endless, entry, tmp_path)
    assert kind in {trap.kind for trap in found.report.traps}
    assert requests < most
    assert {*REAL, "/"} <= found.asked()
    assert found.report.ended == "done"
    assert not found.report.completeness.complete
    [trap] = [trap for trap in found.report.traps if trap.kind == kind][:1]
    assert trap.reason
    assert trap.addresses >= 1
    assert any("crawler trap" in reason for reason in found.report.completeness.reasons)


def test_a_new_session_on_every_page_costs_nothing(tmp_path: Path) -> None:
    found, requests = served(session_in_path(), "/(S(0123456789abcdefghijklmn))/a", tmp_path)
    assert requests < 20
    assert {trap.kind for trap in found.report.traps} == {"session-id"}
    assert found.report.completeness.complete  # every page was asked under one of its names
    assert "another session ID" in " ".join(found.report.completeness.apart)


def test_sessions_are_left_out_of_links_where_pages_answer_without(tmp_path: Path) -> None:
    numbers = count(1)

    def answer(request: Request) -> PageAnswer:
        if request.path.startswith("/robots"):
            return PageAnswer(404)
        links = [f"/{name};jsessionid={next(numbers):032X}" for name in "abc"]
        return PageAnswer(body=html(*links, f"/d?PHPSESSID={next(numbers)}&x=1&utm_source=y"))

    with Site(answer) as site:
        found = crawled(site, tmp_path)
    assert found.asked() == {"/", "/a", "/b", "/c", "/d?x=1"}
    assert found.report.completeness.complete
    assert set(found.report.tracking) == {"jsessionid", "phpsessid", "utm_source"}


def test_traps_are_told_once_for_each_place(tmp_path: Path) -> None:
    found, _ = served(facets, "/shop?colour=a", tmp_path)
    [trap] = found.report.traps
    assert trap.place == "/shop?…"
    assert trap.addresses > 50


def test_ordinary_lists_are_leafed_through_to_their_end(tmp_path: Path) -> None:
    def answer(request: Request) -> PageAnswer:
        if request.path == "/robots.txt":
            return PageAnswer(404)
        page = int(request.query.partition("=")[2] or "1")
        links = [f"/item/{page * 2 + number}" for number in range(2)]
        return (
            PageAnswer(body=html(*links, *([f"/?page={page + 1}"] if page < 120 else [])))
            if request.path == "/"
            else PageAnswer(body=html())
        )

    with Site(answer) as site:
        found = crawled(site, tmp_path)
    assert found.report.traps == ()
    assert found.report.completeness.complete
    assert len(found.asked()) == 120 + 240


def test_a_large_flat_shop_is_no_trap(tmp_path: Path) -> None:
    products = [f"/product.php?id={number}" for number in range(600)]

    def answer(request: Request) -> PageAnswer:
        if request.path not in ("/", "/product.php"):
            return PageAnswer(404)
        number = int(request.query.partition("=")[2] or "0")
        return PageAnswer(body=html(*(products if request.path == "/" else products[number : number + 3])))

    with Site(answer) as site:
        found = crawled(site, tmp_path)
    assert found.report.traps == ()
    assert found.report.visited == 601
