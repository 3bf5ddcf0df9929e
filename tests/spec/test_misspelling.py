"""Which names are misspellings of which."""

from __future__ import annotations

import pytest

from urlset.spec.misspelling import is_misspelled


@pytest.mark.parametrize(
    ("name", "meant"),
    [("lco", "loc"), ("Loc", "loc"), ("location", "loc"), ("last-mod", "lastmod"), ("lastmodified", "lastmod"),
     ("change_freq", "changefreq"), ("priorty", "priority"), ("ulr", "url"), ("urll", "url"), ("stiemap", "sitemap")],
)  # fmt: skip
def test_a_misspelled_name(name: str, meant: str) -> None:
    assert is_misspelled(name.encode(), meant.encode()) == (name.lower() != meant)


@pytest.mark.parametrize("name", ["link", "date", "title", "image", "author", "category", "description", "language"])
def test_another_name(name: str) -> None:
    assert not any(is_misspelled(name.encode(), meant) for meant in (b"loc", b"lastmod", b"changefreq", b"priority"))


@pytest.mark.parametrize(("name", "meant"), [("urlset", "url"), ("sitemapindex", "sitemap"), ("url", "loc")])
def test_names_of_the_protocol_are_not_misspellings_of_each_other(name: str, meant: str) -> None:
    assert not is_misspelled(name.encode(), meant.encode())
