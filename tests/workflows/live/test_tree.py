"""Sites on loopback → documents one at a time, for `ls` and `info`: in order, each once, fetched ahead but not far."""

from __future__ import annotations

import gzip
import re
from typing import Any

import pytest

from tests.workflows.live_sites import index, live, pages, robots, xml
from urlset.reading.tree import Missing
from urlset.testing import PageAnswer, Request, Site, redirect
from urlset.workflows.info import Description, describe_files
from urlset.workflows.live import tree as live_tree
from urlset.workflows.ls import Batch, ListFilter, Notice, list_pages


def listed(*targets: str, wanted: ListFilter | None = None, **options: Any) -> tuple[list[str], list[str]]:
    """The pages, and what is said besides."""
    found = list(list_pages(targets, wanted or ListFilter(), live=live(**options)))
    urls = [loc for item in found if isinstance(item, Batch) for loc in item.locs]
    return urls, [f"{item.source}: {item.text}" for item in found if isinstance(item, Notice)]


def test_pages_of_a_whole_site_in_the_order_listed() -> None:
    with Site({}) as site:
        u = site.url
        site.routes.update(
            {
                "/robots.txt": robots(f"Sitemap: {u('/index.xml')}", f"Sitemap: {u('/z.txt')}"),
                "/index.xml": xml(index(u("/slow.xml"), u("/deep.xml"), u("/gone.xml"), u("/b.xml.gz"))),
                "/slow.xml": PageAnswer(body=pages(u("/1"), u("/2")), type="text/xml", pause=0.2),
                "/deep.xml": xml(index(u("/index.xml"), u("/d.xml"), u("/copy.xml"))),
                "/d.xml": xml(pages(u("/3"))),
                "/copy.xml": redirect(u("/d.xml")),
                "/b.xml.gz": gzip.compress(pages(u("/4"))),
                "/z.txt": f"{u('/5')}\n",
            }
        )
        urls, notices = listed(u("/"))
        assert urls == [u(f"/{n}") for n in range(1, 6)]
        assert notices == [f"{u('/gone.xml')}: listed in {u('/index.xml')}, not read: 404 Not Found"]
        some, _ = listed(u("/"), wanted=ListFilter(match=re.compile("/[35]$")))
        assert some == [u("/3"), u("/5")]


def test_a_limit_stops_the_fetching(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(live_tree, "AHEAD", 3)
    with Site(lambda request: xml(pages(f"{request.origin}{request.path}/"))) as site:
        site.routes["/index.xml"] = xml(index(*(site.url(f"/{n}.xml") for n in range(50))))
        urls, _ = listed(site.url("/index.xml"), wanted=ListFilter(limit=2))
        assert len(urls) == 2
        assert len(site.log) <= 2 + 2 + 3, "robots.txt, the index, two files and those asked for ahead"


def test_no_more_files_than_allowed() -> None:
    with Site(lambda request: xml(pages(f"{request.origin}{request.path}/"))) as site:
        site.routes["/index.xml"] = xml(index(*(site.url(f"/{n}.xml") for n in range(9))))
        urls, notices = listed(site.url("/index.xml"), max_files=4)
    assert len(urls) == 3
    assert "stopped after 4 files: raise --max-files" in notices[0]


def test_what_cannot_be_read_is_told_and_kept_apart() -> None:
    html = "<!doctype html><title>Sorry</title>"
    with Site({"/closed.xml": PageAnswer(403), "/page.xml": PageAnswer(body=html)}) as site:
        u = site.url
        _, notices = listed(u("/closed.xml"), u("/page.xml"), u("/none.xml"), "http://127.0.0.1:1/a.xml")
        nothing, reported = listed(u("/"))
    assert notices == [
        f"{u('/closed.xml')}: cannot be read: 403 Forbidden",
        f"{u('/page.xml')}: is an HTML page, not a sitemap; it may be a saved error page",
        f"{u('/none.xml')}: cannot be read: 404 Not Found",
        "http://127.0.0.1:1/a.xml: cannot be read: connection refused",
    ]
    assert nothing == []
    assert f"{u('/')}: no sitemap found: no robots.txt; 404 Not Found at /sitemap.xml" in reported[0]


def test_endless_indexes_end() -> None:
    def deeper(request: Request) -> PageAnswer:
        return xml(index(f"{request.origin}/index.xml?{int(request.query or 0) + 1}"))

    with Site({"/index.xml": deeper}) as site:
        urls, notices = listed(site.url("/index.xml"))
    assert urls == []
    assert "indexes nested more than 8 deep" in notices[-1]


def described(*targets: str, follow: bool = False) -> list[Description | Missing]:
    return list(describe_files(targets, follow=follow, live=live()))


def test_a_site_is_described_with_its_robots_txt_and_how_it_is_served() -> None:
    with Site({}) as site:
        u = site.url
        site.routes.update(
            {
                "/robots.txt": robots(f"Sitemap: {u('/old.xml')}", f"Sitemap: {u('/gone.xml')}"),
                "/old.xml": redirect(u("/index.xml")),
                "/index.xml": PageAnswer(body=index(u("/a.xml")), type="text/xml", gzip=True, headers={"ETag": '"7"'}),
                "/a.xml": xml(pages(u("/1"))),
            }
        )
        found = described(u("/"))
        followed = described(u("/index.xml"), follow=True)
    assert [each.source if isinstance(each, Description) else each.loc for each in found] == [
        u("/robots.txt"),
        u("/old.xml"),
        u("/gone.xml"),
    ]
    old = found[1]
    assert isinstance(old, Description)
    assert old.delivery is not None
    assert (old.url, old.delivery.redirects, old.delivery.final_url) == (u("/index.xml"), (301,), u("/index.xml"))
    assert (old.delivery.content_encoding, old.delivery.etag) == ("gzip", '"7"')
    assert old.children is not None
    assert (old.children.listed, old.children.found) == (1, None)
    assert [each.source for each in followed if isinstance(each, Description)] == [u("/index.xml"), u("/a.xml")]
