"""A list of pages → compressed sitemaps, by the script that one writes in ten minutes: the measure of a build.

python -m bench.naive FUNCTION SOURCE OUT

Each function reads its source with what everyone uses for it (json.loads, csv.reader, sqlite3, pyarrow, iterparse,
os.walk with selectolax); then escape, an f-string, gzip level 6, 50,000 entries to a file. No script decides what
deserves listing, remembers the last set, checks what it wrote, or survives a crash.
"""

from __future__ import annotations

import csv
import gzip
import json
import os
import sqlite3
import sys
from collections.abc import Callable, Iterable, Iterator
from email.utils import parsedate_to_datetime
from fnmatch import fnmatchcase
from importlib import import_module
from itertools import islice
from pathlib import Path
from typing import Any
from urllib.parse import urljoin
from xml.etree.ElementTree import iterparse
from xml.sax.saxutils import escape

HOST = "https://www.example.com"
PER_FILE = 50_000
LEVEL = 6
BATCH = 10_000
OPENING = (
    '<?xml version="1.0" encoding="UTF-8"?>\n<urlset xmlns="http://www.sitemaps.org/schemas/sitemap/0.9" '
    'xmlns:image="http://www.google.com/schemas/sitemap-image/1.1" xmlns:xhtml="http://www.w3.org/1999/xhtml" '
    'xmlns:video="http://www.google.com/schemas/sitemap-video/1.1" '
    'xmlns:news="http://www.google.com/schemas/sitemap-news/0.9">\n'
)
IMAGE = "{http://www.google.com/schemas/sitemap-image/1.1}"
XHTML = "{http://www.w3.org/1999/xhtml}"
CORE = "{http://www.sitemaps.org/schemas/sitemap/0.9}"
Row = dict[str, Any]


def element(row: Row) -> str:
    body = f"<loc>{escape(row['loc'])}</loc>"
    for name in ("lastmod", "changefreq", "priority"):
        if row.get(name):
            body += f"<{name}>{escape(row[name])}</{name}>"
    for image in row.get("images", ()):
        body += medium("image", image if isinstance(image, dict) else {"loc": image})
    for video in row.get("videos", ()):
        body += medium("video", video)
    if row.get("news"):
        body += news(row["news"])
    for code, place in row.get("alternates", {}).items():
        body += f'<xhtml:link rel="alternate" hreflang="{code}" href="{escape(place)}"/>'
    return f"<url>{body}</url>\n"


def medium(name: str, fields: Row) -> str:
    inner = "".join(f"<{name}:{field}>{escape(str(value))}</{name}:{field}>" for field, value in fields.items())
    return f"<{name}:{name}>{inner}</{name}:{name}>"


def news(fields: Row) -> str:
    said = {field: f"<news:{field}>{escape(value)}</news:{field}>" for field, value in fields.items()}
    paper = f"<news:publication>{said.pop('name')}{said.pop('language')}</news:publication>"
    return f"<news:news>{paper}{''.join(said.values())}</news:news>"


def write(rows: Iterable[Row], out: Path, name: str = "pages") -> None:
    waiting, number = iter(rows), 0
    while some := list(islice(waiting, PER_FILE)):
        number += 1
        with gzip.open(out / f"sitemap-{name}-{number}.xml.gz", "wt", compresslevel=LEVEL, encoding="utf-8") as file:
            file.write(OPENING)
            file.writelines(map(element, some))
            file.write("</urlset>\n")
    names = sorted(path.name for path in out.glob("*.gz"))
    listed = "".join(f"<sitemap><loc>{HOST}/{each}</loc></sitemap>\n" for each in names)
    (out / "sitemap.xml").write_text(f'<sitemapindex xmlns="{CORE[1:-1]}">\n{listed}</sitemapindex>\n', "utf-8")


def write_sections(rows: Iterable[Row], out: Path) -> None:
    """The garden and the office have files of their own; all rows are held for that."""
    found: dict[str, list[Row]] = {}
    for row in rows:
        path = row["loc"][len(HOST) :]
        name = next((each for each in ("garden", "office") if fnmatchcase(path, f"/shop/{each}/*")), "pages")
        found.setdefault(name, []).append(row)
    for name, some in found.items():
        write(some, out, name)


def json_rows(source: Path) -> Iterator[Row]:
    with source.open(encoding="utf-8") as file:
        yield from map(json.loads, file)


def table_rows(source: Path, delimiter: str) -> Iterator[Row]:
    with source.open(encoding="utf-8", newline="") as file:
        reader = csv.reader(file, delimiter=delimiter)
        header = next(reader)
        for cells in reader:
            yield dict(zip(header, cells, strict=True))


def jsonl(source: Path, out: Path) -> None:
    write(json_rows(source), out)


def jsonl_sections(source: Path, out: Path) -> None:
    write_sections(json_rows(source), out)


def jsonl_patterns(source: Path, out: Path) -> None:
    def wanted(row: Row) -> bool:
        path = row["loc"][len(HOST) :]
        return fnmatchcase(path, "/shop/*") and not fnmatchcase(path, "/shop/garden/*")

    write(filter(wanted, json_rows(source)), out)


def jsonl_named_sections(source: Path, out: Path) -> None:
    found: dict[str, list[Row]] = {}
    for row in json_rows(source):
        found.setdefault(row["section"], []).append(row)
    for name, some in found.items():
        write(some, out, name)


def jsonl_once(source: Path, out: Path) -> None:
    seen: set[str] = set()
    write((row for row in json_rows(source) if row["loc"] not in seen and not seen.add(row["loc"])), out)  # type: ignore[func-returns-value]


def jsonl_of_host(source: Path, out: Path) -> None:
    write((row for row in json_rows(source) if row["loc"].startswith(f"{HOST}/")), out)


