"""`urlset.render` and its streaming forms."""

from __future__ import annotations

import asyncio
import gzip
from collections.abc import AsyncIterator
from typing import Any

import pytest

import urlset
from urlset.building.sources.cells import cells_of
from urlset.model.entry import Media
from urlset.spec.namespaces import BY_PREFIX, SITEMAP

BASE = "https://www.example.com"
PAGES: list[Any] = ["/a", ("/b", "2026-01-02"), {"loc": "/c", "images": ["/c.jpg"]}, urlset.Entry(f"{BASE}/d")]


async def pages() -> AsyncIterator[Any]:
    for page in PAGES:
        yield page


async def gathered() -> bytes:
    return b"".join([chunk async for chunk in urlset.render_stream_async(pages(), base_url=BASE)])


def test_every_form_gives_the_same_bytes() -> None:
    whole = urlset.render(PAGES, base_url=BASE)
    assert [entry.loc for entry in urlset.read(whole)] == [f"{BASE}/{letter}" for letter in "abcd"]
    assert b"".join(urlset.render_stream(iter(PAGES), base_url=BASE)) == whole
    assert asyncio.run(gathered()) == whole
    assert gzip.decompress(urlset.render(PAGES, base_url=BASE, gzip=True)) == whole
    assert urlset.check(whole, at=f"{BASE}/sitemap.xml").at_or_above(urlset.Severity.ERROR) == 0


def test_nothing_gives_an_empty_sitemap() -> None:
    assert urlset.read(urlset.render([])).kind == urlset.Kind.URLSET


def test_without_a_base_the_first_entry_sets_the_host() -> None:
    given = ["/path", f"{BASE}/a", "https://other.example.org/b"]
    with pytest.raises(ValueError, match=r"^'/path' is a path; set `base_url`; .*another host$") as refused:
        urlset.render(given)
    assert isinstance(refused.value, urlset.UrlsetError)
    data = urlset.render(given, strict=False)
    assert [entry.loc for entry in urlset.read(data)] == [f"{BASE}/a"]
    assert (data.entries, data.left_out, len(data.reasons)) == (1, 2, 2)


def test_an_extension_that_first_comes_late_is_declared_where_it_is_used() -> None:
    """The root has been sent by then."""
    late: list[Any] = [*(f"/{number}" for number in range(2500)), {"loc": "/image", "images": ["/x.jpg"]}]
    data = urlset.render(late, base_url=BASE)
    assert data.count(b"xmlns:image") == 1
    found = urlset.read(data).entry(2500)
    assert isinstance(found, urlset.Entry)
    assert found.images[0].loc == f"{BASE}/x.jpg"
    assert urlset.check(data).at_or_above(urlset.Severity.ERROR) == 0


def test_more_than_one_file_can_hold_is_refused() -> None:
    with pytest.raises(ValueError, match=r"more than 50,000 entries"):
        urlset.render((f"/{number}" for number in range(50_001)), base_url=BASE)
    long = "x" * 1900
    with pytest.raises(ValueError, match=r"more than 52,428,800 bytes"):
        urlset.render((f"/{number}{long}" for number in range(30_000)), base_url=BASE)


def test_an_index() -> None:
    data = urlset.render_index([f"{BASE}/a.xml", urlset.IndexEntry(f"{BASE}/b.xml", "2026-01-02")])
    assert [(entry.loc, entry.lastmod) for entry in urlset.read(data)] == [
        (f"{BASE}/a.xml", None),
        (f"{BASE}/b.xml", "2026-01-02"),
    ]


def test_streams_hold_little() -> None:
    """The largest chunk is that of 300 entries."""
    chunks = list(urlset.render_stream((f"/{number}" for number in range(20_000)), base_url=BASE))
    assert len(chunks) == 68
    assert max(map(len, chunks)) < 30_000


