"""Numbers → lists of pages in every form that `urlset build` reads, one shape of row to each.

python -m bench.sources              make them all
python -m bench.sources NAME ROWS    make one
"""

from __future__ import annotations

import csv
import json
import sqlite3
import sys
from collections.abc import Callable, Iterator
from datetime import UTC, datetime
from email.utils import format_datetime
from functools import partial
from importlib import import_module
from itertools import islice
from pathlib import Path
from typing import Any, NamedTuple

from bench.naive import OPENING, element
from bench.places import SAMPLES
from bench.samples import AISLES, HOST, MILLION, WORDS, index, kept, make_file

ROWS = 200_000
PAGES = 5_000
"""in a folder: every page is a file of unique text"""
PER_FILE = 50_000
ARTICLES = 20_000
"""news: a file takes a thousand"""
TODAY = datetime.now(UTC).date().isoformat()
FORMAT = "1"
LANGUAGES = ("en", "de", "fr")
ODD_EVERY = 10
Row = dict[str, Any]
RowShape = Callable[[int], Row]


class Source(NamedTuple):
    name: str
    text: str
    """how tables call it"""
    make: Callable[[Path, int], None]
    """folder, number of rows → the source in the folder"""
    file: str
    naive: str
    """the function of bench.naive that does the same"""
    options: tuple[str, ...] = ()
    listed: bool = True
    rows: int = ROWS


def path_of(number: int) -> str:
    """Words and numbers that follow no simple order, as in a shop."""
    mixed = number * 2_654_435_761 % 4_294_967_296
    words = "-".join(WORDS[mixed >> shift & 31] for shift in (0, 5, 10))
    return f"{AISLES[(mixed >> 11) % len(AISLES)]}/{words}-{number}"


def moment(number: int) -> str:
    mixed = number * 7_919
    day = f"{2019 + mixed % 6}-{1 + mixed % 12:02d}-{1 + mixed % 28:02d}"
    return f"{day}T{mixed % 24:02d}:{mixed % 60:02d}:{mixed * 7 % 60:02d}+00:00"


def rfc_moment(number: int) -> str:
    """As a feed writes it."""
    return format_datetime(datetime.fromisoformat(moment(number)))


def plain(number: int) -> Row:
    return {"loc": f"{HOST}/shop/{path_of(number)}", "lastmod": moment(number)}


def query(number: int) -> Row:
    return {"loc": f"{HOST}/shop/{path_of(number)}?a={number % 97}&b=2", "lastmod": moment(number)}


def escaped(number: int) -> Row:
    return {"loc": f"{HOST}/caf%C3%A9/{path_of(number)}", "lastmod": moment(number)}


def accented(number: int) -> Row:
    return {"loc": f"{HOST}/café/{path_of(number)}", "lastmod": moment(number)}


def pictured(number: int) -> Row:
    return plain(number) | {"images": [f"{HOST}/images/{number}.jpg"]}


def captioned(number: int) -> Row:
    said = {"loc": f"{HOST}/images/{number}.jpg", "caption": f"Piece {number} & its box", "title": f"Piece {number}"}
    return plain(number) | {"images": [said]}


def filmed(number: int) -> Row:
    video = {
        "thumbnail_loc": f"{HOST}/images/{number}.jpg",
        "title": f"Piece {number}",
        "description": f"How to use piece {number} at home",
        "content_loc": f"{HOST}/videos/{number}.mp4",
        "duration": 30 + number % 600,
    }
    return plain(number) | {"videos": [video]}


def translated(number: int) -> Row:
    """Three rows are one page in three languages, so that all links are returned."""
    page, language = divmod(number, len(LANGUAGES))
    places = {code: f"{HOST}/{code}/{path_of(page)}" for code in LANGUAGES}
    return {"loc": places[LANGUAGES[language]], "lastmod": moment(page), "alternates": places}


def four_fields(number: int) -> Row:
    return plain(number) | {"changefreq": "weekly", "priority": f"0.{number % 10}"}


def article(number: int) -> Row:
    """News of today, as older news is listed as a plain page."""
    said = {"name": "The Example", "language": "en", "publication_date": TODAY, "title": f"Story {number} & more"}
    return plain(number) | {"news": said}


def sectioned(number: int) -> Row:
    return plain(number) | {"section": ("garden", "office", "kitchen")[number % 3]}


