"""A source → compressed sitemaps, by the script that one writes in ten minutes for just this source and shape.

python -m bench.naive SOURCE OUT DATABASE CASE…      the measure of a build
python -m bench.naive iterate SOURCE                 what it takes to make the rows of a Python program
python -m bench.naive parse FILE                     the measure of a check: iterparse, each entry dropped when read

The script reads its source with what everyone uses for it (json.loads, csv.reader, sqlite3, psycopg, pyarrow,
iterparse, os.walk with selectolax), completes a relative URL with the host, percent-encodes what needs it, escapes, and
writes f-strings with gzip level 6: 50,000 entries to a file, and an index. It leaves out the news tags of articles
older than two days, and writes the same URLs as `urlset build`. It does not decide what to list, find duplicates,
normalize dates, remember the last set, check what it wrote, or survive a crash.
"""

from __future__ import annotations

import csv
import gzip
import json
import os
import sqlite3
import sys
from collections.abc import Callable, Iterable, Iterator
from datetime import UTC, datetime, timedelta
from email.utils import parsedate_to_datetime
from importlib import import_module
from itertools import islice
from pathlib import Path
from typing import Any
from urllib.parse import quote
from xml.etree.ElementTree import iterparse
from xml.sax.saxutils import escape

from bench.cases import Case
from bench.inputs import NAMESPACES, Row, base_of, unpickled

OPENING = f'<?xml version="1.0" encoding="UTF-8"?>\n<urlset {NAMESPACES}>\n'
CORE, IMAGE, VIDEO, NEWS, XHTML = (
    "{http://www.sitemaps.org/schemas/sitemap/0.9}",
    "{http://www.google.com/schemas/sitemap-image/1.1}",
    "{http://www.google.com/schemas/sitemap-video/1.1}",
    "{http://www.google.com/schemas/sitemap-news/0.9}",
    "{http://www.w3.org/1999/xhtml}",
)
SAFE = ":/?&=%#+,;@!$'()*~"
BATCH = 10_000
LEVEL = 6
NEWS_AGE = timedelta(days=2)
"""older articles are no news"""
ENTRIES = ("}url", "}sitemap", "item", "}entry")
Element = Callable[[Row], str]


def spelling(case: Case) -> Callable[[str], str]:
    """URL as the source has it → escaped, complete, and in ASCII where it is not."""
    given = base_of(case)
    host = given.replace("bücher", "xn--bcher-kva")
    relative, needs_quotes = case.address == "relative", case.spelling in ("space", "umlaut")
    if needs_quotes and relative:
        return lambda url: escape(host + quote(url, safe=SAFE))
    if needs_quotes:
        return lambda url: escape(quote(url, safe=SAFE))
    if relative:
        return lambda url: escape(host + url)
    if host != given:
        return lambda url: escape(url.replace(given, host))
    return escape


def element_of(case: Case) -> Element:
    """Row with text dates → its element; media are nested as in JSON."""
    url = spelling(case)
    oldest = (datetime.now(UTC) - NEWS_AGE).isoformat()
    media: dict[str, Element] = {
        "images": lambda row: "".join(
            f"<image:image><image:loc>{url(e)}</image:loc></image:image>" for e in row["images"]
        ),
        "captions": lambda row: "".join(
            f"<image:image><image:loc>{url(e['loc'])}</image:loc><image:title>{escape(e['title'])}</image:title>"
            f"<image:caption>{escape(e['caption'])}</image:caption></image:image>"
            for e in row["images"]
        ),
        "video": lambda row: "".join(
            f"<video:video><video:thumbnail_loc>{url(e['thumbnail_loc'])}</video:thumbnail_loc>"
            f"<video:title>{escape(e['title'])}</video:title>"
            f"<video:description>{escape(e['description'])}</video:description>"
            f"<video:content_loc>{url(e['content_loc'])}</video:content_loc>"
            f"<video:duration>{e['duration']}</video:duration></video:video>"
            for e in row["videos"]
        ),
        "news": lambda row: (
            f"<news:news><news:publication><news:name>{escape(row['news']['name'])}</news:name>"
            f"<news:language>{row['news']['language']}</news:language></news:publication>"
            f"<news:publication_date>{row['news']['publication_date']}</news:publication_date>"
            f"<news:title>{escape(row['news']['title'])}</news:title></news:news>"
            if row["news"]["publication_date"] >= oldest
            else ""
        ),
        "hreflang": lambda row: "".join(
            f'<xhtml:link rel="alternate" hreflang="{code}" href="{url(e)}"/>' for code, e in row["alternates"].items()
        ),
    }
    if case.source == "text":
        return lambda row: f"<url><loc>{url(row['loc'])}</loc></url>\n"
    if case.media == "no media":
        return lambda row: f"<url><loc>{url(row['loc'])}</loc><lastmod>{row['lastmod']}</lastmod></url>\n"
    more = media[case.media.split()[0]]
    return lambda row: f"<url><loc>{url(row['loc'])}</loc><lastmod>{row['lastmod']}</lastmod>{more(row)}</url>\n"


