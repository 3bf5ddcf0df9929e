"""Sites on loopback → one verdict: discovery, indexes, what is missing, blocked, redirected or forbidden."""

from __future__ import annotations

import gzip
from pathlib import Path

import msgspec
import pytest

from tests.workflows.live_sites import (
    WEB,
    check,
    codes,
    index,
    messages,
    names,
    pages,
    recorded,
    robots,
    where,
    xml,
)
from urlset.checking.context import Thresholds
from urlset.findings.card import Severity
from urlset.model.document import Kind
from urlset.reports.format import TEXT, ReportOptions, reporter
from urlset.testing import PageAnswer, Raw, Site, redirect
from urlset.web.options import WebOptions
from urlset.workflows import check_live
from urlset.workflows.live.discover import USUAL_PLACES


def test_a_site_through_its_robots_txt() -> None:
    with Site({}) as site:
        u = site.url
        site.routes.update(
            {
                "/robots.txt": robots(
                    "User-agent: *", "Disallow:", f"Sitemap: {u('/a.xml')}", f"Sitemap: {u('/b.xml')}"
                ),
                "/a.xml": xml(pages(u("/1"))),
                "/b.xml": xml(pages(u("/2#top"))),
            }
        )
        verdict = check(u("/"))
    assert [document.source for document in verdict.documents] == [u("/robots.txt"), u("/a.xml"), u("/b.xml")]
    assert [document.url for document in verdict.documents] == [document.source for document in verdict.documents]
    assert codes(verdict) == ["L013"]
    assert where(verdict, "L013") == [("b.xml", 3)]
    assert verdict.troubled == ()
    assert [request.path for request in site.log] == ["/robots.txt", "/a.xml", "/b.xml"]


def test_where_robots_txt_names_none_the_usual_places_are_tried_in_order() -> None:
    reported: list[str] = []
    with Site({"/robots.txt": robots("User-agent: *", "Disallow:")}) as site:
        site.routes["/sitemap-index.xml"] = xml(index(site.url("/a.xml")))
        site.routes["/sitemap.xml"] = PageAnswer(body="<!doctype html><p>Nothing here</p>")
        site.routes["/a.xml"] = xml(pages(site.url("/1")))
        verdict = check(site.url("/"), reported=reported)
    assert names(verdict) == ["robots.txt", "sitemap-index.xml", "a.xml"]
    assert [request.path for request in site.log] == ["/robots.txt", *USUAL_PLACES[:3], "/a.xml"]
    assert codes(verdict) == []
    tried = "not a sitemap at /sitemap.xml, 404 Not Found at /sitemap_index.xml"
    assert reported == [f"{site.url('/')}: robots.txt lists no sitemap; found /sitemap-index.xml after {tried}"]


def test_nothing_anywhere_is_told_with_all_that_was_tried() -> None:
    with Site({}) as site:
        verdict = check(site.url("/"))
    assert verdict.troubled == ()
    tried = f"404 Not Found at {', '.join(USUAL_PLACES[:3])} and {len(USUAL_PLACES) - 3} more"
    assert verdict.empty == (f"{site.url('/')}: no sitemap found: no robots.txt; {tried}",)
    assert [request.path for request in site.log] == ["/robots.txt", *USUAL_PLACES]
    assert codes(verdict, Severity.INFO) == ["R008"]


def test_a_page_stands_for_its_site_and_a_page_in_place_of_a_sitemap_does_not() -> None:
    html = PageAnswer(body="<!doctype html><title>Hello</title>")
    with Site({"/about": html, "/sitemap.xml": html}) as site:
        site.routes["/robots.txt"] = robots(f"Sitemap: {site.url('/a.xml')}")
        site.routes["/a.xml"] = xml(pages(site.url("/1")))
        assert names(check(site.url("/about"))) == ["robots.txt", "a.xml"]
        assert "X021" in codes(check(site.url("/sitemap.xml")))
        assert names(check(site.url("/robots.txt"))) == ["robots.txt", "a.xml"]