def test_media_beyond_the_limits_do_not_cost_the_page() -> None:
    def news(number: int) -> dict[str, object]:
        return {"name": "The Example", "language": "en", "publication_date": "2026-01-02", "title": f"Story {number}"}

    pages: list[Any] = [{"loc": f"/{number}", "news": news(number)} for number in range(1_001)]
    pages.append({"loc": "/images", "images": [f"/{number}.jpg" for number in range(1_200)]})
    data = urlset.render(pages, base_url=BASE, strict=False)
    assert data.count(b"<news:news>") == 1_000
    assert data.count(b"<image:image>") == 1_000
    assert len(urlset.read(data)) == 1_002
    assert urlset.check(data).at_or_above(urlset.Severity.ERROR) == 0


@pytest.mark.parametrize("gzip", [False, True])
def test_no_chunk_of_a_stream_is_empty(gzip: bool) -> None:
    """An empty chunk is the end of the body to some servers; whole batches are left out here."""
    pages = [f"{'https://elsewhere.example.net' if 1_000 <= n < 4_000 else ''}/{n}" for n in range(5_000)]

    async def gathered() -> list[bytes]:
        async def entries() -> AsyncIterator[str]:
            for page in pages:
                yield page

        return [chunk async for chunk in urlset.render_stream_async(entries(), base_url=BASE, gzip=gzip, strict=False)]

    chunks = list(urlset.render_stream(pages, base_url=BASE, gzip=gzip, strict=False))
    later = asyncio.run(gathered())
    assert b"" not in chunks
    assert b"" not in later
    assert b"".join(chunks) == b"".join(later)
    assert len(list(urlset.read(b"".join(chunks)))) == 2_000


_UNUSUAL = {
    "pagemap": '<pagemap:PageMap><pagemap:Template src="t"/><pagemap:DataObject type="document" id="h">'
    '<pagemap:Attribute name="n">v</pagemap:Attribute></pagemap:DataObject></pagemap:PageMap>',
    "mobile": "<mobile:mobile/>",
    "geo": "<geo:geo><geo:format>kml</geo:format></geo:geo>",
    "x": '<x:y a="1">t</x:y>',
    "news": "".join(
        "<news:news><news:publication><news:name>A</news:name><news:language>en</news:language></news:publication>"
        f"<news:publication_date>2026-11-15</news:publication_date><news:title>{title}</news:title></news:news>"
        for title in ("one", "two")
    ),
    "image": f"<image:image><image:loc>{BASE}/a.png</image:loc><image:license>{BASE}/l</image:license></image:image>",
    "xhtml": f'<xhtml:link rel="alternate" media="handheld" href="{BASE}/m"/>',
}


@pytest.mark.parametrize("prefixes", [*([name] for name in _UNUSUAL), list(_UNUSUAL)], ids=[*_UNUSUAL, "all"])
def test_no_extension_of_an_entry_is_lost(prefixes: list[str]) -> None:
    declared = "".join(f' xmlns:{each}="{"urn:x" if each == "x" else BY_PREFIX[each].uri}"' for each in prefixes)
    inside = "".join(_UNUSUAL[each] for each in prefixes)
    text = f'<urlset xmlns="{SITEMAP}"{declared}><url><loc>{BASE}/a</loc>{inside}</url></urlset>'
    given = list(urlset.read(text.encode()).entries())
    assert list(urlset.read(urlset.render(given))) == given
    assert list(urlset.read(urlset.render(given, base_url=BASE))) == given
    assert list(urlset.read(urlset.render([{**cells_of(entry), "section": "a"} for entry in given]))) == given


def test_an_extension_that_cannot_be_written_is_named(caplog: pytest.LogCaptureFixture) -> None:
    entry = urlset.Entry(f"{BASE}/a", media=Media(unknown=("<y>t</y>",)))
    assert urlset.render([entry], strict=False).find(b"<y>t") == -1
    assert "<y>t</y>" in caplog.text
