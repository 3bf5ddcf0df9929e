"""Broken set-ups with a real nginx: the right cause comes first; healthy ones are not accused."""

from __future__ import annotations

import datetime as dt
import gzip
import re
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from tests.servers.certificates import maker
from tests.workflows.nginx import Block, serving
from tests.workflows.submit.engine_sites import sitemap
from urlset.settings.engines import DoctorSettings
from urlset.spec.recipes import Platform, recipes_for
from urlset.testing import PageAnswer, Raw, Request, Site
from urlset.web.options import WebOptions
from urlset.workflows.doctor import DoctorReport, doctor

AUTHORITY = maker().CA()
"""trusted by the doctor"""
DAY, NOW = dt.timedelta(days=1), dt.datetime.now(dt.UTC)
Make = Callable[[str, int, Path], Block]
ROBOTS = "User-agent: *\nAllow: /\n"
HOME = "<!doctype html><html lang=en><title>Shop</title><body><p>Welcome to the shop, please come in</body></html>"
SPACE = "http://www.sitemaps.org/schemas/sitemap/0.9"


def good(origin: str) -> str:
    return sitemap([(f"{origin}/page.html", "2026-01-01"), (f"{origin}/", "2026-01-02")])


def files(origin: str, **more: str | bytes) -> dict[str, str | bytes]:
    """A healthy site, and what differs."""
    usual: dict[str, str | bytes] = {
        "robots.txt": ROBOTS,
        "sitemap.xml": good(origin),
        "index.html": HOME,
        "page.html": HOME.replace("Welcome", "A page: welcome"),
    }
    return usual | {name.replace("__", "."): content for name, content in more.items()}


def plain(directives: str = "", listen: str = "", **more: str | bytes) -> Make:
    return lambda origin, port, _root: Block(
        directives.replace("PORT", str(port)).replace("ORIGIN", origin), files(origin, **more), listen
    )


def made(build: Callable[[str], dict[str, str | bytes]], directives: str = "") -> Make:
    return lambda origin, _port, _root: Block(directives, files(origin, **build(origin)))


def secure(*hosts: str, expired: bool = False, trusted: bool = True) -> Make:
    def make(origin: str, _port: int, root: Path) -> Block:
        authority = AUTHORITY if trusted else maker().CA()
        since, until = (NOW - 60 * DAY, NOW - 30 * DAY) if expired else (NOW - DAY, NOW + 60 * DAY)
        issued = authority.issue_cert(*hosts, not_before=since, not_after=until)
        issued.cert_chain_pems[0].write_to_path(str(root / "cert.pem"))
        issued.private_key_pem.write_to_path(str(root / "key.pem"))
        own = f"ssl_certificate {root}/cert.pem; ssl_certificate_key {root}/key.pem;"
        return Block(own, files(origin), "ssl http2", "https")

    return make


def twice(origin: str) -> dict[str, str | bytes]:
    return {"sitemap__xml__gz": gzip.compress(gzip.compress(good(origin).encode()))}


def many(origin: str) -> dict[str, str | bytes]:
    return {"sitemap__xml": sitemap((f"{origin}/{number}", "2026-01-01") for number in range(50_001))}


def index(origin: str) -> dict[str, str | bytes]:
    children = "".join(f"<sitemap><loc>{origin}/{name}.xml</loc></sitemap>" for name in ("child", "missing"))
    return {"sitemap__xml": f'<sitemapindex xmlns="{SPACE}">{children}</sitemapindex>', "child__xml": good(origin)}


