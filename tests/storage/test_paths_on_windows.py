"""Paths as Windows writes them → paths and URIs in reports, as programs everywhere read them."""

from __future__ import annotations

import ntpath
import os

import pytest

from urlset.storage import paths
from urlset.storage.paths import uri_of, with_slashes


@pytest.fixture
def windows(monkeypatch: pytest.MonkeyPatch) -> None:
    """Its names and its separator; everything else of `os` stays."""

    class Names:
        sep, path, fsencode = "\\", ntpath, staticmethod(lambda text: text.encode("utf-8", "surrogatepass"))

        def __getattr__(self, name: str) -> object:
            return getattr(os, name)

    monkeypatch.setattr(paths, "os", Names())


@pytest.mark.usefixtures("windows")
@pytest.mark.parametrize(
    ("source", "uri"),
    [
        ("public\\a b.xml", "public/a%20b.xml"),
        (".\\sitemap.xml", "sitemap.xml"),
        ("C:\\site\\sitemap.xml", "file:///C:/site/sitemap.xml"),
        ("c:/site/é.xml", "file:///c:/site/%C3%A9.xml"),
        ("\\\\server\\share\\a.xml", "file://server/share/a.xml"),
        ("c:d.xml", "c%3Ad.xml"),
        ("https://example.com/a\\b", "https://example.com/a%5Cb"),
    ],
)
def test_a_source_becomes_a_uri(source: str, uri: str) -> None:
    assert uri_of(source) == uri


@pytest.mark.usefixtures("windows")
def test_slashes() -> None:
    assert [with_slashes(each) for each in ("a\\b.xml", "https://example.com/a\\b")] == [
        "a/b.xml",
        "https://example.com/a\\b",
    ]


@pytest.mark.posix
def test_elsewhere_a_backslash_is_a_letter() -> None:
    assert (with_slashes("a\\b.xml"), uri_of("a\\b.xml")) == ("a\\b.xml", "a%5Cb.xml")
