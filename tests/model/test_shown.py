"""Values and reports → a short line, and HTML in which nothing of a site is markup."""

from __future__ import annotations

import inspect

import msgspec
import pytest

import urlset
from urlset.model.shown import Shown

PAGES = "".join(f"<url><loc>https://example.com/{number}</loc></url>" for number in range(2_000))
HOSTILE = "https://example.com/&lt;script&gt;alert(1)&lt;/script&gt;"
STRUCTS = [
    found
    for name in urlset.__all__
    if inspect.isclass(found := getattr(urlset, name)) and issubclass(found, msgspec.Struct)
]


@pytest.mark.parametrize("found", STRUCTS, ids=lambda found: found.__name__)
def test_every_public_struct_is_shown_short(found: type) -> None:
    assert issubclass(found, Shown) or found is urlset.Place


def test_a_document_is_one_line() -> None:
    document = urlset.read(f"<urlset>{PAGES}</urlset>", name="sitemap.xml")
    assert repr(document) == "Document(name='sitemap.xml', kind='urlset', entries=2000)"
    assert document.__rich_repr__()[2][0] == "entries"


def test_long_values_are_cut() -> None:
    images = tuple(urlset.Image("https://example.com/" + "a" * 5_000) for _ in range(900))
    entry = urlset.Entry("https://example.com/" + "b" * 5_000, media=urlset.Media(images=images))
    assert len(repr(entry)) <= 300
    assert len(repr(urlset.check(f"<urlset>{PAGES}</urlset>".encode()))) <= 300
    assert len(repr(urlset.fix(f"<urlset>{PAGES}</urlset>".encode()))) <= 300


def test_a_notebook_shows_the_first_rows_as_text() -> None:
    html = urlset.read(f"<urlset><url><loc>{HOSTILE}</loc></url></urlset>", name="<b>.xml")._repr_html_()
    assert "<script" not in html
    assert "&lt;script&gt;" in html
    assert "&lt;b&gt;.xml" in html
    assert "<script" not in urlset.check(f"<urlset><url><loc>{HOSTILE}</loc></url></urlset>".encode())._repr_html_()


def test_a_url_is_in_a_document_as_it_is_written() -> None:
    document = urlset.read("<urlset><url><loc> https://example.com/a?b=1&amp;c=2 </loc></url></urlset>")
    assert "https://example.com/a?b=1&c=2" in document
    assert "https://example.com/a" not in document
    assert document.entry(0) in document
    assert None not in document


def test_any_entry_can_be_asked_for_what_pages_have() -> None:
    index = urlset.read("<sitemapindex><sitemap><loc>https://example.com/a.xml</loc></sitemap></sitemapindex>")
    (child,) = index
    assert (child.images, child.videos, child.alternates, child.news, child.priority) == ((), (), (), None, None)
    assert child == urlset.IndexEntry("https://example.com/a.xml")
