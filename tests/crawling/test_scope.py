"""What belongs to a site, and what of it is asked for."""

from __future__ import annotations

import pytest

from urlset.crawling.found import Fate
from urlset.crawling.scope import Scope, is_file, kin_of


def test_the_kin_of_a_host_are_its_other_scheme_and_www() -> None:
    assert set(kin_of("https://example.com")) == {
        "http://example.com",
        "https://www.example.com",
        "http://www.example.com",
    }
    assert "https://example.com" in kin_of("https://www.example.com")


@pytest.mark.parametrize("origin", ["http://127.0.0.1:8080", "https://example.com:8443", "http://[::1]"])
def test_a_port_of_its_own_has_no_kin(origin: str) -> None:
    assert kin_of(origin) == ()


def test_kin_belong_only_when_they_lead_here() -> None:
    scope = Scope("https://example.com")
    assert scope.may_belong("https://example.com/a")
    assert scope.may_belong("http://www.example.com/a")
    assert not scope.may_belong("https://shop.example.com/")
    assert not scope.may_belong("https://example.com.evil.example/")
    scope.belongs["http://www.example.com"] = False
    assert not scope.may_belong("http://www.example.com/a")


@pytest.mark.parametrize(
    "path",
    ["/a.png", "/a.PNG", "/x/film.mp4", "/app.js", "/style.css", "/a.tar.gz", "/sitemap.xml", "/feed.xml", "/f.woff2"],
)
def test_files_that_are_no_pages(path: str) -> None:
    assert is_file(path)


@pytest.mark.parametrize(
    "path",
    ["/", "/a", "/a.html", "/a.php", "/report.pdf", "/v1.2", "/node.js", "/a.b.c", "/wiki/File:Cat.png", "/data.xml"],
)
def test_pages_whatever_their_name(path: str) -> None:
    assert not is_file(path)


def test_prefix_and_patterns() -> None:
    scope = Scope("https://e.com", prefix="/blog/", wanted=lambda url: "draft" not in url)
    assert scope.fate_of("https://e.com/blog/a") is Fate.ASK
    assert scope.fate_of("https://e.com/shop") is Fate.OUTSIDE
    assert scope.fate_of("https://e.com/blog/draft-1") is Fate.EXCLUDED
    assert scope.fate_of("https://e.com/blog/a.png") is Fate.FILE