def test_one_missing_one_redirected_one_blocked_one_locked() -> None:
    with Site({}) as site:
        u = site.url
        named = ("gone.xml", "old.xml", "blocked.xml", "locked.xml", "broken.xml")
        site.routes.update(
            {
                "/robots.txt": robots(*(f"Sitemap: {u('/' + name)}" for name in named)),
                "/gone.xml": PageAnswer(410),
                "/old.xml": redirect(u("/new.xml")),
                "/new.xml": xml(pages(u("/1"))),
                "/blocked.xml": PageAnswer(403, body="no"),
                "/locked.xml": PageAnswer(401, headers={"WWW-Authenticate": "Basic"}),
                "/broken.xml": PageAnswer(500),
            }
        )
        verdict = check(u("/"))
    assert names(verdict) == ["robots.txt", "old.xml"]
    assert where(verdict, "R004") == [("robots.txt", 1), ("robots.txt", 5)]
    assert where(verdict, "R023") == [("robots.txt", 2)]
    assert [(each.line, each.severity) for each in verdict.findings if each.code == "R021"] == [
        (3, Severity.WARNING),
        (4, Severity.ERROR),
    ]
    assert verdict.troubled == (f"{u('/blocked.xml')} (named in {u('/robots.txt')}): 403 Forbidden",)


def test_a_challenge_is_no_broken_sitemap() -> None:
    with Site({"/sitemap.xml": PageAnswer(503, body="Just a moment", headers={"cf-mitigated": "challenge"})}) as site:
        verdict = check(site.url("/sitemap.xml"))
    assert codes(verdict) == ["R021"]
    assert "check with the engines' own tools" in messages(verdict, "R021")[0]
    assert len(verdict.troubled) == 1


def test_a_login_page_in_place_of_the_sitemap() -> None:
    with Site({"/login": "<!doctype html><title>Login</title>"}) as site:
        site.routes["/sitemap.xml"] = redirect(site.url("/login"), 302)
        verdict = check(site.url("/sitemap.xml"))
    assert {"R021", "X021"} <= set(codes(verdict))
    assert "R023" not in codes(verdict)


def test_no_answer_is_inconclusive_and_no_finding() -> None:
    with Site({}) as site:
        site.routes["/robots.txt"] = robots(f"Sitemap: {site.url('/cut.xml')}", "Sitemap: http://127.0.0.1:1/a.xml")
        site.routes["/cut.xml"] = Raw([b"HTTP/1.1 200 OK\r\nContent-Length: 999\r\n\r\n<urlset"])
        verdict = check(site.url("/"), web=msgspec.structs.replace(WEB, private_hosts=frozenset({"127.0.0.1:1"})))
    assert codes(verdict) == []
    assert len(verdict.troubled) == 2
    assert "shorter than Content-Length" in verdict.troubled[0] + verdict.troubled[1]
    assert "connection refused" in verdict.troubled[0] + verdict.troubled[1]


def test_a_private_address_is_not_fetched_unless_asked_for() -> None:
    verdict = check("http://127.0.0.1:1/sitemap.xml", web=WebOptions())
    assert len(verdict.troubled) == 1
    assert "--allow-private" in verdict.troubled[0]
    assert verdict.documents == ()


def test_an_index_with_circles_copies_and_all_kinds_of_children() -> None:
    with Site({}) as site:
        u = site.url
        locs = ("/a.xml", "/lost.xml", "/index.xml", "/moved.xml", "/deeper.xml", "/list.txt", "/a.xml#x", "/b.xml.gz")
        site.routes.update(
            {
                "/index.xml": xml(index(*(u(path) for path in locs), "relative.xml")),
                "/a.xml": xml(pages(u("/1"))),
                "/moved.xml": redirect("/new.xml"),
                "/new.xml": xml(pages(u("/2"))),
                "/deeper.xml": xml(index(u("/index.xml"), u("/again.xml"))),
                "/again.xml": redirect(u("/index.xml")),
                "/list.txt": f"{u('/4')}\n",
                "/b.xml.gz": PageAnswer(
                    body=gzip.compress(pages(u("/5"))), type="application/gzip", headers={"ETag": "1"}
                ),
                "/relative.xml": xml(pages(u("/6"))),
            }
        )
        verdict = check(u("/index.xml"))
        asked = [request.path for request in site.log]
    assert names(verdict) == ["index.xml", "a.xml", "moved.xml", "deeper.xml", "list.txt", "b.xml.gz", "relative.xml"]
    assert [document.url for document in verdict.documents if document.source == u("/moved.xml")] == [u("/new.xml")]
    assert where(verdict, "I010") == [("index.xml", 4)]
    assert where(verdict, "I017") == [("deeper.xml", 4), ("index.xml", 6)] or where(verdict, "I017") == [
        ("index.xml", 6),
        ("deeper.xml", 4),
    ]
    assert where(verdict, "I005") == [("index.xml", 7), ("deeper.xml", 3)]
    assert "I016" in codes(verdict)
    assert verdict.troubled == ()
    assert asked.count("/index.xml") == 2, "once by itself, once at the end of a redirect"
    assert asked.count("/a.xml") == 1


