"""Every fault that keeps an engine from a sitemap is named first; a healthy sitemap is left in peace."""

from __future__ import annotations

import gzip
import json
import socket
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner

from tests.servers.certificates import untrusted
from tests.servers.engines import FakeEngines
from tests.workflows.submit.engine_sites import sitemap
from urlset.cli.main import cli
from urlset.model.answer import Answer, Failure, FailureKind
from urlset.reading.host_robots import HostRobots
from urlset.settings.engines import DoctorSettings
from urlset.spec.recipes import Platform, platforms_of, recipes_for
from urlset.testing import PageAnswer, Raw, Request, Site, redirect
from urlset.web.options import WebOptions
from urlset.workflows.doctor import MAX_CHILDREN, DoctorReport, doctor, renaming
from urlset.workflows.doctor_causes import Observations, diagnose


@pytest.fixture
def site() -> Iterator[Site]:
    with Site({}) as made:
        made.routes["/robots.txt"] = "User-agent: *\nAllow: /\n"
        made.routes["/sitemap.xml"] = good(made)
        yield made


def good(site: Site) -> PageAnswer:
    return PageAnswer(body=sitemap([(site.url("/a"), "2026-01-01")]), type="application/xml")


def first_cause(url: str, environment: dict[str, str] | None = None) -> str | None:
    report = doctor(DoctorSettings(url=url), environment=environment or {"URLSET_CONFIG_HOME": "/nowhere"})
    return report.causes[0].cause if report.causes else None


def test_a_healthy_sitemap_has_no_cause(site: Site) -> None:
    assert first_cause(site.url("/sitemap.xml")) is None


def test_a_header_that_plugins_send_with_every_sitemap_is_no_cause(site: Site) -> None:
    """Yoast and Django send noindex with sitemaps; Google reads them all the same."""
    site.routes["/sitemap.xml"] = PageAnswer(
        body=good(site).payload(), type="application/xml", headers={"X-Robots-Tag": "noindex, follow"}
    )
    report = examined(site.url("/sitemap.xml"))
    assert report.healthy
    assert "X-Robots-Tag noindex, follow: about the index, harmless for reading the sitemap" in report.looked_at


def test_a_redirect_loop_ends_where_it_began(site: Site) -> None:
    """The last URL that answered was shown twice, and not where its redirect leads."""
    site.routes["/sitemap.xml"] = redirect(site.url("/other.xml"))
    site.routes["/other.xml"] = redirect(site.url("/sitemap.xml"))
    report = examined(site.url("/sitemap.xml"))
    way = " → ".join(site.url(path) for path in ("/sitemap.xml", "/other.xml", "/sitemap.xml"))
    assert f"redirects: {way}" in report.looked_at


def test_a_user_agent_that_is_given_is_tried_too(site: Site) -> None:
    settings = DoctorSettings(url=site.url("/sitemap.xml"), user_agent="MyBot/1.0")
    report = doctor(settings, environment={"URLSET_CONFIG_HOME": "/nowhere"})
    assert report.healthy
    assert "MyBot/1.0" in {request.headers["user-agent"] for request in site.log}


@pytest.mark.parametrize(("host", "tried"), [("127.0.0.2", True), ("10.255.255.1", False)])
def test_only_a_private_host_that_may_be_fetched_is_connected_to(site: Site, host: str, tried: bool) -> None:
    """Another loopback address was fetched, and then called a private address that cannot be reached."""
    quick = WebOptions(backoff=0.01)
    report = doctor(
        DoctorSettings(url=f"http://{host}:{site.port}/", web=quick), environment={"URLSET_CONFIG_HOME": "/nowhere"}
    )
    [said] = [line for line in report.looked_at if line.startswith(f"IPv4 {host}")]
    assert ("not tried: private" in said) is not tried
    assert ("connect" in said) is tried


def only_for(agent: str, page: PageAnswer) -> Callable[[Request], PageAnswer]:
    def answer(request: Request) -> PageAnswer:
        return page if agent in request.headers["user-agent"].lower() else PageAnswer(403, "Forbidden")

    return answer


