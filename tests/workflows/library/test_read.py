"""`urlset.read` and `urlset.read_tree` → documents from files, text and the web, also inside an event loop."""

from __future__ import annotations

import asyncio
import threading
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

import urlset
from tests.workflows.audit_sites import page
from tests.workflows.live_sites import index, pages, robots, xml
from urlset.testing import Site

PLAIN = "<urlset><url><loc>https://example.com/é</loc></url></urlset>"


@pytest.fixture
def site() -> Iterator[Site]:
    with Site({}) as served:
        u = served.url
        served.routes.update(
            {
                "/robots.txt": robots(f"Sitemap: {u('/index.xml')}"),
                "/index.xml": xml(index(u("/a.xml"), u("/gone.xml"), u("/b.xml"))),
                "/a.xml": xml(pages(u("/1"), u("/2"))),
                "/b.xml": xml(pages(u("/3"))),
                **{f"/{number}": page(f"/{number}") for number in (1, 2, 3)},
            }
        )
        yield served


DECLARATIONS = [
    "",
    *(f'<?xml version="1.0" encoding="{name}"?>' for name in ("UTF-8", "ISO-8859-1", "utf-16", "no-such")),
]


@pytest.mark.parametrize("declaration", DECLARATIONS)
def test_text_is_read_as_it_is(declaration: str) -> None:
    document = urlset.read(f"{declaration}{PLAIN}")
    assert [entry.loc for entry in document] == ["https://example.com/é"]


def test_text_may_be_a_list(tmp_path: Path) -> None:
    assert len(urlset.read("https://example.com/a\nhttps://example.com/b\n")) == 2
    assert urlset.read("\ufeff" + PLAIN).kind is urlset.Kind.URLSET
    with pytest.raises(FileNotFoundError):
        urlset.read(str(tmp_path / "missing.xml"))


def test_a_url_is_fetched(site: Site) -> None:
    document = urlset.read(site.url("/a.xml"), allow_private=True)
    assert (document.name, len(document)) == (site.url("/a.xml"), 2)
    assert site.url("/2") in document


def test_a_url_that_cannot_be_read_says_why(site: Site) -> None:
    with pytest.raises(urlset.FetchError, match="404 Not Found"):
        urlset.read(site.url("/gone.xml"), allow_private=True)
    with pytest.raises(OSError, match=r"`allow_private=True` allows it"):
        urlset.read(site.url("/a.xml"))
    with pytest.raises(TypeError, match="unexpected keyword 'allow_privat'"):
        urlset.read(site.url("/a.xml"), allow_privat=True)  # type: ignore[call-arg]


def test_a_tree_of_a_site_again_and_again(site: Site, tmp_path: Path) -> None:
    local = tmp_path / "local.xml"
    local.write_text(PLAIN, encoding="utf-8")
    tree = urlset.read_tree([site.url("/"), local, PLAIN.encode()], allow_private=True, strict=False)
    for _ in range(2):
        assert [len(document) for document in tree] == [3, 2, 1, 1, 1]
        assert [missing.loc for missing in tree.missing] == [site.url("/gone.xml")]
    assert site.url("/3") in tree
    assert repr(tree).startswith("Tree(source=")
    assert "http" in tree._repr_html_()


def test_a_tree_becomes_a_table(site: Site) -> None:
    polars = pytest.importorskip("polars")
    tree = urlset.read_tree(site.url("/index.xml"), allow_private=True, strict=False)
    frame = tree.to_polars()
    assert frame["loc"].to_list() == [site.url(f"/{number}") for number in (1, 2, 3)]
    assert frame["sitemap"].n_unique() == 2
    assert tree.to_polars("sitemaps").height == 3
    if pytest.importorskip("pyarrow"):
        assert polars.from_arrow(tree.to_arrow_batches(size=1).read_all()).equals(frame)


def test_asyncio(site: Site) -> None:
    async def main() -> tuple[int, list[int], list[str]]:
        document = await urlset.read_async(site.url("/a.xml"), allow_private=True)
        tree = urlset.read_tree_async(site.url("/index.xml"), allow_private=True, strict=False)
        sizes = [len(each) async for each in tree]
        async for _ in tree:
            break
        return len(document), sizes, [each.loc for each in tree.missing]

    before = threading.active_count()
    assert asyncio.run(main()) == (2, [3, 2, 1], [])
    end = time.monotonic() + 10  # the server closes connections in threads, at its leisure
    while threading.active_count() > before + 1 and time.monotonic() < end:
        time.sleep(0.05)
    assert threading.active_count() <= before + 1


def test_everything_works_inside_an_event_loop(site: Site, tmp_path: Path) -> None:
    """As in a notebook, whose cells run inside one."""
    web = urlset.WebOptions(allow_private=True)

    async def cell() -> list[Any]:
        with urlset.audit(site.url("/index.xml"), web=web, strict=False) as report:
            audited = [row.url for row in report.pages()]
        with urlset.crawl(site.url("/1"), web=web, max_pages=3) as result:
            crawled = [row.url for row in result.pages()]
            frame = result.to_polars() if pytest.importorskip("polars") else None
        assert frame is not None
        assert frame["url"].to_list() == crawled
        with urlset.diff(site.url("/a.xml"), site.url("/index.xml"), web=web, state=tmp_path, strict=False) as changes:
            added = changes.to_polars("changes")["loc"].to_list()
        verdict = urlset.check(site.url("/a.xml"), web=web)
        return [len(audited), bool(crawled), added, len(urlset.read(site.url("/a.xml"), web=web)), verdict.entries]

    assert asyncio.run(cell()) == [3, True, [site.url("/3")], 2, 2]