def csv_images(source: Path, out: Path) -> None:
    def with_image(row: Row) -> Row:
        return row | {"images": [{name: row[f"image_{name}"] for name in ("loc", "title", "caption")}]}

    write(map(with_image, table_rows(source, ",")), out)


def with_languages(row: Row) -> Row:
    named = {name[9:]: place for name, place in row.items() if name.startswith("hreflang_")}
    return row | {"alternates": named}


def csv_languages(source: Path, out: Path) -> None:
    write(map(with_languages, table_rows(source, ",")), out)


def csv_rows(source: Path, out: Path) -> None:
    write(table_rows(source, ","), out)


def csv_sections(source: Path, out: Path) -> None:
    write_sections(table_rows(source, ","), out)


def tsv_rows(source: Path, out: Path) -> None:
    write(table_rows(source, "\t"), out)


def text_rows(source: Path, out: Path) -> None:
    with source.open(encoding="utf-8") as file:
        write(({"loc": line.strip()} for line in file), out)


def parquet_rows(source: Path, out: Path) -> None:
    batches = import_module("pyarrow.parquet").ParquetFile(source).iter_batches(BATCH)
    write((row for batch in batches for row in batch.to_pylist()), out)


def sqlite_rows(source: Path, out: Path) -> None:
    database = sqlite3.connect(source)
    write(({"loc": loc, "lastmod": day} for loc, day in database.execute("select loc, lastmod from pages")), out)
    database.close()


def sqlite_languages(source: Path, out: Path) -> None:
    database = sqlite3.connect(source)
    cursor = database.execute("select * from pages")
    names = [column[0] for column in cursor.description]
    write((with_languages(dict(zip(names, row, strict=True))) for row in cursor), out)
    database.close()


def sitemap_media(source: Path, out: Path) -> None:
    def fields(node: Any) -> Row:
        return {each.tag.rpartition("}")[2]: each.text for each in node}

    def entries() -> Iterator[Row]:
        for path in sorted(source.parent.glob("part-*.xml")):
            for _, node in iterparse(path):
                if node.tag == f"{CORE}url":
                    links = node.iterfind(f"{XHTML}link")
                    yield {
                        "loc": node.findtext(f"{CORE}loc"),
                        "lastmod": node.findtext(f"{CORE}lastmod"),
                        "images": list(map(fields, node.iterfind(f"{IMAGE}image"))),
                        "alternates": {each.get("hreflang"): each.get("href") for each in links},
                    }
                    node.clear()

    write(entries(), out)


def sitemap_rows(source: Path, out: Path) -> None:
    def entries() -> Iterator[Row]:
        for path in sorted(source.parent.glob("part-*.xml")):
            for _, node in iterparse(path):
                if node.tag == f"{CORE}url":
                    yield {"loc": node.findtext(f"{CORE}loc"), "lastmod": node.findtext(f"{CORE}lastmod")}
                    node.clear()

    write(entries(), out)


def feed_rows(source: Path, out: Path) -> None:
    def items() -> Iterator[Row]:
        for _, node in iterparse(source):
            if node.tag == "item":
                yield {"loc": node.findtext("link")}
                node.clear()

    write(items(), out)


def feed_dates(source: Path, out: Path) -> None:
    def items() -> Iterator[Row]:
        for _, node in iterparse(source):
            if node.tag == "item":
                day = parsedate_to_datetime(node.findtext("pubDate") or "").isoformat()
                yield {"loc": node.findtext("link"), "lastmod": day}
                node.clear()

    write(items(), out)


def folder_media(source: Path, out: Path) -> None:
    folder_rows(source, out, media=True)


def folder_rows(source: Path, out: Path, *, media: bool = False) -> None:
    """Every page is parsed as HTML and read for its canonical, its robots directives and its date.

    A pattern over the bytes would be quicker and wrong: it also matches comments, scripts and templates, and
    misses other quotes and orders of attributes.
    """
    parser = import_module("selectolax.lexbor").LexborHTMLParser

    def said(page: Any, selector: str, attribute: str) -> str | None:
        node = page.css_first(selector)
        return node.attributes.get(attribute) if node is not None else None

    def found() -> Iterator[Row]:
        for folder, _, names in os.walk(source):
            for name in names:
                if name.endswith(".html"):
                    page = parser(Path(folder, name).read_bytes())
                    place = said(page, 'head link[rel="canonical"]', "href")
                    hidden = "noindex" in (said(page, 'meta[name="robots" i]', "content") or "").lower()
                    if place and not hidden:
                        day = said(page, 'meta[property="article:modified_time"]', "content")
                        row: Row = {"loc": place, "lastmod": day}
                        if media:
                            links = page.css('link[rel="alternate"][hreflang]')
                            row["alternates"] = {each.attributes["hreflang"]: each.attributes["href"] for each in links}
                            row["images"] = [urljoin(place, each.attributes["src"]) for each in page.css("img[src]")]
                        yield row

    write(found(), out)


FUNCTIONS: tuple[Callable[[Path, Path], None], ...] = (
    jsonl, jsonl_sections, jsonl_patterns, csv_rows, csv_sections, tsv_rows, text_rows, parquet_rows, sqlite_rows,
    sitemap_rows, feed_rows, folder_rows, jsonl_named_sections, jsonl_once, jsonl_of_host, csv_images, csv_languages,
    sqlite_languages, sitemap_media, feed_dates, folder_media,
)  # fmt: skip

if __name__ == "__main__":
    wanted_name, given, target = sys.argv[1:]
    Path(target).mkdir(parents=True, exist_ok=True)
    {function.__name__: function for function in FUNCTIONS}[wanted_name](Path(given), Path(target))
