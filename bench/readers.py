"""One sitemap body → each contender's own result, and how much of the file stands in it.

Every reader is made inside the worker process that runs it, so that one contender's imports cost no other.
The peers come without types and are not among our dependencies: they are imported by name.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from importlib import import_module
from io import BytesIO
from typing import Any
from xml.etree import ElementTree as ET

Counts = dict[str, int]


@dataclass(frozen=True)
class Reader:
    """`read` is what the clock runs on; `count` looks at the result afterwards."""

    read: Callable[[bytes], Any]
    count: Callable[[Any], Counts]


def urlset_read() -> Reader:
    """urlset.read: all fields and offsets are there, an entry's extensions are parsed when asked for."""
    read = import_module("urlset").read

    def columns(body: bytes) -> tuple[Any, ...]:
        document = read(body)
        found = document.columns  # the texts are made here, as reading puts them off
        return document, found.locs, found.lastmods, found.changefreqs, found.priorities

    def count(found: tuple[Any, ...]) -> Counts:
        return {"urls": len(found[1])}

    return Reader(columns, count)


def urlset_entries() -> Reader:
    """urlset.read and then every entry as a value, with all its images, videos and alternates."""
    read = import_module("urlset").read

    def entries(body: bytes) -> list[Any]:
        return [(one.loc, one.lastmod, one.changefreq, one.priority, one.media) for one in read(body)]

    def count(found: list[Any]) -> Counts:
        parts = ("alternates", "images", "videos")
        return {"urls": len(found)} | {part: sum(len(getattr(one[4], part)) for one in found) for part in parts}

    return Reader(entries, count)


def scrapy_dicts() -> Reader:
    """scrapy.utils.sitemap.Sitemap, iterated to the end; keeps one href per alternate, no media values."""
    sitemap = import_module("scrapy.utils.sitemap").Sitemap

    def dicts(body: bytes) -> list[Any]:
        return list(sitemap(body))

    def count(found: list[Any]) -> Counts:
        return {"urls": len(found), "alternates": sum(len(page.get("alternate", ())) for page in found)}

    return Reader(dicts, count)


def usp_pages() -> Reader:
    """usp.tree.sitemap_from_str and all_pages; values are parsed at once (dates, priorities, frequencies)."""
    sitemap_from_str = import_module("usp.tree").sitemap_from_str

    def pages(body: bytes) -> list[Any]:
        return list(sitemap_from_str(body.decode()).all_pages())

    def count(found: list[Any]) -> Counts:
        return {
            "urls": len(found),
            "alternates": sum(len(page.alternates or ()) for page in found),
            "images": sum(len(page.images or ()) for page in found),
        }

    return Reader(pages, count)


def advertools_frame() -> Reader:
    """What advertools.sitemap_to_df does between the download and the conversion of dates.

    The public function only takes addresses. These are its two parsing steps, so it is spared the fetching
    and the pandas conversions of lastmod and priority that would come on top.
    """
    parse = import_module("advertools.sitemaps")._parse_sitemap  # noqa: SLF001 - the public one fetches

    def frame(body: bytes) -> Any:
        return parse(ET.fromstring(body))

    def count(found: Any) -> Counts:
        return {"urls": len(found)} | {
            name: int(found[column].notna().sum())
            for name, column in (("images", "image_loc"), ("videos", "video_title"))
            if column in found
        }

    return Reader(frame, count)


def trafilatura_links() -> Reader:
    """What trafilatura.sitemaps.sitemap_search does between the downloads: addresses, cleaned; nothing else is kept."""
    sitemap = import_module("trafilatura.sitemaps").SitemapObject

    def links(body: bytes) -> list[str]:
        found = sitemap("https://www.example.com", "example.com", [])
        found.content, found.current_url = body.decode(), "https://www.example.com/sitemap.xml"
        found.process()
        kept: list[str] = found.urls
        return kept

    def count(found: list[str]) -> Counts:
        return {"urls": len(found)}

    return Reader(links, count)


def lxml_dicts() -> Reader:
    """lxml iterparse by hand, as a careful user would write it: the fields, links and media as dicts."""
    etree = import_module("lxml.etree")
    core = "{http://www.sitemaps.org/schemas/sitemap/0.9}"
    nested = {
        "{http://www.google.com/schemas/sitemap-image/1.1}image": "images",
        "{http://www.google.com/schemas/sitemap-video/1.1}video": "videos",
    }
    link = "{http://www.w3.org/1999/xhtml}link"

    def medium(element: Any) -> dict[str, list[Any]]:
        values: dict[str, list[Any]] = {}
        for child in element:
            value = (child.text, dict(child.attrib)) if child.attrib else child.text
            values.setdefault(child.tag.rpartition("}")[2], []).append(value)
        return values

    def page(url: Any) -> dict[str, Any]:
        values: dict[str, Any] = {}
        for child in url:
            tag = child.tag
            if tag == link:
                values.setdefault("alternates", []).append(dict(child.attrib))
            elif tag in nested:
                values.setdefault(nested[tag], []).append(medium(child))
            else:
                values[tag.rpartition("}")[2]] = child.text
        return values

    def dicts(body: bytes) -> list[Any]:
        found = []
        for _, url in etree.iterparse(BytesIO(body), tag=f"{core}url", resolve_entities=False):
            found.append(page(url))
            url.clear()
            while url.getprevious() is not None:
                del url.getparent()[0]
        return found

    def count(found: list[Any]) -> Counts:
        parts = ("alternates", "images", "videos")
        return {"urls": len(found)} | {part: sum(len(one.get(part, ())) for one in found) for part in parts}

    return Reader(dicts, count)


def urlset_check() -> Reader:
    """urlset.check with all default rules."""
    check = import_module("urlset").check

    def count(verdict: Any) -> Counts:
        levels = verdict.severity_counts
        return {"urls": verdict.entries, "errors": levels.get("error", 0), "warnings": levels.get("warning", 0)}

    return Reader(check, count)