def test_indexes_end_at_a_depth() -> None:
    def deeper(request: object) -> PageAnswer:
        number = int(getattr(request, "query", "") or 0)
        return xml(index(f"{getattr(request, 'origin', '')}/index.xml?{number + 1}"))

    with Site({"/index.xml": deeper}) as site:
        verdict = check(site.url("/index.xml"))
    assert len(verdict.documents) == 9
    assert messages(verdict, "I010") == []  # nobody looked whether it is there
    last = site.url("/index.xml?8")
    assert verdict.troubled == (f"{last}: its child was not read: indexes nested more than 8 deep",)


def test_a_limit_on_files() -> None:
    with Site(lambda request: xml(pages(f"{request.origin}{request.path}/"))) as site:
        site.routes["/index.xml"] = xml(index(*(site.url(f"/{n}.xml") for n in range(20))))
        verdict = check(site.url("/index.xml"), max_files=5)
    assert verdict.troubled == ("stopped after 5 files, 16 more sitemaps listed: raise --max-files",)


@pytest.mark.parametrize(
    ("path", "page", "expected"),
    [
        ("/s.xml.gz", PageAnswer(body=gzip.compress(pages("{}")), type="application/gzip"), []),
        ("/s.xml.gz", PageAnswer(body=pages("{}"), type="application/xml", gzip=True), ["X024"]),
        ("/s.xml.gz", PageAnswer(body=gzip.compress(pages("{}")), type="application/gzip", gzip=True), ["X024"]),
        ("/s.xml", PageAnswer(body=pages("{}"), type="application/xml", gzip=True), []),
        ("/s.xml", PageAnswer(body=gzip.compress(pages("{}")), type="application/gzip"), ["X017"]),
        ("/s.xml.gz", PageAnswer(body=gzip.compress(gzip.compress(pages("{}"))), type="application/gzip"), ["X020"]),
        ("/s.xml", PageAnswer(body=pages("{}"), type="text/html; charset=utf-8"), ["X023"]),
        ("/s.xml", PageAnswer(body=pages("{}"), type=None), []),
    ],
    ids=["gz", "gz-encoded", "gz-twice", "encoded", "gz-called-xml", "gzip-in-gzip", "html-type", "no-type"],
)
def test_compression_and_type(path: str, page: PageAnswer, expected: list[str]) -> None:
    with Site({path: page}) as site:
        verdict = check(site.url(path), ignore=("L",))
    assert codes(verdict) == expected
    assert verdict.documents[-1].entries == 1


def test_a_slow_sitemap_is_told_to_those_who_ask_for_yandex() -> None:
    with Site({}) as site:
        site.routes["/s.xml"] = PageAnswer(body=pages(site.url("/1")), type="text/xml", pause=0.2)
        slow = check(
            site.url("/s.xml"), select=("R022",), engines=("yandex",), thresholds=Thresholds(slow_sitemap_seconds=0.1)
        )
        patient = check(site.url("/s.xml"), select=("R022",), engines=("yandex",))
    assert codes(slow) == ["R022"]
    assert "times out after 0.1 s" in messages(slow, "R022")[0]
    assert codes(patient) == []