PLANTED: dict[str, Callable[[Site], Any]] = {
    "not-found": lambda _site: PageAnswer(404, "no"),
    "server-error": lambda _site: PageAnswer(500, "oops"),
    "login": lambda _site: PageAnswer(401, "who are you"),
    "bad-status": lambda _site: PageAnswer(418, "teapot"),
    "forbidden": lambda _site: PageAnswer(403, "no"),
    "html-instead": lambda _site: "<!doctype html><html><title>Shop</title><body>Welcome to the shop</body></html>",
    "empty": lambda _site: PageAnswer(body="", type="application/xml"),
    "malformed": lambda site: PageAnswer(body=good(site).payload().replace(b"</url>", b""), type="application/xml"),
    "wrong-namespace": lambda site: PageAnswer(
        body=good(site).payload().replace(b"www.sitemaps.org/schemas/sitemap/0.9", b"www.example.com/ns"),
        type="application/xml",
    ),
    "host-mismatch": lambda _site: PageAnswer(
        body=sitemap([("https://www.shop-elsewhere.com/a", "2026-01-01")]), type="application/xml"
    ),
    "double-gzip": lambda site: PageAnswer(
        body=gzip.compress(gzip.compress(good(site).payload())), type="application/gzip"
    ),
    "no-urls": lambda _site: PageAnswer(body=sitemap([]), type="application/xml"),
    "connection-reset": lambda _site: Raw(end="reset"),
    "redirect-loop": lambda site: redirect(site.url("/sitemap.xml")),
    "bot-protection": lambda site: only_for("chrome", good(site)),
    "cut-short": lambda _site: Raw([b"HTTP/1.1 200 OK\r\nContent-Length: 9999\r\n\r\n<?xml"]),
    "bad-encoding": lambda _site: Raw([b"HTTP/1.1 200 OK\r\nContent-Encoding: gzip\r\nContent-Length: 5\r\n\r\n<?xml"]),
    "content-type": lambda site: PageAnswer(body=good(site).payload(), type="image/png"),
}


@pytest.mark.parametrize("cause", PLANTED)
def test_the_planted_fault_is_the_first_cause(site: Site, cause: str) -> None:
    site.routes["/sitemap.xml"] = PLANTED[cause](site)
    assert first_cause(site.url("/sitemap.xml")) == cause


def test_a_redirect_is_named(site: Site) -> None:
    site.routes["/new.xml"] = good(site)
    site.routes["/sitemap.xml"] = redirect(site.url("/new.xml"))
    assert first_cause(site.url("/sitemap.xml")) == "redirect"


def test_robots_txt_that_forbids_the_sitemap_or_fails(site: Site) -> None:
    site.routes["/robots.txt"] = "User-agent: Googlebot\nDisallow: /sitemap\n"
    assert first_cause(site.url("/sitemap.xml")) == "blocked-by-robots"
    site.routes["/robots.txt"] = PageAnswer(503, "")
    assert first_cause(site.url("/sitemap.xml")) == "robots-unavailable"


