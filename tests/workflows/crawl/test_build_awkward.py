"""`urlset build URL` on awkward sites: traps, logins, patterns, canonicals that go in a circle."""

from __future__ import annotations

import calendar
import shlex
from pathlib import Path
from typing import Any

import pytest

from tests.cli.commands import run
from tests.workflows.crawled_sites import QUICK, html
from urlset.reading.read import read
from urlset.settings.build import BuildSettings
from urlset.settings.crawl import CrawlSettings
from urlset.testing import PageAnswer, Request, Routes, Site
from urlset.workflows.build.crawl import build_from_web

EVENTS = {(2026, 12): "/event/fair", (2025, 3): "/event/spring"}


class Awkward:
    """A small site beside a calendar without end, sessions in a row, filters, a login and repeated folders."""

    def __call__(self, request: Request) -> PageAnswer:
        path, target = request.path, request.target
        if target == "/":
            links = ("/about", "/cal/2026/11", "/sess?sid=1a", "/shop?colour=a", "/wall?go=1", "/en/news/", "/pages/1")
            return PageAnswer(body=html(*links, title="Home"))
        if path == "/about":
            return PageAnswer(body=html("/", "/event/fair", title="About"))
        if path.startswith("/event/"):
            return PageAnswer(body=html("/", title=f"Event {path}"))
        if path.startswith("/cal/"):
            return PageAnswer(body=_calendar(path))
        if path == "/sess":
            return PageAnswer(body=html(f"/sess?sid={int(request.query[4:-1]) + 1}a", title="Session"))
        if path == "/shop":
            return PageAnswer(body=_shop(request.query))
        if path in ("/wall", "/login"):
            quoted = target.replace("%", "%25").replace("?", "%3F").replace("/", "%2F").replace("&", "%26")
            return PageAnswer(body=html(f"/login?next={quoted}", f"/wall?return={quoted}", title="Wall"))
        if path.startswith("/en/"):
            return PageAnswer(body=html("en/news/", title="News"))
        if path.startswith("/pages/"):
            return PageAnswer(body=_story(int(path.rpartition("/")[2])))
        return PageAnswer(404)


def _calendar(path: str) -> str:
    _, _, year, month, *day = path.split("/")
    if day:
        return html(f"/cal/{year}/{month}", title="Day")
    at = int(year) * 12 + int(month) - 1
    months = [f"/cal/{each // 12:04}/{each % 12 + 1:02}" for each in (at - 1, at + 1)]
    event = EVENTS.get((int(year), int(month)))
    days = calendar.month(int(year), int(month))
    return html(
        *months, f"/cal/{year}/{month}/01", *([event] if event else []), title="Calendar", body=f"<pre>{days}</pre>"
    )


def _shop(query: str) -> str:
    chosen = dict(piece.split("=") for piece in query.split("&") if piece)
    names = ("colour", "size", "brand", "material", "season")
    queries = (sorted({**chosen, name: value}.items()) for name in names for value in "abcd")
    return html(*(f"/shop?{'&'.join(f'{key}={value}' for key, value in each)}" for each in queries), title="Shop")


def _story(number: int) -> str:
    """A row of pages with nothing new to follow, and each with a text of its own."""
    own = " ".join(f"word{number}x{at}" for at in range(80))
    return html(*([f"/pages/{number + 1}"] if number < 60 else []), title="Story", body=f"<p>{own}</p>")


class Built:
    def __init__(self, home: Path, site: Site, *more: object) -> None:
        self.home, self.site = home, site
        self.ran = run(
            "build", site.url("/"), "--allow-private", "--out", home / "out", "--state", home / "state", *more
        )
        assert self.ran.code == 0, self.ran.err
        self.output = self.ran.out.decode()

    @property
    def asked(self) -> set[str]:
        return {request.target for request in self.site.log}

    @property
    def listed(self) -> set[str]:
        entries = read(self.home / "out" / "sitemap.xml").entries()
        return {(entry.loc or "").removeprefix(self.site.origin) for entry in entries}

    def explained(self, path: str) -> str:
        return run("explain", self.site.url(path), "--state", self.home / "state").out.decode()


@pytest.fixture(scope="module")
def awkward(tmp_path_factory: pytest.TempPathFactory) -> Any:
    with Site(Awkward()) as site:
        yield Built(tmp_path_factory.mktemp("awkward"), site)


def test_what_was_visited_inside_a_trap_is_not_listed(awkward: Built) -> None:
    listed = awkward.listed
    assert {path for path in listed if path.startswith("/sess")} == {"/sess?sid=1a"}
    assert {path for path in listed if path.startswith("/login") or "return=" in path} == set()
    assert {path for path in listed if path.startswith("/en/")} == {"/en/news/"}
    assert all(path.count("=") == 1 for path in listed if path.startswith("/shop"))
    assert "excluded   " in awkward.output
    assert " endless: " in awkward.output


def test_of_a_calendar_the_months_that_show_something_stay(awkward: Built) -> None:
    months = {path for path in awkward.listed if path.startswith("/cal/") and path.count("/") == 3}
    assert {"/cal/2026/11", "/cal/2026/12", "/cal/2025/03"} <= months
    assert len(months) < 8
    assert len([path for path in awkward.asked if path.startswith("/cal/")]) > 80


