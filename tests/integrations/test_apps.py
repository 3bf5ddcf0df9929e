"""ASGI and WSGI applications: the same files, the same headers, whatever kind of source is behind them."""

from __future__ import annotations

import gzip
import logging
from collections.abc import AsyncIterator, Iterator
from datetime import UTC, datetime
from typing import Any

import pytest

import urlset
from tests.integrations.asking import Reply, ask, served
from urlset.integrations import asgi, wsgi
from urlset.integrations.calls import AsyncSourceError

BASE = "https://www.example.com"
WHEN = datetime(2026, 3, 4, 5, 6, 7, tzinfo=UTC)
PAGES: list[Any] = [
    "/",
    ("/about", WHEN),
    urlset.Entry("https://www.example.com/shop", lastmod="2026-01-02", priority="0.5"),
    {"loc": "/lamp", "lastmod": "2026-02-03", "images": ["/lamp.jpg"]},
]
KINDS = [wsgi.SitemapApp, asgi.SitemapApp]
every_kind = pytest.mark.parametrize("kind", KINDS, ids=["wsgi", "asgi"])


def generator() -> Iterator[Any]:
    yield from PAGES


async def async_generator() -> AsyncIterator[Any]:
    for page in PAGES:
        yield page


async def coroutine() -> list[Any]:
    return PAGES


class AsyncPages:
    def __aiter__(self) -> AsyncIterator[Any]:
        return async_generator()


SOURCES = [PAGES, tuple(PAGES), generator, lambda: PAGES, lambda: iter(PAGES)]
ASYNC = [async_generator, coroutine, AsyncPages(), lambda: async_generator(), lambda: coroutine()]  # noqa: PLW0108
EVERY = [(kind, source) for kind in KINDS for source in SOURCES] + [(asgi.SitemapApp, source) for source in ASYNC]


def checked(reply: Reply, url: str) -> None:
    assert reply.status == 200
    verdict = urlset.check(reply.body, at=url)
    assert verdict.at_or_above(urlset.Severity.ERROR) == 0, verdict.findings


@pytest.mark.parametrize(("kind", "source"), EVERY)
def test_every_source_is_served_alike(kind: Any, source: Any) -> None:
    app = kind(sections={"pages": source}, base_url=BASE)
    index, shard = ask(app, "/sitemap.xml"), ask(app, "/sitemap-pages-1.xml")
    checked(index, f"{BASE}/sitemap.xml")
    checked(shard, f"{BASE}/sitemap-pages-1.xml")
    assert b"<lastmod>2026-03-04T05:06:07Z</lastmod>" in index.body
    assert [entry.loc for entry in urlset.read(index.body)] == [f"{BASE}/sitemap-pages-1.xml"]
    assert shard.locs == [f"{BASE}/", f"{BASE}/about", f"{BASE}/shop", f"{BASE}/lamp"]
    assert b"<image:loc>https://www.example.com/lamp.jpg</image:loc>" in shard.body


@every_kind
def test_gzip_twins_hold_the_same_bytes(kind: Any) -> None:
    app = kind(sections={"pages": PAGES}, base_url=BASE, gzip=True)
    for path in ("/sitemap.xml", "/sitemap-pages-1.xml"):
        plain, packed = ask(app, path), ask(app, f"{path}.gz")
        assert packed.headers["content-type"] == "application/gzip"
        assert "content-encoding" not in packed.headers
        assert gzip.decompress(packed.body) == plain.body
        assert plain.headers["etag"] != packed.headers["etag"]
    assert b"/sitemap-pages-1.xml.gz</loc>" in ask(app, "/sitemap.xml").body