def test_a_sitemap_that_robots_txt_forbids() -> None:
    with Site({}) as site:
        u = site.url
        site.routes.update(
            {
                "/robots.txt": robots(f"Sitemap: {u('/maps/index.xml')}", "User-agent: *", "Disallow: /maps/"),
                "/maps/index.xml": xml(index(u("/maps/a.xml"))),
                "/maps/a.xml": xml(pages(u("/maps/1"))),
            }
        )
        verdict = check(u("/"), select=("R005", "I018"))
        agent = check(u("/"), select=("R005",), engines=("google",))
    assert where(verdict, "R005") == [("robots.txt", 3)]
    assert where(verdict, "I018") == [("index.xml", 3)]
    assert "all crawlers are blocked by 'Disallow: /maps/'" in messages(verdict, "R005")[0]
    assert "Googlebot is blocked" in messages(agent, "R005")[0]


def test_a_noindex_on_the_sitemap_itself_is_no_finding() -> None:
    with Site({}) as site:
        site.routes["/robots.txt"] = robots("User-agent: *", "Disallow:", f"Sitemap: {site.url('/s.xml')}")
        site.routes["/s.xml"] = PageAnswer(
            body=pages(site.url("/1")), type="application/xml", headers={"ETag": "1", "X-Robots-Tag": "noindex"}
        )
        verdict = check(site.url("/"))
    assert codes(verdict) == []
    assert not any("noindex" in each.message for each in verdict.findings)


def test_a_sitemap_over_the_limit_is_read_up_to_it() -> None:
    with Site({}) as site:
        body = pages(site.url("/1"), site.url("/2")).replace(b"\n</urlset>", b"\n" * 52_428_800 + b"</urlset>")
        site.routes["/s.xml"] = xml(body)
        verdict = check(site.url("/s.xml"), select=("S", "X001", "X019"))
    assert codes(verdict) == ["S008", "X019"]
    assert "at least 52,428,801 bytes" in messages(verdict, "S008")[0]
    assert verdict.documents[-1].entries == 2