BROKEN: dict[str, tuple[str, Make, str]] = {
    # name: the cause, the server, the path that is given
    "file-not-deployed": ("not-found", plain("location = /sitemap.xml { return 404; }"), "/sitemap.xml"),
    "denied-to-all": ("forbidden", plain("location = /sitemap.xml { deny all; }"), "/sitemap.xml"),
    "basic-auth": ("login", plain("auth_basic staging; auth_basic_user_file /dev/null;"), "/sitemap.xml"),
    "rewrite-cycle": (
        "server-error",
        plain("location = /sitemap.xml { rewrite ^ /sitemap.xml last; }"),
        "/sitemap.xml",
    ),
    "upstream-down": (
        "server-error",
        plain("location = /sitemap.xml { proxy_pass http://127.0.0.1:9; }"),
        "/sitemap.xml",
    ),
    "upstream-too-slow": (
        "server-error",
        plain("location = /sitemap.xml { proxy_read_timeout 300ms; proxy_pass http://127.0.0.1:SLOW; }"),
        "/sitemap.xml",
    ),
    "single-page-app": (
        "html-instead",
        plain("location = /sitemap.xml { try_files /nowhere /index.html; } location / { try_files $uri /index.html; }"),
        "/sitemap.xml",
    ),
    "bots-refused-by-name": ("bot-protection", plain("if ($is_bot) { return 403; }"), "/sitemap.xml"),
    "googlebot-cut-off": (
        "bot-protection",
        plain("location = /sitemap.xml { if ($is_google) { return 444; } }"),
        "/sitemap.xml",
    ),
    "bingbot-refused": (
        "blocks-some-bots",
        plain("location = /sitemap.xml { if ($is_bing) { return 403; } }"),
        "/sitemap.xml",
    ),
    "challenge-page": (
        "bot-protection",
        plain(
            "location = /sitemap.xml { default_type text/html; "
            "return 200 '<html><title>Just a moment...</title><script>window._cf_chl_opt={}</script></html>'; }"
        ),
        "/sitemap.xml",
    ),
    "rate-limit": (
        "rate-limited",
        plain("location = /sitemap.xml { limit_req zone=one; limit_req_status 429; }"),
        "/sitemap.xml",
    ),
    "connection-closed": ("connection-reset", plain("location = /sitemap.xml { return 444; }"), "/sitemap.xml"),
    "redirect-to-itself": (
        "redirect-loop",
        plain("location = /sitemap.xml { return 301 ORIGIN/sitemap.xml; }"),
        "/sitemap.xml",
    ),
    "redirect-to-home": ("redirect", plain("location = /sitemap.xml { return 302 /; }"), "/sitemap.xml"),
    "redirect-to-login": (
        "login",
        plain("location = /sitemap.xml { return 302 /login; } location = /login { try_files /index.html =404; }"),
        "/sitemap.xml",
    ),
    "moved-file": (
        "redirect",
        made(lambda origin: {"map__xml": good(origin)}, "location = /sitemap.xml { return 301 /map.xml; }"),
        "/sitemap.xml",
    ),
    "redirect-to-private-network": (
        "private-address",
        plain("location = /sitemap.xml { return 301 http://10.0.0.8/sitemap.xml; }"),
        "/sitemap.xml",
    ),
    "xml-as-html": (
        "content-type",
        plain("location = /sitemap.xml { types {} default_type text/html; }"),
        "/sitemap.xml",
    ),
    "gzip-in-gzip": ("double-gzip", made(twice), "/sitemap.xml.gz"),
    "gz-compressed-again": (
        "double-gzip",
        made(
            lambda origin: {"sitemap__xml__gz": gzip.compress(good(origin).encode())},
            "location ~ [.]gz$ { types {} default_type application/xml; gzip on; gzip_types *; gzip_min_length 1; }",
        ),
        "/sitemap.xml.gz",
    ),
    "gz-with-content-encoding": (
        "gz-encoded",
        made(
            lambda origin: {"sitemap__xml__gz": gzip.compress(good(origin).encode())},
            "location ~ [.]gz$ { types {} default_type application/xml; add_header Content-Encoding gzip; }",
        ),
        "/sitemap.xml.gz",
    ),
    "gzip-without-a-label": (
        "gzip-unlabeled",
        made(lambda origin: {"sitemap__xml": gzip.compress(good(origin).encode())}),
        "/sitemap.xml",
    ),
    "plain-labeled-gzip": (
        "bad-encoding",
        plain("location = /sitemap.xml { add_header Content-Encoding gzip; }"),
        "/sitemap.xml",
    ),
    "http2-without-tls": ("http-version", plain(listen="http2"), "/sitemap.xml"),
    "http-on-https-port": ("http-on-https-port", secure("127.0.0.1"), "/sitemap.xml"),
    "certificate-expired": ("tls", secure("127.0.0.1", expired=True), "/sitemap.xml"),
    "certificate-of-another-host": ("tls", secure("www.example.com"), "/sitemap.xml"),
    "certificate-not-trusted": ("tls", secure("127.0.0.1", trusted=False), "/sitemap.xml"),
    "robots-disallows-sitemap": (
        "blocked-by-robots",
        plain(robots__txt="User-agent: *\nDisallow: /*.xml$\n"),
        "/sitemap.xml",
    ),
    "robots-fails": ("robots-unavailable", plain("location = /robots.txt { return 503; }"), "/sitemap.xml"),
    "blank-line-and-mark": (
        "text-before-xml",
        made(lambda origin: {"sitemap__xml": "\n\ufeff" + good(origin)}),
        "/sitemap.xml",
    ),
    "warning-before-xml": (
        "text-before-xml",
        made(
            lambda origin: {"sitemap__xml": "<br />\n<b>Warning</b>: foo in <b>/srv/a.php</b>\n" + good(origin)},
            "location = /sitemap.xml { types {} default_type text/html; }",
        ),
        "/sitemap.xml",
    ),
    "upstream-breaks-off": (
        "cut-short",
        plain("location = /sitemap.xml { proxy_buffering off; proxy_pass http://127.0.0.1:BROKEN; }"),
        "/sitemap.xml",
    ),
    "slow-first-byte": (
        "slow",
        plain("location = /sitemap.xml { proxy_set_header Host $http_host; proxy_pass http://127.0.0.1:SLOW; }"),
        "/sitemap.xml",
    ),
    "bandwidth-limit": (
        "slow",
        made(
            lambda origin: {"sitemap__xml": sitemap((f"{origin}/{n}", "2026-01-01") for n in range(200))},
            "location = /sitemap.xml { limit_rate 12k; }",
        ),
        "/sitemap.xml",
    ),
    "too-many-urls": ("too-large", made(many), "/sitemap.xml"),
    "child-of-index-missing": ("not-found", made(index), "/sitemap.xml"),
    "empty-file": ("empty", plain(sitemap__xml=b""), "/sitemap.xml"),
    "cut-off-file": ("malformed", made(lambda origin: {"sitemap__xml": good(origin)[:-40]}), "/sitemap.xml"),
    "other-host-inside": (
        "host-mismatch",
        plain(sitemap__xml=sitemap([("https://www.shop-elsewhere.com/a", "2026-01-01")])),
        "/sitemap.xml",
    ),
    "nothing-published": ("no-sitemap", plain("location ~ [.](xml|gz)$ { return 404; }"), "/"),
}