def write(rows: Iterable[Row], out: Path, case: Case) -> None:
    element, waiting, number = element_of(case), iter(rows), 0
    while some := list(islice(waiting, 50_000)):
        number += 1
        with gzip.open(out / f"sitemap-{number}.xml.gz", "wt", compresslevel=LEVEL, encoding="utf-8") as file:
            file.write(OPENING)
            file.writelines(map(element, some))
            file.write("</urlset>\n")
    names = (f"{base_of(case)}/sitemap-{each + 1}.xml.gz" for each in range(number))
    listed = "".join(f"<sitemap><loc>{name}</loc></sitemap>\n" for name in names)
    (out / "sitemap.xml").write_text(f"<sitemapindex {NAMESPACES}>\n{listed}</sitemapindex>\n", "utf-8")


def nested(case: Case) -> Callable[[Row], Row]:
    """Media in columns → as in JSON."""
    match case.media:
        case "images":
            return lambda row: row | {"images": [row["images"]]}
        case "captions":
            return lambda row: row | {"images": [{name: row[f"image_{name}"] for name in ("loc", "title", "caption")}]}
        case "video":
            names = ("thumbnail_loc", "title", "description", "content_loc", "duration")
            return lambda row: row | {"videos": [{name: row[f"video_{name}"] for name in names}]}
        case "news":
            fields = ("name", "language", "publication_date", "title")
            return lambda row: row | {"news": {name: row[f"news_{name}"] for name in fields}}
    return lambda row: (
        row | {"alternates": {name[9:]: place for name, place in row.items() if name.startswith("hreflang_")}}
    )


def of_columns(names: list[str], found: Iterable[Any], case: Case) -> Iterator[Row]:
    rows = (dict(zip(names, values, strict=True)) for values in found)
    return rows if case.media == "no media" else map(nested(case), rows)


def json_rows(source: Path, _case: Case) -> Iterator[Row]:
    with (source / "rows.jsonl").open(encoding="utf-8") as file:
        yield from map(json.loads, file)


def table_rows(source: Path, case: Case) -> Iterator[Row]:
    with (source / "rows.csv").open(encoding="utf-8", newline="") as file:
        reader = csv.reader(file, delimiter="\t" if case.source == "TSV" else ",")
        yield from of_columns(next(reader), reader, case)


def text_rows(source: Path, _case: Case) -> Iterator[Row]:
    with (source / "rows.txt").open(encoding="utf-8") as file:
        yield from ({"loc": line.strip()} for line in file)


def sqlite_rows(source: Path, case: Case) -> Iterator[Row]:
    database = sqlite3.connect(source / "rows.db")
    cursor = database.execute("select * from pages")
    yield from of_columns([column[0] for column in cursor.description], cursor, case)
    database.close()


def postgresql_rows(source: Path, case: Case, database: str) -> Iterator[Row]:
    with import_module("psycopg").connect(database.replace("+psycopg", "")) as connection:
        cursor = connection.cursor("rows")  # on the server: a plain one would hold all rows
        cursor.itersize = BATCH
        cursor.execute((source / "rows.sql").read_text(encoding="utf-8"))
        names = [column.name for column in cursor.description]
        yield from with_text_dates(of_columns(names, cursor, case))


def parquet_rows(source: Path, _case: Case) -> Iterator[Row]:
    batches = import_module("pyarrow.parquet").ParquetFile(source / "rows.parquet").iter_batches(BATCH)
    return with_text_dates(row for batch in batches for row in batch.to_pylist())


def with_text_dates(rows: Iterable[Row]) -> Iterator[Row]:
    for row in rows:
        row["lastmod"] = row["lastmod"].isoformat()
        yield row


def dict_rows(source: Path, _case: Case) -> Iterator[Row]:
    return with_text_dates(unpickled(source / "rows.pickle"))


def tuple_rows(source: Path, _case: Case) -> Iterator[Row]:
    return ({"loc": loc, "lastmod": day.isoformat()} for loc, day in unpickled(source / "rows.pickle"))


