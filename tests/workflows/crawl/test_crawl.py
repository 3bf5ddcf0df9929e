"""Crawls of real sites on loopback: which links are followed, what is left out and why, and whether that was all."""

from __future__ import annotations

import threading
from pathlib import Path
from typing import ClassVar, Literal

import msgspec
import pytest

from tests.workflows.crawled_sites import QUICK, crawled, html
from urlset.reading import html as html_reading
from urlset.testing import PageAnswer, Raw, Request, Routes, Site, redirect
from urlset.web.options import WebOptions
from urlset.workflows import crawl_pages

EMPTY = html()


class TestLinks:
    def test_of_all_kinds(self, tmp_path: Path) -> None:
        routes: Routes = {
            "/": html(
                "/absolute",
                "relative",
                "./dotted",
                "?query=1",
                '<map><area href="/area"></map>',
                '<a href=" /padded ">x</a>',
                '<a href="/escaped?a=1&amp;b=2">x</a>',
                '<a href="/fragment#part">x</a>',
                '<a href="#top">x</a>',
                "mailto:a@b.example",
                "javascript:void(0)",
                "data:text/html,x",
                "https://other.example/",
                head='<link rel=canonical href="/canonical"><link rel=alternate hreflang=de href="/de">'
                '<link rel=next href="/next"><link rel=prev href="/prev"><link rel=stylesheet href="/style.css">',
            ),
            **dict.fromkeys(("/absolute", "/relative", "/dotted", "/area", "/padded", "/escaped", "/fragment"), EMPTY),
            **dict.fromkeys(("/canonical", "/de", "/next", "/prev"), EMPTY),
        }  # fmt: skip
        with Site(routes) as site:
            found = crawled(site, tmp_path)
        assert found.asked() == {*routes, "/?query=1", "/escaped?a=1&b=2"} - {"/escaped"}
        assert found.report.completeness.complete
        assert found.row("/de").via == "hreflang alternate"
        assert found.row("/relative").found_on == site.url("/")

    def test_base_element_and_link_header(self, tmp_path: Path) -> None:
        routes: Routes = {
            "/": PageAnswer(
                body=html("page", head='<base href="/deep/folder/">'),
                headers={"Link": '</from-header>; rel="next", </style.css>; rel=preload'},
            ),
            "/deep/folder/page": EMPTY,
            "/from-header": EMPTY,
        }
        with Site(routes) as site:
            assert crawled(site, tmp_path).asked() == set(routes)

    def test_nofollow_is_obeyed_unless_asked_otherwise(self, tmp_path: Path) -> None:
        routes: Routes = {
            "/": html('<a rel="noopener NoFollow" href="/a">a</a>', "/meta", "/header", "/for-others"),
            "/meta": html("/b", head="<meta name=robots content='noindex, nofollow'>"),
            "/header": PageAnswer(body=html("/c"), headers={"X-Robots-Tag": "none"}),
            "/for-others": html("/d", head="<meta name=googlebot content=nofollow>"),
            "/a": EMPTY, "/b": EMPTY, "/c": EMPTY, "/d": EMPTY,
        }  # fmt: skip
        with Site(routes) as site:
            found = crawled(site, tmp_path / "1")
            assert found.asked() == {"/", "/meta", "/header", "/for-others", "/d"}
            assert found.report.not_asked == {"only nofollow links": 3}
            assert found.report.completeness.complete
            assert "nofollow" in found.report.completeness.apart[0]
            everything = crawled(site, tmp_path / "2", follow_nofollow=True)
        assert everything.asked() == set(routes)

    def test_a_page_that_another_link_leads_to_is_asked_in_spite_of_nofollow(self, tmp_path: Path) -> None:
        routes: Routes = {"/": html('<a rel=nofollow href="/a">a</a>', "/b"), "/b": html("/a"), "/a": EMPTY}
        with Site(routes) as site:
            found = crawled(site, tmp_path)
        assert found.asked() == set(routes)
        assert found.report.not_asked == {}

    def test_tracking_parameters_make_no_second_page(self, tmp_path: Path) -> None:
        with Site({"/": html("/a?utm_source=x", "/a", "/a?gclid=2&utm_medium=y"), "/a": EMPTY}) as site:
            found = crawled(site, tmp_path)
            assert [request.target for request in site.log] == ["/robots.txt", "/", "/a"]
        assert set(found.report.tracking) == {"utm_source", "gclid", "utm_medium"}

    def test_strange_bytes_in_addresses(self, tmp_path: Path) -> None:
        with Site({"/": html("/ä", '<a href="/a b">x</a>', '<a href="/x\x1b[31m">x</a>'), "/%C3%A4": EMPTY}) as site:
            assert crawled(site, tmp_path).asked() == {"/", "/%C3%A4", "/a%20b", "/x%1B[31m".replace("[", "%5B")}


