"""`urlset explain URL`: what audits and crawls know about one address."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.cli.commands import run
from tests.workflows.audit_sites import page, sitemap
from tests.workflows.crawled_sites import html
from urlset.testing import Site, redirect

pytestmark = pytest.mark.network


@pytest.fixture(scope="module")
def known(tmp_path_factory: pytest.TempPathFactory) -> tuple[str, Path]:
    """A site that was audited with --crawl: its origin and the state folder."""
    state = tmp_path_factory.mktemp("state")
    with Site({}) as site:
        site.routes.update(
            {
                "/robots.txt": "User-agent: Yandex\nDisallow: /copy\n\nUser-agent: *\nDisallow: /private\n",
                "/": html("/a", "/moved", "/private", title="Home"),
                "/a": html("/", "/moved", "/a?utm_source=x", title="A"),
                "/moved": redirect("/a"),
                "/copy": page("copy", '<link rel="canonical" href="/other"><meta name="bingbot" content="noindex">'),
                "/other": page("other"),
                "/sitemap.xml": sitemap(f"{site.origin}{path}" for path in ("/", "/moved", "/copy", "/private")),
            }
        )
        ran = run("audit", site.url("/"), "--crawl", "--allow-private", "--state", state)
        assert ran.code in (0, 1), ran.err
        return site.origin, state


def explained(known: tuple[str, Path], path: str) -> str:
    ran = run("explain", f"{known[0]}{path}", "--state", known[1])
    assert ran.code == 0, ran.err
    return ran.text.replace(known[0], "")


def test_where_it_is_listed_and_how_it_answered(known: tuple[str, Path]) -> None:
    said = explained(known, "/moved")
    assert "listed in /sitemap.xml, entry 2" in said
    assert "redirected: 301 to /a" in said
    assert "A003 redirected-page" in said
    assert "fix: replace the entry with /a" in said


def test_what_each_engine_will_do(known: tuple[str, Path]) -> None:
    said = explained(known, "/copy")
    assert "Google, Baidu, Seznam, Naver: will not index it: canonical is /other" in said
    assert "Bing: will not index it: canonical is /other; noindex for bingbot (bing)" in said
    assert "Yandex: will not fetch it: disallowed by robots.txt" in said
    assert "in no sitemap; a page listed in /sitemap.xml names it as its address" in explained(known, "/other")
    assert "can index it (a sitemap does not guarantee that)" in explained(known, "/")


def test_which_pages_link_to_it(known: tuple[str, Path]) -> None:
    said = explained(known, "/moved")
    assert "1 click from the start page" in said
    assert "2 pages of the site link to it:\n    /\n    /a\n" in f"{said}\n"
    assert "1 page of the site links to it:\n    /a" in explained(known, "/")
    assert "not requested: disallowed by robots.txt" in explained(known, "/private")
    assert "the start page" in explained(known, "/")


def test_audit_and_crawl_are_held_together(known: tuple[str, Path]) -> None:
    assert "/copy is not in the crawl of / on" in explained(known, "/copy")
    assert "no crawled page links to it" in explained(known, "/copy")
    unlisted = explained(known, "/a")
    assert "in none of the audited sitemaps" in unlisted
    assert "can index it (a sitemap does not guarantee that)" in unlisted


def test_an_unknown_address(known: tuple[str, Path]) -> None:
    ran = run("explain", f"{known[0]}/nowhere", "--state", known[1])
    assert ran.code == 2
    assert "unknown to the builds, audits and crawls" in ran.err