def feed_rows(source: Path, _case: Case) -> Iterator[Row]:
    for _, node in iterparse(source / "feed.xml"):
        if node.tag == "item":
            day = parsedate_to_datetime(node.findtext("pubDate") or "").isoformat()
            yield {"loc": node.findtext("link"), "lastmod": day}
            node.clear()


def sitemap_rows(source: Path, case: Case) -> Iterator[Row]:
    def fields(node: Any) -> Row:
        return {each.tag.rpartition("}")[2]: each.text for each in node}

    def article(node: Any) -> Row:
        return fields(node) | fields(node.find(f"{NEWS}publication"))

    media: dict[str, Callable[[Any], Row]] = {
        "no media": lambda _: {},
        "images": lambda node: {"images": [each.findtext(f"{IMAGE}loc") for each in node.iterfind(f"{IMAGE}image")]},
        "captions": lambda node: {"images": list(map(fields, node.iterfind(f"{IMAGE}image")))},
        "video": lambda node: {"videos": list(map(fields, node.iterfind(f"{VIDEO}video")))},
        "news": lambda node: {"news": article(node.find(f"{NEWS}news"))},
        "hreflang": lambda node: {
            "alternates": {each.get("hreflang"): each.get("href") for each in node.iterfind(f"{XHTML}link")}
        },
    }
    more = media[case.media.split(" 3")[0]]
    for path in sorted(source.glob("part-*.xml")):
        for _, node in iterparse(path):
            if node.tag == f"{CORE}url":
                yield {"loc": node.findtext(f"{CORE}loc"), "lastmod": node.findtext(f"{CORE}lastmod"), **more(node)}
                node.clear()


def folder_rows(source: Path, case: Case) -> Iterator[Row]:
    """Every page is parsed as HTML and read for its canonical, its robots directives and its date.

    A pattern over the bytes would be quicker and wrong: it also matches comments, scripts and templates, and misses
    other quotes and orders of attributes.
    """
    parser = import_module("selectolax.lexbor").LexborHTMLParser

    def said(page: Any, selector: str, attribute: str) -> str | None:
        node = page.css_first(selector)
        return node.attributes.get(attribute) if node is not None else None

    for folder, _, names in os.walk(source / "site"):
        for name in names:
            page = parser(Path(folder, name).read_bytes())
            place = said(page, 'head link[rel="canonical"]', "href")
            hidden = "noindex" in (said(page, 'meta[name="robots" i]', "content") or "").lower()
            if not place or hidden:
                continue
            row: Row = {"loc": place, "lastmod": said(page, 'meta[property="article:modified_time"]', "content")}
            if case.media == "images":
                row["images"] = [each.attributes["src"] for each in page.css("img[src]")]
            elif case.media == "video":
                row["videos"] = [film(json.loads(each.text())) for each in page.css("script[type*=ld]")]
            elif case.media != "no media":
                links = page.css('link[rel="alternate"][hreflang]')
                row["alternates"] = {each.attributes["hreflang"]: each.attributes["href"] for each in links}
            yield row


def film(data: Row) -> Row:
    names = {
        "thumbnail_loc": "thumbnailUrl",
        "title": "name",
        "description": "description",
        "content_loc": "contentUrl",
    }
    return {name: data[key] for name, key in names.items()} | {"duration": data["duration"].strip("PTS")}


READERS: dict[str, Callable[..., Iterator[Row]]] = {
    "JSONL": json_rows,
    "CSV": table_rows,
    "TSV": table_rows,
    "text": text_rows,
    "SQLite": sqlite_rows,
    "PostgreSQL": postgresql_rows,
    "Parquet": parquet_rows,
    "Python dicts": dict_rows,
    "Python tuples": tuple_rows,
    "folder": folder_rows,
    "feed": feed_rows,
    "existing sitemap": sitemap_rows,
}


def build(source: Path, out: Path, database: str, case: Case) -> None:
    out.mkdir(parents=True, exist_ok=True)
    given = (database,) if case.source == "PostgreSQL" else ()
    write(READERS[case.source](source, case, *given), out, case)


def parse(file: Path) -> None:
    for _, element in iterparse(file):
        if element.tag.endswith(ENTRIES):
            element.clear()


def main(arguments: list[str]) -> None:
    match arguments:
        case ["iterate", source]:
            for _ in unpickled(Path(source, "rows.pickle")):
                pass
        case ["parse", file]:
            parse(Path(file))
        case [source, out, database, *values]:
            build(Path(source), Path(out), database, Case(*values))


if __name__ == "__main__":
    main(sys.argv[1:])
