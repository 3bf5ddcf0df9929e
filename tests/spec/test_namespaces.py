"""Namespace names, right and wrong, are recognised for what they mean."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from urlset.spec import namespaces
from urlset.spec.namespaces import (
    BY_NAME,
    BY_PREFIX,
    BY_URI,
    KNOWN_WRONG,
    LEGACY,
    NAMESPACES,
    Spelling,
    recognise,
)

SITEMAPS = "http://www.sitemaps.org/schemas"
GOOGLE = "http://www.google.com/schemas"

WRONG: list[tuple[str, str, list[Spelling]]] = [
    (f"{SITEMAPS}/sitemap/0.9/", "sitemap", [Spelling.TRAILING_SLASH]),
    ("https://www.sitemaps.org/schemas/sitemap/0.9", "sitemap", [Spelling.HTTPS]),
    ("https://www.sitemaps.org/schemas/sitemap/0.9/", "sitemap", [Spelling.HTTPS, Spelling.TRAILING_SLASH]),
    ("http://sitemaps.org/schemas/sitemap/0.9", "sitemap", [Spelling.HOST]),
    ("http://www.sitemap.org/schemas/sitemap/0.9", "sitemap", [Spelling.HOST]),
    (f"{SITEMAPS}/Sitemap/0.9", "sitemap", [Spelling.CASE]),
    ("HTTP://WWW.SITEMAPS.ORG/SCHEMAS/SITEMAP/0.9", "sitemap", [Spelling.CASE]),
    (f"{SITEMAPS}/sitemap/1.0", "sitemap", [Spelling.VERSION]),
    (f"{SITEMAPS}/sitemap/0.84", "sitemap", [Spelling.VERSION]),
    (f"{SITEMAPS}/sitemap", "sitemap", [Spelling.VERSION]),
    (f"{SITEMAPS}/sitemap/v0.9", "sitemap", [Spelling.OTHER]),
    (f"{SITEMAPS}/sitemap-0.9", "sitemap", [Spelling.OTHER]),
    (f"{SITEMAPS}/sitemap/0.9/sitemap.xsd", "sitemap", [Spelling.OTHER]),
    (f"{SITEMAPS}/sitemap/0.9/siteindex.xsd", "sitemap", [Spelling.OTHER]),
    ("http:www.sitemaps.org/schemas/sitemap/0.9", "sitemap", [Spelling.OTHER]),
    ("www.sitemaps.org/schemas/sitemap/0.9", "sitemap", [Spelling.OTHER]),
    ("http://www.sitemaps.org", "sitemap", [Spelling.OTHER]),
    (f" {SITEMAPS}/sitemap/0.9\n", "sitemap", [Spelling.WHITESPACE]),
    (f"{GOOGLE}/sitemap/0.84", "sitemap", [Spelling.LEGACY]),
    ("https://www.google.com/schemas/sitemap/0.84", "sitemap", [Spelling.LEGACY, Spelling.HTTPS]),
    (f"{GOOGLE}/sitemap/0.9", "sitemap", [Spelling.HOST]),
    (f"{GOOGLE}/sitemap/0.90", "sitemap", [Spelling.HOST, Spelling.VERSION]),
    (f"{GOOGLE}/sitemap-image/1.0", "image", [Spelling.VERSION]),
    (f"{GOOGLE}/sitemap-image/1.1/", "image", [Spelling.TRAILING_SLASH]),
    ("https://www.google.com/schemas/sitemap-image/1.1", "image", [Spelling.HTTPS]),
    ("http://google.com/schemas/sitemap-image/1.1", "image", [Spelling.HOST]),
    (f"{SITEMAPS}/sitemap-image/1.1", "image", [Spelling.HOST]),
    (f"{SITEMAPS}/sitemap-image/v1", "image", [Spelling.HOST, Spelling.VERSION]),
    (f"{SITEMAPS}/sitemap-video/1.1", "video", [Spelling.HOST]),
    (f"{GOOGLE}/sitemap-video/1.0", "video", [Spelling.VERSION]),
    (f"{GOOGLE}/sitemap-news/0.84", "news", [Spelling.LEGACY]),
    (f"{GOOGLE}/sitemap-news/1.0", "news", [Spelling.VERSION]),
    (f"{SITEMAPS}/sitemap-news/0.9", "news", [Spelling.HOST]),
    (f"{GOOGLE}/sitemap-geo/1.0", "geo", [Spelling.OTHER]),
    ("http://www.baidu.com/schemas/sitemap-mobile/1", "baidu-mobile", [Spelling.TRAILING_SLASH]),
    ("http://www.w3.org/1999/xhtml/", "xhtml", [Spelling.TRAILING_SLASH]),
    ("https://www.w3.org/1999/xhtml", "xhtml", [Spelling.HTTPS]),
    ("http://www.w3.org/1999/XHTML", "xhtml", [Spelling.CASE]),
    ("http://www.w3.org/TR/xhtml11/xhtml11_schema.html", "xhtml", [Spelling.OTHER]),
    ("https://www.w3.org/TR/xhtml11/xhtml11_schema.html", "xhtml", [Spelling.OTHER, Spelling.HTTPS]),
    ("http://www.w3.org/2005/atom", "atom", [Spelling.CASE]),
    ("http://purl.org/atom/ns", "atom03", [Spelling.TRAILING_SLASH]),
    ("http://search.yahoo.com/mrss", "media", [Spelling.TRAILING_SLASH]),
    ("http://video.search.yahoo.com/mrss", "media", [Spelling.LEGACY]),
]


@pytest.mark.parametrize(("uri", "name", "faults"), WRONG, ids=[uri for uri, _, _ in WRONG])
def test_wrong_spellings(uri: str, name: str, faults: list[Spelling]) -> None:
    found = recognise(uri)
    assert found is not None
    assert found.namespace.name == name
    assert found.uri == BY_NAME[name].uri
    assert list(found.faults) == faults
    assert found.written is faults[0]
    assert not found.exact


@pytest.mark.parametrize("uri", BY_URI)
def test_right_spellings(uri: str) -> None:
    found = recognise(uri)
    assert found is not None
    assert found.exact
    assert found.written is Spelling.EXACT
    assert found.uri == uri


@pytest.mark.parametrize(("uri", "right"), [*LEGACY.items(), *KNOWN_WRONG.items()])
def test_listed_wrong_names_lead_to_a_right_one(uri: str, right: str) -> None:
    found = recognise(uri)
    assert found is not None
    assert found.uri == right
    assert found.written in (Spelling.LEGACY, Spelling.OTHER)


@pytest.mark.parametrize(
    "uri",
    [
        "",
        " ",
        "/",
        "urn:x-example",
        "sitemap",
        "http://",
        "http://www.example.com/schemas/sitemap/0.9",
        "http://www.google.com/",
        "http://www.google.com/schemas/sitemap-unknown/1.0",
        "http://www.w3.org/2000/svg",
        f"{SITEMAPS}/sitemap/0.9" + "/" * 1000,
    ],
)
def test_unknown_names(uri: str) -> None:
    assert recognise(uri) is None


@given(st.text() | st.sampled_from(list(BY_URI)).flatmap(lambda uri: st.text().map(lambda tail: uri + tail)))
def test_only_the_right_name_is_without_fault(uri: str) -> None:
    found = recognise(uri)
    assert (found is not None and found.exact) == (uri in BY_URI)


def test_tables_have_no_duplicates() -> None:
    assert len(BY_URI) == len(BY_NAME) == len(NAMESPACES)
    assert not set(BY_URI) & (set(LEGACY) | set(KNOWN_WRONG))
    assert not set(LEGACY) & set(KNOWN_WRONG)


def test_a_prefix_means_what_everyone_means_by_it() -> None:
    assert BY_PREFIX["image"].uri == namespaces.IMAGE
    assert BY_PREFIX["mobile"].uri == namespaces.MOBILE
    assert "" not in BY_PREFIX
