"""netlify.toml and vercel.json in and beside build folders → redirects, robots headers and the style of addresses."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.building.sources.sites import BASE, candidates, html, lay_out, troubles
from urlset.building.candidate import PolicyReason
from urlset.building.policy import ListingPolicy
from urlset.building.sources.folder import from_folder
from urlset.building.sources.hosting import Headers, Hosting, Redirects, VercelConfig
from urlset.building.sources.source import SourceOptions

PAGES = {
    "index.html": html(),
    "about.html": html(),
    "blog/index.html": html(),
    "old.html": html(),
    "draft/a.html": html(),
}
NETLIFY = """
[build]
publish = "public"
[[redirects]]
from = "/old.html"
to = "/about.html"
force = true
[[redirects]]
from = "/about.html"
to = "/shadowed"
[[redirects]]
from = "/blog/"
to = "/de/blog/"
force = true
conditions = {Country = ["de"]}
[[redirects]]
from = "/gone/*"
to = "/blog/:splat"
[[headers]]
for = "/draft/*"
[headers.values]
X-Robots-Tag = "noindex"
X-Frame-Options = "DENY"
"""
VERCEL = {
    "cleanUrls": True,
    "trailingSlash": False,
    "redirects": [
        {"source": "/old", "destination": "/about", "permanent": True},
        {"source": "/about", "destination": "/us", "has": [{"type": "host", "value": "other.example"}]},
        {"source": "/gone/:path*", "destination": "/blog/:path*", "statusCode": 302},
    ],
    "headers": [
        {"source": "/draft/(.*)", "headers": [{"key": "X-Robots-Tag", "value": "noindex"}]},
        {"source": "/(.*)", "headers": [{"key": "x-frame-options", "value": "DENY"}]},
    ],
}


def verdicts(folder: Path) -> dict[str, str]:
    policy = ListingPolicy(BASE)
    found = candidates(from_folder(folder, SourceOptions(base_url=BASE)))
    return {each.loc.removeprefix(BASE): policy.decide(each).verdict.value for each in found}


@pytest.mark.parametrize("place", ["public/netlify.toml", "netlify.toml"])
def test_netlify(place: str, tmp_path: Path) -> None:
    lay_out(tmp_path, {f"public/{name}": text for name, text in PAGES.items()} | {place: NETLIFY})
    assert verdicts(tmp_path / "public") == {
        "": "listed",
        "about.html": "listed",
        "blog/": "listed",
        "old.html": "redirect",
        "draft/a.html": "noindex",
    }


def test_netlify_of_another_folder(tmp_path: Path) -> None:
    lay_out(tmp_path, {f"dist/{name}": text for name, text in PAGES.items()} | {"netlify.toml": NETLIFY})
    assert set(verdicts(tmp_path / "dist").values()) == {"listed"}


def test_netlify_redirects_what_is_not_there(tmp_path: Path) -> None:
    lay_out(tmp_path, {"netlify.toml": NETLIFY})
    redirects = Hosting(tmp_path).redirects
    assert redirects.redirect_of("/gone/a", exists=False) == ("/blog/a", 301)
    assert redirects.redirect_of("/gone/a", exists=True) is None


def test_netlify_shows_a_page_before_a_rule_without_force(tmp_path: Path) -> None:
    rules = {"_redirects": "/old.html /about.html\n/blog/* /about.html 301!\n/draft/* /404.html 404!\n"}
    lay_out(tmp_path / "a", PAGES | rules)
    lay_out(tmp_path / "b", PAGES | rules | {"netlify.toml": "[build]\n"})
    assert verdicts(tmp_path / "a")["old.html"] == "redirect"
    found = verdicts(tmp_path / "b")
    assert (found["old.html"], found["blog/"], found["draft/a.html"]) == ("listed", "redirect", "error-page")


def test_netlify_pretty_urls(tmp_path: Path) -> None:
    pretty = "[build.processing.html]\npretty_urls = true\n"
    lay_out(tmp_path, {**PAGES, "netlify.toml": pretty})
    assert set(verdicts(tmp_path)) == {"", "about", "blog/", "old", "draft/a"}


@pytest.mark.parametrize("place", ["public/vercel.json", "vercel.json"])
def test_vercel(place: str, tmp_path: Path) -> None:
    lay_out(tmp_path, {f"public/{name}": text for name, text in PAGES.items()} | {place: json.dumps(VERCEL)})
    assert verdicts(tmp_path / "public") == {
        "": "listed",
        "about": "listed",
        "blog": "listed",
        "old": "redirect",
        "draft/a": "noindex",
    }


@pytest.mark.parametrize(
    ("settings", "locs"),
    [
        ({}, {"", "about.html", "blog/"}),
        ({"cleanUrls": True}, {"", "about", "blog"}),
        ({"cleanUrls": True, "trailingSlash": True}, {"", "about/", "blog/"}),
        ({"trailingSlash": False}, {"", "about.html", "blog"}),
        ({"trailingSlash": True}, {"", "about.html", "blog/"}),
    ],
)
def test_vercel_spelling_of_addresses(settings: dict[str, bool], locs: set[str], tmp_path: Path) -> None:
    files = {name: PAGES[name] for name in ("index.html", "about.html", "blog/index.html")}
    lay_out(tmp_path, {**files, "vercel.json": json.dumps(settings)})
    assert set(verdicts(tmp_path)) == locs


def test_options_come_before_the_files_of_the_host(tmp_path: Path) -> None:
    lay_out(tmp_path, {"about.html": html(), "vercel.json": '{"cleanUrls": true}'})
    (page,) = candidates(from_folder(tmp_path, SourceOptions(base_url=BASE, page_style="keep")))
    assert page.loc == f"{BASE}about.html"


@pytest.mark.parametrize(
    ("source", "destination", "path", "target"),
    [
        ("/a", "/b", "/a", "/b"),
        ("/a", "/b", "/a/b", None),
        ("/blog/:slug", "/news/:slug", "/blog/x", "/news/x"),
        ("/blog/:slug", "/news/:slug", "/blog/x/y", None),
        ("/blog/:path*", "/news/:path*", "/blog/x/y", "/news/x/y"),
        ("/blog/:path*", "/news/:path*", "/blog", "/news/"),
        ("/post/:id(\\d{1,})", "/p/:id", "/post/12", "/p/12"),
        ("/post/:id(\\d{1,})", "/p/:id", "/post/twelve", None),
        ("/(.*)", "https://new.example/$1", "/a/b", "https://new.example/a/b"),
        ("/old-:name.html", "/:name", "/old-a.html", "/a"),
        ("/a(", "/b", "/a(", None),
        ("a", "/b", "/a", None),
    ],
)
def test_vercel_patterns(source: str, destination: str, path: str, target: str | None) -> None:
    config = VercelConfig(json.dumps({"redirects": [{"source": source, "destination": destination}]}))
    assert Redirects(config.redirects()).target_of(path) == target


def test_vercel_routes() -> None:
    routes = [
        {"src": "/old/(.*)", "status": 301, "headers": {"Location": "/new/$1"}},
        {"src": "/private/.*", "headers": {"X-Robots-Tag": "noindex"}},
    ]
    config = VercelConfig(json.dumps({"routes": routes}))
    assert Redirects(config.redirects()).redirect_of("/old/a") == ("/new/a", 301)
    assert Headers(config.headers()).directives_of("/private/a") == ("noindex",)


@pytest.mark.parametrize(
    ("name", "text"),
    [("vercel.json", "{"), ("vercel.json", "[]"), ("netlify.toml", "[[redirects"), ("vercel.json", "")],
)
def test_a_broken_file_is_reported_and_the_pages_are_listed(name: str, text: str, tmp_path: Path) -> None:
    lay_out(tmp_path, {"a.html": html(), name: text})
    items = list(from_folder(tmp_path, SourceOptions(base_url=BASE)))
    assert [each.origin for each in troubles(items)] == [name]
    assert len(candidates(items)) == 1


_JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text("/:a(*)\\$", max_size=8),
    lambda inner: (
        st.lists(inner, max_size=3)
        | st.dictionaries(
            st.sampled_from(
                ["redirects", "source", "destination", "headers", "key", "value", "routes", "src", "status"]
            ),
            inner,
            max_size=4,
        )
    ),
)


@given(_JSON)
def test_vercel_never_raises(content: object) -> None:
    config = VercelConfig(json.dumps({"redirects": content, "headers": content, "routes": content}))
    Redirects(config.redirects()).target_of("/a")
    Headers(config.headers()).directives_of("/a")


def test_the_reason_is_recorded(tmp_path: Path) -> None:
    lay_out(tmp_path, {"old.html": html(), "vercel.json": json.dumps(VERCEL)})
    (page,) = candidates(from_folder(tmp_path, SourceOptions(base_url=BASE)))
    decision = ListingPolicy(BASE).decide(page)
    assert decision.verdict is PolicyReason.REDIRECT
    assert decision.detail == f"{BASE}about"
