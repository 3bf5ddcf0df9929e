"""_redirects, _headers and .urlsetignore → what they say of a path."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from urlset.building.sources.folder import Ignore
from urlset.building.sources.hosting import Headers, Redirects, headers_in, redirects_in


@pytest.mark.parametrize(
    ("rules", "path", "target"),
    [
        ("/a /b", "/a", "/b"),
        ("/a /b", "/a/", "/b"),
        ("/a /b", "/ab", None),
        ("/a/ /a 301", "/a/", "/a"),
        ("/a/ /a 301", "/a", None),
        ("/a /b 200", "/a", None),
        ("/a /b 404", "/a", None),
        ("/a /b 308!", "/a", "/b"),
        ("/blog/* /news/:splat", "/blog/x/y", "/news/x/y"),
        ("/blog/* /news/:splat", "/blog", "/news/"),
        ("/blog/:year/:slug /:slug-:year", "/blog/2024/x", "/x-2024"),
        ("/blog/:year/:slug /:slug", "/blog/2024", None),
        ("/* https://new.example/:splat 301", "/a/b", "https://new.example/a/b"),
        ("/a /first\n/a /second", "/a", "/first"),
        ("/a/* /wild\n/a/b /exact", "/a/b", "/wild"),
        ("/a/b /b 200\n/a/* /wild", "/a/b", None),
        ("/a /de Country=de", "/a", None),
        ("/a id=:id /b/:id", "/a", None),
        ("/a /b # comment", "/a", "/b"),
        ("https://www.example.com/a /b", "/a", "/b"),
        ("https://other.example/a /b", "/a", None),
        ("/a", "/a", None),
        ("/* /index.html 200", "/a", None),
        ("/a /a", "/a", None),
    ],
)
def test_redirects(rules: str, path: str, target: str | None) -> None:
    assert Redirects(redirects_in(rules, host="www.example.com")).target_of(path) == target


HEADERS = """
# all
/*
  X-Frame-Options: DENY
/private/*
  X-Robots-Tag: noindex
  Cache-Control: no-store
https://www.example.com/pdf/:name
\tx-robots-tag: nofollow
https://:project.pages.dev/*
  X-Robots-Tag: noindex
https://staging.example.com/*
  X-Robots-Tag: noindex
/private/open/*
  ! X-Robots-Tag
"""


@pytest.mark.parametrize(
    ("path", "directives"),
    [
        ("/a", ()),
        ("/private/x", ("noindex",)),
        ("/private", ("noindex",)),
        ("/private/open/x", ()),
        ("/pdf/a", ("nofollow",)),
        ("/pdf/a/b", ()),
    ],
)
def test_headers(path: str, directives: tuple[str, ...]) -> None:
    assert Headers(headers_in(HEADERS, host="www.example.com")).directives_of(path) == directives


@pytest.mark.parametrize("host", ["shop.pages.dev", "SHOP.pages.dev"])
def test_headers_of_a_host_with_a_placeholder(host: str) -> None:
    assert Headers(headers_in(HEADERS, host=host)).directives_of("/a") == ("noindex",)
    assert Headers(headers_in(HEADERS, host=f"a.{host}")).directives_of("/a") == ()


@pytest.mark.parametrize(
    ("rules", "status"),
    [
        ("/a /404.html 404!", 404),
        ("/* /gone 410!", 410),
        ("/a /404.html 404", None),
        ("/a /b 200!", None),
        ("/a /b 301!\n/a /404.html 404!", None),
    ],
)
def test_pages_that_a_rule_hides(rules: str, status: int | None) -> None:
    assert Redirects(redirects_in(rules)).error_of("/a") == status


@pytest.mark.parametrize(
    ("lines", "path", "is_folder", "ignored"),
    [
        (["drafts"], "drafts", True, True),
        (["drafts"], "a/drafts", True, True),
        (["drafts/"], "drafts", False, False),
        (["/drafts"], "a/drafts", False, False),
        (["a/*.html"], "a/x.html", False, True),
        (["a/*.html"], "a/b/x.html", False, False),
        (["a/**/x.html"], "a/b/c/x.html", False, True),
        (["a/**/x.html"], "a/x.html", False, True),
        (["**/x.html"], "q/x.html", False, True),
        (["a/**"], "a/b/c.html", False, True),
        (["?.html"], "x.html", False, True),
        (["?.html"], "xy.html", False, False),
        (["[a-c].html"], "b.html", False, True),
        (["[!a-c].html"], "b.html", False, False),
        (["*.html", "!b.html"], "b.html", False, False),
        (["!b.html", "*.html"], "b.html", False, True),
        (["\\#x.html"], "#x.html", False, True),
        (["#x.html", "", "  "], "#x.html", False, False),
        (["x.html  "], "x.html", False, True),
    ],
)
def test_ignore(lines: list[str], path: str, is_folder: bool, ignored: bool) -> None:
    assert Ignore(lines).ignores(path, is_folder=is_folder) is ignored


@given(st.text("ab/*:[]!\\?# \t.\n0123=", max_size=40), st.text("ab/", max_size=8))
def test_never_raise(text: str, path: str) -> None:
    Redirects(redirects_in(text)).target_of(f"/{path}")
    Headers(headers_in(text)).directives_of(f"/{path}")
    Ignore(text.splitlines()).ignores(path)