@every_kind
@pytest.mark.parametrize("path", ["/sitemap.xml", "/sitemap-pages-1.xml", "/sitemap-pages-1.xml.gz"])
def test_conditional_requests(kind: Any, path: str) -> None:
    app = kind(sections={"pages": [("/a", WHEN)]}, base_url=BASE, refresh=60)
    full = ask(app, path)
    assert full.headers["cache-control"] == "public, max-age=60"
    assert full.headers["last-modified"] == "Wed, 04 Mar 2026 05:06:07 GMT"
    head = ask(app, path, "HEAD")
    assert (head.status, head.body) == (200, b"")
    assert head.headers.items() <= full.headers.items()
    assert int(full.headers["content-length"]) == len(full.body)
    etag = full.headers["etag"]
    for headers, status in [
        ({"if_none_match": etag}, 304),
        ({"if_none_match": f'"other", {etag}'}, 304),
        ({"if_none_match": etag.removeprefix("W/")}, 304),
        ({"if_none_match": "*"}, 304),
        ({"if_none_match": '"other"'}, 200),
        ({"if_modified_since": "Wed, 04 Mar 2026 05:06:07 GMT"}, 304),
        ({"if_modified_since": "Wed, 04 Mar 2026 05:06:06 GMT"}, 200),
        ({"if_modified_since": "yesterday"}, 200),
        ({"if_none_match": '"other"', "if_modified_since": "Wed, 04 Mar 2027 05:06:07 GMT"}, 200),
    ]:
        reply = ask(app, path, **headers)
        assert reply.status == status, headers
        assert reply.headers["etag"] == etag
        if status == 304:
            assert reply.body == b""
            assert "content-type" not in reply.headers


@every_kind
@pytest.mark.parametrize(
    ("path", "method", "status"),
    [
        ("/", "GET", 404),
        ("/robots.txt", "GET", 404),
        ("/sitemap-pages-2.xml", "GET", 404),
        ("/sitemap-pages-0.xml", "GET", 404),
        ("/sitemap-pages-01.xml", "GET", 404),
        ("/sitemap-pages-99999999999999999999.xml", "GET", 404),
        ("/sitemap-other-1.xml", "GET", 404),
        ("/sitemap.xml/", "GET", 404),
        ("/sitemap.xml", "POST", 405),
        ("/sitemap-pages-1.xml", "DELETE", 405),
    ],
)
def test_other_requests(kind: Any, path: str, method: str, status: int) -> None:
    reply = ask(kind(sections={"pages": PAGES}, base_url=BASE), path, method)
    assert reply.status == status
    assert reply.headers.get("allow") == ("GET, HEAD" if status == 405 else None)


@every_kind
def test_robots_txt_names_the_index(kind: Any) -> None:
    app = kind(sections={"pages": PAGES}, base_url=BASE, robots="User-agent: *\nDisallow: /cart\n")
    reply = ask(app, "/robots.txt")
    assert reply.body == b"User-agent: *\nDisallow: /cart\n\nSitemap: https://www.example.com/sitemap.xml\n"
    assert app.sitemaps.robots_line() == "Sitemap: https://www.example.com/sitemap.xml"


@every_kind
@pytest.mark.parametrize(
    ("base", "prefix", "expected"),
    [
        (BASE, "", f"{BASE}/sitemap-a-1.xml"),
        (f"{BASE}/", "/maps", f"{BASE}/maps/sitemap-a-1.xml"),
        (f"{BASE}/shop/", "", f"{BASE}/shop/sitemap-a-1.xml"),
        (f"{BASE}/shop/", "/shop", f"{BASE}/shop/sitemap-a-1.xml"),
    ],
)
def test_mounted_below_a_prefix(kind: Any, base: str, prefix: str, expected: str) -> None:
    index = ask(kind(sections={"a": ["/shop/x"]}, base_url=base), "/sitemap.xml", prefix=prefix)
    assert index.locs == [expected]


HOSTILE: list[Any] = [
    "/ok",
    "/a b<script>&\"'",
    "/\ud800",
    "https://evil.example.net/",
    "//evil.example.net/x",
    "javascript:alert(1)",
    "https://user:secret@www.example.com/x",
    f"/{'x' * 3000}",
    "",
    None,
    7,
    ("/date", "<not a date>"),
    {"loc": "/hints", "priority": "7", "changefreq": "sometimes", "images": ["data:image/png;base64,AAAA"]},
    {"loc": "/caption", "images": [{"loc": "/x.jpg", "caption": "]]> & <b>\x00"}]},
    urlset.Entry("/entry", lastmod="31.12.2025 foo", changefreq="nope", priority="1,5"),
    {"no": "address"},
]


@every_kind
def test_hostile_values_never_make_an_invalid_file(kind: Any, caplog: pytest.LogCaptureFixture) -> None:
    app = kind(sections={"pages": HOSTILE}, base_url=BASE)
    with caplog.at_level(logging.WARNING, "urlset"):
        reply = ask(app, "/sitemap-pages-1.xml")
    checked(reply, f"{BASE}/sitemap-pages-1.xml")
    paths = [loc.removeprefix(BASE) for loc in reply.locs]
    assert paths == ["/ok", "/a%20b%3Cscript%3E&%22'", "/date", "/hints", "/caption", "/entry"]
    assert "secret" not in caplog.text
    assert "sitemap-pages-1.xml: 10 entries left out" in caplog.text