class TestRobots:
    def test_forbidden_addresses_are_not_asked(self, tmp_path: Path) -> None:
        routes: Routes = {
            "/robots.txt": "User-agent: *\nDisallow: /\n\nUser-agent: urlset\nDisallow: /secret\nAllow: /secret/open\n",
            "/": html("/secret/a", "/secret/open", "/b"),
            "/secret/open": EMPTY,
            "/b": EMPTY,
        }
        with Site(routes) as site:
            found = crawled(site, tmp_path)
            assert "/secret/a" not in {request.path for request in site.log}
        assert found.row("/secret/a").reason == "disallowed by robots.txt"
        assert found.report.completeness.complete
        assert found.report.completeness.apart == ("1 address disallowed by robots.txt",)

    def test_they_are_on_request(self, tmp_path: Path) -> None:
        with Site({"/robots.txt": "User-agent: *\nDisallow: /a", "/": html("/a"), "/a": EMPTY}) as site:
            assert crawled(site, tmp_path, ignore_robots=True).asked() == {"/", "/a"}

    def test_a_robots_txt_that_fails_forbids_everything_for_now(self, tmp_path: Path) -> None:
        with Site({"/robots.txt": PageAnswer(503), "/": html("/a")}) as site:
            found = crawled(site, tmp_path)
            assert {request.path for request in site.log} == {"/robots.txt"}
        assert not found.report.completeness.complete
        assert "robots.txt could not be read" in found.report.completeness.reasons[0]

    def test_it_is_said_why_it_failed(self, tmp_path: Path) -> None:
        with Site({"/robots.txt": PageAnswer(503), "/": EMPTY}) as site:
            [reason] = crawled(site, tmp_path / "1").report.completeness.reasons
            assert reason.startswith("robots.txt could not be read (the server answered 503)")
            [reason] = crawled(site, tmp_path / "2", web=WebOptions()).report.completeness.reasons
            assert "127.0.0.1 (loopback); --allow-private allows it" in reason

    def test_links_not_to_be_followed_leave_it_complete(self, tmp_path: Path) -> None:
        for number, name in enumerate(("robots", "urlset")):
            with Site({"/": html("/a", head=f"<meta name={name} content=nofollow>"), "/a": EMPTY}) as site:
                found = crawled(site, tmp_path / str(number)).report.completeness
            assert found.complete
            assert found.apart == ("1 address linked only with nofollow",)

    def test_a_forbidden_start_is_said(self, tmp_path: Path) -> None:
        with Site({"/robots.txt": "User-agent: *\nDisallow: /", "/": html("/a")}) as site:
            found = crawled(site, tmp_path)
        assert found.report.visited == 0
        assert "robots.txt disallows the start page" in found.report.completeness.reasons


