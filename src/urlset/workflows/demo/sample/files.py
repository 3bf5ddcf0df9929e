"""A folder → small sitemaps in it, good and broken: those that docs/library.md reads."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

from urlset.model.entry import Alternate, Entry, Image, IndexEntry, Marked, Media, News, Video
from urlset.writing.gzip import compress
from urlset.writing.urlset import write_index, write_urlset

SITE = "https://www.example.com"


BROKEN = b"""<?xml version="1.0" encoding="UTF-8"?>
<urlset xmlns="https://www.sitemaps.org/schemas/sitemap/0.9">
  <url>
    <loc>https://www.example.com/</loc>
    <lastmod>2024-03-01</lastmod>
  </url>
  <url>
    <loc>https://www.example.com/search?q=lamp&page=2</loc>
    <lastmod>2024-04-12</lastmod>
  </url>
  <url>
    <loc>https://www.example.com/search?q=lamp&page=3</loc>
    <lastmod>12/31/2023</lastmod>
  </url>
  <url>
    <loc>https://www.example.com/salt&nbsp;and&nbsp;pepper</loc>
  </url>
  <url>
    <loc>https://www.example.com/caf\xe9</loc>
    <lastmod>2024-05-02</lastmod>
  </url>
  <url>
    <loc>https://www.example.com/lamps
    <lastmod>2024-05-20</lastmod>
  </url>
  <url>
    <loc>https://www.example.com/cheap?price<10</loc>
    <lastmod>yesterday</lastmod>
  </url>
  <url>
    <loc>https://www.example.com/last</loc>
    <lastmod>2024-06-30T09:30:00+02:00</lastmod>
  </url>
"""


def write_samples(folder: Path) -> list[Path]:
    """Write the samples below `folder`. A file that is there and differs is never overwritten."""
    samples = {folder / name: data for name, data in _samples()}
    for path, data in samples.items():
        if path.exists() and path.read_bytes() != data:
            raise FileExistsError(f"{path} is already there and is not the sample; choose another folder")
    for path, data in samples.items():
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(data)
    return list(samples)


def _samples() -> Iterator[tuple[str, bytes]]:
    index = [
        IndexEntry(f"{SITE}/sitemap-pages.xml", "2024-07-02"),
        IndexEntry(f"{SITE}/sitemap-news.xml.gz", "2024-07-03T06:00:00Z"),
    ]
    yield "good/sitemap.xml", b"".join(write_index(index))
    yield "good/sitemap-pages.xml", b"".join(write_urlset(list(_pages())))
    yield "good/sitemap-news.xml.gz", b"".join(compress(write_urlset(list(_news()))))
    yield "broken.xml", BROKEN


def _pages() -> Iterator[Entry]:
    languages = tuple(
        Alternate(code, f"{SITE}{path}")
        for code, path in (("en", "/"), ("de", "/de/"), ("fr", "/fr/"), ("x-default", "/"))
    )
    for path, changed in (("/", "2024-07-02"), ("/de/", "2024-07-01"), ("/fr/", "2024-06-11")):
        yield Entry(f"{SITE}{path}", changed, media=Media(alternates=languages))
    for name, changed in (("desk-lamp", "2024-05-17"), ("floor-lamp", "2024-02-29"), ("lantern", "2023-11-05")):
        images = tuple(Image(f"{SITE}/images/{name}-{view}.webp") for view in ("front", "side"))
        yield Entry(f"{SITE}/lamps/{name}?colour=red&size=2", changed, media=Media(images=images))
    video = Video(
        thumbnail_loc=f"{SITE}/images/wiring.webp",
        title="How to wire a lamp",
        description="From the bare cable to the first light in four minutes.",
        content_loc=f"{SITE}/videos/wiring.mp4",
        duration="240",
        restriction=Marked("DE FR", {"relationship": "allow"}),
    )
    yield Entry(f"{SITE}/guides/wiring", "2024-04-09", media=Media(videos=(video,)))


def _news() -> Iterator[Entry]:
    for number, hour in ((1, "05:10"), (2, "05:55")):
        moment = f"2024-07-03T{hour}:00Z"
        article = News(
            name="Example Lamps", language="en", publication_date=moment, title=f"A new lantern, part {number}"
        )
        yield Entry(f"{SITE}/news/lantern-{number}", moment, media=Media(news=(article,)))