def repeated(number: int) -> Row:
    """Each tenth address came before."""
    return plain(number if number % ODD_EVERY else number // 2 | 1)


def elsewhere(number: int) -> Row:
    """Each tenth address is on another host."""
    row = plain(number)
    return row if number % ODD_EVERY else row | {"loc": row["loc"].replace("www.", "shop.")}


def illustrated(number: int) -> Row:
    """An image in columns of its own."""
    place = f"{HOST}/images/{number}.jpg"
    return plain(number) | {
        "image_loc": place,
        "image_title": f"Piece {number}",
        "image_caption": f"{number} & its box",
    }


def in_languages(number: int) -> Row:
    """Translations in columns of their own."""
    row = translated(number)
    return {f"hreflang_{code}": place for code, place in row.pop("alternates").items()} | row


ODD: tuple[RowShape, ...] = (query, escaped, accented, pictured, four_fields)


def mixed(number: int) -> Row:
    """Each tenth row is odd, in turns."""
    return plain(number) if number % ODD_EVERY else ODD[number // ODD_EVERY % len(ODD)](number)


def rows(shape: RowShape, count: int) -> Iterator[Row]:
    return map(shape, range(count))


def json_lines(shape: RowShape, folder: Path, count: int) -> None:
    make_file(folder / "rows.jsonl", (f"{json.dumps(row, ensure_ascii=False)}\n" for row in rows(shape, count)))


def separated(delimiter: str, folder: Path, count: int, shape: RowShape = four_fields) -> None:
    with (folder / "rows.csv").open("w", encoding="utf-8", newline="") as file:
        writer = csv.DictWriter(file, tuple(shape(0)), delimiter=delimiter)
        writer.writeheader()
        writer.writerows(rows(shape, count))


def text(folder: Path, count: int) -> None:
    make_file(folder / "rows.txt", (f"{row['loc']}\n" for row in rows(plain, count)))


def parquet(folder: Path, count: int, shape: RowShape = plain) -> None:
    """Made by the interpreter of the benchmarks, which has pyarrow."""
    arrow, files = import_module("pyarrow"), import_module("pyarrow.parquet")
    made = list(rows(shape, count))
    columns = {name: [row[name] for row in made] for name in shape(0)}
    files.write_table(arrow.table(columns), folder / "rows.parquet")


def sqlite(folder: Path, count: int, shape: RowShape = plain) -> None:
    database = sqlite3.connect(folder / "rows.db")
    names = tuple(shape(0))
    with database:
        database.execute(f"create table pages ({', '.join(f'{name} text' for name in names)})")
        values = ", ".join(f":{name}" for name in names)
        database.executemany(f"insert into pages values ({values})", rows(shape, count))
    database.close()


def sitemaps(folder: Path, count: int, shape: RowShape = plain) -> None:
    made = rows(shape, count)
    names: list[str] = []
    while some := list(islice(made, PER_FILE)):
        names.append(f"part-{len(names)}.xml")
        make_file(folder / names[-1], _wrapped(OPENING.partition("\n")[2], map(element, some), "</urlset>\n"))
    make_file(folder / "sitemap.xml", index(names))


def feed(folder: Path, count: int, *, dated: bool = False) -> None:
    days = (f"<pubDate>{rfc_moment(n)}</pubDate>" if dated else "" for n in range(count))
    items = (f"<item><title>{n}</title><link>{plain(n)['loc']}</link>{day}</item>\n" for n, day in enumerate(days))
    opening = f'<rss version="2.0"><channel><title>News</title><link>{HOST}/</link>\n'
    make_file(folder / "feed.xml", _wrapped(opening, items, "</channel></rss>\n"))


def pages(folder: Path, count: int, *, rich: bool = False) -> None:
    """`rich`: three in one, each in a language of its own and with an image."""
    for number in range(count):
        place = path_of(number)
        path = folder / "site" / place / "index.html"
        path.parent.mkdir(parents=True)
        head = f'<link rel="canonical" href="{HOST}/{place}/">'
        day = f'<meta property="article:modified_time" content="{moment(number)}">'
        words = " ".join(WORDS[(number + each) % len(WORDS)] for each in range(200))
        if rich:
            first = number - number % len(LANGUAGES)
            named = ((code, path_of(first + each)) for each, code in enumerate(LANGUAGES))
            head += "".join(f'<link rel="alternate" hreflang="{code}" href="{HOST}/{at}/">' for code, at in named)
            words = f'<img src="/images/{number}.jpg" alt="Piece {number}"><h1>Piece {number}</h1><p>{words}'
        path.write_text(f"<!doctype html><html lang=en><title>{number}</title>{head}{day}<p>{words}</html>", "utf-8")


def _wrapped(opening: str, body: Iterator[str], closing: str) -> Iterator[str]:
    yield '<?xml version="1.0" encoding="UTF-8"?>\n'
    yield opening
    yield from body
    yield closing


def lines(shape: RowShape) -> Callable[[Path, int], None]:
    return partial(json_lines, shape)


def unlisted(
    name: str,
    text: str,
    make: Callable[[Path, int], None],
    file: str,
    naive: str,
    options: tuple[str, ...] = (),
    rows: int = ROWS,
) -> Source:
    """A shape that is not promised by name."""
    return Source(name, text, make, file, naive, options, listed=False, rows=rows)


def table_of(shape: RowShape) -> Callable[[Path, int], None]:
    return partial(separated, ",", shape=shape)


def frame_of(shape: RowShape) -> Callable[[Path, int], None]:
    return partial(parquet, shape=shape)


def maps_of(shape: RowShape) -> Callable[[Path, int], None]:
    return partial(sitemaps, shape=shape)


rows_of_sql = partial(sqlite, shape=in_languages)
rich_pages = partial(pages, rich=True)
_SQL = ("--sql", "select * from pages")
_SECTIONS = ("--section", "garden=/shop/garden/*", "--section", "office=/shop/office/*")
_PATTERNS = ("--include", "/shop/*", "--exclude", "/shop/garden/*")
SOURCES = (
    Source("plain", "JSON lines, plain", lines(plain), "rows.jsonl", "jsonl"),
    Source("query", "JSON lines, `?a=1&b=2`", lines(query), "rows.jsonl", "jsonl"),
    Source("escapes", "JSON lines, `%C3%A9`", lines(escaped), "rows.jsonl", "jsonl"),
    Source("accents", "JSON lines, `é`", lines(accented), "rows.jsonl", "jsonl"),
    Source("images", "JSON lines, one image each", lines(pictured), "rows.jsonl", "jsonl"),
    Source("captions", "JSON lines, one image with title and caption each", lines(captioned), "rows.jsonl", "jsonl"),
    Source("videos", "JSON lines, one video each", lines(filmed), "rows.jsonl", "jsonl"),
    Source("hreflang", "JSON lines, three hreflang links", lines(translated), "rows.jsonl", "jsonl"),
    Source("mixed", "JSON lines, each tenth row odd", lines(mixed), "rows.jsonl", "jsonl", listed=False),
    Source("sections", "JSON lines with `--section`", lines(plain), "rows.jsonl", "jsonl_sections", _SECTIONS),
    Source("patterns", "JSON lines with patterns", lines(plain), "rows.jsonl", "jsonl_patterns", _PATTERNS),
    Source("csv", "CSV", partial(separated, ","), "rows.csv", "csv_rows"),
    Source("csv-sections", "CSV with `--section`", partial(separated, ","), "rows.csv", "csv_sections", _SECTIONS),
    Source("tsv", "TSV", partial(separated, "\t"), "rows.csv", "tsv_rows"),
    Source("text", "text list", text, "rows.txt", "text_rows"),
    Source("parquet", "Parquet", parquet, "rows.parquet", "parquet_rows"),
    Source("sqlite", "SQLite", sqlite, "rows.db", "sqlite_rows", ("--sql", "select loc, lastmod from pages")),
    Source("sitemap", "sitemaps", sitemaps, "sitemap.xml", "sitemap_rows"),
    Source("feed", "RSS feed", feed, "feed.xml", "feed_rows"),
    Source("folder", "folder of pages", pages, "site", "folder_rows", rows=PAGES),
    unlisted("fields", "JSON lines with changefreq and priority", lines(four_fields), "rows.jsonl", "jsonl"),
    unlisted("named", "JSON lines with a section each", lines(sectioned), "rows.jsonl", "jsonl_named_sections"),
    unlisted("repeated", "JSON lines, each tenth row repeated", lines(repeated), "rows.jsonl", "jsonl_once"),
    unlisted("elsewhere", "JSON lines, each tenth host another", lines(elsewhere), "rows.jsonl", "jsonl_of_host"),
    unlisted(f"news-{TODAY}", "JSON lines, news", lines(article), "rows.jsonl", "jsonl", rows=ARTICLES),
    unlisted("csv-images", "CSV with columns of an image", table_of(illustrated), "rows.csv", "csv_images"),
    unlisted("csv-hreflang", "CSV with columns of languages", table_of(in_languages), "rows.csv", "csv_languages"),
    unlisted("parquet-images", "Parquet with lists of images", frame_of(pictured), "rows.parquet", "parquet_rows"),
    unlisted("parquet-captions", "Parquet with captions", frame_of(captioned), "rows.parquet", "parquet_rows"),
    unlisted("sqlite-hreflang", "SQLite with columns of languages", rows_of_sql, "rows.db", "sqlite_languages", _SQL),
    unlisted("sitemap-images", "sitemaps with images", maps_of(captioned), "sitemap.xml", "sitemap_media"),
    unlisted("sitemap-hreflang", "sitemaps with hreflang links", maps_of(translated), "sitemap.xml", "sitemap_media"),
    unlisted("feed-dates", "RSS feed with dates", partial(feed, dated=True), "feed.xml", "feed_dates"),
    unlisted("folder-media", "folder of pages with media", rich_pages, "site", "folder_media", ("--images",), PAGES),
)


MILLION_ROWS = Source(
    "million", "a million rows with two query parameters", lines(query), "rows.jsonl", "jsonl", rows=MILLION
)


def home(source: Source, count: int) -> Path:
    return SAMPLES / f"source-{source.name}-{count}-{FORMAT}"


def make(source: Source, count: int) -> None:
    """Unless it is there."""
    kept(home(source, count).name, lambda draft: source.make(draft, count))


def main(arguments: list[str]) -> None:
    wanted = {source.name: source for source in (*SOURCES, MILLION_ROWS)}
    if arguments:
        make(wanted[arguments[0]], int(arguments[1]))
    else:
        for source in wanted.values():
            make(source, source.rows)


if __name__ == "__main__":
    main(sys.argv[1:])
