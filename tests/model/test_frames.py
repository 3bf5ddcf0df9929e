"""A document → tables in three libraries, with the same columns and values in each."""

from __future__ import annotations

import sys
from typing import Any

import pytest

import urlset
from urlset.model.frames import SHAPES

COLUMNS = ["loc", "lastmod", "changefreq", "priority", "images", "videos", "news", "alternates"]
SOURCE = b"""<?xml version="1.0"?>
<urlset xmlns="http://www.sitemaps.org/schemas/sitemap/0.9"
        xmlns:image="http://www.google.com/schemas/sitemap-image/1.1"
        xmlns:video="http://www.google.com/schemas/sitemap-video/1.1"
        xmlns:news="http://www.google.com/schemas/sitemap-news/0.9"
        xmlns:xhtml="http://www.w3.org/1999/xhtml">
<url><loc> https://example.com/plain </loc><lastmod>2024-05</lastmod><priority>0.5</priority></url>
<url><loc>https://example.com/rich</loc>
  <xhtml:link rel="alternate" hreflang="de" href="https://example.com/de"/>
  <image:image><image:loc>https://example.com/1.png</image:loc></image:image>
  <image:image><image:loc>https://example.com/2.png</image:loc></image:image>
  <video:video><video:title>Film</video:title><video:tag>a</video:tag><video:tag>b</video:tag>
    <video:restriction relationship="allow">DE</video:restriction></video:video>
  <news:news><news:publication><news:name>Paper</news:name><news:language>en</news:language></news:publication>
    <news:title>Headline</news:title></news:news>
</url>
</urlset>"""


def rows_of(library: str, document: urlset.Document) -> list[dict[str, Any]]:
    match library:
        case "pyarrow":
            return list(document.to_arrow().to_pylist())
        case "polars":
            return list(document.to_polars().to_dicts())
        case _:
            table = document.to_pandas()
            return [
                {name: None if value is None or value != value else value for name, value in row.items()}  # noqa: PLR0124
                for row in table.to_dict("records")
            ]


@pytest.mark.parametrize("library", ["pyarrow", "polars", "pandas"])
def test_every_library_gives_the_same_rows(library: str) -> None:
    pytest.importorskip(library)
    plain, rich = rows_of(library, urlset.read(SOURCE))
    assert list(plain) == list(rich) == COLUMNS == list(SHAPES)
    assert plain == {
        "loc": "https://example.com/plain",
        "lastmod": "2024-05",
        "changefreq": None,
        "priority": "0.5",
        "images": [],
        "videos": [],
        "news": [],
        "alternates": [],
    }
    assert rich["images"] == ["https://example.com/1.png", "https://example.com/2.png"]
    assert rich["alternates"] == [
        {"hreflang": "de", "href": "https://example.com/de", "rel": "alternate", "media": None}
    ]
    (video,) = rich["videos"]
    assert (video["title"], video["tags"], video["duration"]) == ("Film", ["a", "b"], None)
    assert video["restriction"] == {"text": "DE", "attributes": [{"name": "relationship", "value": "allow"}]}
    assert (rich["news"][0]["name"], rich["news"][0]["title"]) == ("Paper", "Headline")


@pytest.mark.parametrize("library", ["pyarrow", "polars", "pandas"])
@pytest.mark.parametrize("source", [b"", b"https://example.com/\n", b"<urlset/>", b"<sitemapindex/>"])
def test_every_document_has_the_same_columns(library: str, source: bytes) -> None:
    module = pytest.importorskip(library)
    document, full = urlset.read(source), urlset.read(SOURCE)
    if library == "pandas":
        assert list(document.to_pandas().columns) == COLUMNS
    elif library == "polars":
        assert module.concat([document.to_polars(), full.to_polars()]).columns == COLUMNS
    else:
        assert document.to_arrow().schema.equals(full.to_arrow().schema)


@pytest.mark.parametrize(
    ("method", "module", "extra"),
    [
        ("to_arrow", "pyarrow", "urlset[arrow]"),
        ("to_polars", "polars", "urlset[polars]"),
        ("to_pandas", "pandas", "urlset[pandas]"),
    ],
)
def test_what_is_not_installed_is_named(monkeypatch: pytest.MonkeyPatch, method: str, module: str, extra: str) -> None:
    monkeypatch.setitem(sys.modules, module, None)
    with pytest.raises(ImportError, match=r"pip install") as caught:
        getattr(urlset.read(SOURCE), method)()
    assert f"'{extra}'" in str(caught.value)
