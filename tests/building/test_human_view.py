"""The page for people: complete, small, and deaf to whatever an address tries."""

from __future__ import annotations

import re
from html.parser import HTMLParser

from hypothesis import given

from tests.strategies import texts
from urlset.building.extras import HTML_PAGES, html
from urlset.building.manifest import FileRole, Manifest, PublishedFile
from urlset.model.entry import Entry

HOSTILE = "https://example.com/<script>alert(1)</script>\"'><img src=x onerror=alert(1)>"


class Seen(HTMLParser):
    def __init__(self, page: str) -> None:
        super().__init__()
        self.tags: list[tuple[str, dict[str, str | None]]] = []
        self.words: list[str] = []
        self.feed(page)
        self.close()

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.append((tag, dict(attrs)))

    def handle_data(self, data: str) -> None:
        self.words.append(data)

    def named(self, tag: str) -> list[dict[str, str | None]]:
        return [attributes for name, attributes in self.tags if name == tag]


def published(section: str = "products", newest: str | None = "2024-05-01T10:00:00Z") -> Manifest:
    files = (
        PublishedFile("sitemap-products-1.xml.gz", "0" * 64, 123_456, 45_000, section, newest),
        PublishedFile("sitemap-products-2.xml.gz", "0" * 64, 999, 1, section),
        PublishedFile("sitemap.xml", "0" * 64, 400, 2, role=FileRole.INDEX),
    )
    return Manifest.of("https://www.example.com/", files)


def page_of(manifest: Manifest, *pages: Entry, title: str | None = None) -> str:
    return b"".join(html(manifest, pages, title=title)).decode()


def test_the_files_are_listed() -> None:
    seen = Seen(page_of(published()))
    assert [link["href"] for link in seen.named("a")] == [
        "https://www.example.com/sitemap-products-1.xml.gz",
        "https://www.example.com/sitemap-products-2.xml.gz",
    ]
    text = " ".join(" ".join(seen.words).split())
    for part in ("Sitemap of www.example.com", "45,001 pages in 2 files", "products", "2024-05-01", "123 kB", "999 B"):
        assert part in text


def test_nothing_comes_from_elsewhere() -> None:
    page = page_of(published())
    seen = Seen(page)
    assert not re.search(r"(?:\ssrc=|@import|url\()", page)
    assert seen.named("link") == []
    assert len(seen.named("script")) == 1
    assert "default-src 'none'" in (seen.named("meta")[1]["content"] or "")
    assert len(page) < 6000


def test_hostile_addresses_are_only_text() -> None:
    manifest = published(section=HOSTILE, newest=HOSTILE)
    seen = Seen(page_of(manifest, Entry(HOSTILE, HOSTILE), Entry("javascript:alert(1)"), title=HOSTILE))
    assert len(seen.named("script")) == 1
    assert seen.named("img") == []
    assert all((link["href"] or "").startswith("https://") for link in seen.named("a"))
    assert HOSTILE in [link["href"] for link in seen.named("a")]
    assert not [name for _, attributes in seen.tags for name in attributes if name.startswith("on")]


@given(texts(), texts())
def test_no_text_makes_a_tag(one: str, other: str) -> None:
    usual = tags_of(page_of(published(), Entry("https://example.com/", "2024")))
    odd = tags_of(
        page_of(published(section=one or "s"), Entry(f"https://example.com/{other}", one or "x"), title=other or "t")
    )
    assert odd == usual


def tags_of(page: str) -> list[str]:
    return [tag for tag, _ in Seen(page).tags]


def test_many_pages_are_cut_and_counted() -> None:
    pages = (Entry(f"https://www.example.com/{number}") for number in range(HTML_PAGES + 10))
    page = page_of(published(), *pages)
    assert page.count("<tr><td>") == HTML_PAGES + 2
    assert f"and {45_001 - HTML_PAGES:,} more pages in the files above" in page


def test_the_same_set_gives_the_same_page() -> None:
    assert page_of(published()) == page_of(published())
