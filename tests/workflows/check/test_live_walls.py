"""Sites that fail, refuse or send another page → blocked is not broken, not asked is not missing, nothing hangs."""

from __future__ import annotations

import msgspec
import pytest

from tests.servers.misbehave import BEHAVIOURS, bad_site
from tests.workflows.live_sites import WEB, check, codes, index, messages, names, pages, robots, where, xml
from urlset.findings.card import Severity
from urlset.model.answer import Answer, Failure, FailureKind
from urlset.testing import PageAnswer, Request, Site, redirect
from urlset.workflows.live.discover import USUAL_PLACES
from urlset.workflows.live.harvest import ENOUGH, Refusals

WALLS = ("cloudflare", "cloudflare-503", "cloudflare-block", "akamai", "datadome", "perimeterx", "imperva", "aws")


@pytest.mark.parametrize("wall", WALLS)
def test_bot_protection_in_place_of_a_sitemap_is_unknown_not_broken(wall: str) -> None:
    with bad_site() as site:
        site.routes["/robots.txt"] = robots(f"Sitemap: {site.url('/sitemap.xml')}")
        site.routes["/sitemap.xml"] = site.routes[BEHAVIOURS[f"wall-{wall}"].at]
        verdict = check(site.url("/"))
    assert codes(verdict) == ["R021"]
    assert verdict.severity_counts.get(Severity.ERROR, 0) == 0
    assert len(verdict.troubled) == 1
    assert "challenge" in verdict.troubled[0] or "refusal" in verdict.troubled[0] or "403" in verdict.troubled[0]


def test_the_mark_of_bot_protection_on_a_sitemap_that_came_is_nothing() -> None:
    with Site({}) as site:
        site.routes["/sitemap.xml"] = xml(pages(site.url("/1")), **{"X-DataDome": "protected"})
        verdict = check(site.url("/sitemap.xml"))
    assert verdict.troubled == ()
    assert codes(verdict) == []
    assert names(verdict) == ["sitemap.xml"]


def test_a_challenge_in_place_of_robots_txt_is_no_robots_txt() -> None:
    wall = PageAnswer(body='<!doctype html><iframe id="main-iframe">Incapsula incident ID: 1-2</iframe>')
    with Site(lambda _request: wall) as site:
        verdict = check(site.url("/"))
    assert verdict.documents == ()
    assert codes(verdict, Severity.INFO) == []
    wall_told = "status 200 with an Imperva challenge page"
    reported = f"no sitemap found: robots.txt cannot be read ({wall_told}); {wall_told} at /sitemap.xml"
    assert verdict.troubled == (f"{site.url('/')}: {reported}",)


@pytest.mark.parametrize(
    "target",
    ["http://127.0.0.1:1/", "HTTP://127.0.0.1:1", "http://2130706433:1/", "http://127.0.0.1:1/robots.txt"],
)
def test_a_host_that_is_not_there_is_told_once_and_asked_once(target: str) -> None:
    verdict = check(target, web=msgspec.structs.replace(WEB, tries=1))
    assert verdict.troubled == (f"{target}: connection refused",)
    private = check(target, web=msgspec.structs.replace(WEB, allow_private=False))
    reported = "the address is private: 127.0.0.1 (loopback); --allow-private allows it"
    assert private.troubled == (f"{target}: {reported}",)


@pytest.mark.parametrize("status", [429, 500, 503])
def test_a_server_that_is_not_well_is_not_asked_for_all_the_usual_places(status: int) -> None:
    with Site(lambda _request: PageAnswer(status)) as site:
        verdict = check(site.url("/"), web=msgspec.structs.replace(WEB, tries=1))
    assert [request.path for request in site.log] == ["/robots.txt", "/sitemap.xml"]
    assert verdict.empty == ()
    assert len(verdict.troubled) == 1  # whether there is a sitemap was not found out


def test_a_store_that_forbids_what_it_does_not_have_is_asked_on() -> None:
    with Site(lambda _request: PageAnswer(403)) as site:
        site.routes["/sitemap.txt"] = PageAnswer(body=site.url("/1\n"), type="text/plain", headers={"ETag": '"1"'})
        reported: list[str] = []
        verdict = check(site.url("/"), reported=reported)
    assert names(verdict) == ["sitemap.txt"]
    assert reported[0].startswith(
        f"{site.url('/')}: robots.txt cannot be read (403 Forbidden); found /sitemap.txt after"
    )
    assert [request.path for request in site.log] == ["/robots.txt", *USUAL_PLACES]


def test_a_host_that_refuses_one_child_after_the_other_is_let_alone() -> None:
    children = 40
    with Site(lambda _request: PageAnswer(429)) as site:
        site.routes["/robots.txt"] = robots("User-agent: *")
        site.routes["/index.xml"] = xml(index(*(site.url(f"/{n}.xml") for n in range(children))))
        verdict = check(site.url("/index.xml"), web=msgspec.structs.replace(WEB, tries=1, max_retry_after=0))
        asked = sum(request.path.removesuffix(".xml")[1:].isdigit() for request in site.log)
    assert ENOUGH <= asked < children
    assert verdict.counts["R029"] == asked  # pages that were not requested are unknown
    assert "I010" not in verdict.counts
    more = f"{children - asked - 5} more sitemaps named in {site.url('/index.xml')}: not requested, because other"
    assert verdict.troubled[-1] == f"{more} requests to the host failed: 429 Too Many Requests"


