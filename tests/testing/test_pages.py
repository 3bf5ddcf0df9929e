"""Numbers → pages and sites that are the same every time, of real size, and free of fault."""

from __future__ import annotations

import re
from collections import deque
from http.client import HTTPConnection

import pytest

import urlset
from tests.servers.error_pages import WORDINGS, error_page
from tests.servers.pages import article, plain_paths, plain_site, sitemap_routes
from urlset.reading.html import read_page
from urlset.testing.site import Site

HREF = re.compile(rb'href="(/[^"]*)"')


def test_an_article_is_always_the_same_and_no_two_are() -> None:
    assert article(7) == article(7)
    assert len({article(n, words=200) for n in range(50)}) == 50


def test_articles_have_the_size_of_real_ones() -> None:
    sizes = [len(article(n)) for n in range(60)]
    assert min(sizes) >= 30_000
    assert max(sizes) <= 100_000


@pytest.mark.parametrize("words", [0, 1, 30, 500])
def test_words_are_counted(words: int) -> None:
    page = article(3, words=words, boilerplate=False, links=0)
    inside = re.findall(rb"<p[^>]*>([^<]*)</p>", page)
    assert sum(len(each.split()) for each in inside) == words


def test_an_article_can_be_read() -> None:
    page = read_page(
        article(5, links=["/a?b=1&c=2"], head='<link rel="canonical" href="/five">\n', title="Five & more")
    )
    assert page.title == "Five & more"
    assert page.language == "en"
    assert [each.href for each in page.canonicals] == ["/five"]
    assert "/a?b=1&c=2" in {each.href for each in page.links}


def test_boilerplate_is_the_same_on_every_page() -> None:
    first, second = article(1, title="x"), article(2, title="x")
    assert first[:8000] == second[:8000]
    assert first[-4000:] == second[-4000:]


def test_a_plain_site_can_be_walked_to_its_end() -> None:
    count = 130
    with Site(plain_site(count, words=20)) as site:
        connection = HTTPConnection("127.0.0.1", site.port, timeout=5)
        seen, waiting = {"/"}, deque(["/"])
        while waiting:
            connection.request("GET", waiting.popleft())
            answer = connection.getresponse()
            body = answer.read()
            assert answer.status == 200
            found = {each.decode() for each in HREF.findall(body)} - seen
            seen |= found
            waiting.extend(sorted(found))
        connection.request("GET", "/sitemap.xml")
        listed = urlset.read(connection.getresponse().read())
        connection.request("GET", "/robots.txt")
        robots = connection.getresponse().read().decode()
        for missing in ("/articles/130/", "/articles/7", "/articles/07/", "/articles/x/", "/topics/3/"):
            connection.request("GET", missing)
            answer = connection.getresponse()
            answer.read()
            assert answer.status == 404, missing
        connection.close()
        assert robots.splitlines()[-1] == f"Sitemap: {site.url('/sitemap.xml')}"
        assert [entry.loc for entry in listed.entries()] == [site.url(path) for path in plain_paths(count)]
    assert seen == set(plain_paths(count))


def test_many_pages_get_an_index() -> None:
    routes = sitemap_routes([f"/{n}" for n in range(100_001)])
    assert list(routes) == ["/sitemap.xml", "/sitemap-0.xml", "/sitemap-1.xml", "/sitemap-2.xml"]


@pytest.mark.parametrize("name", WORDINGS)
def test_error_pages_say_what_they_are(name: str) -> None:
    assert read_page(error_page(name)).title == WORDINGS[name][0]
    assert len(error_page(name)) > 5 * len(error_page(name, boilerplate=False))