def test_a_slow_sitemap(site: Site, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("urlset.workflows.doctor_causes.SLOW", 0.4)
    site.routes["/sitemap.xml"] = PageAnswer(body=good(site).payload(), type="application/xml", pause=0.5)
    assert first_cause(site.url("/sitemap.xml")) == "slow"


def test_a_sitemap_above_the_limits(site: Site) -> None:
    many = sitemap((site.url(f"/{number}"), "2026-01-01") for number in range(50_001))
    site.routes["/sitemap.xml"] = PageAnswer(body=many, type="application/xml")
    assert first_cause(site.url("/sitemap.xml")) == "too-large"


def test_a_host_that_does_not_resolve_or_listen() -> None:
    assert first_cause("http://no-such-host.invalid/sitemap.xml") == "dns"
    assert first_cause("http://127.0.0.1:9/sitemap.xml") == "connection-refused"


def test_a_certificate_nobody_trusts(tmp_path: Path) -> None:
    del tmp_path
    with Site({"/sitemap.xml": "x"}, tls=untrusted("127.0.0.1")) as site:
        assert first_cause(site.url("/sitemap.xml")) == "tls"


def test_an_address_family_that_fails(site: Site, monkeypatch: pytest.MonkeyPatch) -> None:
    """The name also means ::1, where this server does not listen."""

    def both(_host: str, port: int, *_more: Any, **_named: Any) -> list[Any]:
        kind, protocol = socket.SOCK_STREAM, socket.IPPROTO_TCP
        return [
            (socket.AF_INET6, kind, protocol, "", ("::1", port, 0, 0)),
            (socket.AF_INET, kind, protocol, "", ("127.0.0.1", port)),
        ]

    monkeypatch.setattr(socket, "getaddrinfo", both)
    body = sitemap([(site.url("/a", host="localhost"), "2026-01-01")])
    site.routes["/sitemap.xml"] = PageAnswer(body=body, type="application/xml")
    assert first_cause(site.url("/sitemap.xml", host="localhost")) == "ipv6"


def test_an_account_without_the_property(site: Site, tmp_path: Path) -> None:
    with FakeEngines() as engines:
        environment = engines.environment(tmp_path)
        engines.google.properties = {"https://other.example/": "siteOwner"}
        assert first_cause(site.url("/sitemap.xml"), environment) == "no-property"
        engines.google.properties = {f"{site.origin}/": "siteOwner"}
        assert first_cause(site.url("/sitemap.xml"), environment) is None


def test_the_command(site: Site, tmp_path: Path) -> None:
    environment = {"URLSET_CONFIG_HOME": str(tmp_path), "GOOGLE_APPLICATION_CREDENTIALS": ""}
    given = ["doctor", site.url("/sitemap.xml")]
    result = CliRunner().invoke(cli, given, env=environment, standalone_mode=False)
    assert (result.exception, result.return_value) == (None, 0)
    assert f"No problem found with {site.url('/sitemap.xml')}." in result.output
    assert "\nLooked at:\n  " in result.output
    site.routes["/sitemap.xml"] = PageAnswer(404, "")
    result = CliRunner().invoke(cli, [*given, "--format", "json"], env=environment, standalone_mode=False)
    body = json.loads(result.stdout)
    assert (result.return_value, body["schema"], body["command"], body["healthy"]) == (1, 1, "doctor", False)
    assert set(body["causes"][0]) == {"cause", "evidence", "advice", "sitemaps", "recipes"}
    result = CliRunner().invoke(cli, [*given, "--format", "llm"], env=environment, standalone_mode=False)
    assert ": 1 cause, the one to fix first" in result.stdout


def examined(url: str) -> DoctorReport:
    return doctor(DoctorSettings(url=url, web=WebOptions(backoff=0.01)), environment={"URLSET_CONFIG_HOME": "/nowhere"})


def index_of(site: Site, paths: list[str]) -> PageAnswer:
    rows = "".join(f"<sitemap><loc>{site.url(path)}</loc></sitemap>" for path in paths)
    space = "http://www.sitemaps.org/schemas/sitemap/0.9"
    return PageAnswer(body=f'<sitemapindex xmlns="{space}">{rows}</sitemapindex>', type="application/xml")


@pytest.mark.parametrize("cause", [cause for cause in PLANTED if cause not in ("bot-protection", "redirect-loop")])
def test_a_fault_in_a_child_is_no_all_clear_for_the_index(site: Site, cause: str) -> None:
    site.routes["/index.xml"] = index_of(site, ["/sitemap.xml", "/other.xml"])
    site.routes["/other.xml"] = PLANTED[cause](site)
    report = examined(site.url("/index.xml"))
    assert report.causes[0].cause == cause
    assert report.causes[0].sitemaps == (site.url("/other.xml"),)
    assert (report.healthy, report.children, report.children_fetched) == (False, 2, 2)


def test_a_gzip_file_that_the_server_compresses_again(site: Site) -> None:
    packed = gzip.compress(gzip.compress(good(site).payload()))
    site.routes["/sitemap.xml"] = PageAnswer(body=packed, type="application/xml", headers={"Content-Encoding": "gzip"})
    assert first_cause(site.url("/sitemap.xml")) == "double-gzip"


@pytest.mark.parametrize(
    ("given", "named"), [("/", True), ("/", False), ("/about", True), ("/about", False), ("/robots.txt", True)]
)
def test_the_sitemap_of_a_site_is_found(site: Site, given: str, named: bool) -> None:
    site.routes["/about"] = "<!doctype html><title>About</title><p>About this site"
    if named:
        site.routes["/robots.txt"] = f"User-agent: *\nAllow: /\nSitemap: {site.url('/deep/map.xml')}\n"
        site.routes["/deep/map.xml"] = site.routes.pop("/sitemap.xml")
    report = examined(site.url(given))
    assert report.causes == ()
    assert report.sitemap == site.url("/deep/map.xml" if named else "/sitemap.xml")
    assert report.all_clear.startswith(f"No problem found with {report.sitemap}.")


def test_every_sitemap_that_robots_txt_names_is_followed(site: Site) -> None:
    site.routes["/robots.txt"] = f"Sitemap: {site.url('/sitemap.xml')}\nSitemap: {site.url('/index.xml')}\n"
    site.routes["/index.xml"] = index_of(site, ["/missing.xml"])
    report = examined(site.url("/"))
    assert [(each.cause, each.sitemaps) for each in report.causes] == [("not-found", (site.url("/missing.xml"),))]
    assert (report.children, report.children_fetched) == (2, 2)


def test_a_site_without_a_sitemap_is_not_healthy(site: Site) -> None:
    del site.routes["/sitemap.xml"]
    site.routes["/"] = "<!doctype html><title>Home</title><p>Welcome"
    assert [each.cause for each in examined(site.url("/")).causes] == ["no-sitemap"]
    assert [each.cause for each in examined("http://127.0.0.1:9/").causes] == ["connection-refused", "no-sitemap"]


@pytest.mark.parametrize("open_path", ["", "/"])
def test_a_site_that_refuses_bots_may_have_a_sitemap(open_path: str) -> None:
    with Site(lambda request: PageAnswer(200 if request.path == open_path else 403, "no")) as site:
        (cause,) = examined(site.url("/")).causes
    assert cause.cause == "forbidden"
    assert "URL inspection in Search Console" in cause.advice


def test_of_many_children_a_sample_is_fetched_and_the_all_clear_says_so(site: Site) -> None:
    paths = [f"/child-{number}.xml" for number in range(MAX_CHILDREN * 2)]
    site.routes["/index.xml"] = index_of(site, paths)
    for path in paths:
        site.routes[path] = good(site)
    report = examined(site.url("/index.xml"))
    assert (report.healthy, report.children, report.children_fetched) == (True, len(paths), MAX_CHILDREN)
    assert f"a sample of {MAX_CHILDREN} of {len(paths)} other sitemaps" in report.all_clear
    site.routes[paths[-1]] = PageAnswer(404, "")
    assert first_cause(site.url("/index.xml")) == "not-found"


def test_children_that_were_not_requested_are_not_healthy(site: Site) -> None:
    paths = [f"/child-{number}.xml" for number in range(20)]
    site.routes["/index.xml"] = index_of(site, paths)
    for path in paths:
        site.routes[path] = PageAnswer(503, "")
    causes = [each.cause for each in examined(site.url("/index.xml")).causes]
    assert causes == ["server-error", "not-requested"]


def test_an_index_inside_an_index(site: Site) -> None:
    site.routes["/index.xml"] = index_of(site, ["/inner.xml"])
    site.routes["/inner.xml"] = index_of(site, ["/sitemap.xml"])
    assert [each.cause for each in examined(site.url("/index.xml")).causes] == ["nested-index"]


def test_a_sitemap_in_a_folder_that_robots_txt_names_may_list_the_whole_host(site: Site) -> None:
    """The rules saw no robots.txt, so a URL outside of the folder was called a mismatch."""
    site.routes["/robots.txt"] = f"Sitemap: {site.url('/maps/main.xml')}\n"
    site.routes["/maps/main.xml"] = good(site)
    assert first_cause(site.url("/maps/main.xml")) is None


def test_crawlers_that_robots_txt_keeps_out_are_not_impersonated(site: Site) -> None:
    site.routes["/robots.txt"] = "User-agent: GPTBot\nDisallow: /\n\nUser-agent: ClaudeBot\nDisallow: /a\n"
    site.routes["/a"] = "<!doctype html><title>A</title><p>A page"
    said: list[str] = []
    report = doctor(
        DoctorSettings(url=site.url("/sitemap.xml")),
        environment={"URLSET_CONFIG_HOME": "/nowhere"},
        notify=said.append,
    )
    rows = {each.crawler: each for each in report.crawlers}
    assert (rows["GPTBot"].robots, rows["GPTBot"].answers) == ("disallows everything", "not requested")
    assert rows["ClaudeBot"].robots == "allows the sitemap and none of the pages"
    assert (rows["ClaudeBot"].sitemap_answer, rows["ClaudeBot"].page_answer) == ("200", "")
    assert rows["OAI-SearchBot"].answers == "sitemap 200, page 200"
    names = [request.headers["user-agent"] for request in site.log if request.path != "/robots.txt"]
    assert not any("GPTBot" in name for name in names)
    [line] = said
    assert line.startswith(f"{len(names) - 1} more requests to 127.0.0.1, one at a time: ")
    assert len(names) <= 17


def test_a_healthy_file_that_search_console_does_not_read(site: Site, tmp_path: Path) -> None:
    with FakeEngines() as engines:
        environment = engines.environment(tmp_path)
        home, url = f"{site.origin}/", site.url("/sitemap.xml")
        engines.google.properties = {home: "siteOwner"}
        known = {"path": url, "isPending": True, "lastSubmitted": "2026-01-15T12:00:00.000Z"}
        engines.google.sitemaps = {home: {url: known}}
        report = doctor(DoctorSettings(url=url), environment=environment)
        assert [each.cause for each in report.causes] == ["stuck-in-search-console"]
        assert f"`urlset submit {site.url('/sitemap-2.xml')} --to google`" in report.causes[0].advice
        site.routes["/sitemap.xml"] = PLANTED["malformed"](site)
        assert first_cause(url, environment) == "malformed", "what is wrong with the file explains it"
        site.routes["/sitemap.xml"] = good(site)
        known["lastDownloaded"] = "2026-01-16T12:00:00.000Z"
        assert first_cause(url, environment) is None


@pytest.mark.parametrize(
    ("kind", "cause"), [("TOTAL_TIMEOUT", "timeout"), ("BOMB", "too-large"), ("CUT_SHORT", "cut-short")]
)
def test_a_body_that_fails_is_no_bot_wall(kind: str, cause: str) -> None:
    """Other names were sent to read the beginning only, which is there."""
    url = "https://example.com/sitemap.xml"
    answers = {
        "Googlebot": Answer(url, status=200, failure=Failure(FailureKind[kind])),
        "browser": Answer(url, status=200, truncated=True),
    }
    seen = Observations(url, answers, HostRobots.unrestricted("https://example.com"))
    assert [each.cause for each in diagnose(seen)] == [cause]


@pytest.mark.parametrize(
    ("given", "new"),
    [
        ("https://example.com/sitemap.xml", "https://example.com/sitemap-2.xml"),
        ("https://example.com/maps/sitemap-2.xml.gz?x=1", "https://example.com/maps/sitemap-3.xml.gz"),
    ],
)
def test_the_new_name_of_a_sitemap(given: str, new: str) -> None:
    assert f"`urlset submit {new} --to google`" in renaming(given)


@pytest.mark.parametrize(
    ("headers", "start", "platforms"),
    [
        ([("server", "cloudflare"), ("cf-ray", "1")], b"", (Platform.CLOUDFLARE,)),
        ([("x-vercel-id", "fra1::1")], b"", (Platform.VERCEL,)),
        ([("server", "Netlify")], b"", (Platform.NETLIFY,)),
        (
            [("server", "nginx/1.22.1")],
            b'<?xml-stylesheet href="/wp-content/x.xsl"?>',
            (Platform.NGINX, Platform.WORDPRESS),
        ),
        ([("server", "LiteSpeed"), ("x-litespeed-cache", "hit")], b"", (Platform.APACHE, Platform.WORDPRESS)),
        ([("server", "gunicorn"), ("x-powered-by", "PHP/8.3")], b"<urlset>", ()),
    ],
)
def test_who_serves_it(headers: list[tuple[str, str]], start: bytes, platforms: tuple[Platform, ...]) -> None:
    assert platforms_of(headers, start) == platforms


def test_every_platform_has_recipes_for_the_usual_causes() -> None:
    for cause in ("bot-protection", "server-error", "not-found", "html-instead", "redirect-loop"):
        assert [each.partition(":")[0] for each in recipes_for(cause, (Platform.NGINX, Platform.APACHE))] == [
            "nginx",
            "Apache",
        ]
        assert recipes_for(cause, (Platform.CLOUDFLARE, Platform.VERCEL, Platform.NETLIFY, Platform.WORDPRESS))


def test_escape_sequences_of_a_server_do_not_reach_the_terminal(site: Site, tmp_path: Path) -> None:
    site.routes["/sitemap.xml"] = PageAnswer(
        body=good(site).payload(),
        headers={"Content-Type": "evil/\x1b]0;owned\x07type", "X-Robots-Tag": "noindex \x1b[2J"},
    )
    environment = {"URLSET_CONFIG_HOME": str(tmp_path), "GOOGLE_APPLICATION_CREDENTIALS": ""}
    result = CliRunner().invoke(cli, ["doctor", site.url("/sitemap.xml")], env=environment, standalone_mode=False)
    assert "\x1b" not in result.output
    assert "\x07" not in result.output