HEALTHY: dict[str, tuple[Make, str]] = {
    "plain-file": (plain(), "/sitemap.xml"),
    "https-with-http2": (secure("127.0.0.1"), "/sitemap.xml"),
    "site-with-robots-line": (
        made(lambda origin: {"robots__txt": f"{ROBOTS}Sitemap: {origin}/sitemap.xml\n"}),
        "/",
    ),
    "compressed-transfer": (plain("gzip on; gzip_types *; gzip_min_length 1;"), "/sitemap.xml"),
    "gz-file": (made(lambda origin: {"sitemap__xml__gz": gzip.compress(good(origin).encode())}), "/sitemap.xml.gz"),
    "gz-file-as-octet-stream": (
        made(
            lambda origin: {"sitemap__xml__gz": gzip.compress(good(origin).encode())},
            "location ~ [.]gz$ { types {} default_type application/octet-stream; }",
        ),
        "/sitemap.xml.gz",
    ),
    "text-xml-with-charset": (
        plain("location = /sitemap.xml { types {} default_type 'text/xml; charset=utf-8'; }"),
        "/sitemap.xml",
    ),
    "no-robots-txt": (plain("location = /robots.txt { return 404; }"), "/sitemap.xml"),
    "training-bots-refused": (plain("if ($is_training) { return 403; }"), "/sitemap.xml"),
    "noindex-header": (plain("location = /sitemap.xml { add_header X-Robots-Tag 'noindex, follow'; }"), "/sitemap.xml"),
    "byte-order-mark": (made(lambda origin: {"sitemap__xml": "\ufeff" + good(origin)}), "/sitemap.xml"),
    "index-with-children": (
        made(
            lambda origin: {
                "sitemap__xml": f'<sitemapindex xmlns="{SPACE}"><sitemap><loc>{origin}/child.xml</loc></sitemap>'
                "</sitemapindex>",
                "child__xml": good(origin),
            }
        ),
        "/sitemap.xml",
    ),
    "text-list": (made(lambda origin: {"sitemap__txt": f"{origin}/\n{origin}/page.html\n"}), "/sitemap.txt"),
}


CURED: dict[str, tuple[str, str, str]] = {
    # the cause, what breaks the server, the path
    "html-instead": ("location / { try_files /index.html =404; }", "/sitemap.xml", ""),
    "content-type": ("types {} default_type text/html;", "/sitemap.xml", ""),
    "login": (
        "auth_basic staging; auth_basic_user_file /dev/null;",
        "/sitemap.xml",
        "location = /robots.txt { auth_basic off; }",
    ),
    "double-gzip": (
        "types {} default_type application/xml; gzip on; gzip_types *; gzip_min_length 1;",
        "/sitemap.xml.gz",
        "",
    ),
    "bot-protection": ("location / { deny all; }", "/sitemap.xml", "location = /robots.txt { allow all; }"),
    "not-found": ("location / { return 404; }", "/sitemap.xml", "location = /robots.txt { root ROOT; }"),
}
"""broken by a directive of the whole server, and cured by the line that the recipe has"""


def cured(cause: str, *, after: bool) -> Make:
    [recipe] = recipes_for(cause, (Platform.NGINX,))
    line = re.findall(r"`(location [^`]+})`", recipe)[0]
    broken, _, more = CURED[cause]

    def make(origin: str, _port: int, root: Path) -> Block:
        own = f"{line} {more}".replace("ROOT", str(root)).replace("/path/to/site", str(root))
        packed = {"sitemap__xml__gz": gzip.compress(good(origin).encode())} if cause == "double-gzip" else {}
        return Block(f"{broken} {own if after else ''}", files(origin, **packed))

    return make