class TestScope:
    ROUTES: ClassVar[Routes] = {
        "/": html("/blog/", "/shop/", "/file.zip", "/picture.jpg", "/paper.pdf"),
        "/blog/": html("/blog/a", "/blog/b?draft=1", "/shop/x"),
        "/blog/a": html("/blog/deep"),
        "/blog/b": EMPTY,
        "/blog/deep": html("/blog/deeper"),
        "/blog/deeper": EMPTY,
        "/shop/": html("/shop/x"),
        "/shop/x": EMPTY,
        "/paper.pdf": PageAnswer(body=b"%PDF-1.7" + bytes(200_000), type="application/pdf"),
    }

    def test_files_are_not_asked_but_documents_are(self, tmp_path: Path) -> None:
        with Site(dict(self.ROUTES)) as site:
            found = crawled(site, tmp_path)
        assert found.asked() == {*self.ROUTES, "/blog/b?draft=1"} - {"/blog/b"}
        assert found.report.not_asked == {"not a page, by its file name": 2}
        assert found.row("/paper.pdf").media_type == "application/pdf"
        assert found.report.completeness.complete

    def test_prefix(self, tmp_path: Path) -> None:
        with Site(dict(self.ROUTES)) as site:
            found = crawled(site, tmp_path, "/blog/", prefix="/blog/")
        assert found.asked() == {"/blog/", "/blog/a", "/blog/b?draft=1", "/blog/deep", "/blog/deeper"}
        assert found.report.completeness.apart == ("1 address outside --prefix",)

    def test_patterns(self, tmp_path: Path) -> None:
        with Site(dict(self.ROUTES)) as site:
            found = crawled(site, tmp_path, include=("/blog/*", "/"), exclude=("*?draft=*",))
        assert found.asked() == {"/", "/blog/", "/blog/a", "/blog/deep", "/blog/deeper"}

    def test_depth(self, tmp_path: Path) -> None:
        with Site(dict(self.ROUTES)) as site:
            found = crawled(site, tmp_path, max_depth=2)
            assert "/blog/deep" not in found.asked()
            assert found.report.depths == {0: 1, 1: 3, 2: 3}
            [reason] = found.report.completeness.reasons
            assert reason == "1 page deeper than 2 clicks was not requested"
            further = crawled(site, tmp_path)
        assert further.report.taken_over == 7
        assert further.report.completeness.complete

    def test_page_limit_and_going_on(self, tmp_path: Path) -> None:
        with Site(dict(self.ROUTES)) as site:
            found = crawled(site, tmp_path, max_pages=3)
            assert found.report.visited == 3
            assert "reached the limit of 3 pages with 1 page left" in found.report.completeness.reasons
            further = crawled(site, tmp_path, max_pages=100)
            paths = [request.target for request in site.log if request.path != "/robots.txt"]
        assert further.report.completeness.complete
        assert sorted(paths) == sorted(set(paths))

    def test_a_start_that_leads_to_another_host(self, tmp_path: Path) -> None:
        with Site({"/": redirect("https://elsewhere.example/")}) as site:
            found = crawled(site, tmp_path)
        assert found.report.states == {"redirected": 1}
        assert not found.report.completeness.complete


