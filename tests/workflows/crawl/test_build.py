"""`urlset build URL`: a site on loopback becomes a published set, and stays one when the site has a bad day."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from tests.cli.commands import run
from tests.workflows.crawled_sites import QUICK, html
from urlset.reading.read import read
from urlset.settings.build import BuildSettings
from urlset.settings.crawl import CrawlSettings
from urlset.testing import PageAnswer, Request, Routes, Site, redirect
from urlset.workflows.build.crawl import build_from_web
from urlset.workflows.build.result import BuildError, BuildReport
from urlset.workflows.crawl import CrawlReport

TRANSLATIONS = '<link rel=alternate hreflang=en href="/b"><link rel=alternate hreflang=de href="/de">'
SOFT_404 = (
    "<!doctype html><html><head><title>Page not found</title></head><body><h1>Page not found</h1>"
    "<p>The page you requested could not be found.</p></body></html>"
)


def routes() -> Routes:
    return {
        "/robots.txt": "User-agent: googlebot\nDisallow: /hidden\n",
        "/": html("/a", "/b", "/old", "/noindex", "/copy", "/missing", "/hidden", "/soft", "/paper.pdf", title="Home"),
        "/a": PageAnswer(body=html("/a/1", title="A"), headers={"Last-Modified": "Wed, 01 Jul 2026 10:00:00 GMT"}),
        "/a/1": html("/a/2", title="A1", head='<meta property="article:modified_time" content="2026-03-04T05:06:07Z">'),
        "/a/2": html(title="A2"),
        "/b": html(title="B", head=TRANSLATIONS),
        "/de": html(title="De", head=TRANSLATIONS),
        "/old": redirect("/a"),
        "/noindex": html(title="N", head="<meta name=robots content=noindex>"),
        "/copy": html(title="C", head="<link rel=canonical href=/a>"),
        "/hidden": html(title="H"),
        "/soft": SOFT_404,
        "/paper.pdf": PageAnswer(body=b"%PDF-1.7", type="application/pdf"),
    }  # fmt: skip


LISTED = {"/", "/a", "/a/1", "/a/2", "/b", "/de", "/paper.pdf"}


def built(site: Site, tmp_path: Path, **given: object) -> tuple[CrawlReport, BuildReport]:
    out = tmp_path / "out"
    options = BuildSettings(out=out, state=tmp_path / "state", **given)  # type: ignore[arg-type]
    crawled, report = build_from_web(options, CrawlSettings(url=site.url("/"), state=tmp_path / "state", web=QUICK))
    assert report is not None
    return crawled, report


def listed(site: Site, tmp_path: Path) -> set[str]:
    entries = read(tmp_path / "out" / "sitemap.xml").entries()
    return {(entry.loc or "").removeprefix(site.origin) for entry in entries}


def test_only_pages_worth_it_are_listed(tmp_path: Path) -> None:
    with Site(routes()) as site:
        crawled, report = built(site, tmp_path)
        assert listed(site, tmp_path) == LISTED
    assert crawled.completeness.complete
    assert report.published
    assert report.left_out == {"redirect": 1, "noindex": 1, "not-canonical": 1, "error-page": 2, "disallowed": 1}
    assert report.dated == {"http": 1, "page": 1, "none": 5}
    assert f"crawled 13 pages of {site.origin}" in report.notes


def test_dates_and_translations(tmp_path: Path) -> None:
    with Site(routes()) as site:
        built(site, tmp_path)
        entries = {entry.loc: entry for entry in read(tmp_path / "out" / "sitemap.xml").entries()}
        assert entries[site.url("/a")].lastmod == "2026-07-01T10:00:00Z"
        assert entries[site.url("/a/1")].lastmod == "2026-03-04T05:06:07Z"
        assert {each.hreflang for each in entries[site.url("/b")].alternates} == {"en", "de"}


def test_a_second_run_changes_nothing(tmp_path: Path) -> None:
    def now(request: Request) -> PageAnswer:
        del request
        from email.utils import formatdate

        return PageAnswer(body=html(title="Now"), headers={"Last-Modified": formatdate(usegmt=True)})

    with Site({**routes(), "/a/2": now}) as site:
        built(site, tmp_path)
        before = (tmp_path / "out" / "sitemap.xml").stat()
        _, report = built(site, tmp_path)
        after = (tmp_path / "out" / "sitemap.xml").stat()
    assert (report.added, report.removed, report.redated) == (0, 0, 0)
    assert not report.changes.touched
    assert (before.st_mtime_ns, before.st_ino) == (after.st_mtime_ns, after.st_ino)


def test_a_page_that_is_gone_leaves_the_set(tmp_path: Path) -> None:
    with Site(routes()) as site:
        built(site, tmp_path)
        site.routes["/a"] = html(title="A")
        built(site, tmp_path, shrink_percent=90.0)
        assert listed(site, tmp_path) == LISTED - {"/a/1", "/a/2"}


@pytest.mark.parametrize("bad", [PageAnswer(500), PageAnswer(403), PageAnswer(503), PageAnswer(429)], ids=str)
def test_a_server_that_fails_costs_no_page(bad: PageAnswer, tmp_path: Path) -> None:
    """What hung on the failing page is asked for by itself, so that what is really gone is still found out."""
    with Site(routes()) as site:
        built(site, tmp_path)
        before = (tmp_path / "out" / "sitemap.xml").read_bytes()
        site.routes["/a/1"] = bad
        crawled, report = built(site, tmp_path)
        assert not crawled.completeness.complete
        assert (tmp_path / "out" / "sitemap.xml").read_bytes() == before
        assert any("kept" in note for note in report.notes)
        site.routes["/a/2"] = PageAnswer(404)
        _, report = built(site, tmp_path)
        assert listed(site, tmp_path) == LISTED - {"/a/2"}
        assert report.left_out["error-page"] == 3


def test_a_limit_keeps_what_was_not_asked(tmp_path: Path) -> None:
    with Site(routes()) as site:
        built(site, tmp_path)
        options = BuildSettings(out=tmp_path / "out", state=tmp_path / "state")
        crawling = CrawlSettings(url=site.url("/"), state=tmp_path / "state", web=QUICK, max_pages=3)
        _, report = build_from_web(options, crawling)
        assert report is not None
        assert listed(site, tmp_path) == LISTED
        assert report.removed == 0
        assert any("reached the limit of 3 pages" in note for note in report.notes)


class FromFile:
    """`urlset crawl --out FILE`, then `urlset build FILE`, in folders of their own."""

    def __init__(self, site: Site, home: Path, form: str) -> None:
        self._site, self._home = site, home
        self._file = home / f"pages.{form}"

    def crawl(self, *more: object) -> None:
        ran = run("crawl", self._site.url("/"), "--allow-private", "--state", self._home, "--out", self._file, *more)
        assert ran.code == 0, ran.err

    def build(self, *more: object, stdin: bool = False) -> dict[str, Any]:
        out = ("--base-url", self._site.url("/"), "--out", self._home / "out", "--state", self._home / "file-state")
        source = "-" if stdin else self._file
        given = self._file.read_bytes() if stdin else b""
        ran = run("build", source, *out, "--format", "json", *more, stdin=given)
        assert ran.code == 0, ran.err
        report: dict[str, Any] = json.loads(ran.out)
        return report


@pytest.fixture(params=["jsonl", "csv"])
def form(request: pytest.FixtureRequest) -> str:
    return str(request.param)


def rich_routes() -> Routes:
    """With a bit of everything that makes a page not worth listing."""
    return {
        **routes(),
        "/a/2": html("/refreshed", "/expired", "/thin", "/empty", "/cal/pic", "/both", "/robots-header", title="=A2"),
        "/refreshed": html(title="R", head='<meta http-equiv=refresh content="0; url=/a">'),
        "/expired": html(title="E", head='<meta name=robots content="unavailable_after: 2020-01-02">'),
        "/thin": "<!doctype html><title>T</title><p>Hi.</p>",
        "/empty": "",
        "/cal/pic": PageAnswer(body=b"GIF89a", type="image/gif"),
        "/both": html("/far", title="Both", head="<link rel=canonical href=/both#top>"),
        "/robots-header": PageAnswer(body=html(title="H"), headers={"X-Robots-Tag": "none"}),
        "/far": redirect("/old"),
    }


def test_a_crawl_in_a_file_builds_the_same_set(form: str, tmp_path: Path) -> None:
    with Site(rich_routes()) as site:
        _, direct = built(site, tmp_path / "direct")
        way = FromFile(site, tmp_path, form)
        way.crawl()
        report = way.build()
    assert (tmp_path / "out" / "sitemap.xml").read_bytes() == (tmp_path / "direct" / "out" / "sitemap.xml").read_bytes()
    assert report["left_out"] == direct.left_out
    assert {"redirect", "noindex", "not-canonical", "error-page", "disallowed", "thin", "asset"} <= set(direct.left_out)
    assert report["dated"] == direct.dated
    assert report["troubles"] == []
    assert report["examples"] == direct.examples


def test_a_crawl_can_be_piped_into_a_build(form: str, tmp_path: Path) -> None:
    with Site(routes()) as site:
        way = FromFile(site, tmp_path, form)
        way.crawl()
        way.build(stdin=True)
        assert listed(site, tmp_path) == LISTED


def test_another_robots_txt_counts_more_than_that_of_the_crawl(form: str, tmp_path: Path) -> None:
    (tmp_path / "robots.txt").write_text("User-agent: *\nDisallow: /a/\n")
    with Site(routes()) as site:
        way = FromFile(site, tmp_path, form)
        way.crawl()
        way.build("--robots", tmp_path / "robots.txt")
        assert listed(site, tmp_path) == LISTED - {"/a/1", "/a/2"} | {"/hidden"}


@pytest.mark.usefixtures("impatient")
@pytest.mark.parametrize("bad", [PageAnswer(500), PageAnswer(403)], ids=str)
def test_a_crawl_in_a_file_with_failures_costs_no_page(bad: PageAnswer, form: str, tmp_path: Path) -> None:
    with Site(routes()) as site:
        way = FromFile(site, tmp_path, form)
        way.crawl()
        way.build()
        before = (tmp_path / "out" / "sitemap.xml").read_bytes()
        site.routes["/a/1"] = bad
        way.crawl()
        report = way.build()
        assert (tmp_path / "out" / "sitemap.xml").read_bytes() == before
    assert [note.partition(": ")[2] for note in report["notes"]] == [
        "the server gave no usable answer",
        "not reached in this crawl",
    ]


def test_a_crawl_in_a_file_that_met_its_limit_keeps_what_it_did_not_ask(form: str, tmp_path: Path) -> None:
    with Site(routes()) as site:
        way = FromFile(site, tmp_path, form)
        way.crawl()
        way.build()
        way.crawl("--max-pages", 3, "--fresh")
        assert way.build()["removed"] == 0
        assert listed(site, tmp_path) == LISTED


def test_a_page_that_a_crawl_in_a_file_no_longer_meets_leaves_the_set(form: str, tmp_path: Path) -> None:
    with Site(routes()) as site:
        way = FromFile(site, tmp_path, form)
        way.crawl()
        way.build()
        site.routes["/a"] = html(title="A")
        way.crawl()
        way.build("--shrink-percent", 90)
        assert listed(site, tmp_path) == LISTED - {"/a/1", "/a/2"}


@pytest.mark.parametrize(
    ("start", "said"),
    [
        (PageAnswer(503), "503"),
        (PageAnswer(403), "403"),
        (PageAnswer(404), "404"),
        (redirect("https://other.example/"), "other.example"),
    ],
    ids=["down", "blocked", "gone", "moved"],
)
def test_a_site_that_cannot_be_read_is_not_built(start: PageAnswer, said: str, tmp_path: Path) -> None:
    with Site(routes()) as site:
        built(site, tmp_path)
        before = (tmp_path / "out" / "sitemap.xml").read_bytes()
        site.routes["/"] = start
        with pytest.raises(BuildError, match=said):
            built(site, tmp_path)
        assert (tmp_path / "out" / "sitemap.xml").read_bytes() == before


def _with_live_sitemap(site: Site) -> None:
    locs = "".join(f"<url><loc>{site.url(path)}</loc></url>" for path in ("/a", "/orphan", "/broken", "/gone", "/shut"))
    site.routes["/sitemap.xml"] = PageAnswer(
        body=f'<urlset xmlns="http://www.sitemaps.org/schemas/sitemap/0.9">{locs}</urlset>', type="application/xml"
    )
    site.routes["/orphan"] = html(title="Orphan")
    site.routes["/broken"] = PageAnswer(status=500, body="x")
    site.routes["/gone"] = PageAnswer(status=404, body="x")
    site.routes["/robots.txt"] = "User-agent: *\nDisallow: /shut\n"


@pytest.mark.parametrize("seeded", [True, False])
def test_pages_of_the_live_sitemaps_are_visited_and_missing_ones_named(tmp_path: Path, *, seeded: bool) -> None:
    with Site(routes()) as site:
        _with_live_sitemap(site)
        flags = [] if seeded else ["--no-seed-sitemaps"]
        ran = run(
            "build", site.url("/"), "--out", tmp_path / "out", "--state", tmp_path / "state", "--allow-private",
            "--format", "json", *flags,
        )  # fmt: skip
        report = json.loads(ran.out)
        assert ("/orphan" in listed(site, tmp_path)) is seeded
    said = [note for note in report["notes"] if "live sitemaps" in note]
    if not seeded:
        assert not said
        return
    for status, path in (("500 Internal Server Error", "/broken"), ("404 Not Found", "/gone")):
        assert any("1 of 5 pages" in note and f"error-page, {status}" in note and path in note for note in said)
    assert any("1 of 5 pages" in note and "disallowed" in note and "/shut" in note for note in said)


def test_a_new_robots_txt_has_the_rules_of_the_live_one(tmp_path: Path) -> None:
    with Site(routes()) as site:
        built(site, tmp_path, write_robots=True)
        text = (tmp_path / "out" / "robots.txt").read_text()
        assert text == f"User-agent: googlebot\nDisallow: /hidden\n\nSitemap: {site.url('/sitemap.xml')}\n"


def test_a_robots_txt_that_lacks_live_rules_is_left_alone(tmp_path: Path) -> None:
    (tmp_path / "out").mkdir()
    weak = tmp_path / "out" / "robots.txt"
    weak.write_text("User-agent: *\nDisallow: /cart\n")
    with Site(routes()) as site:
        _, report = built(site, tmp_path, write_robots=True)
    assert weak.read_text() == "User-agent: *\nDisallow: /cart\n"
    note = "robots.txt unchanged: it lacks rules of the live robots.txt: 'Disallow: /hidden' for googlebot"
    assert any(each.startswith(note) for each in report.notes)