def test_only_refusals_in_a_row_count() -> None:
    refusals = Refusals()
    refused = Answer("https://a.example/x", failure=Failure(FailureKind.CONNECT_TIMEOUT))
    for number in range(3 * ENOUGH):
        sound = number % ENOUGH == 0
        refusals.note(Answer("https://a.example/y", status=404) if sound else refused)
        assert refusals.instead_of("https://a.example/z") is None
    refusals.note(refused)
    refusals.note(refused)
    instead = refusals.instead_of("https://a.example/z")
    assert instead is not None
    assert (instead.url, instead.tries) == ("https://a.example/z", 0)
    assert refusals.instead_of("https://b.example/z") is None


def test_what_cost_no_request_is_no_refusal() -> None:
    refusals = Refusals()
    for _ in range(3 * ENOUGH):
        refusals.note(Answer("https://a.example/x", failure=Failure(FailureKind.NOT_RECORDED)))
    assert refusals.instead_of("https://a.example/z") is None


def test_a_redirect_to_a_page_is_not_an_address_to_name() -> None:
    with Site({"/": "<!doctype html><title>Home</title>"}) as site:
        u = site.url
        site.routes["/robots.txt"] = robots(f"Sitemap: {u('/s.xml')}", f"Sitemap: {u('/index.xml')}")
        site.routes["/s.xml"] = redirect("/", 302)
        site.routes["/index.xml"] = xml(index(u("/c.xml")))
        site.routes["/c.xml"] = redirect("/home.html", 302)
        site.routes["/home.html"] = "<!doctype html><title>Home</title>"
        verdict = check(u("/"))
    assert codes(verdict) == ["I011", "X021", "X021"]


def test_where_a_redirect_failed_is_told() -> None:
    with Site({"/s.xml": redirect("/t.xml")}) as site:
        site.routes["/robots.txt"] = robots(f"Sitemap: {site.url('/s.xml')}")
        verdict = check(site.url("/"))
    reported = f"404 Not Found at '{site.url('/t.xml')}' after a redirect"
    assert messages(verdict, "R004") == [f"could not fetch '{site.url('/s.xml')}': {reported}"]


@pytest.mark.parametrize(
    ("status", "reported"), [(301, "301 Moved Permanently, a redirect without a target"), (999, "status 999")]
)
def test_a_bare_status_is_a_sentence(status: int, reported: str) -> None:
    with Site({"/s.xml": PageAnswer(status)}) as site:
        verdict = check(site.url("/s.xml"))
    assert verdict.troubled == (f"{site.url('/s.xml')}: {reported}",)


def test_each_step_of_a_circle_of_indexes_is_found() -> None:
    with Site({}) as site:
        u = site.url
        site.routes["/a.xml"] = xml(index(u("/b.xml")))
        site.routes["/b.xml"] = xml(index(u("/a.xml"), u("/c.xml")))
        site.routes["/c.xml"] = xml(pages(u("/1")))
        verdict = check(u("/a.xml"))
        paths = [request.path for request in site.log]
    assert where(verdict, "I005") == [("a.xml", 3), ("b.xml", 3)]
    assert sorted(paths) == ["/a.xml", "/b.xml", "/c.xml", "/robots.txt"]


@pytest.mark.parametrize(
    ("lastmod", "modified", "age", "expected"),
    [
        ("2026-11-10", "Sun, 01 Nov 2026 08:00:00 GMT", None, 1),
        ("2026-11-10T00:00:00Z", "Sun, 08 Nov 2026 23:00:00 GMT", None, 1),
        ("2026-11-10", "Mon, 09 Nov 2026 08:00:00 GMT", None, 0),
        ("2026-11-10", "Tue, 10 Nov 2026 08:00:00 GMT", None, 0),
        ("2026-11-10", "Sat, 14 Nov 2026 08:00:00 GMT", None, 0),
        ("2026-11-10", "Sun, 01 Nov 2026 08:00:00 GMT", "86400", 0),
        ("2026-11-10", "Thu, 01 Jan 1970 00:00:01 GMT", None, 0),
        ("2026-11-10", "yesterday", None, 0),
        ("2026", "Sun, 01 Nov 2026 08:00:00 GMT", None, 0),
        ("2027-11-10", "Sun, 01 Nov 2026 08:00:00 GMT", None, 0),
        ("nonsense", "Sun, 01 Nov 2026 08:00:00 GMT", None, 0),
    ],
)
def test_an_index_date_later_than_the_file_itself(lastmod: str, modified: str, age: str | None, expected: int) -> None:
    def listed(request: Request) -> PageAnswer:
        body = index(f"{request.origin}/a.xml")
        return xml(body.replace(b"</loc>", f"</loc><lastmod>{lastmod}</lastmod>".encode()))

    headers = {"Last-Modified": modified, **({"Age": age} if age else {})}
    with Site({"/index.xml": listed}) as site:
        site.routes["/a.xml"] = xml(pages(site.url("/1")), **headers)
        verdict = check(site.url("/index.xml"))
    found = [each for each in verdict.findings if each.code == "I015"]
    assert len(found) == expected
    assert all(each.severity is Severity.INFO and each.source.endswith("/index.xml") for each in found)


def test_an_index_date_that_is_the_newest_inside_is_sound_whatever_the_server_says() -> None:
    def listed(request: Request) -> PageAnswer:
        body = index(f"{request.origin}/a.xml")
        return xml(body.replace(b"</loc>", b"</loc><lastmod>2026-11-10</lastmod>"))

    with Site({"/index.xml": listed}) as site:
        body = pages(site.url("/1")).replace(b"</loc>", b"</loc><lastmod>2026-11-10</lastmod>")
        site.routes["/a.xml"] = xml(body, **{"Last-Modified": "Sun, 01 Nov 2026 08:00:00 GMT"})
        verdict = check(site.url("/index.xml"))
    assert messages(verdict, "I015") == []