class TestAnswers:
    def test_redirects_are_asked_once_however_many_lead_there(self, tmp_path: Path) -> None:
        routes: Routes = {
            "/": html(*(f"/old/{number}" for number in range(20))),
            **{f"/old/{number}": redirect("/login", 302) for number in range(20)},
            "/login": html("/after"),
            "/after": EMPTY,
        }
        with Site(routes) as site:
            found = crawled(site, tmp_path)
            assert len([request for request in site.log if request.path == "/login"]) == 1
        assert found.row("/login").depth == 1
        assert found.row("/after").depth == 2
        assert found.row("/old/3").redirects_to == site.url("/login")
        assert found.report.completeness.complete

    def test_redirects_that_grow_without_end_are_cut(self, tmp_path: Path) -> None:
        def grow(request: Request) -> PageAnswer:
            return redirect(f"{request.target}x")

        with Site({"/": html("/grow?a", "/end"), "/grow": grow, "/end": EMPTY}) as site:
            found = crawled(site, tmp_path)
            assert len(site.log) < 40  # with a look at where sitemaps usually are
        [trap] = found.report.traps
        assert trap.kind == "endless-chain"
        assert trap.reason == "more than 20 consecutive redirects"

    def test_a_row_of_redirects_without_end_is_cut(self, tmp_path: Path) -> None:
        def answer(request: Request) -> PageAnswer:
            if request.path.startswith("/r/"):
                return redirect(f"/r/{int(request.path[3:]) + 1}")
            return PageAnswer(body=html("/r/1", "/a")) if request.path in ("/", "/a") else PageAnswer(404)

        with Site(answer) as site:
            found = crawled(site, tmp_path)
            assert len(site.log) < 60
        assert [trap.kind for trap in found.report.traps] == ["endless-chain"]

    def test_bytes_that_are_no_text(self, tmp_path: Path) -> None:
        body = b"<title>\xff\xfe\xed\xa0\x80</title><a href='/\xff'>x</a><a href='/moved'>y</a>"
        head = b"HTTP/1.1 302 Found\r\nLocation: /caf\xe9\r\nContent-Length: 0\r\n\r\n"
        routes: Routes = {"/": PageAnswer(body=body), "/moved": Raw([head])}
        with Site(routes) as site:
            found = crawled(site, tmp_path)
        assert {"/", "/moved"} < found.asked()
        assert found.row("/moved").state == "redirected"

    def test_redirect_loops_end(self, tmp_path: Path) -> None:
        routes: Routes = {
            "/": html("/a", "/self"),
            "/a": redirect("/b"),
            "/b": redirect("/a"),
            "/self": redirect("/self"),
        }
        with Site(routes) as site:
            found = crawled(site, tmp_path)
        assert found.states() == {"/": "ok", "/a": "redirected", "/b": "redirected", "/self": "error"}

    def test_failures_make_it_incomplete_and_404_does_not(self, tmp_path: Path) -> None:
        with Site({"/": html("/missing", "/gone"), "/gone": PageAnswer(410)}) as site:
            found = crawled(site, tmp_path / "1")
            assert found.report.completeness.complete
            assert found.report.states == {"ok": 1, "gone": 2}
        bad: Routes = {
            "/500": PageAnswer(500),
            "/403": PageAnswer(403),
            "/cut": Raw([b"HTTP/1.1 200 OK\r\nContent-Length: 99\r\n\r\nx"]),
        }
        with Site({"/": html(*bad), **bad}) as site:
            found = crawled(site, tmp_path / "2")
        assert not found.report.completeness.complete
        assert found.states() == {"/": "ok", "/500": "error", "/403": "blocked", "/cut": "error"}
        said = " ".join(found.report.completeness.reasons)
        assert "1 page blocked the crawler" in said
        assert "2 pages failed" in said

    def test_links_of_error_pages_are_not_followed(self, tmp_path: Path) -> None:
        with Site({"/": html("/missing"), "/missing": PageAnswer(404, body=html("/from-error-page"))}) as site:
            assert crawled(site, tmp_path).asked() == {"/", "/missing"}

    def test_a_site_that_keeps_us_out_is_left_alone_and_asked_again_later(self, tmp_path: Path) -> None:
        links = [f"/{number}" for number in range(200)]
        welcome = threading.Event()

        def answer(request: Request) -> PageAnswer:
            if request.path == "/robots.txt":
                return PageAnswer(404)
            return PageAnswer(body=html(*links)) if request.path == "/" or welcome.is_set() else PageAnswer(403)

        with Site(answer) as site:
            found = crawled(site, tmp_path)
            assert len(site.log) < 60
            assert found.report.ended == "kept out"
            assert not found.report.completeness.complete
            welcome.set()
            later = crawled(site, tmp_path)
        assert later.report.taken_over == 1
        assert later.report.states == {"ok": 201}
        assert later.report.completeness.complete

    def test_a_page_without_links_may_be_made_by_scripts(self, tmp_path: Path) -> None:
        with Site({"/": html(body="<div id=app></div><script src=/app.js></script>")}) as site:
            found = crawled(site, tmp_path)
        assert not found.report.completeness.complete
        assert "JavaScript" in found.report.completeness.reasons[0]

    def test_pages_that_are_no_html(self, tmp_path: Path) -> None:
        routes: Routes = {
            "/": html("/data", "/none"),
            "/data": PageAnswer(body='{"a": "<a href=/x>"}', type="application/json"),
            "/none": PageAnswer(body=html("/found"), type=None),
            "/found": EMPTY,
        }
        with Site(routes) as site:
            assert crawled(site, tmp_path).asked() == set(routes)

    @pytest.mark.parametrize("use", ["", "file"])
    def test_a_refresh_header_counts_in_every_kind_of_crawl(self, tmp_path: Path, use: Literal["", "file"]) -> None:
        """A crawl without `--out` ignored it, so `explain` said that the page can be indexed."""
        away = PageAnswer(body=EMPTY, headers={"Refresh": "0; url=/new"})
        with Site({"/": html("/old"), "/old": away, "/new": EMPTY}) as site:
            row = crawled(site, tmp_path, name=use).row("/old")
        assert not row.indexable
        assert row.redirects_to == site.url("/new")

    def test_pages_that_scripts_fill_may_link_anywhere(self, tmp_path: Path) -> None:
        shell = "<html><title>App</title><body><div id=root></div><script src=/app.js></script></body></html>"
        plain = "<html><title>End</title><body><p>A page may end here.</p><script>count()</script></body></html>"
        for number, use in enumerate(("", "file")):
            with Site({"/": html("/app", "/end"), "/app": shell, "/end": plain}) as site:
                found = crawled(site, tmp_path / str(number), name=use)
            [reason] = found.report.completeness.reasons
            assert reason.startswith("1 page without links is rendered by JavaScript")
        with Site({"/": html("/end"), "/end": plain}) as site:
            assert crawled(site, tmp_path / "plain").report.completeness.complete

    def test_a_page_with_too_many_links_is_not_read_whole(
        self, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        for module in (crawl_pages, html_reading):
            monkeypatch.setattr(module, "MAX_LINKS", 20)
        with Site({"/": html(*(f"/{number}" for number in range(30)))}) as site:
            found = crawled(site, tmp_path)
        assert found.report.visited == 21
        assert found.report.completeness.reasons == ("1 page too large to read in full",)

    def test_a_start_page_that_leads_to_one_page_without_links(self, tmp_path: Path) -> None:
        with Site({"/": redirect("/login?next=%2F"), "/login": html(title="Login")}) as site:
            [reason] = crawled(site, tmp_path).report.completeness.reasons
        assert reason.startswith("the redirect target of the start page has no link")

    def test_kept_out_is_not_stopped(self, tmp_path: Path) -> None:
        """Answers that were under way when the crawl gave up change nothing about why it did."""
        slow = [f"/slow/{number}" for number in range(3)]

        def answer(request: Request) -> PageAnswer:
            if request.path == "/":
                return PageAnswer(body=html(*slow, *(f"/{number}" for number in range(100))))
            return PageAnswer(body=html(), pause=1.0) if request.path in slow else PageAnswer(403)

        with Site({"/robots.txt": PageAnswer(404), "/*": answer}) as site:
            found = crawled(site, tmp_path, web=msgspec.structs.replace(QUICK, concurrency=8))
        assert found.report.ended == "kept out"


class TestSeeds:
    def test_pages_that_only_sitemaps_name(self, tmp_path: Path) -> None:
        def sitemap(request: Request) -> PageAnswer:
            locs = "".join(f"<url><loc>{request.origin}{path}</loc></url>" for path in ("/a", "/orphan", "/missing"))
            namespace = "http://www.sitemaps.org/schemas/sitemap/0.9"
            return PageAnswer(body=f'<urlset xmlns="{namespace}">{locs}</urlset>', type="application/xml")

        routes: Routes = {
            "/": html("/a"),
            "/a": EMPTY,
            "/orphan": html("/behind"),
            "/behind": EMPTY,
            "/sitemap.xml": sitemap,
        }
        with Site(routes) as site:
            assert crawled(site, tmp_path / "1").asked() == {"/", "/a"}
            found = crawled(site, tmp_path / "2", seed_sitemaps=True)
        assert found.asked() == {"/", "/a", "/orphan", "/missing", "/behind"}
        assert found.row("/orphan").via == "sitemap"
        assert found.row("/behind").via == "link"
        assert found.report.only_in_sitemaps == 2