def test_what_was_let_go_to_save_room_is_told_without_a_place(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(check_live.Spools.__init__, "__defaults__", (0,))
    with Site({}) as site:
        site.routes["/index.xml"] = xml(index(site.url("/a.xml"), site.url("/b.xml"), site.url("/gone.xml")))
        site.routes.update({f"/{name}.xml": xml(pages(site.url("/same"))) for name in "ab"})
        verdict = check(site.url("/index.xml"))
    assert where(verdict, "L021") == [("b.xml", None)]
    assert where(verdict, "I010") == [("index.xml", 5)], "indexes are always kept"


def test_robots_txt_is_asked_for_once_in_a_run() -> None:
    with Site({"/robots.txt": robots("User-agent: *", "Disallow: /x")}) as site:
        site.routes["/index.xml"] = xml(index(*(site.url(f"/{n}.xml") for n in range(9))))
        site.routes.update({f"/{n}.xml": xml(pages(site.url(f"/{n}"))) for n in range(9)})
        verdict = check(site.url("/index.xml"), site.url("/3.xml"))
    assert len(verdict.documents) == 11
    assert [request.path for request in site.log].count("/robots.txt") == 1


@pytest.mark.parametrize(
    ("answer", "expected"),
    [
        (PageAnswer(503), ["R007"]),
        (PageAnswer(404), ["R008"]),
        (PageAnswer(403), ["R008"]),
        (PageAnswer(200, body=""), ["R001"]),
    ],
)
def test_robots_txt_itself(answer: PageAnswer, expected: list[str]) -> None:
    with Site({"/robots.txt": answer}) as site:
        site.routes["/s.xml"] = xml(pages(site.url("/1")))
        verdict = check(site.url("/s.xml"), select=("R",))
    assert codes(verdict, Severity.INFO) == expected
    assert verdict.documents[-1].kind == Kind.URLSET


def test_robots_txt_behind_too_many_redirects() -> None:
    with Site({f"/r{n}": redirect(f"/r{n + 1}") for n in range(9)}) as site:
        site.routes["/robots.txt"] = redirect("/r0")
        site.routes["/s.xml"] = xml(pages(site.url("/1")))
        verdict = check(site.url("/s.xml"))
    assert codes(verdict) == ["R009"]
    assert verdict.troubled == ()


CROSS: dict[str, bytes | str | int] = {
    "https://a.com/robots.txt": b"Sitemap: https://a.com/index.xml\n",
    "https://a.com/index.xml": index("https://a.com/b.xml", "https://maps.net/c.xml"),
    "https://a.com/b.xml": pages("https://b.com/1", "https://b.com/2"),
    "https://maps.net/c.xml": pages("https://maps.net/1"),
}


def test_other_hosts_count_only_where_their_robots_txt_names_the_sitemap(tmp_path: Path) -> None:
    silent = CROSS | {"https://b.com/robots.txt": b"User-agent: *\n", "https://maps.net/robots.txt": 404}
    web = recorded(tmp_path / "silent.jsonl", silent)
    verdict = check("https://a.com/", web=web, select=("L015", "I006"))
    assert where(verdict, "L015") == [("b.xml", 3)]
    assert where(verdict, "I006") == [("index.xml", 4)]

    by_index: dict[str, bytes | str | int] = {
        "https://b.com/robots.txt": b"Sitemap: https://a.com/index.xml\n",
        "https://maps.net/robots.txt": b"sitemap: HTTPS://A.com/index.xml\n",
    }
    web = recorded(tmp_path / "vouched.jsonl", CROSS | by_index)
    assert codes(check("https://a.com/", web=web, select=("L015", "I006"))) == []


@pytest.mark.parametrize(("named", "severities"), [("maps/index.xml", {"info": 1}), ("other.xml", {"error": 1})])
def test_a_folder_of_sitemaps_is_in_order_where_robots_txt_names_its_index(
    tmp_path: Path, named: str, severities: dict[str, int]
) -> None:
    site: dict[str, bytes | str | int] = {
        "https://a.com/robots.txt": f"Sitemap: https://a.com/{named}\n".encode(),
        "https://a.com/maps/index.xml": index("https://a.com/maps/b.xml"),
        "https://a.com/maps/b.xml": pages("https://a.com/1", "https://a.com/2"),
    }
    web = recorded(tmp_path / "site.jsonl", site)
    verdict = check("https://a.com/maps/index.xml", web=web, select=("L018",))
    assert verdict.severity_counts == severities


def test_other_hosts_are_asked_only_when_needed() -> None:
    with Site({}) as site:
        site.routes["/s.xml"] = xml(pages(site.url("/1"), "http://elsewhere.invalid/"))
        verdict = check(site.url("/s.xml"), select=("D",))
    assert verdict.troubled == ()
    assert verdict.counts == {}


def test_every_format_and_comments_that_silence() -> None:
    with Site({}) as site:
        quiet = pages(site.url("/1")).replace(b"<url>", b"<!-- urlset: ignore-file X023 --><url>", 1)
        site.routes["/s.xml"] = PageAnswer(body=quiet, type="text/html")
        site.routes["/t.xml"] = PageAnswer(body=pages(site.url("/\x1b[31m2")), type="text/html")
        verdict = check(site.url("/s.xml"), site.url("/t.xml"))
    assert where(verdict, "X023") == [("t.xml", None)]
    assert [(each.code, each.count) for each in verdict.suppressed if each.code == "X023"] == [("X023", 1)]
    for form in TEXT:
        text = "".join(reporter(form)(verdict, ReportOptions()))
        assert "\x1b" not in text
        assert site.url("/t.xml") in text or form in ("junit", "gitlab", "sarif", "github"), form


def test_a_recording_is_replayed_without_a_network(tmp_path: Path) -> None:
    with Site({}) as site:
        site.routes["/robots.txt"] = robots(f"Sitemap: {site.url('/s.xml')}", f"Sitemap: {site.url('/gone.xml')}")
        site.routes["/s.xml"] = xml(pages(site.url("/1#x")))
        first = check(site.url("/"), web=WebOptions(allow_private=True, record=tmp_path / "r.jsonl"))
    again = check(site.url("/"), web=WebOptions(allow_private=True, replay=tmp_path / "r.jsonl"))
    assert again == first
    assert codes(first) == ["L013", "R004"]