def test_pages_on_the_way_stay(awkward: Built) -> None:
    single = {f"/shop?{name}={value}" for name in ("colour", "size", "brand", "material", "season") for value in "abcd"}
    stays = {
        "/",
        "/about",
        "/event/fair",
        "/event/spring",
        "/wall?go=1",
        *(f"/pages/{number}" for number in range(1, 41)),
    }
    assert stays <= awkward.listed
    assert {"/shop?colour=a"} <= awkward.listed & single


def test_the_reason_can_be_asked_for(awkward: Built) -> None:
    assert "endless: endless-chain: 40 consecutive pages" in awkward.explained("/sess?sid=20a")
    assert "endless: calendar: " in awkward.explained("/cal/2027/05")
    assert "endless: facets: ever-growing filter combinations" in awkward.explained("/shop?brand=a&colour=a")
    assert "is listed" in awkward.explained("/cal/2026/12")


def test_a_second_build_changes_nothing(awkward: Built) -> None:
    assert "nothing changed" in Built(awkward.home, awkward.site).output


def test_they_can_be_kept(tmp_path: Path) -> None:
    with Site(Awkward()) as site:
        assert "/sess?sid=20a" in Built(tmp_path, site, "--keep", "endless").listed


@pytest.mark.parametrize("form", ["jsonl", "csv"])
def test_a_crawl_in_a_file_lists_the_same(form: str, awkward: Built, tmp_path: Path) -> None:
    url, file, out = awkward.site.url("/"), tmp_path / f"pages.{form}", tmp_path / "out"
    assert run("crawl", url, "--allow-private", "--state", tmp_path / "a", "--out", file).code == 0
    assert run("build", file, "--base-url", url, "--out", out, "--state", tmp_path / "b").code == 0
    assert (out / "sitemap.xml").read_bytes() == (awkward.home / "out" / "sitemap.xml").read_bytes()


def test_the_advice_of_a_crawl_names_patterns_that_keep_out_of_its_traps(tmp_path: Path) -> None:
    with Site(Awkward()) as site:
        first = run("crawl", site.url("/"), "--allow-private", "--state", tmp_path)
        advice = next(line for line in first.out.decode().splitlines() if "--exclude" in line)
        patterns = shlex.split(advice.removeprefix("next: ").partition(" skips the URLs")[0])
        assert "/shop?*&*" in patterns
        assert "/sess?sid=*" in patterns
        assert "re:^https?://[^/]+/cal/[0-9]+/[0-9]+$" in patterns
        asked = len(site.log)
        second = run("crawl", site.url("/"), "--allow-private", "--state", tmp_path, *patterns)
        assert len(site.log) - asked < asked / 2
        assert b"endless" not in second.out
        assert b"\ncomplete" in second.out


def routes() -> Routes:
    return {
        "/": html("/shop/", "/old/", "/a", "/b", title="Home"),
        "/shop/": html("/shop/1", title="Shop"),
        "/shop/1": html(title="One"),
        "/old/": html("/old/1", "/only-from-old", title="Old"),
        "/old/1": html(title="Old 1"),
        "/only-from-old": html(title="Behind"),
        "/a": html(title="A", head="<link rel=canonical href=/b>"),
        "/b": html(title="B", head="<link rel=canonical href=/a>"),
    }


def test_what_is_excluded_is_not_asked_for(tmp_path: Path) -> None:
    with Site(routes()) as site:
        built = Built(tmp_path, site, "--exclude", "/old/*")
        assert "/old/" not in built.asked
        assert "/only-from-old" not in built.asked  # as for `urlset crawl --exclude`
        assert built.listed == {"/", "/shop/", "/shop/1", "/a"}
        assert "excluded: /old/*" in built.explained("/old/")
        assert "1 excluded: " in built.output


def test_what_only_the_crawl_was_told_to_leave_out_is_not_listed_unseen(tmp_path: Path) -> None:
    with Site(routes()) as site:
        options = BuildSettings(out=tmp_path / "out", state=tmp_path / "state")
        build_from_web(options, CrawlSettings(url=site.url("/"), state=tmp_path, web=QUICK, exclude=("/old/*",)))
        text = (tmp_path / "out" / "sitemap.xml").read_text()
    assert "/shop/1" in text
    assert "/old/" not in text


def test_what_is_not_included_is_walked_through(tmp_path: Path) -> None:
    with Site(routes()) as site:
        assert Built(tmp_path, site, "--include", "/shop/?*", "--include", "/shop/1").listed == {"/shop/1"}


def test_one_of_two_pages_that_name_each_other_stays(tmp_path: Path) -> None:
    with Site(routes()) as site:
        built = Built(tmp_path, site)
        assert built.listed & {"/a", "/b"} == {"/a"}
        assert f"canonicals form a loop: {site.url('/a')} is listed, {site.url('/b')} is not" in built.output
        assert "not-canonical" in built.explained("/b")
