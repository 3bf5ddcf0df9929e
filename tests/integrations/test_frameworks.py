"""FastAPI, Starlette and Flask applications with sitemaps added, on their own routing."""

from __future__ import annotations

from typing import Any

import pytest

import urlset
from tests.integrations.asking import ask, served

BASE = "https://www.example.com"
PAGES: dict[str, Any] = {
    "pages": ["/", "/about"],
    "lamps": lambda: ({"loc": f"/lamp/{n}", "lastmod": "2026-05-06"} for n in range(5)),
}


def _echo(page: str) -> str:
    return page


def fastapi_app(**settings: Any) -> Any:
    fastapi = pytest.importorskip("fastapi")
    from urlset.integrations.fastapi import add_sitemaps

    app = fastapi.FastAPI()

    app.get("/{page}")(_echo)
    add_sitemaps(app, sections=PAGES, base_url=BASE, **settings)
    return app


def starlette_app(**settings: Any) -> Any:
    applications = pytest.importorskip("starlette.applications")
    from urlset.integrations.fastapi import add_sitemaps

    app = applications.Starlette()
    add_sitemaps(app, sections=PAGES, base_url=BASE, **settings)
    return app


def flask_app(**settings: Any) -> Any:
    flask = pytest.importorskip("flask")
    from urlset.integrations.flask import add_sitemaps

    app = flask.Flask(__name__)

    app.get("/<page>")(_echo)
    add_sitemaps(app, sections=PAGES, base_url=BASE, **settings)
    return app


every_app = pytest.mark.parametrize("make", [fastapi_app, starlette_app, flask_app])


@every_app
def test_index_shards_and_twins(make: Any) -> None:
    app = make(robots=True)
    index = ask(app, "/sitemap.xml")
    assert index.locs == [f"{BASE}/sitemap-pages-1.xml", f"{BASE}/sitemap-lamps-1.xml"]
    assert index.headers["content-type"] == "application/xml"
    shard = ask(app, "/sitemap-lamps-1.xml")
    assert shard.locs == [f"{BASE}/lamp/{n}" for n in range(5)]
    assert ask(app, "/sitemap-lamps-1.xml.gz").locs == shard.locs
    assert ask(app, "/robots.txt").body == f"Sitemap: {BASE}/sitemap.xml\n".encode()
    verdict = urlset.check(shard.body, at=f"{BASE}/sitemap-lamps-1.xml")
    assert verdict.at_or_above(urlset.Severity.ERROR) == 0


@every_app
def test_conditions_and_methods(make: Any) -> None:
    app = make()
    shard = ask(app, "/sitemap-lamps-1.xml")
    assert shard.headers["last-modified"] == "Wed, 06 May 2026 00:00:00 GMT"
    again = ask(app, "/sitemap-lamps-1.xml", if_none_match=shard.headers["etag"])
    assert (again.status, again.body) == (304, b"")
    head = ask(app, "/sitemap-lamps-1.xml", "HEAD")
    assert (head.status, head.body) == (200, b"")
    assert head.headers["etag"] == shard.headers["etag"]
    assert ask(app, "/sitemap.xml", "POST").status == 405


@every_app
def test_routes_of_the_application_still_work(make: Any) -> None:
    app = make()
    assert ask(app, "/sitemap-lamps-2.xml").status == 404
    if make is not starlette_app:
        assert b"hello" in ask(app, "/hello").body
        assert b"sitemap-unknown-1.xml" in ask(app, "/sitemap-unknown-1.xml").body or make is flask_app


def test_not_in_the_openapi_schema() -> None:
    assert set(fastapi_app().openapi()["paths"]) == {"/{page}"}


def test_mounted_in_starlette() -> None:
    applications = pytest.importorskip("starlette.applications")
    from starlette.routing import Mount

    from urlset.integrations.asgi import SitemapApp

    app = applications.Starlette(routes=[Mount("/maps", SitemapApp(sections=PAGES, base_url=BASE))])
    assert ask(app, "/maps/sitemap.xml").locs[0] == f"{BASE}/maps/sitemap-pages-1.xml"
    assert ask(app, "/maps/sitemap-pages-1.xml").status == 200


def test_flask_blueprint_below_a_prefix() -> None:
    flask = pytest.importorskip("flask")
    from urlset.integrations.flask import blueprint

    app = flask.Flask(__name__)
    app.register_blueprint(blueprint(sections=PAGES, base_url=BASE), url_prefix="/maps")
    assert ask(app, "/maps/sitemap.xml").locs[0] == f"{BASE}/maps/sitemap-pages-1.xml"
    assert ask(app, "/maps/sitemap-pages-1.xml").locs == [f"{BASE}/", f"{BASE}/about"]


def test_flask_sources_have_an_application_context(caplog: pytest.LogCaptureFixture) -> None:
    flask = pytest.importorskip("flask")
    from urlset.integrations.flask import add_sitemaps

    app = flask.Flask("shop")
    sitemaps = add_sitemaps(app, sections={"a": lambda: [f"/{flask.current_app.name}"]}, base_url=BASE, refresh=0.001)
    for _ in range(3):  # the second renews the plan in a thread, outside any request
        assert ask(app, "/sitemap-a-1.xml").locs == [f"{BASE}/shop"]
    with sitemaps.keepers["a"]._lock:  # the thread is done
        assert caplog.records == []


@pytest.mark.parametrize("make", [fastapi_app, flask_app])
def test_on_a_real_server(make: Any) -> None:
    with served(make()) as origin:
        verdict = urlset.check(
            f"{origin}/sitemap-lamps-1.xml", web=urlset.WebOptions(allow_private=True), select=["X", "S", "D"]
        )
    assert [finding for finding in verdict.findings if finding.severity is urlset.Severity.ERROR] == []
    assert [document.entries for document in verdict.documents if document.kind == "urlset"] == [5]