def slow(request: Request) -> PageAnswer:
    return PageAnswer(body=good(f"http://{request.headers['host']}"), type="application/xml", pause=0.6)


@pytest.fixture(scope="module")
def servers() -> Iterator[dict[str, str]]:
    cut = Raw([b"HTTP/1.1 200 OK\r\nContent-Type: application/xml\r\nContent-Length: 9999\r\n\r\n<?xml"])
    with Site({"/sitemap.xml": slow}) as late, Site({"/sitemap.xml": cut}) as broken:

        def with_ports(make: Make) -> Make:
            def filled(origin: str, port: int, root: Path) -> Block:
                block = make(origin, port, root)
                text = block.directives.replace("SLOW", str(late.port)).replace("BROKEN", str(broken.port))
                return Block(text, block.files, block.listen, block.scheme)

            return filled

        blocks = {name: with_ports(make) for name, (_, make, _) in BROKEN.items()}
        blocks |= {name: with_ports(make) for name, (make, _) in HEALTHY.items()}
        blocks |= {f"cured-{cause}": cured(cause, after=True) for cause in CURED}
        blocks |= {f"uncured-{cause}": cured(cause, after=False) for cause in CURED}
        with serving(blocks) as origins:
            yield origins


def examined(url: str) -> DoctorReport:
    with AUTHORITY.cert_pem.tempfile() as trusted:
        web = WebOptions(backoff=0.01, patience=0.01, max_retry_after=0.1, ca_file=Path(trusted))
        return doctor(DoctorSettings(url=url, web=web), environment={"URLSET_CONFIG_HOME": "/nowhere"})


@pytest.fixture
def impatient_doctor(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("urlset.workflows.doctor_causes.SLOW", 0.5)
    monkeypatch.setattr("urlset.workflows.doctor._PATIENCE", 0.5)


@pytest.mark.slow
@pytest.mark.usefixtures("impatient_doctor")
def test_the_right_cause_comes_first(servers: dict[str, str]) -> None:
    wrong = {}
    for name, (cause, _, path) in BROKEN.items():
        origin = servers[name].replace("https:", "http:") if name == "http-on-https-port" else servers[name]
        found = [each.cause for each in examined(origin + path).causes]
        if found[:1] != [cause]:
            wrong[name] = found
    assert len(BROKEN) >= 40
    assert wrong == {}


@pytest.mark.usefixtures("impatient_doctor")
def test_a_healthy_server_is_not_accused(servers: dict[str, str]) -> None:
    found = {name: examined(servers[name] + path).causes for name, (_, path) in HEALTHY.items()}
    assert found == dict.fromkeys(HEALTHY, ())


def test_recipes_fit_the_server(servers: dict[str, str]) -> None:
    report = examined(f"{servers['single-page-app']}/sitemap.xml")
    assert report.platforms == ("nginx",)
    [recipe] = report.causes[0].recipes
    assert recipe.startswith("nginx: `location ~ \\.xml$ { try_files $uri =404; }`")
    assert "which cannot exist" in report.causes[0].evidence


REFUSED = "sitemap 403, page 403: the server refuses what robots.txt allows"


def test_crawlers_by_robots_txt_and_by_the_answers_to_their_names(servers: dict[str, str]) -> None:
    rows = {each.crawler: each for each in examined(f"{servers['training-bots-refused']}/sitemap.xml").crawlers}
    assert (rows["Googlebot"].answers, rows["GPTBot"].answers) == ("sitemap 200, page 200", REFUSED)
    assert rows["GPTBot"].robots == "allows the sitemap and all 2 pages"
    assert rows["YandexBot"].answers == "not requested"


def test_the_certificate_is_named(servers: dict[str, str]) -> None:
    evidence = {
        name: examined(f"{servers[f'certificate-{name}']}/sitemap.xml").causes[0].evidence.partition("xml: ")[2]
        for name in ("expired", "of-another-host", "not-trusted")
    }
    assert evidence["expired"] == "the certificate has expired"
    assert evidence["of-another-host"].startswith("the certificate is for another host")
    assert evidence["not-trusted"].startswith("the certificate is not trusted")
    healthy = examined(f"{servers['https-with-http2']}/sitemap.xml").looked_at
    assert [line for line in healthy if "TLSv1" in line and line.endswith("HTTP/1.1 and HTTP/2")], healthy


@pytest.mark.parametrize("cause", CURED)
def test_the_line_of_the_recipe_cures_it(servers: dict[str, str], cause: str) -> None:
    path = CURED[cause][1]
    before, after = (examined(f"{servers[f'{state}-{cause}']}{path}") for state in ("uncured", "cured"))
    assert before.causes, "it was broken"
    assert [each.cause for each in after.causes] == []