@every_kind
def test_empty_sections_are_not_listed(kind: Any) -> None:
    app = kind(sections={"none": [], "some": ["/a"]}, base_url=BASE)
    assert ask(app, "/sitemap.xml").locs == [f"{BASE}/sitemap-some-1.xml"]
    assert ask(app, "/sitemap-none-1.xml").status == 404


@every_kind
def test_a_source_that_fails_is_an_error_and_not_half_a_file(kind: Any) -> None:
    def broken() -> Iterator[str]:
        yield "/a"
        raise RuntimeError("no database")

    with pytest.raises(RuntimeError, match="no database"):
        ask(kind(sections={"pages": broken}, base_url=BASE), "/sitemap-pages-1.xml")


@pytest.mark.parametrize(
    ("sections", "base", "error", "message"),
    [
        ({}, BASE, ValueError, "no sections"),
        ({"a b": []}, BASE, ValueError, "section name 'a b'"),
        ({"a": "https://www.example.com/"}, BASE, TypeError, "str is not a source"),
        ({"a": iter([])}, BASE, TypeError, "read only once"),
        ({"a": 5}, BASE, TypeError, "int is not a source"),
        ({"a": []}, "www.example.com", ValueError, "not an http or https URL"),
        ({"a": []}, "https://u:p@www.example.com", ValueError, "not an http or https URL"),
    ],
)
def test_wrong_settings_are_refused_at_once(sections: Any, base: str, error: type[Exception], message: str) -> None:
    with pytest.raises(error, match=message):
        asgi.SitemapApp(sections=sections, base_url=base)


def test_async_sources_need_an_async_application() -> None:
    with pytest.raises(AsyncSourceError, match=r"asgi or fastapi"):
        wsgi.SitemapApp(sections={"a": async_generator}, base_url=BASE)
    with pytest.raises(AsyncSourceError):
        ask(wsgi.SitemapApp(sections={"a": lambda: coroutine()}, base_url=BASE), "/sitemap.xml")  # noqa: PLW0108


@every_kind
def test_other_paths_go_to_the_wrapped_application(kind: Any) -> None:
    def plain(_environ: Any, start_response: Any) -> list[bytes]:
        start_response("200 OK", [("Content-Type", "text/plain")])
        return [b"mine"]

    async def coroutine_app(_scope: Any, _receive: Any, send: Any) -> None:
        await send({"type": "http.response.start", "status": 200, "headers": []})
        await send({"type": "http.response.body", "body": b"mine"})

    app = kind(sections={"a": ["/a"]}, base_url=BASE, app=plain if kind is wsgi.SitemapApp else coroutine_app)
    assert ask(app, "/other").body == b"mine"
    assert ask(app, "/sitemap.xml").status == 200


@every_kind
def test_a_whole_site_on_a_real_server_passes_the_check(kind: Any) -> None:
    """Robots.txt, index, shards and twins over HTTP, as a crawler sees them."""
    sections: dict[str, Any] = {"pages": lambda: [f"/p/{number}" for number in range(30)], "lamps": PAGES}
    holder: dict[str, Any] = {}

    async def late(scope: Any, receive: Any, send: Any) -> None:
        await holder["app"](scope, receive, send)

    class Late:
        def __call__(self, environ: Any, start_response: Any) -> Any:
            return holder["app"](environ, start_response)

    class AsyncLate:
        async def __call__(self, scope: Any, receive: Any, send: Any) -> None:
            await late(scope, receive, send)

    with served(AsyncLate() if kind is asgi.SitemapApp else Late()) as origin:
        sections["lamps"] = [f"{origin}/lamp"]
        holder["app"] = kind(sections=sections, base_url=origin, shard_size=20, gzip=True, robots=True)
        verdict = urlset.check(f"{origin}/", web=urlset.WebOptions(allow_private=True), ignore=["host-not-public"])
    assert [f for f in verdict.findings if f.severity is urlset.Severity.ERROR] == []
    assert sum(document.entries for document in verdict.documents if document.kind == "urlset") == 31
